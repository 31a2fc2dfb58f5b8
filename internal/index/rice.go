package index

import (
	"encoding/binary"
	"math/bits"
)

// A bitWriter appends bits, the first the lowest of a byte.
type bitWriter struct {
	dst []byte
	buf uint64
	n   uint // bits in buf, less than 32 between calls
}

// put appends the n lowest bits of v, the others of which are zeros; n is 32 at
// most.
func (w *bitWriter) put(v uint64, n uint) {
	w.buf |= v << w.n
	if w.n += n; w.n >= 32 {
		w.dst = binary.LittleEndian.AppendUint32(w.dst, uint32(w.buf))
		w.buf >>= 32
		w.n -= 32
	}
}

// unary appends a number as so many zeros and a one.
func (w *bitWriter) unary(v uint64) {
	for ; v >= 32; v -= 32 {
		w.put(0, 32)
	}
	w.put(1<<v, uint(v)+1)
}

// rice appends a number: how often 1<<k is in it, then the rest in k bits.
func (w *bitWriter) rice(v uint64, k uint) {
	w.unary(v >> k)
	w.put(v&(1<<k-1), k)
}

// end returns what was appended to, the last byte filled up with zeros.
func (w *bitWriter) end() []byte {
	for ; w.n > 0; w.n -= min(w.n, 8) {
		w.dst = append(w.dst, byte(w.buf))
		w.buf >>= 8
	}
	return w.dst
}

// A bitReader reads what a bitWriter wrote. Behind the end it reads zeros and is
// bad.
type bitReader struct {
	b    []byte
	buf  uint64
	n    uint // bits in buf that are read from b
	over uint // zeros that were made up behind the end
}

// fill makes sure of 56 bits.
func (r *bitReader) fill() {
	if len(r.b) >= 8 {
		r.buf |= binary.LittleEndian.Uint64(r.b) << r.n
		r.b = r.b[(63-r.n)>>3:]
		r.n |= 56
		return
	}
	for ; r.n <= 56; r.n += 8 {
		if len(r.b) == 0 {
			r.over += 8
			continue
		}
		r.buf |= uint64(r.b[0]) << r.n
		r.b = r.b[1:]
	}
}

// bad reports whether more was read than there is.
func (r *bitReader) bad() bool { return r.over > r.n }

// take reads n bits, 32 at most.
func (r *bitReader) take(n uint) uint64 {
	if r.n < n {
		r.fill()
	}
	v := r.buf & (1<<n - 1)
	r.buf >>= n
	r.n -= n
	return v
}

// unary reads a number of zeros; most is returned for any that is not smaller.
func (r *bitReader) unary(most uint64) uint64 {
	v := uint64(0)
	for {
		if r.n < 32 {
			r.fill()
		}
		zeros := uint(bits.TrailingZeros64(r.buf))
		if zeros < r.n {
			r.buf >>= zeros + 1
			r.n -= zeros + 1
			return min(v+uint64(zeros), most)
		}
		if v += uint64(r.n); v >= most {
			return most
		}
		r.buf, r.n = 0, 0
	}
}

// riceBits is how many bits of a distance are written as they are when n of docs
// messages are in a list: about so many that half of all distances are shorter.
func riceBits(docs, n int) uint {
	short := uint64(docs) * 69 / 100 / uint64(max(n, 1))
	if short <= 1 {
		return 0
	}
	return uint(bits.Len64(short)) - 1
}
