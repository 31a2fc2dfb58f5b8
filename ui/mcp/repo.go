package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// A desk is what questions about commits are answered at: a repository and the
// journal.
type desk struct {
	repo    *journal.Repo
	journal *journal.Journal
	folder  string // that the repository was found by: what paths are relative to
}

// desk opens the repository that a call is about: that of the folder it names, of
// an absolute path it asks about, or of the folder the client works in.
func (c *call) desk(ctx context.Context) (*desk, error) {
	d := &desk{}
	var err error
	switch {
	case c.repo != "":
		d.folder = c.repo
		d.repo, err = c.repository(ctx, c.repo)
	case len(c.files) > 0 && filepath.IsAbs(c.files[0]):
		d.folder = filepath.Dir(c.files[0])
		d.repo, err = c.repository(ctx, d.folder)
	default:
		err = c.clientRepository(ctx, d)
	}
	if err != nil {
		return nil, err
	}
	d.journal, err = c.lib.Journal(ctx)
	return d, err
}

// clientRepository finds the one repository among the folders that the client
// works in.
func (c *call) clientRepository(ctx context.Context, d *desk) error {
	dirs, err := c.folders(ctx, c.who)
	if err != nil {
		return err
	}
	hint := "give repo: the absolute path of a folder in a git repository"
	if len(dirs) == 0 {
		return usage(hint, "the client names no folder it works in")
	}
	var found []string
	var last error
	for _, dir := range dirs {
		repo, err := c.repository(ctx, dir)
		if err != nil {
			last = err
			continue
		}
		if d.repo == nil || repo.Root != d.repo.Root {
			found = append(found, repo.Root)
		}
		d.repo, d.folder = repo, dir
	}
	switch len(found) {
	case 0:
		return last
	case 1:
		return nil
	}
	return usage("give repo: one of them", "the client works in several repositories: %s", strings.Join(found, ", "))
}

// repository opens the repository that a folder lies in. One whose configuration
// says that its files lie around it is none to answer about: any folder on the way
// could so become part of what an agent asks for.
func (c *call) repository(ctx context.Context, folder string) (*journal.Repo, error) {
	refuse := refusing("open repository", folder)
	if !filepath.IsAbs(folder) {
		return nil, refuse("give the absolute path of a folder in a git repository", "the path is relative")
	}
	if info, err := os.Stat(folder); err != nil {
		return nil, refuse("give the absolute path of a folder in a git repository", "%w", err)
	} else if !info.IsDir() {
		return nil, refuse("give the folder, and the file as file", "it is no folder")
	}
	repo, err := journal.OpenRepo(ctx, folder)
	if e, ok := errors.AsType[*retold.Error](err); ok {
		e.Err = fmt.Errorf("git cannot open it:\n%w", e.Err) // what git says may quote its configuration
	}
	if err != nil {
		return nil, err
	}
	if filepath.Base(repo.GitDir) == ".git" && !repo.Bare && filepath.Dir(repo.GitDir) != repo.Root {
		return nil, refuse("a person can ask with retold in a shell", "its configuration (core.worktree) says that its files lie elsewhere")
	}
	return repo, nil
}

// aboutGit runs a tool about a repository. What git says when it fails may quote
// the repository: the first line of the error is ours, the rest is quoted.
func aboutGit(run func(*call, context.Context) (*answer, error)) func(*call, context.Context) (*answer, error) {
	return func(c *call, ctx context.Context) (*answer, error) {
		a, err := run(c, ctx)
		if _, ours := errors.AsType[*retold.Error](err); err != nil && !ours {
			err = fmt.Errorf("the repository could not be read:\n%w", err)
		}
		return a, err
	}
}

// commitID is the full id of the commit that a call names, HEAD when it names none.
func (c *call) commitID(ctx context.Context, d *desk) (string, error) {
	if c.commit == "" {
		return d.repo.Resolve(ctx, "HEAD")
	}
	return d.repo.Resolve(ctx, c.commit)
}

// notInGit says what of a file could not be found.
func notInGit(err error, q journal.Asked) error {
	if !errors.Is(err, journal.ErrNotInGit) {
		return err
	}
	where := q.File
	if q.Line > 0 {
		where = fmt.Sprintf("%s:%d", q.File, q.Line)
	}
	return &retold.Error{
		Code: retold.CodeLineNotFound, Op: "find", Path: where, Hint: "give a file that git knows and a line it has; commit names an older state of it",
		Err: fmt.Errorf("git knows no such file or line:\n%w", err),
	}
}

// shortCommit is a commit's id as readers are shown it.
func shortCommit(id string) string { return ident(id[:min(len(id), 12)]) }

// inWords says what a class means.
func inWords(class journal.Class) string {
	switch class {
	case journal.ClassLinked:
		return "linked: lines were written there, or the commit was made there"
	case journal.ClassPossible:
		return "possible: something speaks for it, but not the lines"
	}
	return "none: no conversation found"
}

// evidence quotes reasons, one a line with what each weighs.
func (p *page) evidence(list []journal.Evidence) {
	lines := make([]string, 0, len(list))
	for _, e := range list {
		lines = append(lines, fmt.Sprintf("%+g %s: %s", e.Weight, e.Kind, quote.Line(e.Detail)))
	}
	p.lines(lines)
}
