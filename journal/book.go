package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
)

// keep writes an entry down, in the place of the one that was there.
func (j *Journal) keep(ctx context.Context, e *Entry) error {
	value, err := json.Marshal(e)
	if err != nil {
		return err
	}
	key := e.Repo.ID + "/" + e.Commit.ID
	return j.notebook.PutNotes(ctx,
		retold.Note{Kind: noteEntry, Key: key, Value: value},
		retold.Note{Kind: noteDay, Key: e.Commit.Committed.UTC().Format(keyTime) + "/" + key})
}

// Entry returns what was written down about a commit by its full id, or about the
// one that it was rewritten into; retold.ErrNoNote when nothing was.
func (j *Journal) Entry(ctx context.Context, repoID, commit string) (*Entry, error) {
	id := commit
	for range 64 { // a commit may be rewritten many times, and a broken chain may be a ring
		note, err := j.notebook.Note(ctx, noteEntry, repoID+"/"+id)
		if err == nil {
			return readEntry(note)
		}
		if !errors.Is(err, retold.ErrNoNote) {
			return nil, err
		}
		alias, err := j.notebook.Note(ctx, noteAlias, repoID+"/"+id)
		if err != nil {
			return nil, fmt.Errorf("entry of %s: %w", commit, err)
		}
		id = string(alias.Value)
	}
	return nil, fmt.Errorf("entry of %s: %w", commit, retold.ErrNoNote)
}

func readEntry(note retold.Note) (*Entry, error) {
	e := &Entry{}
	if err := json.Unmarshal(note.Value, e); err != nil {
		return nil, fmt.Errorf("entry %s: %w", note.Key, err)
	}
	if e.Version > EntryVersion {
		return nil, fmt.Errorf("entry %s: a newer retold wrote it (version %d)", note.Key, e.Version)
	}
	return e, nil
}

// Entries yields the entries of commits committed from one time up to another,
// the oldest first; of one repository when repoID is given. Open ends are zero.
// An error concerns one entry, or ends it.
func (j *Journal) Entries(ctx context.Context, repoID string, from, to time.Time) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		first, last := "", "~"
		if !from.IsZero() {
			first = from.UTC().Format(keyTime)
		}
		if !to.IsZero() {
			last = to.UTC().Format(keyTime)
		}
		for day, err := range j.notebook.Notes(ctx, noteDay, first, last) {
			if err != nil {
				yield(nil, err)
				return
			}
			_, key, _ := strings.Cut(day.Key, "/")
			if repoID != "" && !strings.HasPrefix(key, repoID+"/") {
				continue
			}
			note, err := j.notebook.Note(ctx, noteEntry, key)
			if errors.Is(err, retold.ErrNoNote) {
				continue // it was rewritten
			}
			var e *Entry
			if err == nil {
				e, err = readEntry(note)
			}
			if !yield(e, err) {
				return
			}
		}
	}
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
	if err := j.notebook.PutNotes(ctx, retold.Note{Kind: noteAlias, Key: repoID + "/" + old, Value: []byte(now)}); err != nil {
		return err
	}
	return j.notebook.DropNotes(ctx, noteEntry, repoID+"/"+old)
}

// matches reports whether an entry holds all words, in any letter case.
func (e *Entry) matches(words []string) (where []string, ok bool) {
	texts := e.texts()
	for _, word := range words {
		word = strings.ToLower(word)
		found := ""
		for _, text := range texts {
			if strings.Contains(strings.ToLower(text), word) {
				found = text
				break
			}
		}
		if found == "" {
			return nil, false
		}
		where = append(where, found)
	}
	return where, true
}

// texts are all that an entry says.
func (e *Entry) texts() []string {
	list := []string{e.Commit.Subject, e.Commit.Body, e.Commit.ID, e.Commit.Branch, e.Repo.Name}
	for _, s := range e.Sessions {
		list = append(list, s.Title, s.ID)
	}
	for _, q := range slices.Concat(e.Intent, e.Discussion) {
		list = append(list, q.Text, q.More)
	}
	for _, t := range e.Todos {
		list = append(list, t.Text)
	}
	for _, f := range e.Files {
		list = append(list, f.Path, f.OldPath)
	}
	for _, b := range e.Roadblocks {
		list = append(list, b.Text, b.Command)
	}
	for _, c := range e.Commands {
		list = append(list, c.Text)
	}
	for _, r := range e.Reflections {
		list = append(list, r.Text)
	}
	return list
}

// A Found is an entry that a search found, with what in it answers each word.
type Found struct {
	Entry *Entry
	Where []string
}

// Search returns the entries that hold all words, the newest first.
func (j *Journal) Search(ctx context.Context, repoID string, words []string) ([]Found, error) {
	var list []Found
	for e, err := range j.Entries(ctx, repoID, time.Time{}, time.Time{}) {
		if err != nil {
			return nil, err
		}
		if where, ok := e.matches(words); ok {
			list = append(list, Found{Entry: e, Where: where})
		}
	}
	slices.Reverse(list)
	return list, nil
}
