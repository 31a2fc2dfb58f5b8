package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/retold-history/retold"
)

// Forget removes a session for good and leaves a tombstone. With the commit the
// bytes of its rows, pages and words are overwritten in the file (the engine
// deletes with secure_delete), and the log is emptied.
func (w *Writer) Forget(ctx context.Context, key retold.Key) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.begin(); err != nil {
		return err
	}
	if err := w.forget(key); err != nil {
		return w.fail(fmt.Errorf("forget %s %s: %w", key.Family, key.ID, err))
	}
	w.next.purge = true
	return nil
}

func (w *Writer) forget(key retold.Key) error {
	if err := w.tombstone(key, time.Now()); err != nil {
		return err
	}
	n, m, err := w.kept(key)
	if err != nil || n == 0 {
		return err
	}
	dead := []uint32{}
	if m.title != 0 {
		dead = append(dead, m.title)
	}
	for _, p := range m.pages {
		h, err := w.store.head(w.c, p.id, true)
		if err != nil {
			return err
		}
		dead = append(dead, h.docs...)
		if err := w.dropPage(p.id); err != nil {
			return err
		}
	}
	if err := w.kill(dead); err != nil {
		return err
	}
	if err := w.c.run("DELETE FROM session WHERE id = ?", nil, n); err != nil {
		return err
	}
	if err := w.c.run("DELETE FROM part WHERE session = ?", nil, n); err != nil {
		return err
	}
	return w.c.run("DELETE FROM detail WHERE session = ?", nil, n)
}
