package library

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/store/sqlite"
)

// Journal returns the journal of this library: which conversation became which
// commit, and what was written down about it. It asks this library, and ends with
// it. Its notes lie beside the library file: in "journal.db", and what can be
// worked out again in "journal-cache.db". Where none can be written, and for a
// backup, nothing is kept. It returns the usual errors, retold.ErrDatabaseCorrupt
// for a damaged notebook.
func (l *Library) Journal(ctx context.Context) (j *journal.Journal, err error) {
	defer l.call(&ctx, &err)()
	notebook, cache, err := l.notebooks.open(ctx, l.shelf)
	if err != nil {
		return nil, err
	}
	lock := ""
	if l.shelf.enclosed == nil {
		lock = strings.TrimSuffix(notebookPath(l.shelf.path), ".db") + ".lock"
	}
	return journal.New(journal.Options{History: hearing{l}, Notebook: notebook, Cache: cache, Now: l.now, Lock: lock, Says: hearing{l}.says}), nil
}

// notebooks are the two files of the journal, opened when they are needed.
type notebooks struct {
	mu              sync.Mutex
	notebook, cache *sqlite.Notebook
}

func (n *notebooks) open(ctx context.Context, s *shelf) (notebook, cache *sqlite.Notebook, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.notebook != nil && n.cache != nil {
		return n.notebook, n.cache, nil
	}
	path, cachePath := "", ""
	if s.enclosed == nil {
		path = notebookPath(s.path)
		cachePath = strings.TrimSuffix(path, ".db") + "-cache.db"
	}
	if n.notebook == nil {
		if n.notebook, err = sqlite.OpenNotebook(ctx, path); unwritable(err) {
			n.notebook, err = sqlite.OpenNotebook(ctx, "")
		}
		if err != nil {
			return nil, nil, err
		}
	}
	n.cache, err = openCache(ctx, cachePath)
	return n.notebook, n.cache, err
}

// notebookPath is the notebook that belongs to a library file.
func notebookPath(library string) string {
	if filepath.Base(library) == "library.db" {
		return filepath.Join(filepath.Dir(library), "journal.db")
	}
	return strings.TrimSuffix(library, ".db") + "-journal.db"
}

// openCache opens what can be worked out again. A damaged one is made anew.
func openCache(ctx context.Context, path string) (*sqlite.Notebook, error) {
	cache, err := sqlite.OpenNotebook(ctx, path)
	if errors.Is(err, retold.ErrDatabaseCorrupt) {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
		cache, err = sqlite.OpenNotebook(ctx, path)
	}
	if unwritable(err) {
		return sqlite.OpenNotebook(ctx, "")
	}
	return cache, err
}

func (n *notebooks) close() (err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, book := range []**sqlite.Notebook{&n.notebook, &n.cache} {
		if *book != nil {
			err = errors.Join(err, (*book).Close())
			*book = nil
		}
	}
	return err
}

// hearing is what the journal asks of the library.
type hearing struct{ l *Library }

// Sessions returns the sessions any part of which lies between two times. The
// messages of those that changed are read first: a listing made before counts
// for an old state of them.
func (h hearing) Sessions(ctx context.Context, from, to time.Time) (out []journal.Kept, err error) {
	defer h.l.call(&ctx, &err)()
	store, _, err := h.l.current(ctx, false)
	if errors.Is(err, ErrNothing) {
		return nil, nil // commits have a journal where no agent ever was, too
	}
	if err != nil {
		return nil, err
	}
	list, _, err := store.List(ctx, retold.Filter{Since: from, Until: to}, -1, 0)
	if err != nil {
		return nil, err
	}
	for _, k := range list {
		out = append(out, journal.Kept{Session: k.Session, Key: k.Key, Revision: k.Revision})
	}
	return out, nil
}

// says asks the agents that keep a record of who wrote what. For a backup, whose
// places are not there, nobody is asked.
func (h hearing) says(ctx context.Context) (list []*retold.Authorship, err error) {
	defer h.l.call(&ctx, &err)()
	for _, p := range h.l.located() {
		teller, ok := p.source.(retold.AuthorshipTeller)
		if !ok || !p.Used {
			continue
		}
		a, err := teller.Authorship(ctx, p.Place)
		if err != nil {
			return nil, err
		}
		if a != nil {
			list = append(list, a)
		}
	}
	return list, nil
}

// Messages yields the messages of a session from an index on.
func (h hearing) Messages(ctx context.Context, key retold.Key, from int) iter.Seq2[retold.Message, error] {
	return func(yield func(retold.Message, error) bool) {
		if err := h.messages(ctx, key, from, yield); err != nil {
			yield(retold.Message{}, err)
		}
	}
}

func (h hearing) messages(ctx context.Context, key retold.Key, from int, yield func(retold.Message, error) bool) (err error) {
	defer h.l.call(&ctx, &err)()
	store, err := h.l.shelf.open(ctx)
	if err != nil {
		return err
	}
	k, err := store.Get(ctx, key)
	if err != nil {
		return err
	}
	if k.Pending || k.MessageCount < 0 { // nobody has read it yet
		whole, err := h.l.detail(ctx, store, *k)
		if err != nil {
			return err
		}
		for _, m := range whole.Messages[min(from, len(whole.Messages)):] {
			if !yield(m, nil) {
				return nil
			}
		}
		return nil
	}
	for m, err := range store.Messages(ctx, key, from) {
		if err != nil {
			return err
		}
		if !yield(m, nil) {
			return nil
		}
	}
	return nil
}
