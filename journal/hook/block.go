package hook

import (
	"fmt"
	"strings"
)

// blockVersion is of what is written into hooks.
const blockVersion = 1

// What a block begins and ends with, around its version.
const (
	beginHead, beginTail = "# >>> retold v", " >>>"
	endHead, endTail     = "# <<< retold v", " <<<"
)

// What is said in a block about the file around it, so that taking the block out
// leaves what was there before.
const (
	noteWhat   = "# This tells retold of what git did. To take it out: retold journal uninstall"
	noteMade   = "# The file was made by retold."
	noteFolder = "# The file and its folder were made by retold."
	noteNoEnd  = "# The line before this had no end."
)

// A block is what retold adds to a file of somebody else, or to one of its own.
type block struct {
	version int
	lines   string // what it does, each line with its end
	made    bool   // the file
	folder  bool   // and its folder
	noEnd   bool   // the line before it had no end
	first   bool   // it stands before the rest (filled in by split)
}

func (b block) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s%d%s\n%s\n", beginHead, blockVersion, beginTail, noteWhat)
	switch {
	case b.folder:
		s.WriteString(noteFolder + "\n")
	case b.made:
		s.WriteString(noteMade + "\n")
	}
	if b.noEnd {
		s.WriteString(noteNoEnd + "\n")
	}
	fmt.Fprintf(&s, "%s%s%d%s\n", b.lines, endHead, blockVersion, endTail)
	return s.String()
}

// insert puts a block at the end of a text, or before everything but the line
// that names the interpreter.
func insert(text string, b block, first bool) string {
	at := len(text)
	if first {
		at = 0
		if strings.HasPrefix(text, "#!") {
			if at = strings.IndexByte(text, '\n') + 1; at == 0 {
				at = len(text)
			}
		}
	}
	before, after := text[:at], text[at:]
	if b.noEnd = before != "" && !strings.HasSuffix(before, "\n"); b.noEnd {
		before += "\n"
	}
	return before + b.String() + after
}

// split takes the blocks out of a text; the last of them is returned. One without
// an end is an error that names its line.
func split(text string) (rest string, found *block, err error) {
	var out strings.Builder
	var in *block
	begun, n := 0, 0
	for line := range strings.Lines(text) {
		n++
		plain := strings.TrimRight(line, "\r\n")
		v, begins := versioned(plain, beginHead, beginTail)
		_, ends := versioned(plain, endHead, endTail)
		switch {
		case in != nil && begins:
			return "", nil, unended(begun)
		case begins:
			in, begun = &block{version: v, first: !consequent(out.String())}, n
		case in == nil && ends:
			return "", nil, fmt.Errorf("the block of retold that ends at line %d has no beginning", n)
		case in == nil:
			out.WriteString(line)
		case ends:
			found, in = in, nil
		default:
			in.take(plain)
		}
	}
	if in != nil {
		return "", nil, unended(begun)
	}
	rest = out.String()
	if found != nil && found.noEnd && strings.HasSuffix(text, endTail+"\n") {
		rest = strings.TrimSuffix(rest, "\n")
	}
	return rest, found, nil
}

func unended(line int) error {
	return fmt.Errorf("the block of retold that begins at line %d has no end", line)
}

// take reads a line inside a block.
func (b *block) take(line string) {
	switch line {
	case noteWhat:
	case noteMade:
		b.made = true
	case noteFolder:
		b.made, b.folder = true, true
	case noteNoEnd:
		b.noEnd = true
	default:
		b.lines += line + "\n"
	}
}

// versioned is the number between two ends of a line.
func versioned(line, head, tail string) (n int, ok bool) {
	rest, ok := strings.CutPrefix(line, head)
	if !ok {
		return 0, false
	}
	rest, ok = strings.CutSuffix(strings.TrimRight(rest, " \t"), tail)
	if !ok || rest == "" || len(rest) > 6 {
		return 0, false
	}
	for _, c := range []byte(rest) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// consequent reports whether a text does anything: holds a line that is neither
// empty nor a comment.
func consequent(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return true
		}
	}
	return false
}
