package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
)

// Rewrite follows a commit that an amend or a rebase made of another: the new
// one's entry is written, the old one's goes, and asked for the old one the journal
// answers with the new. One that is still on a branch or tag was copied, not
// rewritten: its entry stays.
func (j *Journal) Rewrite(ctx context.Context, repo *git.Repo, old, now string, o WriteOptions) (*Written, error) {
	if old == now {
		return j.Write(ctx, repo, now, o)
	}
	lives, err := repo.OnBranch(ctx, old)
	if err != nil {
		return nil, err
	}
	if lives {
		return j.Write(ctx, repo, now, o)
	}
	id, err := j.rewrittenRepo(ctx, repo, old, now, o)
	if err != nil {
		return nil, err
	}
	before, err := j.written(ctx, id, old)
	if err != nil {
		return nil, err
	}
	// The new entry stands before the old one goes: a crash leaves both, never none.
	w, err := j.Write(ctx, repo, now, o)
	if err != nil || o.DryRun || w.Skipped != "" {
		return w, err
	}
	return w, j.locked(ctx, func() error {
		if before != nil {
			w.Entry.keepOf(before)
			if err := j.put(ctx, repo, w, nil, o); err != nil {
				return err
			}
			w.Changed = true
			if !slices.Contains(w.Replaced, old) {
				w.Replaced = append(w.Replaced, old)
			}
		}
		return j.forget(ctx, repo, before, id, old, now, o)
	})
}

// rewrittenRepo is the id of a repository; that of before when it was its first
// commit that was rewritten.
func (j *Journal) rewrittenRepo(ctx context.Context, repo *git.Repo, old, now string, o WriteOptions) (string, error) {
	id, err := j.RepoID(ctx, repo)
	if err != nil || o.DryRun || id != old && id != now {
		return id, err
	}
	if id == now { // git shows the new one already
		was, err := j.written(ctx, old, old)
		if was == nil || err != nil {
			return id, err
		}
	}
	return old, j.locked(ctx, func() error {
		is, err := j.written(ctx, now, now)
		if err == nil && is != nil {
			err = j.forget(ctx, repo, is, now, now, now, WriteOptions{})
		}
		if err != nil {
			return err
		}
		return j.sameRepo(ctx, old, now)
	})
}

// forget takes out what was written of a commit that became another. What leads to
// the rest goes last: done again after a crash it finds what is left.
func (j *Journal) forget(ctx context.Context, repo *git.Repo, before *Entry, id, old, now string, o WriteOptions) error {
	if before != nil && o.Folder != nil {
		if err := o.Folder.Drop(before.Commit.Committed, old); err != nil {
			return err
		}
	}
	if o.Notes {
		if err := repo.DropNote(ctx, NotesRef, old); err != nil {
			return err
		}
	}
	if old != now {
		if err := j.Rewritten(ctx, id, old, now); err != nil {
			return err
		}
	}
	if before == nil {
		return nil
	}
	key := id + "/" + old
	if err := j.notebook.DropNotes(ctx, noteDay, before.Commit.Committed.UTC().Format(keyTime)+"/"+key); err != nil {
		return err
	}
	if err := j.notebook.DropNotes(ctx, noteTwin, before.twin()); err != nil {
		return err
	}
	return j.notebook.DropNotes(ctx, noteEntry, key)
}

// Rewritten notes that a commit became another, by an amend or a rebase: asked for
// the old one, the journal answers with the new one's entry.
func (j *Journal) Rewritten(ctx context.Context, repoID, old, now string) error {
	if old == now {
		return nil
	}
	// The new one may once have been rewritten into the old one: a reset, an undo.
	if err := j.notebook.DropNotes(ctx, noteAlias, repoID+"/"+now); err != nil {
		return err
	}
	return j.notebook.PutNotes(ctx, retold.Note{Kind: noteAlias, Key: repoID + "/" + old, Value: []byte(now)})
}

// twin is the key under which commits that may be the same one stand together: an
// amend, a rebase and a cherry-pick keep who wrote it and when, to the second.
func (e *Entry) twin() string { return e.twins() + e.Commit.ID }

func (e *Entry) twins() string {
	sum := sha256.Sum256([]byte(e.Commit.Author))
	return fmt.Sprintf("%s/%d/%s/", e.Repo.ID, e.Commit.Authored.Unix(), hex.EncodeToString(sum[:8]))
}

// repeated finds the commit that one repeats, as a cherry-pick does, and the
// entries of those that became it and are on no branch any more. Two commits are
// one when their author, his time, and what they say or change are the same.
func (j *Journal) repeated(ctx context.Context, repo *git.Repo, c *git.Commit, e *Entry) (same string, gone []*Entry, err error) {
	if j.notebook == nil {
		return "", nil, nil
	}
	for note, err := range j.notebook.Notes(ctx, noteTwin, e.twins(), e.twins()+"~") {
		if err != nil {
			return "", nil, err
		}
		id := note.Key[strings.LastIndexByte(note.Key, '/')+1:]
		if id == c.ID {
			continue
		}
		other, err := j.written(ctx, e.Repo.ID, id)
		if err != nil {
			return "", nil, err
		}
		if other == nil || other.Commit.Committed.After(e.Commit.Committed) || other.Commit.Subject != e.Commit.Subject && !sameFiles(other, e) {
			continue
		}
		lives, err := repo.Reachable(ctx, id)
		if err != nil {
			return "", nil, err
		}
		if !lives {
			gone = append(gone, other)
		} else if same == "" {
			same = id
		}
	}
	return same, gone, nil
}

// sameFiles reports whether two commits do as much to the same files.
func sameFiles(a, b *Entry) bool {
	if len(a.Files) != len(b.Files) || len(a.Files) == 0 {
		return false
	}
	for i := range a.Files {
		f, g := &a.Files[i], &b.Files[i]
		if f.Path != g.Path || f.Added != g.Added || f.Removed != g.Removed {
			return false
		}
	}
	return true
}

// written is the entry of a commit itself, not of one that it became; nil when
// there is none, or none that can be read: it is written anew. One of a newer
// retold is an error.
func (j *Journal) written(ctx context.Context, repoID, commit string) (*Entry, error) {
	note, err := j.note(ctx, noteEntry, repoID+"/"+commit)
	if errors.Is(err, retold.ErrNoNote) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e, err := readEntry(note)
	if errors.Is(err, errNewer) {
		return nil, err
	}
	if err != nil {
		return nil, nil //nolint:nilerr // damaged: what is written now takes its place
	}
	return e, nil
}
