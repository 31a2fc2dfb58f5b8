package cursor

import (
	"encoding/binary"
	"math/bits"
)

// Odd numbers without a pattern: fractional digits of √2, √3 and √5.
const (
	hashA = 0x6a09e667f3bcc909
	hashB = 0xbb67ae8584caa73b
	hashC = 0x3c6ef372fe94f82b
)

// hash64 is a hash to notice changes by, several gigabytes a second. It is kept
// in memories across runs, so it must stay as it is; nobody gains from making two
// values collide but to hide a change to their own chats.
func hash64(seed uint64, b []byte) uint64 {
	h := fold(seed^hashA, uint64(len(b))^hashB)
	for len(b) >= 16 {
		h = fold(binary.LittleEndian.Uint64(b)^h, binary.LittleEndian.Uint64(b[8:])^hashC^bits.RotateLeft64(h, 32))
		b = b[16:]
	}
	var tail [16]byte
	copy(tail[:], b)
	h = fold(binary.LittleEndian.Uint64(tail[:])^h, binary.LittleEndian.Uint64(tail[8:])^hashA^bits.RotateLeft64(h, 32))
	return fold(h^hashC, hashB)
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// hashText is hash64 of a short text.
func hashText(seed uint64, s string) uint64 { return hash64(seed, []byte(s)) }

// hashNumber mixes a number into a hash.
func hashNumber(seed uint64, n int64) uint64 {
	return fold(seed^hashB, uint64(n)^hashC) ^ bits.RotateLeft64(seed, 17) //nolint:gosec // the same bits
}
