package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// mergeFiles returns what a merge commit has that none of its parents has: how
// conflicts were resolved, and what was changed beside.
func (r *Repo) mergeFiles(ctx context.Context, id string) ([]File, error) {
	out, err := r.run(ctx, nil, "diff-tree", "--cc", "-p", "-U0", "-M", "--no-commit-id", "--no-ext-diff", "--no-textconv", "--submodule=short", "--end-of-options", id)
	if err != nil {
		return nil, err
	}
	files, err := combined(bytes.NewReader(out))
	if err != nil {
		return nil, fmt.Errorf("read merge %s: %w", id, err)
	}
	return files, nil
}

// combined reads a combined diff. Lines are those that differ from every parent.
func combined(in io.Reader) ([]File, error) {
	p := &logParser{in: bufio.NewReader(in)}
	m := merge{room: maxText}
	for {
		line, err := p.line()
		if errors.Is(err, io.EOF) {
			return m.files, nil
		}
		if err == nil {
			err = m.take(line)
		}
		if err != nil {
			return nil, err
		}
	}
}

// A merge is the state of reading a combined diff.
type merge struct {
	files   []File
	parents int // columns before the text of a line; 0 outside a hunk
	line    int // of the next line, in the merge's file
	open    bool
	room    int
}

func (m *merge) take(line []byte) error {
	s := string(line)
	switch {
	case strings.HasPrefix(s, "diff --cc "), strings.HasPrefix(s, "diff --combined "):
		_, path, _ := strings.Cut(s[len("diff --c"):], " ")
		path, err := unquote(path)
		m.files = append(m.files, File{Path: path, Status: 'M'})
		m.parents, m.open = 0, false
		return err
	case len(m.files) == 0:
		return nil
	case strings.HasPrefix(s, "@@@"):
		return m.hunk(s)
	case m.parents == 0:
		m.header(s)
		return nil
	}
	return m.text(s)
}

// header reads what stands between the name of a file and its first hunk.
func (m *merge) header(s string) {
	f := &m.files[len(m.files)-1]
	switch {
	case strings.HasPrefix(s, "new file mode"):
		f.Status = 'A'
	case strings.HasPrefix(s, "deleted file mode"):
		f.Status = 'D'
	case strings.HasPrefix(s, "Binary files "):
		f.Binary = true
	}
}

// hunk reads "@@@ -1,2 -1,3 +1,4 @@@": one more @ than parents.
func (m *merge) hunk(s string) error {
	signs := len(s) - len(strings.TrimLeft(s, "@"))
	part := strings.Fields(s[signs:])
	if len(part) < signs {
		return fmt.Errorf("hunk %.40q: %w", s, errShape)
	}
	start, _, err := span(part[signs-1], "+")
	m.parents, m.line, m.open = signs-1, start, false
	return err
}

// text takes one line of a hunk.
func (m *merge) text(s string) error {
	if strings.HasPrefix(s, "\\") {
		return nil
	}
	if len(s) < m.parents {
		return fmt.Errorf("%.40q inside a hunk: %w", s, errShape)
	}
	f := &m.files[len(m.files)-1]
	mark, text := s[:m.parents], strings.TrimSuffix(s[m.parents:], "\r")
	gone := strings.Contains(mark, "-")
	all := strings.Count(mark, mark[:1]) == len(mark) && mark[0] != ' '
	if m.room -= len(s); m.room < 0 {
		f.Elided, f.Hunks = true, nil
	}
	switch {
	case !all:
		m.open = false
	case gone:
		f.Removed++
		h := m.last(f, m.open && len(f.Hunks) > 0 && len(f.Hunks[len(f.Hunks)-1].Added) > 0)
		h.Removed = append(h.Removed, text)
	default:
		f.Added++
		h := m.last(f, false)
		h.Added = append(h.Added, text)
	}
	if !gone {
		m.line++
	}
	return nil
}

// last is the hunk that lines are added to; a new one when none is open, or fresh.
// What an elided file's lines are added to is dropped.
func (m *merge) last(f *File, fresh bool) *Hunk {
	if f.Elided {
		return &Hunk{}
	}
	if !m.open || fresh || len(f.Hunks) == 0 {
		f.Hunks = append(f.Hunks, Hunk{NewStart: m.line})
		m.open = true
	}
	return &f.Hunks[len(f.Hunks)-1]
}

// unquote reads a path as git prints it: as it is, or in quotes with the escapes
// of C when it holds something unusual.
func unquote(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	if len(s) < 2 || !strings.HasSuffix(s, `"`) {
		return "", fmt.Errorf("path %.60q: %w", s, errShape)
	}
	s = s[1 : len(s)-1]
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if at := strings.IndexByte("abtnvfr", s[i]); at >= 0 {
			b.WriteByte("\a\b\t\n\v\f\r"[at])
		} else if n, err := strconv.ParseUint(s[i:min(i+3, len(s))], 8, 8); err == nil {
			b.WriteByte(byte(n))
			i += 2
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String(), nil
}
