package backup

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// A damaged database is one whose pages do not fit together.
type damaged struct {
	page uint32
	what string
}

func (d *damaged) Error() string { return fmt.Sprintf("damaged at page %d (%s)", d.page, d.what) }

// A scrubber overwrites with zeros what is no part of any record of an SQLite
// file: free pages, the free space inside pages, the rest of the last page of a
// long record. SQLite leaves there what was deleted or replaced, unless its owner
// asked for secure_delete (https://www.sqlite.org/fileformat2.html has the layout).
type scrubber struct {
	file     *os.File
	pageSize int
	usable   int // of a page
	pages    uint32
	seen     []bool
	todo     []uint32 // pages of tables and indexes to look at
	page     []byte
	over     []byte
}

// scrub cleans a database that nobody has open for writing. roots are the root
// pages of its tables and indexes.
func scrub(ctx context.Context, f *os.File, roots []uint32) error {
	var head [100]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return fmt.Errorf("read the header: %w", err)
	}
	s := &scrubber{file: f, pageSize: int(binary.BigEndian.Uint16(head[16:]))}
	if s.pageSize == 1 {
		s.pageSize = 65536
	}
	if s.pageSize < 512 || s.pageSize&(s.pageSize-1) != 0 {
		return &damaged{1, "page size"}
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	s.usable, s.pages = s.pageSize-int(head[20]), uint32(info.Size()/int64(s.pageSize))
	if s.usable < 480 {
		return &damaged{1, "reserved bytes"}
	}
	s.seen = make([]bool, s.pages+1)
	s.page, s.over = make([]byte, s.pageSize), make([]byte, s.pageSize)
	s.todo = roots
	for n := 0; len(s.todo) > 0; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		p := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		if err := s.tree(p); err != nil {
			return err
		}
	}
	// Last, so that a page that a damaged file has in a table too is not cleared.
	return s.freeList(binary.BigEndian.Uint32(head[32:]))
}

// visit reads a page that is met for the first time.
func (s *scrubber) visit(p uint32, into []byte) error {
	if p == 0 || p > s.pages {
		return &damaged{p, "no such page"}
	}
	if s.seen[p] {
		return &damaged{p, "used twice"}
	}
	s.seen[p] = true
	if _, err := s.file.ReadAt(into, s.offset(p)); err != nil && err != io.EOF { //nolint:errorlint // a ReaderAt returns it as it is
		return err
	}
	return nil
}

func (s *scrubber) offset(p uint32) int64 { return int64(p-1) * int64(s.pageSize) }

// zero overwrites bytes from and to of a page, which lies in page.
func (s *scrubber) zero(p uint32, page []byte, from, to int) error {
	for i := from; i < to; i++ {
		if page[i] != 0 {
			clear(page[i:to])
			_, err := s.file.WriteAt(page[i:to], s.offset(p)+int64(i))
			return err
		}
	}
	return nil
}

// freeList clears free pages: trunks, which name others, and these.
func (s *scrubber) freeList(trunk uint32) error {
	for trunk != 0 {
		if err := s.visit(trunk, s.page); err != nil {
			return err
		}
		n := int(binary.BigEndian.Uint32(s.page[4:]))
		if n < 0 || n > s.usable/4-2 {
			return &damaged{trunk, "free list"}
		}
		if err := s.zero(trunk, s.page, 8+4*n, s.pageSize); err != nil {
			return err
		}
		for i := range n {
			leaf := binary.BigEndian.Uint32(s.page[8+4*i:])
			if err := s.visit(leaf, s.over); err != nil {
				return err
			}
			if err := s.zero(leaf, s.over, 0, s.pageSize); err != nil {
				return err
			}
		}
		trunk = binary.BigEndian.Uint32(s.page)
	}
	return nil
}

// Kinds of pages of a table or index.
const (
	indexInner = 2
	tableInner = 5
	indexLeaf  = 10
	tableLeaf  = 13
)

