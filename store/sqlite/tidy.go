package sqlite

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/retold-history/retold/internal/index"
)

const (
	// mergeWidth segments of about one size become one.
	mergeWidth = 8
	// mergeAtOnce bounds what a commit merges, in words (an hour's work makes some
	// hundred thousand), so that following a session stays quick. What is larger
	// waits for mergeLater.
	mergeAtOnce = 1 << 20
	// mergeMost bounds a segment: where there is more, there are several.
	mergeMost = 1 << 28
)

// tidy follows a commit: it merges small segments and, after a Forget, rewrites
// those that may hold words of what was forgotten. The lock is held and no
// transaction open. What it could not finish because ctx ended is left for
// another time, except after a Forget.
func (w *Writer) tidy(ctx context.Context) error {
	if w.purge {
		if err := w.purgeWords(ctx); err != nil {
			return err
		}
		w.purge = false
	}
	return w.mergeUp(ctx, mergeAtOnce)
}

// mergeUp merges until no size has mergeWidth segments any more, as far as the
// result has at most so many words.
func (w *Writer) mergeUp(ctx context.Context, most int64) error {
	for {
		group := w.group(most)
		if len(group) == 0 {
			return nil
		}
		err := w.merge(ctx, group)
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return nil // nothing is lost: the segments are still there
		}
		if err != nil {
			return w.fail(err)
		}
	}
}

// group returns segments to be merged into one: the oldest of a size that has
// too many, or one of which half is dead.
func (w *Writer) group(most int64) []int64 {
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
	for size := range 22 {
		list := sizes[size]
		if len(list) < mergeWidth {
			continue
		}
		slices.SortFunc(list, func(a, b *segment) int { return int(a.info.First) - int(b.info.First) })
		var ids []int64
		var tokens int64
		for _, g := range list {
			if tokens += g.info.Tokens; tokens > most {
				break
			}
			ids = append(ids, g.id)
		}
		if len(ids) >= mergeWidth {
			return ids
		}
	}
	return nil
}

// merge makes one segment of several, in a transaction of its own.
func (w *Writer) merge(ctx context.Context, ids []int64) error {
	err := w.begin()
	if err == nil {
		err = w.mergeIn(ctx, ids)
	}
	if err == nil {
		return w.commit()
	}
	return errors.Join(err, w.abandon())
}

func (w *Writer) mergeIn(ctx context.Context, ids []int64) error {
	var readers []*index.Reader
	var dead []deadSet
	for _, id := range ids {
		g := w.segment(id)
		r, err := index.Open(g.info, func(n int) ([]byte, error) {
			return w.c.blob("SELECT data FROM segment_row WHERE id = ?", id<<segmentRowBits|int64(n))
		})
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
		func(n int, row []byte) error { return w.segmentRow(to, n, row) })
	if err != nil {
		return err
	}
	if err := w.endSegment(to, info); err != nil {
		return err
	}
	for _, id := range ids {
		if err := w.dropSegment(id); err != nil {
			return err
		}
	}
	return nil
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

// purgeWords rewrites every segment with dead documents, so that the words of
// what was forgotten leave the index, and empties the log. Sheets at work may
// have documents in some of them: those are rewritten when they are put, by the
// next Forget or merge.
func (w *Writer) purgeWords(ctx context.Context) error {
	var ids []int64
	for i := range w.segments {
		if g := &w.segments[i]; g.dead > 0 && g.open == 0 {
			ids = append(ids, g.id)
		}
	}
	for _, id := range ids {
		if err := w.merge(ctx, []int64{id}); err != nil {
			return w.fail(err)
		}
	}
	w.store.pages.empty()
	w.store.rows.empty()
	return w.c.run("PRAGMA wal_checkpoint(TRUNCATE)", nil)
}
