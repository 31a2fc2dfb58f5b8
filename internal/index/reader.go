package index

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"sync/atomic"
)

// A Reader answers from a segment. It is safe for concurrent use; it keeps the
// directory and, once they were needed, columns and filters (some 26 bytes per
// doc and two per word), nothing else.
type Reader struct {
	info    Info
	fetch   func(n int) ([]byte, error)
	docs    int
	rows    int
	names   []string
	blocks  []block
	filters []filterRow
	cols    []atomic.Pointer[columns]
}

// A block is some words of the dictionary.
type block struct {
	from  []byte // not greater than its first word, greater than all before
	first int    // its first row
	dict  int    // its row of entries
	lists bool   // the row before dict holds its short lists
}

type filterRow struct {
	row  int
	bits atomic.Pointer[[]byte]
}

// Open prepares a segment for reading. row returns the row of that number, in
// memory that the reader may keep; it is called again for a row that was not
// kept, from several goroutines at once. Errors about the directory come at once,
// about rows when they are read.
func Open(info Info, row func(n int) ([]byte, error)) (*Reader, error) {
	r := &Reader{info: info, fetch: row}
	d := decoder{b: info.Head}
	if v := d.uvarint(); !d.bad && v != formatVersion {
		return nil, fmt.Errorf("open index: version %d is not known: %w", v, ErrDamaged)
	}
	r.docs = d.count(1 << 31)
	for range d.count(len(d.b)) {
		r.names = append(r.names, string(d.bytes(d.count(len(d.b)))))
	}
	if d.bad || r.docs != info.Docs {
		return nil, fmt.Errorf("open index: %w", ErrDamaged)
	}
	r.rows = d.count(1 << 31)
	chunks := (r.docs + chunkDocs - 1) / chunkDocs
	if r.rows < chunks {
		return nil, fmt.Errorf("open index: %d rows: %w", r.rows, ErrDamaged)
	}
	r.filters = make([]filterRow, d.count(len(d.b)))
	for i := range r.filters {
		r.filters[i].row = d.count(r.rows)
	}
	r.openBlocks(&d, chunks)
	if d.bad || len(d.b) > 0 {
		return nil, fmt.Errorf("open index: %w", ErrDamaged)
	}
	r.cols = make([]atomic.Pointer[columns], chunks)
	return r, nil
}

// openBlocks reads the directory of blocks, whose rows follow those of columns,
// filters between them.
func (r *Reader) openBlocks(d *decoder, next int) {
	r.blocks = make([]block, 0, min(len(d.b), 1<<16))
	var sep []byte
	filter := 0
	for range d.count(len(d.b)) {
		n := d.count(len(sep))
		sep = slices.Concat(sep[:min(n, len(sep))], d.bytes(d.count(len(d.b))))
		v := d.uvarint()
		if filter < len(r.filters) && r.filters[filter].row == next {
			filter++
			next++
		}
		rows := int(min(v>>1, 1<<31))
		b := block{from: sep, first: next, dict: next + rows - 1, lists: v&1 == 1}
		next += rows
		if d.bad || rows == 0 || next > r.rows || b.lists && rows < 2 {
			d.bad = true
			return
		}
		r.blocks = append(r.blocks, b)
	}
	if len(r.filters) > 0 && len(r.filters) != (len(r.blocks)+gramGroup-1)/gramGroup {
		d.bad = true
	}
}

func (r *Reader) row(n int) ([]byte, error) {
	b, err := r.fetch(n)
	if err != nil {
		return nil, fmt.Errorf("read index row %d: %w", n, err)
	}
	return b, nil
}

// A decoder reads numbers and bytes until something is wrong, and then nothing
// but zeros.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uvarint() uint64 {
	if len(d.b) > 0 && d.b[0] < 0x80 {
		v := d.b[0]
		d.b = d.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

// count reads a number that is at most limit.
func (d *decoder) count(limit int) int {
	v := d.uvarint()
	if v > uint64(limit) {
		d.bad, d.b = true, nil
		return 0
	}
	return int(v)
}

func (d *decoder) bytes(n int) []byte {
	if n > len(d.b) {
		d.bad, d.b = true, nil
		return nil
	}
	out := d.b[:n]
	d.b = d.b[n:]
	return out
}

// blockOf returns the block in which a word stands, if it stands anywhere.
func (r *Reader) blockOf(word []byte) int {
	n, found := slices.BinarySearchFunc(r.blocks, word, func(b block, w []byte) int { return bytes.Compare(b.from, w) })
	if found || n == 0 {
		return n
	}
	return n - 1
}
