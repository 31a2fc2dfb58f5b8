package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An Ask says which commits are wanted.
type Ask struct {
	Revs  []string  // revisions and ranges, as git log takes them; none: HEAD
	Paths []string  // only commits that touch one of these; exact, relative to Root
	Since time.Time // committed at or after; zero: open. History behind an older commit is not looked at
	Exact bool      // Revs are taken one by one, without their ancestors
	Limit int       // at most so many, the newest; 0: all

	NewestFirst bool
	NoPatch     bool // Files stay nil
}

// Commits yields commits, every one after its parents (NewestFirst: before). The
// error, at most one, ends it. Memory is bounded by the largest commit, of
// which at most some megabytes of text are held.
func (r *Repo) Commits(ctx context.Context, a Ask) iter.Seq2[*Commit, error] {
	return func(yield func(*Commit, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		cmd := r.command(ctx, a.args()...)
		var complaint bytes.Buffer
		cmd.Stderr = &complaint
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			yield(nil, runError(ctx, []string{"log"}, nil, err))
			return
		}
		p := &logParser{in: bufio.NewReaderSize(out, 1<<16)}
		for {
			c, err := p.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err == nil && c.Merge() && !a.NoPatch {
				c.Files, err = r.mergeFiles(ctx, c.ID)
			}
			if err != nil {
				stop()
				err = errors.Join(parseError(err, cmd.Wait(), &complaint))
				yield(nil, err)
				return
			}
			if !yield(c, nil) {
				stop()
				_ = cmd.Wait() // killed just now
				return
			}
		}
		if err := cmd.Wait(); err != nil {
			yield(nil, runError(ctx, []string{"log"}, complaint.Bytes(), err))
		}
	}
}

// parseError is why a log could not be read: what git said where it said
// something.
func parseError(err, wait error, complaint *bytes.Buffer) error {
	if wait != nil && complaint.Len() > 0 {
		return runError(context.Background(), []string{"log"}, complaint.Bytes(), err)
	}
	return fmt.Errorf("read git log: %w", err)
}

// Commit returns one commit by its id or another name of it.
func (r *Repo) Commit(ctx context.Context, rev string) (*Commit, error) {
	id, err := r.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	for c, err := range r.Commits(ctx, Ask{Revs: []string{id}, Exact: true}) {
		return c, err
	}
	return nil, fmt.Errorf("commit %s: %w", rev, ErrNotFound)
}

// logFormat has the members of a commit, each ended by a NUL: no message can
// hold one. The first byte cannot begin anything else that git log prints.
const logFormat = "--format=tformat:%x01%H%x00%T%x00%P%x00%an%x00%ae%x00%at %ai%x00%cn%x00%ce%x00%ct %ci%x00%B%x00"

func (a Ask) args() []string {
	args := []string{"log", "-z", "--no-notes", "--no-mailmap", "--encoding=UTF-8", "--no-expand-tabs", logFormat}
	if a.NoPatch {
		args = append(args, "--no-patch")
	} else {
		args = append(args, "--root", "--diff-merges=off", "--raw", "-p", "-U0", "-M", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--submodule=short", "--full-index")
	}
	switch {
	case a.Exact:
		args = append(args, "--no-walk=unsorted")
	case a.NewestFirst:
		args = append(args, "--topo-order")
	default:
		args = append(args, "--topo-order", "--reverse")
	}
	if len(a.Paths) > 0 {
		args = append(args, "--full-diff")
	}
	if a.Limit > 0 {
		args = append(args, "--max-count="+strconv.Itoa(a.Limit))
	}
	if !a.Since.IsZero() {
		args = append(args, "--since="+strconv.FormatInt(a.Since.Unix(), 10))
	}
	args = append(args, "--end-of-options")
	if len(a.Revs) == 0 {
		args = append(args, "HEAD")
	}
	return slices.Concat(args, a.Revs, []string{"--"}, a.Paths)
}

// A logParser reads what git log prints with logFormat.
type logParser struct{ in *bufio.Reader }

// next reads a commit; io.EOF when there are no more.
func (p *logParser) next() (*Commit, error) {
	if err := p.skip(); err != nil {
		return nil, err
	}
	if first, err := p.in.ReadByte(); err != nil || first != 1 {
		return nil, fmt.Errorf("%q where a commit should begin: %w", first, errors.Join(err, errShape))
	}
	var field [10]string
	for i := range field {
		s, err := p.in.ReadString(0)
		if err != nil {
			return nil, unexpected(err)
		}
		field[i] = s[:len(s)-1]
	}
	c := &Commit{ID: field[0], Tree: field[1], Parents: strings.Fields(field[2]), Message: strings.TrimRight(field[9], "\n")}
	c.Author = Person{Name: field[3], Email: field[4], Time: parseTime(field[5])}
	c.Committer = Person{Name: field[6], Email: field[7], Time: parseTime(field[8])}
	return c, p.files(c)
}

var errShape = errors.New("not what git log prints")

// unexpected is the error of an end in the middle.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// parseTime reads "1767225600 2026-01-01 01:00:00 +0100". A date that git itself
// could not make sense of is the zero time.
func parseTime(s string) time.Time {
	unix, date, _ := strings.Cut(s, " ")
	n, err := strconv.ParseInt(unix, 10, 64)
	if err != nil || n < -1<<40 || n > 1<<40 {
		return time.Time{}
	}
	t := time.Unix(n, 0).UTC()
	if i := strings.LastIndexByte(date, ' '); i >= 0 {
		if zone, err := time.Parse("-0700", date[i+1:]); err == nil {
			t = t.In(zone.Location())
		}
	}
	return t
}

// skip passes over what stands between entries.
func (p *logParser) skip() error {
	for {
		b, err := p.in.Peek(1)
		if err != nil {
			return err
		}
		if b[0] != 0 && b[0] != '\n' {
			return nil
		}
		if _, err := p.in.ReadByte(); err != nil {
			return err
		}
	}
}
