package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
)

// WriteOptions say where entries are written besides the notebook.
type WriteOptions struct {
	Folder *Folder // nil: no Markdown
	Notes  bool    // also as git notes, under refs/notes/retold
	Prose  func(context.Context, *Entry) (*Prose, error)
	DryRun bool // nothing is written
}

// NotesRef is the name of the git notes that entries are written to.
const NotesRef = "retold"

// Written is an entry and what became of it.
type Written struct {
	Entry   *Entry `json:"entry"`
	Path    string `json:"path,omitempty"`    // of the Markdown file
	Changed bool   `json:"changed"`           // something was written that was not there
	Skipped string `json:"skipped,omitempty"` // why nothing was written
}

// Write makes and writes the entry of a commit. The same history writes the same
// bytes, and nothing at all the second time. Commits that only change the journal
// itself are skipped.
func (j *Journal) Write(ctx context.Context, repo *git.Repo, commit string, o WriteOptions) (*Written, error) {
	c, err := repo.Commit(ctx, commit)
	if err != nil {
		return nil, err
	}
	if o.onlyJournal(repo, c) {
		return &Written{Skipped: "the commit only changes the journal"}, nil
	}
	a, err := j.Explain(ctx, repo, c.ID)
	if err != nil {
		return nil, err
	}
	return j.write(ctx, repo, c, a, o)
}

// Backfill writes the entries of commits by their full ids, in the order given;
// an error ends it.
func (j *Journal) Backfill(ctx context.Context, repo *git.Repo, ids []string, o WriteOptions) iter.Seq2[*Written, error] {
	return func(yield func(*Written, error) bool) {
		for a, err := range j.ExplainAll(ctx, repo, ids) {
			var w *Written
			if err == nil {
				w, err = j.backfill(ctx, repo, a, o)
			}
			if !yield(w, err) || err != nil {
				return
			}
		}
	}
}

func (j *Journal) backfill(ctx context.Context, repo *git.Repo, a *Attribution, o WriteOptions) (*Written, error) {
	c, err := repo.Commit(ctx, a.Commit)
	if err != nil {
		return nil, err
	}
	if o.onlyJournal(repo, c) {
		return &Written{Skipped: "the commit only changes the journal"}, nil
	}
	return j.write(ctx, repo, c, a, o)
}

func (j *Journal) write(ctx context.Context, repo *git.Repo, c *git.Commit, a *Attribution, o WriteOptions) (*Written, error) {
	e, err := j.compose(ctx, repo, c, a)
	if err != nil {
		return nil, fmt.Errorf("entry of %s: %w", c.ID, err)
	}
	before, err := j.Entry(ctx, e.Repo.ID, c.ID)
	if err != nil && !errors.Is(err, retold.ErrNoNote) {
		return nil, err
	}
	if before != nil {
		e.Prose = before.Prose // a model is asked once, not each time
		if e.Commit.Branch == "" {
			e.Commit.Branch = before.Commit.Branch // git forgets it after a while
		}
	}
	if o.Prose != nil && e.Class == ClassLinked {
		if e.Prose, err = o.Prose(ctx, e); err != nil {
			return nil, fmt.Errorf("prose of %s: %w", c.ID, err)
		}
	}
	w := &Written{Entry: e}
	if o.DryRun {
		return w, nil
	}
	return w, j.locked(ctx, func() error { return j.put(ctx, repo, w, before, o) })
}

// put writes an entry wherever it belongs; before is the one that was there.
func (j *Journal) put(ctx context.Context, repo *git.Repo, w *Written, before *Entry, o WriteOptions) error {
	same, err := sameEntry(w.Entry, before)
	if err != nil {
		return err
	}
	if !same {
		w.Changed = true
		if err := j.keep(ctx, w.Entry); err != nil {
			return err
		}
	}
	if o.Folder != nil {
		path, changed, err := o.Folder.Put(w.Entry)
		if err != nil {
			return err
		}
		w.Path, w.Changed = path, w.Changed || changed
	}
	if o.Notes {
		return j.noteInGit(ctx, repo, w)
	}
	return nil
}

func (j *Journal) noteInGit(ctx context.Context, repo *git.Repo, w *Written) error {
	text := w.Entry.Markdown(time.UTC)
	old, err := repo.Note(ctx, NotesRef, w.Entry.Commit.ID)
	if err == nil && old == text {
		return nil
	}
	if err != nil && !errors.Is(err, git.ErrNotFound) {
		return err
	}
	w.Changed = true
	return repo.SetNote(ctx, NotesRef, w.Entry.Commit.ID, text)
}

// sameEntry reports whether two entries are byte for byte the same.
func sameEntry(a, b *Entry) (bool, error) {
	if a == nil || b == nil {
		return false, nil
	}
	left, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	right, err := json.Marshal(b)
	return string(left) == string(right), err
}

// onlyJournal reports whether a commit changes nothing but the journal.
func (o WriteOptions) onlyJournal(repo *git.Repo, c *git.Commit) bool {
	if o.Folder == nil || len(c.Files) == 0 {
		return false
	}
	dir, inside := below(slashed(o.Folder.Path), slashed(repo.Root), false)
	if !inside || dir == "" {
		return false
	}
	for i := range c.Files {
		if _, ok := below(c.Files[i].Path, dir, false); !ok {
			return false
		}
	}
	return true
}
