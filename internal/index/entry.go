package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
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

// A wanting says whether an entry is wanted by its word; the first shared bytes
// of it are those of the word before in the block.
type wanting func(word []byte, shared int) (bool, error)

// eachEntry visits the entries of a block that are wanted; lists are read only
// for these.
func (r *Reader) eachEntry(n int, want wanting, visit func(entry) error) error {
	row, err := r.row(r.blocks[n].dict)
	if err != nil {
		return err
	}
	b := &blockReader{Reader: r, block: &r.blocks[n], row: row, entry: entry{word: make([]byte, 0, 128)}}
	for b.at < len(row) {
		if !b.next() {
			return fmt.Errorf("block %d: %w", n, ErrDamaged)
		}
		ok, err := want(b.entry.word, b.shared)
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
	row      []byte
	at       int // behind the entry
	entry    entry
	shared   int    // bytes at the start of its word that the one before has too
	from, to int    // its list in row, when it stands in the entry
	far      int    // row of its list from the block's first, or -1
	size     int    // bytes of its list in the row of short lists
	end      int    // of all lists so far in that row
	posts    []byte // that row, once it was needed
}

// numberAt reads a number; next is beyond all bytes when there is none.
func numberAt(b []byte, i int) (v, next int) {
	if uint(i) < uint(len(b)) && b[i] < 0x80 {
		return int(b[i]), i + 1
	}
	return longNumberAt(b, i)
}

const nowhere = 1 << 30

func longNumberAt(b []byte, i int) (v, next int) {
	if i >= len(b) {
		return 0, nowhere
	}
	u, n := binary.Uvarint(b[i:])
	if n <= 0 || u > math.MaxInt32 {
		return 0, nowhere
	}
	return int(u), i + n
}

// next steps to the next entry; false when there is something else. It is most of
// what looking for a needle inside of words takes.
func (b *blockReader) next() bool {
	row, word, i := b.row, b.entry.word, b.at
	var same, more, v int
	if i+1 < len(row) && row[i]|row[i+1] < 0x80 {
		same, more, i = int(row[i]), int(row[i+1]), i+2
	} else {
		same, i = numberAt(row, i)
		more, i = numberAt(row, i)
	}
	if same > len(word) || i > len(row) || more > len(row)-i {
		return false
	}
	if more <= 16 && i+16 <= len(row) && same+16 <= cap(word) { // most are: 16 bytes at once, whatever follows
		word = word[:same+16]
		*(*[16]byte)(word[same:]) = *(*[16]byte)(row[i:])
		word = word[:same+more]
	} else {
		word = append(word[:same], row[i:i+more]...)
	}
	if i += more; i < len(row) && row[i] < 0x80 {
		v, i = int(row[i]), i+1
	} else {
		v, i = numberAt(row, i)
	}
	df := v >> 1
	if df == 0 || df > b.docs {
		return false
	}
	b.entry.word, b.entry.df, b.shared = word, df, same
	b.far, b.size = -1, 0
	switch {
	case v&1 == 1:
		if b.far, i = numberAt(row, i); b.far >= b.lists {
			return false
		}
	case df == 1:
		b.from = i
		if v, i = numberAt(row, i); v&3 == 3 && !isBare(word) {
			i++
		}
		b.to = i
	default:
		if i < len(row) && row[i] < 0x80 {
			b.size, i = int(row[i]), i+1
		} else if b.size, i = numberAt(row, i); b.size > blockPost+longList {
			return false
		}
		b.end += b.size
	}
	b.at = i
	return i <= len(row)
}

// load finds the entry's list.
func (b *blockReader) load() (err error) {
	b.entry.list = postings{bare: isBare(b.entry.word)}
	if b.entry.df > 1 && !b.former {
		b.entry.list.bits = b.entry.df
	}
	switch {
	case b.far >= 0:
		b.entry.list.bytes, err = b.Reader.row(b.first + b.far)
		return err
	case b.size == 0:
		b.entry.list.bytes = b.row[b.from:b.to:b.to]
		return nil
	}
	if b.posts == nil && b.short {
		if b.posts, err = b.Reader.row(b.first + b.lists - 1); err != nil {
			return err
		}
	}
	if b.end > len(b.posts) {
		return b.entry.damaged()
	}
	b.entry.list.bytes = b.posts[b.end-b.size : b.end]
	return nil
}
