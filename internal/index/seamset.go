package index

import (
	"fmt"
	"math/bits"
)

// A seamSet tells whether a segment may have a seam: two bits for each way in
// which it can be asked for, see crossing.seam. It is written as small as leaves
// about a third of the bits set.
type seamSet struct{ words []uint64 }

const (
	seamSetBits  = 21 // while it is built
	seamSetLeast = 9
)

func seamBits(around []byte) (a, b uint64) {
	h := hashBytes(around)
	return h, h >> 32
}

// add enters a seam: what is asked for has an end of what stands before it (all,
// or less than there can be) and a beginning of what follows.
func (s *seamSet) add(seam []byte) {
	if len(seam) > 2*seamReach+2 { // nothing here writes such a seam
		return
	}
	if s.words == nil {
		s.words = make([]uint64, 1<<seamSetBits/64)
	}
	const mask = 1<<seamSetBits - 1
	stroke := 0
	for stroke < len(seam) && seam[stroke] != seamStroke {
		stroke++
	}
	for from := 0; from <= stroke; from++ {
		for end := stroke + 1; end <= len(seam); end++ {
			if end == stroke+1 && end < len(seam) {
				continue
			}
			a, b := seamBits(seam[from:end])
			s.words[a&mask>>6] |= 1 << (a & 63)
			s.words[b&mask>>6] |= 1 << (b & 63)
		}
	}
}

// row returns the set folded until it is dense enough.
func (s *seamSet) row() []byte {
	words := s.words
	for len(words) > 1<<seamSetLeast/64 {
		half := make([]uint64, len(words)/2)
		set := 0
		for i := range half {
			half[i] = words[i] | words[i+len(half)]
			set += bits.OnesCount64(half[i])
		}
		if 100*set > 36*64*len(half) {
			break
		}
		words = half
	}
	row := make([]byte, 0, 8*len(words))
	for _, w := range words {
		for range 8 {
			row = append(row, byte(w))
			w >>= 8
		}
	}
	return row
}

// maySeam reports whether a seam that looks like around may be in the segment.
func (r *Reader) maySeam(around []byte) (bool, error) {
	if r.grams == nil {
		return true, nil
	}
	row, err := r.seams.load(r, r.seamAt)
	if err != nil {
		return false, err
	}
	if len(row) == 0 {
		return false, nil
	}
	if len(row)&(len(row)-1) != 0 {
		return false, fmt.Errorf("set of seams of %d bytes: %w", len(row), ErrDamaged)
	}
	mask := uint64(8*len(row) - 1)
	a, b := seamBits(around)
	a, b = a&mask, b&mask
	return row[a>>3]>>(a&7)&1 == 1 && row[b>>3]>>(b&7)&1 == 1, nil
}
