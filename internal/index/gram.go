package index

import (
	"fmt"
	"math/bits"
	"sync/atomic"
)

// The filter of a segment says of each hash of three bytes which blocks have a
// word with them: a set of blocks for each hash, rows of as many sets as make
// gramRow bytes. A needle needs the rows of its own hashes only.

// addGrams enters a word's triples of bytes, and its last two and its last byte
// as at the end of a word, in the set of a block.
func addGrams(set *[gramBytes]byte, word []byte) {
	for i := 0; i+3 <= len(word); i++ {
		setBit(set, gramOf(word[i], word[i+1], word[i+2]))
	}
	if n := len(word); n > 0 {
		setBit(set, gramOf(word[n-1], 0, 0))
		if n > 1 {
			setBit(set, gramOf(word[n-2], word[n-1], 0))
		}
	}
}

func setBit(set *[gramBytes]byte, g uint32) { set[g>>3] |= 1 << (g & 7) }

// gramOf hashes three bytes to a bit of a filter.
func gramOf(a, b, c byte) uint32 {
	v := uint32(a)<<16 | uint32(b)<<8 | uint32(c)
	return v * 0x9e3779b1 >> (32 - gramBits)
}

// gramShape returns how many bytes the set of blocks of one hash takes, and how
// many sets are in a row.
func gramShape(blocks int) (size, inRow int) {
	size = (blocks + 7) / 8
	return size, max(1, gramRow/size)
}

func gramRows(blocks int) int {
	_, inRow := gramShape(blocks)
	return (1<<gramBits + inRow - 1) / inRow
}

// writeGrams emits the filter, given the hashes that each block has.
func writeGrams(w *writer, sets []byte, blocks int) error {
	size, inRow := gramShape(blocks)
	all := make([]byte, size<<gramBits)
	for n := range blocks {
		set, bit := sets[n*gramBytes:][:gramBytes], byte(1)<<(n&7)
		for k, eight := range set {
			for ; eight != 0; eight &= eight - 1 {
				all[(k<<3|bits.TrailingZeros8(eight))*size+n>>3] |= bit
			}
		}
	}
	for len(all) > 0 {
		n := min(len(all), inRow*size)
		if err := w.row(all[:n:n], true); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// A keptRow is a row that stays in memory once it was needed.
type keptRow struct{ at atomic.Pointer[[]byte] }

func (k *keptRow) load(r *Reader, n int) ([]byte, error) {
	if p := k.at.Load(); p != nil {
		return *p, nil
	}
	row, err := r.row(n)
	if err == nil {
		k.at.Store(&row)
	}
	return row, err
}

// gramSet returns the blocks that have a hash.
func (r *Reader) gramSet(g uint32) ([]byte, error) {
	size, inRow := gramShape(len(r.blocks))
	n := int(g) / inRow
	row, err := r.grams[n].load(r, r.filter+n)
	if err != nil {
		return nil, err
	}
	if want := min(inRow, 1<<gramBits-n*inRow) * size; len(row) != want {
		return nil, fmt.Errorf("filter of %d bytes: %w", len(row), ErrDamaged)
	}
	return row[int(g)%inRow*size:][:size], nil
}

// A blockSet is some blocks of a segment; nil is all.
type blockSet []byte

func (s blockSet) has(n int) bool { return s == nil || s[n>>3]>>(n&7)&1 == 1 }

// blocksWith returns the blocks from first up to end that may have words with all
// grams. What is in memory is asked first; rows are read until so few blocks are
// left that looking at them costs no more.
func (r *Reader) blocksWith(grams []uint32, first, end int) (blockSet, error) {
	if len(grams) == 0 || r.grams == nil {
		return nil, nil
	}
	all, left := make(blockSet, (len(r.blocks)+7)/8), end-first
	for n := first; n < end; n++ {
		all[n>>3] |= 1 << (n & 7)
	}
	_, inRow := gramShape(len(r.blocks))
	for _, kept := range [2]bool{true, false} {
		for _, g := range grams {
			if left == 0 || !kept && left <= 1 {
				return all, nil
			}
			if kept != (r.grams[int(g)/inRow].at.Load() != nil) {
				continue
			}
			set, err := r.gramSet(g)
			if err != nil {
				return nil, err
			}
			left = 0
			for k := range all {
				all[k] &= set[k]
				left += bits.OnesCount8(all[k])
			}
		}
	}
	return all, nil
}
