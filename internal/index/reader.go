package index

import (
	"bytes"
	"encoding/binary"
	"errors"
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

// An entry is a word of the dictionary with its list. Its bytes are good until
// the next.
type entry struct {
	word []byte
	df   int
	list []byte
}

// errStop ends a visit early.
var errStop = errors.New("stop")

// eachEntry visits the entries of a block for which want says so, before their
// lists are read.
func (r *Reader) eachEntry(n int, want func(word []byte) (bool, error), visit func(entry) error) error {
	b := &r.blocks[n]
	row, err := r.row(b.dict)
	if err != nil {
		return err
	}
	d := decoder{b: row}
	var word, lists []byte
	at := 0
	for len(d.b) > 0 {
		k := d.count(len(word))
		word = append(word[:k], d.bytes(d.count(len(d.b)))...)
		v := d.uvarint()
		df := v >> 1
		if d.bad || df == 0 || df > uint64(r.docs) {
			return fmt.Errorf("block %d: %w", n, ErrDamaged)
		}
		e := entry{word: word, df: int(df)}
		size, far := 0, 0
		switch {
		case df == 1 && v&1 == 0:
			e.list = d.single()
		case v&1 == 1:
			far = d.count(b.dict - b.first)
		default:
			size = d.count(blockPost + longList)
		}
		if d.bad {
			return fmt.Errorf("block %d: %w", n, ErrDamaged)
		}
		at += size
		ok, err := want(word)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		switch {
		case v&1 == 1:
			e.list, err = r.row(b.first + far)
		case size > 0:
			if lists == nil {
				if lists, err = r.lists(b); err == nil && at > len(lists) {
					err = fmt.Errorf("lists of block %d: %w", n, ErrDamaged)
				}
			}
			if err == nil && at <= len(lists) {
				e.list = lists[at-size : at]
			}
		}
		if err != nil {
			return err
		}
		if err := visit(e); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) lists(b *block) ([]byte, error) {
	if !b.lists {
		return nil, fmt.Errorf("block without lists: %w", ErrDamaged)
	}
	return r.row(b.dict - 1)
}

// single reads a list of one posting.
func (d *decoder) single() []byte {
	start := d.b
	if v := d.uvarint(); v&1 == 1 {
		d.bytes(1)
	}
	return start[:len(start)-len(d.b)]
}

// eachPosting visits a list; false when it is damaged.
func eachPosting(list []byte, docs int, visit func(doc uint32, tf uint8)) bool {
	doc := uint64(0)
	for i := 0; i < len(list); {
		v := uint64(list[i])
		i++
		if v >= 0x80 {
			var n int
			if v, n = binary.Uvarint(list[i-1:]); n <= 0 {
				return false
			}
			i += n - 1
		}
		tf := uint8(1)
		if v&1 == 1 {
			if i == len(list) {
				return false
			}
			tf = list[i]
			i++
		}
		if doc += v >> 1; doc >= uint64(docs) || v>>1 >= uint64(docs) {
			return false
		}
		visit(uint32(doc), tf)
	}
	return true
}

// blockOf returns the block in which a word stands, if it stands anywhere.
func (r *Reader) blockOf(word []byte) int {
	n, found := slices.BinarySearchFunc(r.blocks, word, func(b block, w []byte) int { return bytes.Compare(b.from, w) })
	if found || n == 0 {
		return n
	}
	return n - 1
}
