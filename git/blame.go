package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
)

// A BlameAsk says which lines are to be blamed.
type BlameAsk struct {
	Rev      string // "": the working tree, with what is not committed
	Path     string // relative to Root, with slashes
	From, To int    // 1-based, inclusive; both 0: all lines
	Far      bool   // also find lines that were moved or copied, in the file and from others; slow, and wrong about lines that say little
}

// ZeroID stands for what is not committed yet.
const ZeroID = "0000000000000000000000000000000000000000"

// Blame yields the lines of a file with the commits that wrote them, in order.
// Changes of white space alone are not counted. A file or line that is not there is
// ErrNotFound.
func (r *Repo) Blame(ctx context.Context, a BlameAsk) iter.Seq2[BlamedLine, error] {
	return func(yield func(BlamedLine, error) bool) {
		args := []string{"blame", "--line-porcelain", "-w", "--no-progress", "--no-textconv", "--no-ignore-revs-file"}
		if a.Far {
			args = append(args, "-M", "-C", "-C")
		}
		if a.From > 0 {
			args = append(args, fmt.Sprintf("-L%d,%d", a.From, a.To))
		}
		var more []setting
		err := option(a.Rev)
		switch {
		case err != nil:
		case a.Rev != "":
			args = append(args, a.Rev)
		default: // what lies in the working tree is read through filters
			more, err = r.foreignFilters(ctx)
		}
		var out []byte
		if err == nil {
			out, err = r.runWith(ctx, more, nil, append(args, "--", a.Path)...)
		}
		if err != nil {
			yield(BlamedLine{}, blameError(a, err))
			return
		}
		in := &logParser{in: bufio.NewReader(bytes.NewReader(out))}
		for {
			line, err := blamed(in)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(line, fmt.Errorf("read git blame %s: %w", a.Path, err))
				return
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}

func blameError(a BlameAsk, err error) error {
	if status(err) > 0 {
		return fmt.Errorf("%s: %w: %w", a.Path, ErrNotFound, err)
	}
	return err
}

// blamed reads one line: its commit's head, members of it, and after a tab the
// text.
func blamed(p *logParser) (b BlamedLine, err error) {
	head, err := p.line()
	if err != nil {
		return b, err
	}
	part := strings.Fields(string(head))
	if len(part) < 3 {
		return b, fmt.Errorf("%.60q: %w", head, errShape)
	}
	b.Commit = part[0]
	var err1, err2 error
	b.OrigLine, err1 = strconv.Atoi(part[1])
	b.Line, err2 = strconv.Atoi(part[2])
	if err := errors.Join(err1, err2); err != nil {
		return b, fmt.Errorf("%.60q: %w: %w", head, errShape, err)
	}
	for {
		line, err := p.line()
		if err != nil {
			return b, unexpected(err)
		}
		if text, ok := bytes.CutPrefix(line, []byte("\t")); ok {
			b.Text = strings.TrimSuffix(string(text), "\r")
			return b, nil
		}
		if path, ok := bytes.CutPrefix(line, []byte("filename ")); ok {
			if b.OrigPath, err = unquote(string(path)); err != nil {
				return b, err
			}
		}
	}
}
