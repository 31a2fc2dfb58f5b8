package sqlite

import (
	"sync"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
)

// A desk is a builder of the index and whoever works at it: one sheet at a time,
// one after the other, so that short sessions share a segment. Its lock is taken
// before the writer's, never after.
type desk struct {
	mu       sync.Mutex
	builder  *index.Builder
	text     int    // bytes of messages in it
	finished bool   // it holds documents of sheets that were put
	sheet    *sheet // at work, or nil
}

// index indexes a message under a new document. Documents of a builder have to
// ascend, so the number is drawn under the lock.
func (w *Writer) index(d *desk, session int64, m *retold.Message, size int) (doc uint32, full bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc = w.nextDoc.Add(1) - 1
	d.builder.Add(doc, uint32(session), m)
	d.sheet.fresh = append(d.sheet.fresh, doc)
	d.text += size
	l := &w.store.limits
	return doc, d.text >= l.segment || d.text >= l.segment/16 && d.builder.Bytes() > l.memory
}

// sit gives a sheet a desk, the one used last if any is free.
func (w *Writer) sit(s *sheet) *desk {
	w.mu.Lock()
	defer w.mu.Unlock()
	var d *desk
	if n := len(w.free); n > 0 {
		d = w.free[n-1]
		w.free = w.free[:n-1]
	} else {
		d = &desk{builder: index.NewBuilder()}
		w.desks = append(w.desks, d)
	}
	d.sheet = s
	return d
}

// rise frees a sheet's desk; what it indexed there is finished, or dies.
func (w *Writer) rise(s *sheet, finished bool) {
	d := s.desk
	if d == nil {
		return
	}
	d.mu.Lock() // until the end: a flush in between would take for alive what dies here
	defer d.mu.Unlock()
	fresh := s.fresh
	s.fresh, s.desk, d.sheet = nil, nil, nil
	d.finished = d.finished || finished && len(fresh) > 0

	w.mu.Lock()
	defer w.mu.Unlock()
	w.free = append(w.free, d)
	if finished {
		return
	}
	for _, doc := range fresh {
		w.died[doc] = struct{}{}
	}
}

// flush makes a segment of what a desk's builder holds. The documents of the
// sheet that still works there are written as dead, and revived when it is put:
// until then nobody must find them.
func (w *Writer) flush(d *desk) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.builder.Len() == 0 {
		return nil
	}
	seg := d.builder.Build()
	d.finished, d.text = false, 0
	w.mu.Lock()
	defer w.mu.Unlock()
	id, err := w.addSegment(seg)
	if err != nil {
		return w.fail(err)
	}
	if d.sheet == nil || len(d.sheet.fresh) == 0 {
		return nil
	}
	dead, err := w.deadOf(id)
	if err != nil {
		return w.fail(err)
	}
	for _, doc := range d.sheet.fresh {
		dead[doc] = struct{}{}
	}
	g := w.segment(id)
	g.changed = true
	g.open++
	d.sheet.flushed = append(d.sheet.flushed, flushed{segment: id, docs: d.sheet.fresh})
	d.sheet.fresh = nil
	return nil
}
