package git

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxText is how much text of one commit is held, maxLine how much of a line.
const (
	maxText = 8 << 20
	maxLine = 1 << 16
)

// files reads the raw entries of a commit, then the patch of each in the same
// order.
func (p *logParser) files(c *Commit) error {
	for {
		if err := p.skip(); err != nil {
			return ended(err)
		}
		b, err := p.in.Peek(1)
		if err != nil {
			return err
		}
		if b[0] != ':' {
			break
		}
		f, err := p.raw()
		if err != nil {
			return err
		}
		c.Files = append(c.Files, f)
	}
	room := maxText
	for i := range c.Files {
		f := &c.Files[i]
		if err := p.patch(f, &room); err != nil {
			return fmt.Errorf("patch of %s in %s: %w", f.Path, c.ID, err)
		}
		if f.Status == 'T' && !f.Submodule { // one patch removes the old kind of file, another makes the new
			if err := p.patch(f, &room); err != nil {
				return fmt.Errorf("patch of %s in %s: %w", f.Path, c.ID, err)
			}
		}
	}
	return nil
}

// ended makes an end of the log between entries no error.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// raw reads ":oldmode newmode oldid newid status\0path\0", with a second path for
// renames and copies.
func (p *logParser) raw() (f File, err error) {
	head, err := p.in.ReadString(0)
	if err != nil {
		return f, unexpected(err)
	}
	part := strings.Fields(strings.TrimSuffix(head, "\x00"))
	if len(part) != 5 || part[4] == "" {
		return f, fmt.Errorf("entry %q: %w", head, errShape)
	}
	f.Status = part[4][0]
	f.Submodule = part[0] == ":160000" || part[1] == "160000"
	path, err := p.in.ReadString(0)
	if err != nil {
		return f, unexpected(err)
	}
	f.Path = path[:len(path)-1]
	if f.Status == 'R' || f.Status == 'C' {
		if path, err = p.in.ReadString(0); err != nil {
			return f, unexpected(err)
		}
		f.OldPath, f.Path = f.Path, path[:len(path)-1]
	}
	return f, nil
}

// patch reads "diff --git …" and the hunks that follow it. room is how much more
// text of the commit may be held.
func (p *logParser) patch(f *File, room *int) error {
	if err := p.skip(); err != nil {
		return unexpected(err)
	}
	line, err := p.line()
	if err != nil {
		return unexpected(err)
	}
	if !bytes.HasPrefix(line, []byte("diff --git ")) {
		return fmt.Errorf("%.40q where a patch should begin: %w", line, errShape)
	}
	for {
		b, err := p.in.Peek(2)
		if errors.Is(err, io.EOF) || err == nil && (b[0] <= 1 || b[0] == 'd' && p.atDiff()) {
			return nil
		}
		if err != nil {
			return err
		}
		line, err := p.line()
		if err != nil {
			return err
		}
		switch {
		case bytes.HasPrefix(line, []byte("@@ ")):
			if err := p.hunk(f, line, room); err != nil {
				return err
			}
		case bytes.HasPrefix(line, []byte("Binary files ")):
			f.Binary = true
		}
	}
}

// atDiff reports whether the next patch begins here, and not a line like
// "deleted file mode".
func (p *logParser) atDiff() bool {
	b, _ := p.in.Peek(len("diff --git ")) // shorter at the end: then it is none
	return string(b) == "diff --git "
}

// hunk reads the lines of a hunk by the counts of its head, so that nothing that
// stands in a file can be taken for something else.
func (p *logParser) hunk(f *File, head []byte, room *int) error {
	oldStart, removed, newStart, added, err := hunkHead(head)
	if err != nil {
		return err
	}
	f.Removed += removed
	f.Added += added
	h := Hunk{OldStart: oldStart, NewStart: newStart}
	for removed+added > 0 {
		line, err := p.line()
		if err != nil {
			return unexpected(err)
		}
		if *room -= len(line); *room < 0 || removed+added > maxText/8 {
			f.Elided, f.Hunks = true, nil
		}
		text := string(line[min(1, len(line)):])
		switch {
		case len(line) > 0 && line[0] == '-':
			removed--
			if !f.Elided {
				h.Removed = append(h.Removed, strings.TrimSuffix(text, "\r"))
			}
		case len(line) > 0 && line[0] == '+':
			added--
			if !f.Elided {
				h.Added = append(h.Added, strings.TrimSuffix(text, "\r"))
			}
		case len(line) > 0 && line[0] == '\\': // "\ No newline at end of file"
		default:
			return fmt.Errorf("%.40q inside a hunk: %w", line, errShape)
		}
	}
	if !f.Elided {
		f.Hunks = append(f.Hunks, h)
	}
	return nil
}

// hunkHead reads "@@ -12,3 +14 @@ …". Where a side has no lines git names the line
// before: the one after it is where they would stand.
func hunkHead(line []byte) (oldStart, removed, newStart, added int, err error) {
	part := strings.SplitN(string(line), " ", 4)
	if len(part) < 4 {
		return 0, 0, 0, 0, fmt.Errorf("hunk %.40q: %w", line, errShape)
	}
	oldStart, removed, err1 := span(part[1], "-")
	newStart, added, err2 := span(part[2], "+")
	return oldStart, removed, newStart, added, errors.Join(err1, err2)
}

func span(s, sign string) (start, count int, err error) {
	first, n, has := strings.Cut(strings.TrimPrefix(s, sign), ",")
	count = 1
	start, err = strconv.Atoi(first)
	if has && err == nil {
		count, err = strconv.Atoi(n)
	}
	if err != nil || start < 0 || count < 0 {
		return 0, 0, fmt.Errorf("hunk range %q: %w", s, errShape)
	}
	if count == 0 {
		start++
	}
	return start, count, nil
}

// line reads a line without its line feed, of an over-long one its beginning. It
// is good until the next call.
func (p *logParser) line() ([]byte, error) {
	line, err := p.in.ReadSlice('\n')
	if err == nil {
		return line[:len(line)-1], nil
	}
	held := bytes.Clone(line)
	for err != nil && (errors.Is(err, io.EOF) || len(line) > 0) {
		if errors.Is(err, io.EOF) {
			if len(held) > 0 {
				return held, nil
			}
			return nil, err
		}
		if line, err = p.in.ReadSlice('\n'); len(held) < maxLine {
			held = append(held, line...)
		}
	}
	return bytes.TrimSuffix(held, []byte("\n")), err
}
