package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/retold-history/retold"
)

// Put keeps k. Its messages become those of sheet; with a nil sheet they stay.
// It is an error to put a session that was forgotten, or a sheet that was begun
// before another one of the same session was put. The sheet is freed either way.
func (w *Writer) Put(ctx context.Context, k *retold.Kept, sh retold.Sheet) error {
	s, ok := sh.(*sheet)
	if sh != nil && (!ok || s.w != w || s.done) {
		return errors.New("the sheet is not one of this writer, or was put or dropped")
	}
	err := ctx.Err()
	if err == nil {
		err = w.put(k, s)
	}
	if err != nil && s != nil {
		s.Drop()
	}
	if err != nil {
		return fmt.Errorf("put %s %s: %w", k.Key.Family, k.Key.ID, err)
	}
	return nil
}

func (w *Writer) put(k *retold.Kept, s *sheet) error {
	if s != nil {
		if s.key != k.Key {
			return fmt.Errorf("the sheet is of %s %s", s.key.Family, s.key.ID)
		}
		if err := s.end(); err != nil {
			return err
		}
	}
	n, m, err := w.ready(k, s)
	if err != nil {
		return err
	}
	if s != nil {
		w.rise(s, true)
	}
	old, title := m.title, titleHash(w.seed, k)
	if title != m.titleHash {
		m.title, m.titleHash = w.indexTitle(n, k), title
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if s != nil {
		if err := w.replace(s, m); err != nil {
			return w.fail(err)
		}
	}
	if err := w.entitle(n, old, m.title); err != nil {
		return w.fail(err)
	}
	kept := *k
	if messages := m.messages(); s != nil || messages > 0 {
		kept.MessageCount = messages
	}
	if err := w.rows(n, &kept, m); err != nil {
		return w.fail(err)
	}
	return nil
}

// end writes what a sheet still holds, once all messages are added.
func (s *sheet) end() error {
	if s.same && s.next < s.from.messages() {
		if err := s.differ(); err != nil {
			return err
		}
	}
	return s.write(s.raw)
}

// ready opens a transaction and finds the number and manifest of a session, or
// says why it cannot be put.
func (w *Writer) ready(k *retold.Kept, s *sheet) (int64, *manifest, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.begin(); err != nil {
		return 0, nil, err
	}
	if gone, err := w.forgotten(k.Key); err != nil || gone {
		return 0, nil, cmp.Or(err, errors.New("the session was forgotten"))
	}
	n, m, err := w.kept(k.Key)
	if err != nil {
		return 0, nil, w.store.explain(err)
	}
	if s != nil && (!slices.Equal(m.pages, s.from.pages) || n != 0 && n != s.number) {
		return 0, nil, errors.New("another sheet of the session was put since this one was begun")
	}
	if n == 0 {
		n = w.draw(k.Key)
	}
	delete(w.drawn, k.Key)
	return n, m, nil
}

// draw gives a new session its number. The lock is held.
func (w *Writer) draw(key retold.Key) int64 {
	n := w.drawn[key]
	if n == 0 {
		n = w.next.session
		w.next.session++
		w.drawn[key] = n
	}
	return n
}

// rows writes the rows of a session and its manifest.
func (w *Writer) rows(n int64, k *retold.Kept, m *manifest) error {
	var touched any
	if t := k.Touched(); !t.IsZero() {
		touched = t.UnixMilli()
	}
	w.next.revision++
	k.Revision = w.next.revision
	body, memory := encodeKept(k), encodeMemory(k.Parts)
	w.pending += len(body) + len(memory)
	err := w.c.run("INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", nil,
		n, k.Key.Family, k.Key.ID, k.Agent, k.Empty, k.Pending, touched, k.Revision, body)
	if err != nil {
		return err
	}
	if err := w.parts(n, k.Parts); err != nil {
		return err
	}
	return w.c.run("INSERT OR REPLACE INTO detail VALUES (?, ?, ?, ?)", nil, n, m.encode(), memory, encodeProblems(k.ProblemList))
}

// replace makes a sheet's pages those of its session: from here on they are
// named by the manifest, what they replace is removed, and what they index is
// found.
func (w *Writer) replace(s *sheet, m *manifest) error {
	s.done = true
	if err := w.settle(s); err != nil {
		return err
	}
	if s.same {
		return nil // every message came as it was kept
	}
	for _, p := range m.pages[s.keep:] {
		if err := w.dropPage(p.id); err != nil {
			return err
		}
	}
	m.pages = m.pages[:s.keep:s.keep]
	for _, p := range s.written {
		m.pages = append(m.pages, p.ref)
		for i, doc := range p.docs {
			if err := w.place(doc, messageLocation(p.ref.id, i)); err != nil {
				return err
			}
		}
	}
	for _, f := range s.flushed {
		if err := w.revive(f.segment, f.docs); err != nil {
			return err
		}
		w.release(f.segment)
	}
	var dead []uint32
	for _, docs := range s.pool {
		dead = append(dead, docs...)
	}
	return w.kill(dead)
}

// release lets a segment be merged again.
func (w *Writer) release(segment int64) {
	if g := w.segment(segment); g != nil {
		g.open--
	}
}

// drop frees a sheet that is not put: its pages go, its documents stay dead.
func (w *Writer) drop(s *sheet) {
	w.rise(s, false)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.broken != nil {
		return
	}
	if err := w.undo(s); err != nil {
		_ = w.fail(err) // Drop returns nothing; the next call does
	}
}

func (w *Writer) undo(s *sheet) error {
	for _, f := range s.flushed {
		w.release(f.segment)
	}
	if len(s.written) == 0 {
		delete(w.sheets, s)
		return nil
	}
	if err := w.begin(); err != nil {
		return err
	}
	for _, p := range s.written {
		if err := w.dropPage(p.ref.id); err != nil {
			return err
		}
	}
	return w.settle(s)
}
