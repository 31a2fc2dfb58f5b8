package sqlite

import (
	"encoding/binary"
	"math/bits"
)

// hash tells whether a message changed. It multiplies eight bytes at a time into
// 128 bits and folds them; the seed is random and the library's own, so that no
// text can be made to pass for another.
func hash(seed uint64, b []byte) uint64 {
	const a, c = 0x9e3779b97f4a7c15, 0xd1b54a32d192ed03
	h := seed ^ uint64(len(b))*a
	for len(b) >= 16 {
		h = fold(binary.LittleEndian.Uint64(b)^h^a, binary.LittleEndian.Uint64(b[8:])^bits.RotateLeft64(h, 29)^c)
		b = b[16:]
	}
	var tail [16]byte
	copy(tail[:], b)
	h = fold(binary.LittleEndian.Uint64(tail[:])^h^c, binary.LittleEndian.Uint64(tail[8:])^bits.RotateLeft64(h, 29)^a)
	return fold(h^a, seed^c)
}

func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}
