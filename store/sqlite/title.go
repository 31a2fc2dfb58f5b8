package sqlite

import "github.com/retold-history/retold"

// titleHash tells whether a title has to be indexed again. The time is part of
// it because it is that of the hit.
func titleHash(seed uint64, k *retold.Kept) uint64 {
	var e encoder
	e.str(k.Title)
	e.time(k.Touched())
	return hash(seed, e.b)
}

// indexTitle indexes a session's title as a document of its own; 0 when it has
// none.
func (w *Writer) indexTitle(session int64, k *retold.Kept) uint32 {
	if k.Title == "" {
		return 0
	}
	s := &sheet{w: w}
	d := w.sit(s)
	s.desk = d
	d.mu.Lock()
	doc := w.nextDoc.Add(1) - 1
	d.builder.AddTitle(doc, uint32(session), k.Title, k.Touched())
	d.finished = true
	d.mu.Unlock()
	w.rise(s, true)
	return doc
}

// entitle makes doc the document of a session's title in place of old. The lock
// is held.
func (w *Writer) entitle(session int64, old, doc uint32) error {
	if old == doc {
		return nil
	}
	if doc != 0 {
		if err := w.place(doc, titleLocation(session)); err != nil {
			return err
		}
	}
	if old != 0 {
		return w.kill([]uint32{old})
	}
	return nil
}
