package index

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// A vocabulary numbers words in the order in which they are met: an open
// addressing table over an arena.
type vocabulary struct {
	words []word
	arena []byte
	slots []slot
	doc   uint32 // the current message, from 1
}

type word struct {
	off uint32
	n   uint32
	doc uint32 // last message that holds it
	at  uint32 // its posting there
	df  uint32
}

// A slot is free when its id is 0, else it holds word id-1.
type slot struct{ hash, id uint32 }

const minSlots = 1 << 12

func (v *vocabulary) reset() {
	v.words = v.words[:0]
	v.arena = v.arena[:0]
	if v.slots == nil {
		v.slots = make([]slot, minSlots)
		return
	}
	clear(v.slots)
}

func (v *vocabulary) bytes() int { return 20*cap(v.words) + cap(v.arena) + 8*len(v.slots) }

func (v *vocabulary) text(id uint32) []byte {
	w := &v.words[id]
	return v.arena[w.off : w.off+w.n]
}

// intern returns the number of a word, giving it one if it has none.
func (v *vocabulary) intern(w []byte) uint32 {
	h := hashBytes(w)
	mask := uint32(len(v.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := &v.slots[i]
		if s.id == 0 {
			return v.insert(w, h, i)
		}
		if s.hash == h && string(v.text(s.id-1)) == string(w) {
			return s.id - 1
		}
	}
}

func (v *vocabulary) insert(w []byte, h, i uint32) uint32 {
	v.words = append(v.words, word{off: uint32(len(v.arena)), n: uint32(len(w))})
	v.arena = append(v.arena, w...)
	id := uint32(len(v.words))
	v.slots[i] = slot{h, id}
	if len(v.words)*2 > len(v.slots) {
		v.grow()
	}
	return id - 1
}

func (v *vocabulary) grow() {
	old := v.slots
	v.slots = make([]slot, 2*len(old))
	mask := uint32(len(v.slots) - 1)
	for _, s := range old {
		if s.id == 0 {
			continue
		}
		i := s.hash & mask
		for v.slots[i].id != 0 {
			i = (i + 1) & mask
		}
		v.slots[i] = s
	}
}

// hashBytes mixes eight bytes at a time.
func hashBytes(w []byte) uint32 {
	const k = 0x9e3779b97f4a7c15
	h := uint64(len(w)) * k
	for ; len(w) >= 8; w = w[8:] {
		h = mix(h^binary.LittleEndian.Uint64(w), k)
	}
	var last uint64
	if len(w) >= 4 {
		last = uint64(binary.LittleEndian.Uint32(w)) | uint64(binary.LittleEndian.Uint32(w[len(w)-4:]))<<32
	} else if len(w) > 0 {
		last = uint64(w[0]) | uint64(w[len(w)/2])<<8 | uint64(w[len(w)-1])<<16
	}
	h = mix(h^last, k)
	return uint32(h)
}

func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// sorted returns the words' numbers in byte order.
func (v *vocabulary) sorted() []uint32 {
	type key struct {
		head uint64
		id   uint32
	}
	keys := make([]key, len(v.words))
	for i := range keys {
		keys[i] = key{headOf(v.text(uint32(i))), uint32(i)}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return slices.Compare(v.text(a.id), v.text(b.id))
	})
	ids := make([]uint32, len(keys))
	for i, k := range keys {
		ids[i] = k.id
	}
	return ids
}

// headOf returns the first eight bytes as a number that sorts like them.
func headOf(w []byte) uint64 {
	if len(w) >= 8 {
		return binary.BigEndian.Uint64(w)
	}
	var head [8]byte
	copy(head[:], w)
	return binary.BigEndian.Uint64(head[:])
}
