package index

import (
	"encoding/binary"
	"slices"
)

// A writer turns words in byte order, each with its postings, into rows. It
// holds the blocks of one group, the filters and the directory.
type writer struct {
	// emit takes the next row. cut says that it is not read together with those
	// before.
	emit func(row []byte, cut bool) error
	rows int // emitted so far
	docs int // of the segment

	// The block in hand.
	lists int // its rows of lists so far
	count int
	text  int    // bytes of its words
	dict  []byte // its entries
	post  []byte // its short lists
	last  []byte // word added last
	gram  [gramBytes]byte
	list  []byte

	dicts      [][]byte // entries of the blocks of the group in hand
	cut        bool     // the next row of lists is the first of its group
	blocks     []byte   // directory: for each block rows of lists, and the word that separates it from the one before
	separator  []byte
	blockCount int
	filters    []byte // of all blocks
	seams      seamSet
}

func (w *writer) row(b []byte, cut bool) error {
	if err := w.emit(b, cut); err != nil {
		return err
	}
	w.rows++
	return nil
}

// listRow emits a row of lists of the block in hand.
func (w *writer) listRow(b []byte) error {
	w.lists++
	cut := w.cut
	w.cut = false
	return w.row(b, cut)
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
	if word[0] == seamMark {
		w.seams.add(word[1:])
	}
	if len(docs) == 1 {
		w.dict = binary.AppendUvarint(w.dict, 2)
		w.dict = appendPostings(w.dict, isBare(word), w.docs, docs, how)
		return nil
	}
	w.list = appendPostings(w.list[:0], isBare(word), w.docs, docs, how)
	if len(w.list) < longList {
		w.dict = binary.AppendUvarint(w.dict, uint64(len(docs))<<1)
		w.dict = binary.AppendUvarint(w.dict, uint64(len(w.list)))
		w.post = append(w.post, w.list...)
		return nil
	}
	w.dict = binary.AppendUvarint(w.dict, uint64(len(docs))<<1|1)
	w.dict = binary.AppendUvarint(w.dict, uint64(w.lists))
	row := w.list
	w.list = nil
	return w.listRow(row)
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

// flush ends a block: the row of short lists, if there are any. Its entries wait
// for the end of the group.
func (w *writer) flush() error {
	if w.count == 0 {
		return nil
	}
	short := uint64(0)
	if len(w.post) > 0 {
		if err := w.listRow(w.post); err != nil {
			return err
		}
		short = 1
	}
	w.blocks = binary.AppendUvarint(w.blocks, uint64(w.lists)<<1|short)
	w.filters = append(w.filters, w.gram[:]...)
	w.blockCount++
	w.dicts = append(w.dicts, w.dict)
	w.lists, w.count, w.text, w.dict, w.post = 0, 0, 0, nil, nil
	clear(w.gram[:])
	if len(w.dicts) == blockGroup {
		return w.group()
	}
	return nil
}

// group emits the entries of the blocks of a group, some together.
func (w *writer) group() error {
	size := dictRun
	for _, row := range w.dicts {
		cut := size >= dictRun
		if cut {
			size = 0
		}
		size += len(row)
		if err := w.row(row, cut); err != nil {
			return err
		}
	}
	w.dicts, w.cut = w.dicts[:0], true
	return nil
}

// finish ends the segment of docs and returns its directory, to which facts have
// been written by writeColumns.
func (w *writer) finish(facts []byte, docs []docFacts, joints func(class int) (func(k, n int) uint64, error)) ([]byte, error) {
	if err := w.flush(); err != nil {
		return nil, err
	}
	if err := w.group(); err != nil {
		return nil, err
	}
	if w.blockCount > fewBlocks {
		if err := writeGrams(w, w.filters, w.blockCount); err != nil {
			return nil, err
		}
		if err := w.row(w.seams.row(), true); err != nil {
			return nil, err
		}
	}
	classes, err := writeJoints(w, docs, joints)
	if err != nil {
		return nil, err
	}
	head := append([]byte{}, facts...)
	head = binary.AppendUvarint(head, uint64(w.rows))
	head = binary.AppendUvarint(head, uint64(w.blockCount))
	return slices.Concat(head, w.blocks, classes), nil
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
