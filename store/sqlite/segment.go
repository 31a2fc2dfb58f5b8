package sqlite

import (
	engine "zombiezen.com/go/sqlite"

	"github.com/retold-history/retold/internal/index"
)

// A segment is what the writer knows of one.
type segment struct {
	id      int64
	info    index.Info
	dead    int  // documents in its dead set when that was written last
	changed bool // the dead set is to be written
	open    int  // sheets at work whose documents it holds: no merging
}

// segments reads the directory of all segments, oldest documents first.
func (c *conn) segments() (list []segment, err error) {
	const sql = "SELECT id, first, last, docs, tokens, head, segment_dead.data FROM segment LEFT JOIN segment_dead ON segment = id ORDER BY first, id"
	err = c.run(sql, func(row *engine.Stmt) error {
		g := segment{id: row.ColumnInt64(0), info: index.Info{
			First: uint32(row.ColumnInt64(1)), Last: uint32(row.ColumnInt64(2)),
			Docs: row.ColumnInt(3), Tokens: row.ColumnInt64(4), Head: column(row, 5),
		}}
		if err := walkDead(column(row, 6), func(uint32) { g.dead++ }); err != nil {
			return err
		}
		list = append(list, g)
		return nil
	})
	return list, err
}

func (w *Writer) segment(id int64) *segment {
	for i := range w.segments {
		if w.segments[i].id == id {
			return &w.segments[i]
		}
	}
	return nil
}

// addSegment writes a segment. Of its documents those are dead that died while
// they waited in a builder. The writer's lock is held.
func (w *Writer) addSegment(seg *index.Segment) (int64, error) {
	b, err := w.newSegment()
	if err != nil {
		return 0, err
	}
	for n, row := range seg.Rows {
		if err := b.add(row, seg.Cuts[n]); err != nil {
			return 0, err
		}
	}
	dead := deadSet{}
	for doc := range w.died {
		if doc >= seg.First && doc <= seg.Last {
			dead[doc] = struct{}{}
		}
	}
	return b.segment, w.endSegment(b, seg.Info, dead)
}

func (w *Writer) newSegment() (*bundler, error) {
	if err := w.begin(); err != nil {
		return nil, err
	}
	id := w.next.segment
	w.next.segment++
	return &bundler{w: w, segment: id}, nil
}

// endSegment makes the rows written a segment.
func (w *Writer) endSegment(b *bundler, info index.Info, dead deadSet) error {
	id := b.segment
	if info.Docs == 0 {
		return w.c.run("DELETE FROM bundle WHERE id >= ? AND id < ?", nil, bundleID(id, 0), bundleID(id+1, 0))
	}
	if err := b.flush(); err != nil {
		return err
	}
	err := w.c.run("INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?, ?)", nil, id, info.First, info.Last, info.Docs, info.Tokens, info.Head, b.directory())
	if err != nil {
		return err
	}
	w.dead[id] = dead
	w.segments = append(w.segments, segment{id: id, info: info, changed: len(dead) > 0})
	return nil
}

// dropSegment removes a segment. The writer's lock is held.
func (w *Writer) dropSegment(id int64) error {
	for i := range w.segments {
		if w.segments[i].id == id {
			w.segments = append(w.segments[:i], w.segments[i+1:]...)
			break
		}
	}
	delete(w.dead, id)
	for _, sql := range []string{"DELETE FROM segment WHERE id = ?", "DELETE FROM segment_dead WHERE segment = ?"} {
		if err := w.c.run(sql, nil, id); err != nil {
			return err
		}
	}
	return w.c.run("DELETE FROM bundle WHERE id >= ? AND id < ?", nil, bundleID(id, 0), bundleID(id+1, 0))
}
