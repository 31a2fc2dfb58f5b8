package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/retold-history/retold/internal/index"
)

// So many segments of about one size become one: fewer of those that a first
// sync of much makes, because merging them costs a good part of making them.
const (
	mergeWidth = 8
	bulkWidth  = 24
)

// tidy follows a commit: it merges small segments and, after a Forget, rewrites
// those that may hold words of what was forgotten. The lock is held and no
// transaction open.
func (w *Writer) tidy(ctx context.Context) error {
	l, wrote := &w.store.limits, w.wrote
	if w.next.purge {
		if err := w.purge(ctx); err != nil {
			return fmt.Errorf("the session is forgotten, but not every word of it has left the index: %w", err)
		}
	}
	if wrote >= l.commit/2 {
		if err := w.mergeUp(ctx, bulkWidth, l.bulk); err != nil {
			return err
		}
	}
	return w.mergeUp(ctx, mergeWidth, l.merge)
}

// mergeUp merges until no size has width segments any more, as far as the result
// has at most so many words. Merging only makes searching faster: when it fails,
// the segments are still there, and what was committed is; Close returns the
// error.
func (w *Writer) mergeUp(ctx context.Context, width int, most int64) error {
	for w.late == nil && ctx.Err() == nil {
		group := w.group(width, most)
		if len(group) == 0 {
			return nil
		}
		undone, err := w.merge(ctx, group)
		if !undone {
			return w.fail(err)
		}
		if ctx.Err() == nil {
			w.late = w.store.explain(err)
		}
	}
	return nil
}

// group returns segments to be merged into one: the oldest of a size that has
// too many, or one of which half is dead.
func (w *Writer) group(width int, most int64) []int64 {
	sizes := map[int][]*segment{}
	for i := range w.segments {
		g := &w.segments[i]
		if g.open > 0 || g.info.Tokens > most {
			continue
		}
		if g.dead > 64 && g.dead > g.info.Docs/2 {
			return []int64{g.id}
		}
		size := bits.Len64(uint64(g.info.Tokens)>>10) / 3
		sizes[size] = append(sizes[size], g)
	}
	for _, size := range slices.Sorted(maps.Keys(sizes)) {
		list := sizes[size]
		slices.SortFunc(list, func(a, b *segment) int { return cmp.Compare(a.info.First, b.info.First) })
		var ids []int64
		var tokens int64
		for _, g := range list {
			if tokens += g.info.Tokens; tokens > most {
				break
			}
			ids = append(ids, g.id)
		}
		if len(ids) >= width {
			return ids
		}
	}
	return nil
}

// merge makes one segment of several, in a transaction of its own. undone says
// that after an error everything is as it was before.
func (w *Writer) merge(ctx context.Context, ids []int64) (undone bool, err error) {
	if err = w.begin(); err == nil {
		err = w.mergeIn(ctx, ids)
	}
	if err == nil {
		err = w.commit()
	}
	if err == nil {
		return true, nil
	}
	if end := w.abandon(); end != nil {
		return false, errors.Join(err, end)
	}
	return true, err
}

func (w *Writer) mergeIn(ctx context.Context, ids []int64) error {
	var readers []*index.Reader
	var dead []deadSet
	for _, id := range ids {
		g := w.segment(id)
		r, err := w.reader(g)
		if err != nil {
			return err
		}
		d, err := w.deadOf(id)
		if err != nil {
			return err
		}
		readers, dead = append(readers, r), append(dead, d)
		w.store.work.merged.Add(int64(g.info.Docs))
	}
	to, err := w.newSegment()
	if err != nil {
		return err
	}
	info, err := index.Merge(ctx, readers,
		func(seg int, doc uint32) bool { _, gone := dead[seg][doc]; return gone },
		func(_ int, row []byte, cut bool) error { return to.add(row, cut) })
	if err != nil {
		return err
	}
	if err := w.endSegment(to, info, deadSet{}); err != nil {
		return err
	}
	for _, id := range ids {
		if err := w.dropSegment(id); err != nil {
			return err
		}
	}
	return nil
}

// reader opens a segment for merging. Rows are asked for in their order, entries
// and lists in turn, so the last two bundles are kept.
func (w *Writer) reader(g *segment) (*index.Reader, error) {
	id := g.id
	data, err := w.c.blob("SELECT rows FROM segment WHERE id = ?", id)
	if err != nil {
		return nil, err
	}
	list, err := decodeBundles(data)
	if err != nil {
		return nil, err
	}
	at, held := [2]int{-1, -1}, [2][]byte{}
	return index.Open(g.info, func(n int) ([]byte, error) {
		return list.row(n, func(want int) ([]byte, error) {
			switch want {
			case at[0]:
				return held[0], nil
			case at[1]:
				at[0], at[1], held[0], held[1] = at[1], at[0], held[1], held[0]
				return held[0], nil
			}
			data, err := w.c.blob("SELECT data FROM bundle WHERE id = ?", bundleID(id, want))
			if err != nil {
				return nil, err
			}
			at[1], held[1] = at[0], held[0]
			at[0], held[0] = want, data
			return data, nil
		})
	})
}

// abandon undoes a transaction in which only segments were merged.
func (w *Writer) abandon() error {
	if !w.c.AutocommitEnabled() { // the engine ends a transaction itself when the disk is full
		if err := w.c.run("ROLLBACK", nil); err != nil {
			return err
		}
	}
	w.open, w.changed = false, false
	open := map[int64]segment{}
	for _, g := range w.segments {
		open[g.id] = g
	}
	list, err := w.c.segments()
	if err != nil {
		return err
	}
	for i := range list {
		list[i].open, list[i].dead = open[list[i].id].open, open[list[i].id].dead
	}
	w.segments = list
	clear(w.dead)
	clear(w.blocks)
	return nil
}

// purge rewrites every segment with dead documents, so that the words of what
// was forgotten leave the index, and empties the log. That it has to be done is
// part of the library until it is. Sheets at work may have documents in some
// segments: those wait for the next commit.
func (w *Writer) purge(ctx context.Context) error {
	var ids []int64
	left := false
	for i := range w.segments {
		if g := &w.segments[i]; g.dead > 0 {
			left = left || g.open > 0
			ids = append(ids, g.id)
		}
	}
	for _, id := range ids {
		if g := w.segment(id); g.open > 0 {
			continue
		}
		undone, err := w.merge(ctx, []int64{id})
		if !undone {
			return w.fail(err)
		}
		if err != nil {
			return err
		}
	}
	if !left {
		if err := w.purged(); err != nil {
			return w.fail(err)
		}
	}
	w.store.pages.empty()
	w.store.messages.empty()
	w.store.bundles.empty()
	return w.c.run("PRAGMA wal_checkpoint(TRUNCATE)", nil)
}

func (w *Writer) purged() error {
	w.next.purge = false
	if err := w.begin(); err != nil {
		return err
	}
	return w.commit()
}
