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

// keep writes an entry down, in the place of the one that was there, with what
// leads to it.
func (j *Journal) keep(ctx context.Context, e *Entry) error {
	value, err := json.Marshal(e)
	if err != nil {
		return err
	}
	key := e.Repo.ID + "/" + e.Commit.ID
	notes := []retold.Note{
		{Kind: noteEntry, Key: key, Value: value},
		{Kind: noteDay, Key: e.Commit.Committed.UTC().Format(keyTime) + "/" + key},
		{Kind: noteTwin, Key: e.twin()},
	}
	for _, r := range e.Reflections {
		notes = append(notes, retold.Note{Kind: noteHeld, Key: e.Repo.ID + "/" + r.ID, Value: []byte(e.Commit.ID)})
	}
	return j.notebook.PutNotes(ctx, notes...)
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

// errNewer says that an entry is not one of this version.
var errNewer = errors.New("a newer retold wrote it")

func readEntry(note retold.Note) (*Entry, error) {
	e := &Entry{}
	if err := json.Unmarshal(note.Value, e); err != nil {
		return nil, &badEntry{note.Key, err}
	}
	if e.Version > EntryVersion {
		return nil, &badEntry{note.Key, fmt.Errorf("%w (version %d)", errNewer, e.Version)}
	}
	return e, nil
}

// A badEntry is the error of one entry that cannot be read.
type badEntry struct {
	key string
	err error
}

// Unreadable reports whether an error of Entries concerns one entry: the others
// are still to come.
func Unreadable(err error) bool {
	_, ok := errors.AsType[*badEntry](err)
	return ok
}

func (b *badEntry) Error() string { return "entry " + b.key + ": " + b.err.Error() }
func (b *badEntry) Unwrap() error { return b.err }

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

// CountEntries counts the entries that a notebook holds.
func CountEntries(ctx context.Context, notebook Notebook) (n int, err error) {
	for _, err := range notebook.Notes(ctx, noteEntry, "", "") {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// texts are all that an entry says.
func (e *Entry) texts() []string {
	list := []string{e.Commit.Subject, e.Commit.Body, e.Commit.ID, e.Commit.Branch, e.Repo.Name}
	for _, s := range e.Sessions {
		list = append(list, s.Title, s.ID)
	}
	for _, q := range slices.Concat(e.Intent, e.Tasks, e.Discussion) {
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

// Search returns the entries that hold all words, the newest first, and what is
// wrong with those that could not be read.
func (j *Journal) Search(ctx context.Context, repoID string, words []string) (list []Found, problems []string, err error) {
	for e, err := range j.Entries(ctx, repoID, time.Time{}, time.Time{}) {
		if bad, ok := errors.AsType[*badEntry](err); ok {
			problems = append(problems, bad.Error())
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if where, ok := e.matches(words); ok {
			list = append(list, Found{Entry: e, Where: where})
		}
	}
	slices.Reverse(list)
	return list, problems, nil
}
