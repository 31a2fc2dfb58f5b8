package sqlite

import (
	"encoding/binary"
	"math/bits"
)

// Numbers of the hash by which a frame of zstd is checked: XXH64, seed 0.
const (
	xxPrime1 uint64 = 0x9e3779b185ebca87
	xxPrime2 uint64 = 0xc2b2ae3d27d4eb4f
	xxPrime3 uint64 = 0x165667b19e3779f9
	xxPrime4 uint64 = 0x85ebca77c2b2ae63
	xxPrime5 uint64 = 0x27d4eb2f165667c5
)

func xxRound(acc, lane uint64) uint64 {
	return bits.RotateLeft64(acc+lane*xxPrime2, 31) * xxPrime1
}

// xxh64 hashes b.
func xxh64(b []byte) uint64 {
	h, n := xxPrime5, uint64(len(b))
	if len(b) >= 32 {
		h, b = xxStripes(b)
	}
	h += n
	for ; len(b) >= 8; b = b[8:] {
		h ^= xxRound(0, binary.LittleEndian.Uint64(b))
		h = bits.RotateLeft64(h, 27)*xxPrime1 + xxPrime4
	}
	if len(b) >= 4 {
		h ^= uint64(binary.LittleEndian.Uint32(b)) * xxPrime1
		h = bits.RotateLeft64(h, 23)*xxPrime2 + xxPrime3
		b = b[4:]
	}
	for _, c := range b {
		h ^= uint64(c) * xxPrime5
		h = bits.RotateLeft64(h, 11) * xxPrime1
	}
	h = (h ^ h>>33) * xxPrime2
	h = (h ^ h>>29) * xxPrime3
	return h ^ h>>32
}

// xxStripes takes 32 bytes at a time and returns what is left.
func xxStripes(b []byte) (h uint64, rest []byte) {
	p1, p2 := xxPrime1, xxPrime2 // as variables: their sums overflow
	v1, v2, v3, v4 := p1+p2, p2, uint64(0), -p1
	for ; len(b) >= 32; b = b[32:] {
		v1 = xxRound(v1, binary.LittleEndian.Uint64(b))
		v2 = xxRound(v2, binary.LittleEndian.Uint64(b[8:]))
		v3 = xxRound(v3, binary.LittleEndian.Uint64(b[16:]))
		v4 = xxRound(v4, binary.LittleEndian.Uint64(b[24:]))
	}
	h = bits.RotateLeft64(v1, 1) + bits.RotateLeft64(v2, 7) + bits.RotateLeft64(v3, 12) + bits.RotateLeft64(v4, 18)
	for _, v := range [...]uint64{v1, v2, v3, v4} {
		h = (h^xxRound(0, v))*xxPrime1 + xxPrime4
	}
	return h, b
}
