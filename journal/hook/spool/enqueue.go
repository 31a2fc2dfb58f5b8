package spool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Call is one time that git runs a hook.
type Call struct {
	Kind  string    // PostCommit, …
	Given string    // what git passes to the hook: amend or rebase, 1 for a squash
	Rev   string    // HEAD, or what is to be noted instead
	Stdin io.Reader // of the hook; nil for nothing
	Alone bool      // do not wake whoever empties the queue
}

// Folder is the spool in retold's own folder.
func Folder(home string) string { return filepath.Join(home, "spool") }

// Off reports whether the person wants no commit to be noted: RETOLD_JOURNAL=0.
func Off(getenv func(string) string) bool {
	return slices.Contains([]string{"0", "off", "no", "false"}, strings.ToLower(getenv("RETOLD_JOURNAL")))
}

// Run notes what git did and wakes whoever empties the queue. A commit is neither
// kept from being made nor talked about: what goes wrong is written to the log in
// the spool, and tells status.
func Run(ctx context.Context, spool string, c Call) {
	if Off(os.Getenv) {
		return
	}
	e, err := Gather(ctx, c)
	if err == nil && e.Commit != "" {
		_, err = Put(spool, e)
	}
	if err == nil && e.Commit != "" && !c.Alone {
		err = Wake(spool)
	}
	if err != nil {
		complain(spool, c, err)
	}
}

// Gather is the event for what git just did, in the folder that this process is
// in; one without a Commit when there is nothing to be noted: a merge that made
// no commit.
func Gather(ctx context.Context, c Call) (Event, error) {
	dir, err := os.Getwd()
	if err != nil {
		return Event{}, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // it may have come from PWD
	}
	p, err := locate(dir, os.Getenv)
	if err != nil {
		return Event{}, err
	}
	if c.Kind == PostMerge && (c.Given == "1" || forwarded(p)) {
		return Event{}, nil
	}
	m, err := read(ctx, p, dir, c.Rev)
	if err != nil {
		return Event{}, fmt.Errorf("%s: %w", dir, err)
	}
	e := Event{
		Kind: c.Kind, Commit: m.id, Tree: m.tree, Parents: m.parents, Branch: m.branch,
		Repo: p.common, Worktree: p.worktree, GitDir: p.gitDir, Time: time.Now().UTC(),
	}
	if c.Kind == PostRewrite {
		e.Command = c.Given
		if e.Rewritten, err = rewritten(p, c.Given, c.Stdin); err != nil {
			return Event{}, fmt.Errorf("%s: read what was rewritten: %w", dir, err)
		}
	}
	return e, nil
}

// complain writes to the log. When that cannot be written there is nobody left to
// tell: a hook has no place to speak.
func complain(spool string, c Call, err error) {
	f, open := os.OpenFile(filepath.Join(spool, LogFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if errors.Is(open, os.ErrNotExist) {
		if os.MkdirAll(spool, 0o700) == nil {
			f, open = os.OpenFile(filepath.Join(spool, LogFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		}
	}
	if open != nil {
		return
	}
	_, _ = fmt.Fprintf(f, "time=%s %s event=%s error=%q\n", time.Now().UTC().Format(time.RFC3339Nano), notNoted, c.Kind, err.Error())
	_ = f.Close()
}

const notNoted = `level=ERROR msg="not noted"`

// LastComplaint is the last line of a spool's log that says why a commit was not
// noted; "" when there is none, not lately at least.
func LastComplaint(spool string) (last string) {
	text := tail(filepath.Join(spool, LogFile), 64<<10)
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "time=") && strings.Contains(line, notNoted) {
			last = strings.TrimSpace(line)
		}
	}
	return last
}

// tail is the end of a file, at most so many bytes of it; "" when it cannot be
// read.
func tail(path string, most int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // it was only read
	if info, err := f.Stat(); err != nil || info.Size() > most {
		if _, err = f.Seek(-most, io.SeekEnd); err != nil {
			return ""
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return ""
	}
	return string(text)
}
