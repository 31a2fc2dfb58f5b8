package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// lookup visits the words that a want asks for.
func (r *Reader) lookup(ctx context.Context, w want, visit func(entry) error) error {
	key := append([]byte(w.field), w.text...)
	switch w.kind {
	case wantExact, wantPrefix:
		return r.lookupRange(ctx, key, func(word []byte) (bool, error) {
			if bytes.HasPrefix(word, key) {
				return w.kind == wantPrefix || len(word) == len(key), nil
			}
			if bytes.Compare(word, key) > 0 {
				return false, errStop
			}
			return false, nil
		}, visit)
	}
	fits := func(word []byte) bool { return bytes.Contains(word, w.text) }
	if w.kind == wantSuffix {
		fits = func(word []byte) bool { return bytes.HasSuffix(word, w.text) }
	}
	grams := gramsOf(w)
	if w.field != "" {
		field := []byte(w.field)
		return r.scan(ctx, r.blockOf(field), r.blockAfter(field), grams, func(word []byte) (bool, error) {
			return bytes.HasPrefix(word, field) && fits(word[len(field):]), nil
		}, visit)
	}
	return r.scan(ctx, r.blockOf([]byte{seamMark + 1}), len(r.blocks), grams, func(word []byte) (bool, error) {
		return len(word) > 0 && word[0] > seamMark && fits(word), nil
	}, visit)
}

// blockAfter returns the first block in which no word begins with prefix,
// after those in which some may.
func (r *Reader) blockAfter(prefix []byte) int {
	n := r.blockOf(prefix)
	for n++; n < len(r.blocks); n++ {
		if from := r.blocks[n].from; bytes.Compare(from, prefix) > 0 && !bytes.HasPrefix(from, prefix) {
			break
		}
	}
	return n
}

// lookupRange visits the words in the blocks that may hold words with a prefix.
func (r *Reader) lookupRange(ctx context.Context, prefix []byte, want func([]byte) (bool, error), visit func(entry) error) error {
	return r.scan(ctx, r.blockOf(prefix), r.blockAfter(prefix), nil, want, visit)
}

// scan visits words of the blocks from first up to end that may hold all grams.
func (r *Reader) scan(ctx context.Context, first, end int, grams []uint32, want func([]byte) (bool, error), visit func(entry) error) error {
	for n := first; n < min(end, len(r.blocks)); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		maybe, err := r.mayHold(n, grams)
		if err != nil {
			return err
		}
		if !maybe {
			continue
		}
		err = r.eachEntry(n, want, visit)
		if errors.Is(err, errStop) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// gramsOf returns what a block's filter must have for the want to be met in it.
func gramsOf(w want) (list []uint32) {
	t := w.text
	for i := 0; i+3 <= len(t); i++ {
		list = append(list, gramOf(t[i], t[i+1], t[i+2]))
	}
	if n := len(t); w.kind == wantSuffix && n > 0 {
		list = append(list, gramOf(t[n-1], 0, 0))
		if n > 1 {
			list = append(list, gramOf(t[n-2], t[n-1], 0))
		}
	}
	return list
}

func (r *Reader) mayHold(n int, grams []uint32) (bool, error) {
	if len(grams) == 0 || len(r.filters) == 0 {
		return true, nil
	}
	f := &r.filters[n/gramGroup]
	p := f.bits.Load()
	if p == nil {
		row, err := r.row(f.row)
		if err != nil {
			return false, err
		}
		if len(row) != gramBytes*min(gramGroup, len(r.blocks)-n/gramGroup*gramGroup) {
			return false, fmt.Errorf("filter of %d bytes: %w", len(row), ErrDamaged)
		}
		p = &row
		f.bits.Store(p)
	}
	set := (*p)[n%gramGroup*gramBytes:][:gramBytes]
	for _, g := range grams {
		if set[g>>3]>>(g&7)&1 == 0 {
			return false, nil
		}
	}
	return true, nil
}
