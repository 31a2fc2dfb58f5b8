package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
)

// RepoID is what stays the same when a repository is cloned, moved or renamed: the
// oldest of its first commits. One without commits is known by where it lies.
func (j *Journal) RepoID(ctx context.Context, repo *git.Repo) (string, error) {
	known, err := j.clones.identity(ctx, repo)
	if err != nil {
		return "", err
	}
	if len(known.Firsts) == 0 {
		return unbornID(repo, known.Remotes), nil
	}
	id := known.Firsts[len(known.Firsts)-1]
	for range 64 { // its first commit may have been rewritten, more than once
		note, err := j.note(ctx, noteRepo, id)
		if errors.Is(err, retold.ErrNoNote) {
			return id, nil
		}
		if err != nil {
			return "", err
		}
		id = string(note.Value)
	}
	return id, nil
}

// unbornID is the id of a repository that has no commits, or shows none.
func unbornID(repo *git.Repo, remotes []string) string {
	name := repo.CommonDir
	if len(remotes) > 0 {
		name = remotes[0]
	}
	sum := sha256.Sum256([]byte(name))
	return "x" + hex.EncodeToString(sum[:20])
}

// note asks the notebook, if there is one.
func (j *Journal) note(ctx context.Context, kind, key string) (retold.Note, error) {
	if j.notebook == nil {
		return retold.Note{}, retold.ErrNoNote
	}
	return j.notebook.Note(ctx, kind, key)
}

// sameRepo notes that a repository whose first commit was rewritten is still the
// one that it was.
func (j *Journal) sameRepo(ctx context.Context, old, now string) error {
	if err := j.notebook.DropNotes(ctx, noteRepo, old); err != nil { // rewritten back
		return err
	}
	return j.notebook.PutNotes(ctx, retold.Note{Kind: noteRepo, Key: now, Value: []byte(old)})
}
