package cursor

import (
	"encoding/binary"
	"strings"
)

// A number64 is a field of a memory that is kept as 64 bits.
type number64 struct {
	signed   *int64
	unsigned *uint64
}

func (n number64) get() uint64 {
	if n.signed != nil {
		return uint64(*n.signed) //nolint:gosec // the same bits
	}
	return *n.unsigned
}

func (n number64) set(v uint64) {
	if n.signed != nil {
		*n.signed = int64(v) //nolint:gosec // the same bits
		return
	}
	*n.unsigned = v
}

func (m *marks) numbers() []number64 {
	return []number64{
		{signed: &m.schema},
		{signed: &m.row},
		{unsigned: &m.key},
		{signed: &m.item},
		{signed: &m.items},
		{unsigned: &m.lists},
		{unsigned: &m.table},
		{unsigned: &m.tie},
	}
}

func compareText(a, b string) int { return strings.Compare(a, b) }

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// flags packs up to eight facts into a byte.
func flags(facts ...bool) (b byte) {
	for i, f := range facts {
		if f {
			b |= 1 << i
		}
	}
	return b
}

// A decoder reads a memory back. After an error it gives zero values; whoever uses
// it looks at err once, at the end.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) take(n int) []byte {
	if d.err != nil || n < 0 || n > len(d.b) {
		d.b, d.err = nil, errMemory
		return make([]byte, min(max(n, 0), 1<<10))
	}
	head := d.b[:n]
	d.b = d.b[n:]
	return head
}

func (d *decoder) uint64() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }

func (d *decoder) uint32() uint32 { return binary.LittleEndian.Uint32(d.take(4)) }

func (d *decoder) flags(to ...*bool) {
	b := d.take(1)[0]
	for i, f := range to {
		*f = b&(1<<i) != 0
	}
}

func (d *decoder) varint() int64 {
	n, size := binary.Varint(d.b)
	if d.take(size); size <= 0 {
		d.b, d.err = nil, errMemory
		return 0
	}
	return n
}

func (d *decoder) uvarint() uint64 {
	n, size := binary.Uvarint(d.b)
	if d.take(size); size <= 0 {
		d.b, d.err = nil, errMemory
		return 0
	}
	return n
}

// count reads the length of a list whose entries have at least size bytes each,
// so that a damaged one asks for no more memory than there is input.
func (d *decoder) count(size int) int {
	n := d.uvarint()
	if n > uint64(len(d.b)/size) { //nolint:gosec // a length is not negative
		d.b, d.err = nil, errMemory
		return 0
	}
	return int(n) //nolint:gosec // checked above
}

func (d *decoder) text() string {
	n := d.uvarint()
	if n > uint64(len(d.b)) {
		d.b, d.err = nil, errMemory
		return ""
	}
	return string(d.take(int(n))) //nolint:gosec // checked above
}
