package sqlite

import (
	"errors"

	engine "zombiezen.com/go/sqlite"

	"github.com/retold-history/retold/internal/index"
)

// segmentRowBits is the room for the number of a row beside its segment's.
const segmentRowBits = 24

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

// addSegment writes a segment. The writer's lock is held.
func (w *Writer) addSegment(seg *index.Segment) (int64, error) {
	id, err := w.newSegment()
	if err != nil {
		return 0, err
	}
	for n, row := range seg.Rows {
		if err := w.segmentRow(id, n, row); err != nil {
			return 0, err
		}
	}
	return id, w.endSegment(id, seg.Info)
}

func (w *Writer) newSegment() (int64, error) {
	if err := w.begin(); err != nil {
		return 0, err
	}
	id := w.next.segment
	w.next.segment++
	return id, nil
}

func (w *Writer) segmentRow(id int64, n int, row []byte) error {
	if n >= 1<<segmentRowBits {
		return errors.New("a segment has too many rows")
	}
	w.pending += len(row)
	return w.c.run("INSERT INTO segment_row VALUES (?, ?)", nil, id<<segmentRowBits|int64(n), row)
}

// endSegment makes the rows written a segment. Of its documents those are dead
// that died while they waited in a builder.
func (w *Writer) endSegment(id int64, info index.Info) error {
	if info.Docs == 0 {
		return w.c.run("DELETE FROM segment_row WHERE id >= ? AND id < ?", nil, id<<segmentRowBits, (id+1)<<segmentRowBits)
	}
	err := w.c.run("INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?)", nil, id, info.First, info.Last, info.Docs, info.Tokens, info.Head)
	if err != nil {
		return err
	}
	g := segment{id: id, info: info}
	dead := deadSet{}
	for doc := range w.died {
		if doc >= info.First && doc <= info.Last {
			dead[doc] = struct{}{}
		}
	}
	g.changed = len(dead) > 0
	w.dead[id] = dead
	w.segments = append(w.segments, g)
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
	return w.c.run("DELETE FROM segment_row WHERE id >= ? AND id < ?", nil, id<<segmentRowBits, (id+1)<<segmentRowBits)
}
