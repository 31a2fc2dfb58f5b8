package sqlite

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// errDamaged is what decoding says of bytes that nothing here has written.
var errDamaged = errors.New("damaged record")

// An encoder appends values to a buffer. Everything it writes a decoder reads
// back exactly, whatever bytes strings hold.
type encoder struct{ b []byte }

func (e *encoder) uint(n uint64)  { e.b = binary.AppendUvarint(e.b, n) }
func (e *encoder) int(n int64)    { e.b = binary.AppendVarint(e.b, n) }
func (e *encoder) fixed(n uint64) { e.b = binary.LittleEndian.AppendUint64(e.b, n) }
func (e *encoder) byte(c byte)    { e.b = append(e.b, c) }

func (e *encoder) bool(v bool) {
	if v {
		e.b = append(e.b, 1)
	} else {
		e.b = append(e.b, 0)
	}
}

func (e *encoder) str(s string) {
	e.uint(uint64(len(s)))
	e.b = append(e.b, s...)
}

// bytes keeps nil apart from empty.
func (e *encoder) bytes(b []byte) {
	if b == nil {
		e.uint(0)
		return
	}
	e.uint(uint64(len(b)) + 1)
	e.b = append(e.b, b...)
}

func (e *encoder) strs(list []string) {
	if list == nil {
		e.uint(0)
		return
	}
	e.uint(uint64(len(list)) + 1)
	for _, s := range list {
		e.str(s)
	}
}

// time keeps the instant to the nanosecond; the zone becomes UTC.
func (e *encoder) time(t time.Time) {
	if t.IsZero() {
		e.uint(0)
		return
	}
	e.uint(uint64(t.Nanosecond()) + 1)
	e.int(t.Unix())
}

func (e *encoder) optional(n *int) {
	e.bool(n != nil)
	if n != nil {
		e.int(int64(*n))
	}
}

// A decoder reads what an encoder wrote. After the first thing that does not fit
// it is bad and yields zero values; the caller asks once, at the end.
type decoder struct {
	b   string
	bad bool
}

func (d *decoder) err() error {
	if d.bad {
		return errDamaged
	}
	return nil
}

func (d *decoder) uint() uint64 {
	var n uint64
	for i := 0; i < len(d.b) && i < binary.MaxVarintLen64; i++ {
		c := d.b[i]
		if c < 0x80 {
			d.b = d.b[i+1:]
			return n | uint64(c)<<(7*i)
		}
		n |= uint64(c&0x7f) << (7 * i)
	}
	d.bad, d.b = true, ""
	return 0
}

func (d *decoder) int() int64 {
	n := d.uint()
	return int64(n>>1) ^ -int64(n&1)
}

func (d *decoder) fixed() uint64 {
	s := d.take(8)
	if len(s) < 8 {
		return 0
	}
	return binary.LittleEndian.Uint64([]byte(s))
}

func (d *decoder) byte() byte {
	s := d.take(1)
	if s == "" {
		return 0
	}
	return s[0]
}

func (d *decoder) bool() bool { return d.byte() == 1 }

func (d *decoder) take(n uint64) string {
	if n > uint64(len(d.b)) {
		d.bad, d.b = true, ""
		return ""
	}
	s := d.b[:n]
	d.b = d.b[n:]
	return s
}

func (d *decoder) str() string { return d.take(d.uint()) }

func (d *decoder) bytes() []byte {
	n := d.uint()
	if n == 0 {
		return nil
	}
	return []byte(d.take(n - 1))
}

func (d *decoder) strs() []string {
	n := d.count()
	if n < 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = d.str()
	}
	return list
}

// count reads the length of a list; -1 for nil. An entry takes at least a byte,
// so that a damaged length cannot ask for more memory than the record has.
func (d *decoder) count() int {
	n := d.uint()
	if n > uint64(len(d.b))+1 {
		d.bad, d.b = true, ""
		return -1
	}
	return int(n) - 1
}

func (d *decoder) time() time.Time {
	n := d.uint()
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(d.int(), int64(n-1)).UTC()
}

func (d *decoder) optional() *int {
	if !d.bool() {
		return nil
	}
	n := d.int()
	if n > math.MaxInt || n < math.MinInt {
		d.bad = true
	}
	v := int(n)
	return &v
}
