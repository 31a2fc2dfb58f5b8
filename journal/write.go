package journal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"time"

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
	Entry    *Entry   `json:"entry"`
	Path     string   `json:"path,omitempty"`     // of the Markdown file
	Changed  bool     `json:"changed"`            // something was written that was not there
	Replaced []string `json:"replaced,omitempty"` // commits that became this one, whose entries are gone
	Skipped  string   `json:"skipped,omitempty"`  // why nothing was written
	Problem  error    `json:"-"`                  // why Backfill could not write the Markdown of its day
}

const skippedOwn = "the commit only changes the journal"

// Write makes and writes the entry of a commit. The same history writes the same
// bytes, and nothing at all the second time. Commits that only change the journal
// itself are skipped. Entries of commits that became this one, by an amend or a
// rebase that nobody told of, go.
func (j *Journal) Write(ctx context.Context, repo *git.Repo, commit string, o WriteOptions) (*Written, error) {
	c, err := repo.Commit(ctx, commit)
	if err != nil {
		return nil, err
	}
	if o.onlyJournal(repo, c) {
		return &Written{Skipped: skippedOwn}, nil
	}
	a, err := j.Explain(ctx, repo, c.ID)
	if err != nil {
		return nil, err
	}
	k, err := j.know(ctx, repo)
	if err != nil {
		return nil, err
	}
	return j.write(ctx, k, c, a, o)
}

// Backfill writes the entries of commits by their full ids, in the order given;
// an error ends it. The file of a day that cannot be written because of what
// somebody made of it ends nothing: see Written.Problem.
func (j *Journal) Backfill(ctx context.Context, repo *git.Repo, ids []string, o WriteOptions) iter.Seq2[*Written, error] {
	return func(yield func(*Written, error) bool) {
		k, err := j.know(ctx, repo)
		if err != nil {
			yield(nil, err)
			return
		}
		q, err := j.inquire(ctx, repo)
		if err != nil {
			yield(nil, err)
			return
		}
		for c, err := range q.each(ctx, ids) {
			var w *Written
			if err == nil {
				w, err = j.backfill(ctx, q, k, c, o)
			}
			if w != nil && ofOneDay(err) {
				w.Problem, err = err, nil
			}
			if !yield(w, err) || err != nil {
				return
			}
		}
	}
}

func (j *Journal) backfill(ctx context.Context, q *inquiry, k knowing, c *git.Commit, o WriteOptions) (*Written, error) {
	a, err := q.attributed(ctx, c)
	if err != nil {
		return nil, err
	}
	if o.onlyJournal(k.repo, c) {
		return &Written{Skipped: skippedOwn}, nil
	}
	return j.write(ctx, k, c, a, o)
}

func (j *Journal) write(ctx context.Context, k knowing, c *git.Commit, a *Attribution, o WriteOptions) (*Written, error) {
	e, err := j.compose(ctx, k, c, a)
	if err != nil {
		return nil, fmt.Errorf("entry of %s: %w", c.ID, err)
	}
	before, err := j.written(ctx, k.id, c.ID)
	if err != nil {
		return nil, err
	}
	same, gone, err := j.repeated(ctx, k.repo, c, e)
	if err != nil {
		return nil, err
	}
	e.Commit.SameAs = cmp.Or(same, e.Commit.SameAs)
	e.keepOf(before)
	for _, old := range gone {
		e.keepOf(old)
	}
	if o.Prose != nil && e.Class == ClassLinked && e.Prose == nil {
		if e.Prose, err = o.Prose(ctx, e); err != nil {
			return nil, fmt.Errorf("prose of %s: %w", c.ID, err)
		}
	}
	w := &Written{Entry: e}
	if o.DryRun {
		return w, nil
	}
	return w, j.locked(ctx, func() error {
		if err := j.put(ctx, k.repo, w, before, o); err != nil {
			return err
		}
		for _, old := range gone { // the new one stands before an old one goes
			w.Changed, w.Replaced = true, append(w.Replaced, old.Commit.ID)
			if err := j.forget(ctx, k.repo, old, k.id, old.Commit.ID, c.ID, o); err != nil {
				return err
			}
		}
		return nil
	})
}

// keepOf takes from an earlier entry, of this commit or of one that became it,
// what cannot be found out again: the branch, which git forgets, what somebody
// wrote for it, and a model's prose while it is about the same conversation.
func (e *Entry) keepOf(before *Entry) {
	if before == nil {
		return
	}
	if e.Commit.Branch == "" {
		e.Commit.Branch = before.Commit.Branch
	}
	e.Reflections = joined(e.Reflections, before.Reflections)
	if e.Prose == nil && before.Prose != nil && sameParts(e.Sessions, before.Sessions) {
		e.Prose = before.Prose
	}
}

func sameParts(a, b []EntrySession) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].ID != b[i].ID || a[i].From != b[i].From || a[i].To != b[i].To {
			return false
		}
	}
	return true
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
		w.Path, w.Changed = path, w.Changed || changed
		if err != nil {
			return err
		}
	}
	if o.Notes {
		return j.noteInGit(ctx, repo, w)
	}
	return nil
}

func (j *Journal) noteInGit(ctx context.Context, repo *git.Repo, w *Written) error {
	text := stripped(w.Entry.Markdown(time.UTC))
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

// sameEntry reports whether two entries are the same once they are written down.
func sameEntry(a, b *Entry) (bool, error) {
	if a == nil || b == nil {
		return false, nil
	}
	left, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	right, err := json.Marshal(b)
	return stored(left) == stored(right), err
}

// stored is JSON with what is no UTF-8 in a path as it is read back: it is written
// as an escape, and the sign that this stands for as itself.
func stored(json []byte) string { return strings.ReplaceAll(string(json), `\ufffd`, "\uFFFD") }

// onlyJournal reports whether a commit changes nothing but the journal.
func (o WriteOptions) onlyJournal(repo *git.Repo, c *git.Commit) bool {
	if o.Folder == nil || len(c.Files) == 0 {
		return false
	}
	path := o.Folder.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	dir, inside := below(slashed(path), slashed(repo.Root), false)
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
