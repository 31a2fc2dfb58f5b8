package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
)

// A Repo is a git repository, see OpenRepo.
type Repo = git.Repo

// OpenRepo finds the repository that a folder lies in. That there is none is a
// *retold.Error with CodeUsage.
func OpenRepo(ctx context.Context, dir string) (*Repo, error) { return git.Open(ctx, dir) }

// Settings of a repository, in its git configuration.
const (
	// ConfigFolder is the folder of its journal: a path, relative to the top of the
	// repository, or "none".
	ConfigFolder = "retold.journal"
	// ConfigNotes says whether entries are also written as git notes.
	ConfigNotes = "retold.notes"
)

// Placed says where the entries of a repository are written; id is its RepoID.
func Placed(ctx context.Context, repo *Repo, id, home, userHome string) (o WriteOptions, err error) {
	notes, err := repo.Config(ctx, ConfigNotes)
	if err != nil {
		return o, err
	}
	switch strings.ToLower(notes) {
	case "true", "yes", "on", "1":
		o.Notes = true
	}
	path, err := repo.Config(ctx, ConfigFolder)
	if err != nil || path == "none" {
		return o, err
	}
	rest, tilde := strings.CutPrefix(path, "~/")
	switch {
	case path == "":
		path = ownFolder(filepath.Join(home, "journal"), repoName(repo), id)
	case tilde:
		path = filepath.Join(userHome, rest)
	case !filepath.IsAbs(path):
		path = filepath.Join(repo.Root, filepath.FromSlash(path))
	}
	o.Folder = &Folder{Path: path}
	return o, nil
}

// ownFolder is the journal's folder where nobody named one: called after the
// repository, and found by its id when that has another name by now.
func ownFolder(dir, name, id string) string {
	short := "-" + id[:min(len(id), 8)]
	path := filepath.Join(dir, name+short)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	// A name with marks of a pattern in it finds nothing, and that is no harm.
	if list, err := filepath.Glob(filepath.Join(dir, "*"+short)); err == nil && len(list) > 0 {
		return list[0]
	}
	return path
}

// mainRoot is the top of the repository's first working tree, as far as its
// folders tell: all of them share one journal.
func mainRoot(repo *Repo) string {
	if !repo.Bare && filepath.Base(repo.CommonDir) == ".git" {
		return filepath.Dir(repo.CommonDir)
	}
	return repo.Root
}

// Inside reports whether a folder lies in a repository, so that what is written
// there may be committed and pushed.
func (f *Folder) Inside(repo *Repo) bool {
	path := f.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	_, ok := below(slashed(path), slashed(repo.Root), false)
	return ok
}

// lockPause is how often a lock that another process holds is tried.
const lockPause = 20 * time.Millisecond

// locked runs f while no other process writes to the journal.
func (j *Journal) locked(ctx context.Context, f func() error) (err error) {
	if j.lock == "" {
		return f()
	}
	lock := flock.New(j.lock)
	if _, err := lock.TryLockContext(ctx, lockPause); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &retold.Error{Op: "lock journal", Path: j.lock, Hint: "nothing can be kept there: name another folder with RETOLD_HOME", Err: err}
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	return f()
}

// Commits returns the ids of the commits that a revision or range names and that
// were committed since a time, every one after its parents.
func Commits(ctx context.Context, repo *Repo, rev string, since time.Time) (ids []string, err error) {
	if since.IsZero() {
		return repo.List(ctx, rev)
	}
	for c, err := range repo.Commits(ctx, git.Ask{Revs: []string{rev}, Since: since, NoPatch: true}) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, c.ID)
	}
	return ids, nil
}
