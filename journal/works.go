package journal

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/retold-history/retold"
)

// works keeps what sessions did, in memory and in a notebook, so that a session
// is read once for each of its revisions.
type works struct {
	history History
	notes   Notebook

	mu    sync.Mutex
	held  map[retold.Key]heldWork
	order []retold.Key // oldest first
	size  int
}

type heldWork struct {
	revision int64
	work     *work
	size     int
}

// The most bytes of works that are held in memory.
const worksHeld = 48 << 20

const kindWork = "work"

// work returns what a session did, by the revision that it has.
func (w *works) work(ctx context.Context, s *Kept) (*work, error) {
	w.mu.Lock()
	held, ok := w.held[s.Key]
	w.mu.Unlock()
	if ok && held.revision == s.Revision {
		return held.work, nil
	}
	key := s.Key.Family + "/" + s.Key.ID
	if w.notes != nil {
		note, err := w.notes.Note(ctx, kindWork, key)
		if err != nil && !errors.Is(err, retold.ErrNoNote) {
			return nil, err
		}
		if err == nil {
			if found, ok := decodeWork(note.Value, s.Revision); ok {
				w.hold(s, found, len(note.Value))
				return found, nil
			}
		}
	}
	d := newDigester(millis(s.CreatedAt))
	for m, err := range w.history.Messages(ctx, s.Key, 0) {
		if err != nil {
			return nil, err
		}
		d.add(&m)
	}
	found := d.done()
	value := encodeWork(found, s.Revision)
	w.hold(s, found, len(value))
	if w.notes == nil {
		return found, nil
	}
	return found, w.notes.PutNotes(ctx, retold.Note{Kind: kindWork, Key: key, Value: value})
}

func (w *works) hold(s *Kept, found *work, size int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held == nil {
		w.held = map[retold.Key]heldWork{}
	}
	if old, ok := w.held[s.Key]; ok {
		w.size -= old.size
	} else {
		w.order = append(w.order, s.Key)
	}
	w.held[s.Key] = heldWork{s.Revision, found, size}
	for w.size += size; w.size > worksHeld && len(w.order) > 1; {
		w.size -= w.held[w.order[0]].size
		delete(w.held, w.order[0])
		w.order = w.order[1:]
	}
}

// millis is a time in Unix milliseconds; 0 for none.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// timeOf is the time that millis gives; 0 is none.
func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// text reads one edit again, with its lines.
func (w *works) text(ctx context.Context, key retold.Key, e *edit) ([]change, error) {
	for m, err := range w.history.Messages(ctx, key, e.index) {
		if err != nil {
			return nil, err
		}
		if m.ID == e.message {
			if edits := editsOf(&m); e.nth < len(edits) {
				return edits[e.nth].changes, nil
			}
		}
		break
	}
	return nil, errors.New("message " + strconv.Itoa(e.index) + " is not what it was")
}
