package index

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// A vocabulary numbers words in the order in which they are met. A slot of its
// open addressing table holds all that counting a word again needs, so that most
// words cost one visit to memory.
type vocabulary struct {
	words []word
	arena []byte
	slots []slot

	doc     uint32   // the current message, from 1
	postIDs []uint32 // word of each posting, message by message
	postHow []uint8  // how each was met: asWhole … in the highest three bits, how often (at most tfMax) in the others
}

type word struct{ off, n uint32 }

// A slot is free when n is 0. The key of a word of up to eight bytes is these
// bytes, of a longer one a hash of it.
type slot struct {
	key uint64
	n   uint32
	id  uint32
	doc uint32 // last message that holds it
	at  uint32 // its posting there
}

const (
	minSlots  = 1 << 12
	keptSlots = 1 << 18 // a table that grew beyond is not kept
	tfBits    = 5
	tfMax     = 1<<tfBits - 1
)

func (v *vocabulary) reset() {
	v.words, v.arena = v.words[:0], v.arena[:0]
	v.postIDs, v.postHow = v.postIDs[:0], v.postHow[:0]
	if n := len(v.slots); n == 0 || n > keptSlots {
		v.slots = make([]slot, minSlots)
		return
	}
	clear(v.slots)
}

func (v *vocabulary) bytes() int {
	return (8+2*24)*len(v.words) + len(v.arena) + 5*len(v.postIDs)
}

func (v *vocabulary) text(id uint32) []byte {
	w := &v.words[id]
	return v.arena[w.off : w.off+w.n]
}

// post counts one more occurrence of a word in the current message. It may look
// at bytes behind the word, up to its capacity.
func (v *vocabulary) post(w []byte, how uint8) {
	if n := len(w); n <= 8 && n > 0 {
		v.postShort(keyOf(w), uint32(n), how)
		return
	}
	v.postLong(w, hashBytes(w), how)
}

// keyOf returns a word of one to eight bytes as a number.
func keyOf(w []byte) uint64 {
	if cap(w) >= 8 {
		return binary.LittleEndian.Uint64(w[:8]) & (math.MaxUint64 >> (64 - 8*len(w)))
	}
	var b [8]byte
	copy(b[:], w)
	return binary.LittleEndian.Uint64(b[:])
}

// postShort is post for the word that key stands for.
func (v *vocabulary) postShort(key uint64, n uint32, how uint8) {
	v.postHashed(key, n, mix(key, uint64(n)), how)
}

// postHashed is postShort for a word whose hash is known.
func (v *vocabulary) postHashed(key uint64, n uint32, hash uint64, how uint8) {
	mask := uint64(len(v.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &v.slots[i]
		if s.key == key && s.n == n {
			v.count(s, how)
			return
		}
		if s.n == 0 {
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], key)
			v.insert(s, b[:n], key, how)
			return
		}
	}
}

// postLong is post for a word of more than eight bytes; key is their hash.
func (v *vocabulary) postLong(w []byte, key uint64, how uint8) {
	n := uint32(len(w))
	mask := uint64(len(v.slots) - 1)
	for i := mix(key, uint64(n)) & mask; ; i = (i + 1) & mask {
		s := &v.slots[i]
		if s.n == 0 {
			v.insert(s, w, key, how)
			return
		}
		if s.key == key && s.n == n && string(v.text(s.id)) == string(w) {
			v.count(s, how)
			return
		}
	}
}

func (v *vocabulary) count(s *slot, how uint8) {
	if s.doc != v.doc {
		v.open(s, how)
		return
	}
	p := &v.postHow[s.at]
	if *p&tfMax < tfMax {
		*p++
	}
	*p |= how << tfBits
}

func (v *vocabulary) open(s *slot, how uint8) {
	s.doc, s.at = v.doc, uint32(len(v.postIDs))
	v.postIDs = append(v.postIDs, s.id)
	v.postHow = append(v.postHow, how<<tfBits|1)
}

func (v *vocabulary) insert(s *slot, w []byte, key uint64, how uint8) {
	*s = slot{key: key, n: uint32(len(w)), id: uint32(len(v.words))}
	v.words = append(v.words, word{off: uint32(len(v.arena)), n: uint32(len(w))})
	v.arena = append(v.arena, w...)
	v.open(s, how)
	if 4*len(v.words) > 3*len(v.slots) {
		v.grow()
	}
}

func (v *vocabulary) grow() {
	old := v.slots
	v.slots = make([]slot, 2*len(old))
	mask := uint64(len(v.slots) - 1)
	for k := range old {
		s := &old[k]
		if s.n == 0 {
			continue
		}
		i := mix(s.key, uint64(s.n)) & mask
		for v.slots[i].n != 0 {
			i = (i + 1) & mask
		}
		v.slots[i] = *s
	}
}

const golden = 0x9e3779b97f4a7c15

// mix spreads a key over a number's lower bits.
func mix(key, n uint64) uint64 {
	high, low := bits.Mul64(key^n*golden, golden)
	return high ^ low
}

// hashBytes takes eight bytes at a time.
func hashBytes(w []byte) uint64 {
	h := uint64(len(w))
	for ; len(w) > 8; w = w[8:] {
		h = mix(binary.LittleEndian.Uint64(w), h)
	}
	if len(w) == 0 {
		return h
	}
	return mix(keyOf(w), h)
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
