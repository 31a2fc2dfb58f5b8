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
	info   Info
	fetch  func(n int) ([]byte, error)
	docs   int
	former bool // of format 1
	rows   int
	runs   []run
	names  []string
	blocks []block
	filter int       // first row of the filter
	grams  []keptRow // its rows; none when there are few blocks
	seams  keptRow
	seamAt int // its row
	joints [jointClasses]jointClass
	cols   []atomic.Pointer[columns]
}

// A block is some words of the dictionary.
type block struct {
	from  []byte // not greater than its first word, greater than all before
	first int    // its first row of lists
	lists int    // how many these are
	short bool   // the last of them holds its short lists
	dict  int    // its row of entries
}

// Open prepares a segment for reading. row returns the row of that number, in
// memory that the reader may keep; it is called again for a row that was not
// kept, from several goroutines at once. Errors about the directory come at once,
// about rows when they are read.
func Open(info Info, row func(n int) ([]byte, error)) (*Reader, error) {
	r := &Reader{info: info, fetch: row}
	d := decoder{b: info.Head}
	version := d.uvarint()
	if !d.bad && version != formatVersion && version != formatBytes {
		return nil, fmt.Errorf("open index: version %d is not known: %w", version, ErrDamaged)
	}
	r.former = version == formatBytes
	r.docs = d.count(1 << 30)
	r.openRuns(&d)
	for range d.count(len(d.b)) {
		r.names = append(r.names, string(d.bytes(d.count(len(d.b)))))
	}
	if d.bad || r.docs != info.Docs {
		return nil, fmt.Errorf("open index: %w", ErrDamaged)
	}
	r.rows = d.count(1 << 30)
	chunks := (r.docs + chunkDocs - 1) / chunkDocs
	if r.rows < chunks {
		return nil, fmt.Errorf("open index: %d rows: %w", r.rows, ErrDamaged)
	}
	r.openBlocks(&d, chunks)
	if d.bad || len(d.b) > 0 {
		return nil, fmt.Errorf("open index: %w", ErrDamaged)
	}
	r.cols = make([]atomic.Pointer[columns], chunks)
	return r, nil
}

// openBlocks reads the directory of blocks, whose rows follow those of columns:
// for each group the lists of all its blocks, then their entries. After them come
// the filter, the set of seams and the filters of joints.
func (r *Reader) openBlocks(d *decoder, next int) {
	r.blocks = make([]block, 0, min(len(d.b), 1<<16))
	var sep []byte
	blocks := d.count(len(d.b))
	for i := range blocks {
		n := d.count(len(sep))
		sep = slices.Concat(sep[:min(n, len(sep))], d.bytes(d.count(len(d.b))))
		v := d.uvarint()
		b := block{from: sep, first: next, lists: int(min(v>>1, 1<<30)), short: v&1 == 1}
		next += b.lists
		if d.bad || next > r.rows || b.short && b.lists == 0 {
			d.bad = true
			return
		}
		r.blocks = append(r.blocks, b)
		if len(r.blocks)%blockGroup == 0 || i == blocks-1 {
			for k := i / blockGroup * blockGroup; k <= i; k++ {
				r.blocks[k].dict = next
				next++
			}
		}
	}
	if blocks > fewBlocks {
		r.filter = next
		r.grams = make([]keptRow, gramRows(blocks))
		r.seamAt = next + len(r.grams)
		next = r.seamAt + 1
	}
	if !r.former {
		next = r.openJoints(d, next)
	}
	if next != r.rows {
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
