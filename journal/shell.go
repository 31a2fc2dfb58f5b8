package journal

import "strings"

// A shellRun is one simple command of a shell script: its words with quotes taken
// off, what was fed to it, and where its output went.
type shellRun struct {
	words  []string
	stdin  string // of a here-document, a here-string, or an echo or printf piped to it
	out    string // file that > or >> writes; "" for none
	append bool
	end    string // the operator after it: "&&" "||" "|" ";" "&" "\n" ")"; "" at the end of the script
	groups []int  // the subshells it stands in, numbered as they open
}

// readShell splits what an agent ran in a POSIX shell into simple commands, as far
// as can be told without running it: variables stay as they are written, a
// command substitution that only prints a here-document is that text.
func readShell(script string) []shellRun {
	if len(script) > most {
		return nil
	}
	r := &shellReader{s: script}
	r.script()
	return r.runs
}

type shellReader struct {
	s     string
	i     int
	depth int // of command substitutions

	runs   []shellRun
	run    shellRun
	word   strings.Builder
	open   bool // a word has begun
	shut   bool // a subshell has ended since the last command
	group  []int
	opened int
	goes   byte // what the next word is: '>' '}' (append) 'h' (here-document) 't' (the same, tabs taken off) 's' (here-string) 'x' (left out)
	piped  bool // the run reads from the one before
	here   []hereDoc
}

// A hereDoc waits for the end of its line.
type hereDoc struct {
	run  int // index of the run that reads it
	end  string
	tabs bool
}

// deepestShell bounds command substitutions in one another.
const deepestShell = 8

func (r *shellReader) script() {
	for r.i < len(r.s) {
		c := r.s[r.i]
		switch {
		case c == '\\':
			r.escape()
		case c == '\'' || c == '"':
			r.quoted(c)
		case c == '$' && strings.HasPrefix(r.s[r.i:], "$("), c == '`':
			r.substitution()
		case c == '\n':
			r.endRun()
			r.ended("\n")
			r.piped = false
			r.i++
			r.documents()
		case c == ' ' || c == '\t' || c == '\r':
			r.endWord()
			r.i++
		case c == '#' && !r.open:
			for r.i < len(r.s) && r.s[r.i] != '\n' {
				r.i++
			}
		case strings.IndexByte(";&|(){}<>", c) >= 0 && (!r.open || c != '{' && c != '}'):
			r.operator(c)
		default:
			r.letter(c)
		}
	}
	r.endRun()
	r.documents()
}

func (r *shellReader) letter(c byte) {
	r.word.WriteByte(c)
	r.open = true
	r.i++
}

func (r *shellReader) escape() {
	r.i++
	if r.i < len(r.s) {
		if c := r.s[r.i]; c != '\n' && c != '\r' { // else the line goes on
			r.word.WriteByte(c)
			r.open = true
		} else if c == '\r' && strings.HasPrefix(r.s[r.i:], "\r\n") {
			r.i++
		}
		r.i++
	}
}

func (r *shellReader) quoted(q byte) {
	ansi := q == '\'' && strings.HasSuffix(r.word.String(), "$") // $'…'
	if ansi {
		text := strings.TrimSuffix(r.word.String(), "$")
		r.word.Reset()
		r.word.WriteString(text)
	}
	r.open = true
	for r.i++; r.i < len(r.s) && r.s[r.i] != q; {
		c := r.s[r.i]
		switch {
		case ansi && c == '\\' && r.i+1 < len(r.s):
			r.word.WriteByte(ansiEscape(r.s[r.i+1]))
			r.i += 2
		case q == '"' && c == '\\' && r.i+1 < len(r.s) && strings.IndexByte("\"\\$`\n", r.s[r.i+1]) >= 0:
			if r.s[r.i+1] != '\n' {
				r.word.WriteByte(r.s[r.i+1])
			}
			r.i += 2
		case q == '"' && (c == '`' || strings.HasPrefix(r.s[r.i:], "$(")):
			r.substitution()
		default:
			r.word.WriteByte(c)
			r.i++
		}
	}
	if r.i < len(r.s) {
		r.i++
	}
}

func ansiEscape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	}
	return c
}

// substitution reads $(…) or `…`. What prints a here-document, or echoes, is its
// text; of anything else the source stands in the word.
func (r *shellReader) substitution() {
	start := r.i
	r.open = true
	inner, end := substituted(r.s[r.i:])
	r.i += end
	if r.depth < deepestShell {
		sub := &shellReader{s: inner, depth: r.depth + 1}
		sub.script()
		if len(sub.runs) == 1 && len(sub.runs[0].words) > 0 {
			switch run := sub.runs[0]; {
			case run.words[0] == "cat" && len(run.words) == 1 && run.stdin != "":
				r.word.WriteString(strings.TrimRight(run.stdin, "\n"))
				return
			case run.words[0] == "echo" || run.words[0] == "printf":
				r.word.WriteString(strings.TrimRight(printed(run.words), "\n"))
				return
			}
		}
	}
	r.word.WriteString(r.s[start:r.i])
}

// substituted finds the end of a command substitution. Quotes and here-documents
// in it may hold brackets.
func substituted(s string) (inner string, end int) {
	if s[0] == '`' {
		if n := strings.IndexByte(s[1:], '`'); n >= 0 {
			return s[1 : n+1], n + 2
		}
		return s[1:], len(s)
	}
	level := 0
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '(':
			level++
		case ')':
			if level--; level == 0 {
				return s[2:i], i + 1
			}
		case '\\':
			i++
		case '\'', '"':
			for i++; i < len(s) && s[i] != c; i++ {
				if c == '"' && s[i] == '\\' {
					i++
				}
			}
		case '<':
			if n := documentEnd(s[i:]); n > 0 {
				i += n - 1
			}
		}
	}
	return s[min(2, len(s)):], len(s)
}

// documentEnd is how far a here-document reaches that begins with s, up to the end
// of its last line; 0 when none does.
func documentEnd(s string) int {
	if !strings.HasPrefix(s, "<<") || strings.HasPrefix(s, "<<<") {
		return 0
	}
	head, _, ok := strings.Cut(s, "\n")
	if !ok {
		return 0
	}
	mark := strings.TrimLeft(strings.TrimPrefix(head[2:], "-"), " \t")
	if mark == "" {
		return 0
	}
	if q := mark[0]; q == '\'' || q == '"' {
		mark, _, _ = strings.Cut(mark[1:], string(q))
	} else if n := strings.IndexAny(mark, " \t\r;&|)<>"); n >= 0 {
		mark = mark[:n]
	}
	at := len(head) + 1
	for at < len(s) {
		l, _, more := strings.Cut(s[at:], "\n")
		at += len(l)
		if t := strings.TrimSpace(l); t == mark || t == mark+")" {
			return at - (len(l) - strings.LastIndex(l, mark) - len(mark))
		}
		if !more {
			break
		}
		at++
	}
	return 0
}
