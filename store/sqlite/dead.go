package sqlite

import (
	"maps"
	"slices"
)

// A deadSet holds the documents of a segment that are no part of the library:
// messages that were replaced, and those of a session whose reading is not
// finished. It may name documents that the segment does not have.
type deadSet map[uint32]struct{}

func (d deadSet) encode() []byte {
	var e encoder
	e.uint(uint64(len(d)) + 1)
	var last uint32
	for _, doc := range slices.Sorted(maps.Keys(d)) {
		e.uint(uint64(doc - last))
		last = doc
	}
	return e.b
}

// walkDead calls fn for each document of an encoded set, in order.
func walkDead(data []byte, fn func(doc uint32)) error {
	if len(data) == 0 {
		return nil
	}
	d := &decoder{b: string(data)}
	var last uint32
	for range d.count() {
		last += uint32(d.uint())
		fn(last)
	}
	return d.err()
}

// A deadBits is a deadSet for fast questions: one bit for each document from
// low on.
type deadBits struct {
	low  uint32
	bits []uint64
	n    int
}

func (d *deadBits) has(doc uint32) bool {
	if d == nil || doc < d.low {
		return false
	}
	i := doc - d.low
	return int(i/64) < len(d.bits) && d.bits[i/64]&(1<<(i%64)) != 0
}

// decodeDead reads the set of a segment whose documents lie between low and top;
// nil when none is dead.
func decodeDead(data []byte, low, top uint32) (*deadBits, error) {
	if len(data) == 0 {
		return nil, nil
	}
	d := &deadBits{low: low, bits: make([]uint64, (top-low)/64+1)}
	err := walkDead(data, func(doc uint32) {
		if doc >= low && doc <= top {
			d.bits[(doc-low)/64] |= 1 << ((doc - low) % 64)
			d.n++
		}
	})
	return d, err
}

// deadOf returns the dead set of a segment for changing. The writer's lock is
// held.
func (w *Writer) deadOf(segment int64) (deadSet, error) {
	if d := w.dead[segment]; d != nil {
		return d, nil
	}
	data, err := w.c.blob("SELECT data FROM segment_dead WHERE segment = ?", segment)
	if err != nil {
		return nil, err
	}
	d := deadSet{}
	if err := walkDead(data, func(doc uint32) { d[doc] = struct{}{} }); err != nil {
		return nil, err
	}
	w.dead[segment] = d
	return d, nil
}

// kill marks documents dead in every segment that may hold them. The writer's
// lock is held.
func (w *Writer) kill(docs []uint32) error {
	for _, doc := range docs {
		if err := w.place(doc, 0); err != nil {
			return err
		}
		for i := range w.segments {
			g := &w.segments[i]
			if doc < g.info.First || doc > g.info.Last {
				continue
			}
			d, err := w.deadOf(g.id)
			if err != nil {
				return err
			}
			d[doc] = struct{}{}
			g.changed = true
		}
		w.died[doc] = struct{}{} // it may still wait in a builder
	}
	return nil
}

// revive takes documents out of the dead set of the segment they were written to
// while their session was not finished. The writer's lock is held.
func (w *Writer) revive(segment int64, docs []uint32) error {
	d, err := w.deadOf(segment)
	if err != nil {
		return err
	}
	for _, doc := range docs {
		delete(d, doc)
	}
	for i := range w.segments {
		if w.segments[i].id == segment {
			w.segments[i].changed = true
		}
	}
	return nil
}

// writeDead writes the dead sets that changed.
func (w *Writer) writeDead() error {
	for i := range w.segments {
		g := &w.segments[i]
		if !g.changed {
			continue
		}
		d, err := w.deadOf(g.id)
		if err != nil {
			return err
		}
		if len(d) == 0 {
			err = w.c.run("DELETE FROM segment_dead WHERE segment = ?", nil, g.id)
		} else {
			err = w.c.run("INSERT OR REPLACE INTO segment_dead VALUES (?, ?)", nil, g.id, d.encode())
		}
		if err != nil {
			return err
		}
		g.dead, g.changed = len(d), false
	}
	clear(w.dead)
	return nil
}
