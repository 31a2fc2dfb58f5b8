package index

import (
	"encoding/binary"
)

// A writer turns words in byte order, each with its postings, into rows. It
// holds one block and the directory.
type writer struct {
	emit func(row []byte) error
	rows int // emitted so far

	// The block in hand.
	first int // row at which it begins
	count int
	text  int    // bytes of its words
	dict  []byte // its entries
	post  []byte // its short lists
	last  []byte // word added last
	gram  [gramBytes]byte
	list  []byte

	blocks     []byte // directory: for each block rows, and the word that separates it from the one before
	separator  []byte
	blockCount int
	filters    []byte
	filterRows []int
}

func (w *writer) row(b []byte) error {
	if err := w.emit(b); err != nil {
		return err
	}
	w.rows++
	return nil
}

// add appends a word. docs are the ordinals of its messages, ascending; how
// says how each holds it. An entry is: bytes shared with the word before, bytes that
// follow, those; then twice the number of messages, plus one when the list has a
// row of its own. One message stands in the entry itself, a list in the row of
// short lists is said by its length, a long one by its row, from the block's
// first.
func (w *writer) add(word []byte, docs []uint32, how []uint8) error {
	if w.count == blockWord || w.text >= blockText || len(w.post) >= blockPost {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if w.count == 0 {
		w.first = w.rows
		w.separate(word)
		w.last = w.last[:0]
	}
	n := shared(w.last, word)
	w.dict = binary.AppendUvarint(w.dict, uint64(n))
	w.dict = binary.AppendUvarint(w.dict, uint64(len(word)-n))
	w.dict = append(w.dict, word[n:]...)
	w.last = append(w.last[:n], word[n:]...)
	w.count++
	w.text += len(word)
	addGrams(&w.gram, word)
	if len(docs) == 1 {
		w.dict = binary.AppendUvarint(w.dict, 2)
		w.dict = appendPostings(w.dict, isBare(word), docs, how)
		return nil
	}
	w.list = appendPostings(w.list[:0], isBare(word), docs, how)
	if len(w.list) < longList {
		w.dict = binary.AppendUvarint(w.dict, uint64(len(docs))<<1)
		w.dict = binary.AppendUvarint(w.dict, uint64(len(w.list)))
		w.post = append(w.post, w.list...)
		return nil
	}
	w.dict = binary.AppendUvarint(w.dict, uint64(len(docs))<<1|1)
	w.dict = binary.AppendUvarint(w.dict, uint64(w.rows-w.first))
	row := w.list
	w.list = nil
	return w.row(row)
}

// separate enters a block that begins with word in the directory: by the shortest
// beginning of word that is greater than the last word of the block before.
func (w *writer) separate(word []byte) {
	sep := word[:min(len(word), shared(w.last, word)+1)]
	n := shared(w.separator, sep)
	w.blocks = binary.AppendUvarint(w.blocks, uint64(n))
	w.blocks = binary.AppendUvarint(w.blocks, uint64(len(sep)-n))
	w.blocks = append(w.blocks, sep[n:]...)
	w.separator = append(w.separator[:n], sep[n:]...)
}

// flush ends a block: the row of short lists, if there are any, and the block.
func (w *writer) flush() error {
	if w.count == 0 {
		return nil
	}
	lists := uint64(0)
	if len(w.post) > 0 {
		if err := w.row(w.post); err != nil {
			return err
		}
		lists = 1
	}
	if err := w.row(w.dict); err != nil {
		return err
	}
	w.blocks = binary.AppendUvarint(w.blocks, uint64(w.rows-w.first)<<1|lists)
	w.filters = append(w.filters, w.gram[:]...)
	w.blockCount++
	w.count, w.text, w.dict, w.post = 0, 0, nil, nil
	clear(w.gram[:])
	if len(w.filters) == gramGroup*gramBytes {
		return w.filter()
	}
	return nil
}

func (w *writer) filter() error {
	w.filterRows = append(w.filterRows, w.rows)
	row := w.filters
	w.filters = nil
	return w.row(row)
}

// finish ends the segment and returns its directory, to which facts have been
// written by writeColumns.
func (w *writer) finish(facts []byte) ([]byte, error) {
	if err := w.flush(); err != nil {
		return nil, err
	}
	if w.blockCount > fewBlocks && len(w.filters) > 0 {
		if err := w.filter(); err != nil {
			return nil, err
		}
	}
	head := append([]byte{}, facts...)
	head = binary.AppendUvarint(head, uint64(w.rows))
	head = binary.AppendUvarint(head, uint64(len(w.filterRows)))
	for _, r := range w.filterRows {
		head = binary.AppendUvarint(head, uint64(r))
	}
	head = binary.AppendUvarint(head, uint64(w.blockCount))
	return append(head, w.blocks...), nil
}

func shared(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// addGrams enters a word's triples of bytes, and its last two and its last byte
// as at the end of a word, in a block's filter.
func addGrams(set *[gramBytes]byte, word []byte) {
	for i := 0; i+3 <= len(word); i++ {
		setBit(set, gramOf(word[i], word[i+1], word[i+2]))
	}
	if n := len(word); n > 0 {
		setBit(set, gramOf(word[n-1], 0, 0))
		if n > 1 {
			setBit(set, gramOf(word[n-2], word[n-1], 0))
		}
	}
}

func setBit(set *[gramBytes]byte, g uint32) { set[g>>3] |= 1 << (g & 7) }

// gramOf hashes three bytes to a bit of a filter.
func gramOf(a, b, c byte) uint32 {
	v := uint32(a)<<16 | uint32(b)<<8 | uint32(c)
	return v * 0x9e3779b1 >> (32 - 13)
}
