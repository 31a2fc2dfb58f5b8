package journal

import (
	"context"
	"errors"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
)

// Rewrite follows a commit that an amend or a rebase made of another: the old
// one's entry goes, the new one's is written, and asked for the old one the journal
// answers with the new.
func (j *Journal) Rewrite(ctx context.Context, repo *git.Repo, old, now string, o WriteOptions) (*Written, error) {
	id, err := RepoID(ctx, repo)
	if err != nil {
		return nil, err
	}
	before, err := j.Entry(ctx, id, old)
	if err != nil && !errors.Is(err, retold.ErrNoNote) {
		return nil, err
	}
	// The new entry stands before the old one goes: a crash leaves both, never none.
	w, err := j.Write(ctx, repo, now, o)
	if err != nil || o.DryRun {
		return w, err
	}
	return w, j.locked(ctx, func() error { return j.forget(ctx, repo, before, id, old, now, o) })
}

// forget takes out what was written of a commit that became another.
func (j *Journal) forget(ctx context.Context, repo *git.Repo, before *Entry, id, old, now string, o WriteOptions) error {
	if err := j.Rewritten(ctx, id, old, now); err != nil {
		return err
	}
	if o.Folder != nil && before != nil && before.Commit.ID == old && old != now {
		if err := o.Folder.Drop(before.Commit.Committed, old); err != nil {
			return err
		}
	}
	if o.Notes && old != now {
		return repo.DropNote(ctx, NotesRef, old)
	}
	return nil
}
