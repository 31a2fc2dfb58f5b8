package index

import "math/bits"

// A bitset is a set of a segment's docs by ordinal.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func fullBitset(n int) bitset {
	s := newBitset(n)
	for i := range s {
		s[i] = ^uint64(0)
	}
	if n%64 != 0 {
		s[len(s)-1] = 1<<(n%64) - 1
	}
	return s
}

func (s bitset) set(i int)      { s[i>>6] |= 1 << (i & 63) }
func (s bitset) drop(i int)     { s[i>>6] &^= 1 << (i & 63) }
func (s bitset) has(i int) bool { return s[i>>6]>>(i&63)&1 == 1 }

// and, or and without change s, and return it.
func (s bitset) and(t bitset) bitset {
	for i := range s {
		s[i] &= t[i]
	}
	return s
}

func (s bitset) or(t bitset) bitset {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

func (s bitset) without(t bitset) bitset {
	for i := range s {
		s[i] &^= t[i]
	}
	return s
}

func (s bitset) count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

func (s bitset) empty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}

func (s bitset) clone() bitset { return append(bitset(nil), s...) }

// each yields the members in order until yield returns false.
func (s bitset) each(yield func(i int) bool) {
	for k, w := range s {
		for w != 0 {
			if !yield(k<<6 | bits.TrailingZeros64(w)) {
				return
			}
			w &= w - 1
		}
	}
}