// tree cleans a page of a table or index and notes the pages below it.
func (s *scrubber) tree(p uint32) error {
	if err := s.visit(p, s.page); err != nil {
		return err
	}
	b, at := s.page, 0
	if p == 1 {
		at = 100
	}
	kind := b[at]
	cells := int(binary.BigEndian.Uint16(b[at+3:]))
	content := int(binary.BigEndian.Uint16(b[at+5:]))
	if content == 0 {
		content = 65536
	}
	first := at + 8
	switch kind {
	case indexInner, tableInner:
		first = at + 12
		s.todo = append(s.todo, binary.BigEndian.Uint32(b[at+8:]))
	case indexLeaf, tableLeaf:
	default:
		return &damaged{p, "unknown kind"}
	}
	gap := first + 2*cells
	if gap > content || content > s.usable {
		return &damaged{p, "cell area"}
	}
	for i := range cells {
		cell := int(binary.BigEndian.Uint16(b[first+2*i:]))
		if cell < content || cell+4 > s.usable {
			return &damaged{p, "cell pointer"}
		}
		if err := s.cell(p, kind, cell); err != nil {
			return err
		}
	}
	if err := s.freeBlocks(p, int(binary.BigEndian.Uint16(b[at+1:])), content); err != nil {
		return err
	}
	return s.zero(p, b, gap, content)
}

// freeBlocks clears the holes between cells.
func (s *scrubber) freeBlocks(p uint32, block, content int) error {
	for least := content; block != 0; {
		if block < least || block+4 > s.usable {
			return &damaged{p, "free block"}
		}
		next, size := int(binary.BigEndian.Uint16(s.page[block:])), int(binary.BigEndian.Uint16(s.page[block+2:]))
		if size < 4 || block+size > s.usable {
			return &damaged{p, "free block"}
		}
		if err := s.zero(p, s.page, block+4, block+size); err != nil {
			return err
		}
		least, block = block+size, next
	}
	return nil
}

// cell notes the page below a cell, and cleans behind a record that goes on
// elsewhere.
func (s *scrubber) cell(p uint32, kind byte, at int) error {
	b := s.page[:s.usable]
	if kind == indexInner || kind == tableInner {
		s.todo = append(s.todo, binary.BigEndian.Uint32(b[at:]))
		at += 4
	}
	if kind == tableInner {
		return nil
	}
	size, n := uvarint(b[at:])
	if n == 0 || size >= 1<<31 {
		return &damaged{p, "record length"}
	}
	at += n
	if kind == tableLeaf {
		if _, n = uvarint(b[at:]); n == 0 {
			return &damaged{p, "row number"}
		}
		at += n
	}
	local := s.local(kind, int(size))
	if local == int(size) {
		return nil
	}
	if at+local+4 > len(b) {
		return &damaged{p, "record length"}
	}
	return s.overflow(binary.BigEndian.Uint32(b[at+local:]), int(size)-local)
}

// local is how many bytes of a record lie in its cell.
func (s *scrubber) local(kind byte, size int) int {
	most := s.usable - 35
	if kind != tableLeaf {
		most = (s.usable-12)*64/255 - 23
	}
	if size <= most {
		return size
	}
	least := (s.usable-12)*32/255 - 23
	if n := least + (size-least)%(s.usable-4); n <= most {
		return n
	}
	return least
}

// overflow follows a record from page to page and cleans behind its end.
func (s *scrubber) overflow(p uint32, left int) error {
	for {
		if err := s.visit(p, s.over); err != nil {
			return err
		}
		if left <= s.usable-4 {
			return s.zero(p, s.over, 4+left, s.pageSize)
		}
		left -= s.usable - 4
		p = binary.BigEndian.Uint32(s.over)
	}
}

// uvarint reads SQLite's variable-length integer; n is 0 when b ends in it.
func uvarint(b []byte) (v uint64, n int) {
	for n < len(b) && n < 8 {
		c := b[n]
		v = v<<7 | uint64(c&0x7f)
		if n++; c < 0x80 {
			return v, n
		}
	}
	if n == 8 && len(b) > 8 {
		return v<<8 | uint64(b[8]), 9
	}
	return 0, 0
}
