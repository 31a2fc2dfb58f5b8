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
	return w.erase(ctx, "forget", key, func() error {
		if err := w.tombstone(key, time.Now()); err != nil {
			return err
		}
		return w.remove(key)
	})
}

// Remove removes a session as Forget does, without a tombstone.
func (w *Writer) Remove(ctx context.Context, key retold.Key) error {
	return w.erase(ctx, "remove", key, func() error { return w.remove(key) })
}

func (w *Writer) erase(ctx context.Context, verb string, key retold.Key, do func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.begin(); err != nil {
		return err
	}
	if err := do(); err != nil {
		return w.fail(fmt.Errorf("%s %s %s: %w", verb, key.Family, key.ID, err))
	}
	w.next.purge = true
	return nil
}

func (w *Writer) remove(key retold.Key) error {
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
