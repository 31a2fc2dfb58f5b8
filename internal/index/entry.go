package index

import (
	"errors"
	"fmt"
)

// An entry is a word of the dictionary with its list. Its word is good until the
// next.
type entry struct {
	word []byte
	df   int
	list postings
}

func (e *entry) damaged() error { return fmt.Errorf("list of %q: %w", e.word, ErrDamaged) }

// errStop ends a visit early.
var errStop = errors.New("stop")

// eachEntry visits the entries of a block for which want says so; lists are read
// only for these.
func (r *Reader) eachEntry(n int, want func(word []byte) (bool, error), visit func(entry) error) error {
	b := &blockReader{Reader: r, block: &r.blocks[n]}
	row, err := r.row(b.dict)
	if err != nil {
		return err
	}
	for b.d.b = row; len(b.d.b) > 0; {
		if !b.next() {
			return fmt.Errorf("block %d: %w", n, ErrDamaged)
		}
		ok, err := want(b.entry.word)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := b.load(); err != nil {
			return err
		}
		if err := visit(b.entry); err != nil {
			return err
		}
	}
	return nil
}

// A blockReader stands on an entry of a block, see writer.add.
type blockReader struct {
	*Reader
	*block
	d     decoder
	entry entry
	far   int    // row of its list from the block's first, or -1
	size  int    // bytes of its list in the row of short lists
	end   int    // of all lists so far in that row
	short []byte // that row, once it was needed
}

// next steps to the next entry; false when there is something else.
func (b *blockReader) next() bool {
	e, d := &b.entry, &b.d
	e.word = append(e.word[:d.count(len(e.word))], d.bytes(d.count(len(d.b)))...)
	v := d.uvarint()
	if v>>1 == 0 || v>>1 > uint64(b.docs) {
		return false
	}
	e.df, e.list = int(v>>1), postings{bare: isBare(e.word)}
	b.far, b.size = -1, 0
	switch {
	case v&1 == 1:
		b.far = d.count(b.dict - b.first)
	case e.df == 1:
		e.list.bytes = d.single(e.list.bare)
	default:
		b.size = d.count(blockPost + longList)
		b.end += b.size
	}
	return !d.bad
}

// load reads the entry's list, unless it stands in the entry.
func (b *blockReader) load() (err error) {
	switch {
	case b.far >= 0:
		b.entry.list.bytes, err = b.row(b.first + b.far)
		return err
	case b.size == 0:
		return nil
	}
	if b.short == nil && b.lists {
		if b.short, err = b.row(b.dict - 1); err != nil {
			return err
		}
	}
	if b.end > len(b.short) {
		return b.entry.damaged()
	}
	b.entry.list.bytes = b.short[b.end-b.size : b.end]
	return nil
}
