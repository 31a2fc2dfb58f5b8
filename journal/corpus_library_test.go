package journal_test

import (
	"context"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/library"
)

// readTalks writes conversations into a home, reads that with a library, and
// returns what the library says.
func readTalks(t *testing.T, dir string, talks []*talk) *told {
	t.Helper()
	h, err := writeHome(t.Context(), dir, talks)
	if err != nil {
		t.Fatal(err)
	}
	l, err := library.Open(t.Context(), library.Options{
		CursorUser: []string{h.user}, CursorHome: []string{h.home}, Home: filepath.Join(dir, "retold"),
		Env: paths.Env{GOOS: "linux", Home: filepath.Join(dir, "person")},
	})
	if err != nil {
		t.Fatal(err)
	}
	all := &told{details: map[retold.Key]*retold.SessionDetail{}, turns: map[string]int{}}
	for d, err := range l.Each(t.Context(), retold.Filter{Empty: true}) {
		if err != nil {
			t.Fatal(err)
		}
		all.add(d)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// told is what the library said of every session: a History for the journal.
type told struct {
	details map[retold.Key]*retold.SessionDetail
	turns   map[string]int // by "session/message"
}

func (h *told) add(d *retold.SessionDetail) {
	h.details[retold.KeyOf(d.Agent, d.ID)] = d
	turn := 0
	for _, m := range d.Messages {
		if m.Role == retold.RoleUser && !m.Orphan {
			turn++
		}
		h.turns[d.ID+"/"+m.ID] = turn
	}
}

// Sessions is of journal.History.
func (h *told) Sessions(_ context.Context, from, to time.Time) (list []journal.Kept, err error) {
	for key, d := range h.details {
		if !from.IsZero() && d.Touched().Before(from) || !to.IsZero() && d.CreatedAt.After(to) {
			continue
		}
		list = append(list, journal.Kept{Session: d.Session, Key: key, Revision: 1})
	}
	return list, nil
}

// Messages is of journal.History.
func (h *told) Messages(_ context.Context, key retold.Key, from int) iter.Seq2[retold.Message, error] {
	return func(yield func(retold.Message, error) bool) {
		d := h.details[key]
		if d == nil {
			yield(retold.Message{}, retold.ErrSessionNotFound)
			return
		}
		for _, m := range d.Messages[min(from, len(d.Messages)):] {
			if !yield(m, nil) {
				return
			}
		}
	}
}

// A pad is a notebook in memory.
type pad struct {
	mu    sync.Mutex
	notes map[string]map[string]retold.Note
}

// Note is of journal.Notebook.
func (p *pad) Note(_ context.Context, kind, key string) (retold.Note, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, ok := p.notes[kind][key]
	if !ok {
		return n, retold.ErrNoNote
	}
	return n, nil
}

// Notes is of journal.Notebook.
func (p *pad) Notes(_ context.Context, kind, from, to string) iter.Seq2[retold.Note, error] {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []retold.Note
	for _, key := range slices.Sorted(maps.Keys(p.notes[kind])) {
		if key >= from && (to == "" || key < to) {
			list = append(list, p.notes[kind][key])
		}
	}
	return func(yield func(retold.Note, error) bool) {
		for _, n := range list {
			if !yield(n, nil) {
				return
			}
		}
	}
}

// PutNotes is of journal.Notebook.
func (p *pad) PutNotes(_ context.Context, notes ...retold.Note) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range notes {
		if p.notes == nil {
			p.notes = map[string]map[string]retold.Note{}
		}
		if p.notes[n.Kind] == nil {
			p.notes[n.Kind] = map[string]retold.Note{}
		}
		p.notes[n.Kind][n.Key] = n
	}
	return nil
}

// DropNotes is of journal.Notebook.
func (p *pad) DropNotes(_ context.Context, kind string, keys ...string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range keys {
		delete(p.notes[kind], k)
	}
	return nil
}
