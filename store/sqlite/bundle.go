package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
)

// Rows of a segment are kept several to a bundle, one row of the database: they
// are small, a database page is wasted on every row in part, and rows that lie
// together are read together.
const (
	bundleSize = 24 << 10
	bundleBits = 24 // room for the number of a bundle beside its segment's
)

func bundleID(segment int64, n int) int64 { return segment<<bundleBits | int64(n) }

// A bundler writes the rows of a segment.
type bundler struct {
	w       *Writer
	segment int64
	rows    int
	firsts  []int // number of the first row of each bundle
	lens    []int // of the rows in data
	data    []byte
}

// add appends a row; cut says that it is not read together with those before.
// The writer's lock is held.
func (b *bundler) add(row []byte, cut bool) error {
	if cut {
		if err := b.flush(); err != nil {
			return err
		}
	}
	b.rows++
	b.lens = append(b.lens, len(row))
	if b.data = append(b.data, row...); len(b.data) >= bundleSize {
		return b.flush()
	}
	return nil
}

func (b *bundler) flush() error {
	if len(b.lens) == 0 {
		return nil
	}
	if len(b.firsts) >= 1<<bundleBits {
		return errors.New("a segment has too many rows")
	}
	var e encoder
	e.uint(uint64(len(b.lens)) + 1)
	for _, n := range b.lens {
		e.uint(uint64(n))
	}
	data := append(e.b, b.data...)
	err := b.w.c.run("INSERT INTO bundle VALUES (?, ?)", nil, bundleID(b.segment, len(b.firsts)), data)
	b.firsts = append(b.firsts, b.rows-len(b.lens))
	b.w.pending += len(data)
	b.lens, b.data = b.lens[:0], b.data[:0]
	return err
}

// directory says in which bundle a row is.
func (b *bundler) directory() []byte {
	var e encoder
	e.uint(uint64(len(b.firsts)) + 1)
	last := 0
	for _, n := range b.firsts {
		e.uint(uint64(n - last))
		last = n
	}
	return e.b
}

// bundles is a directory read back: the first row of each bundle.
type bundles []int

func decodeBundles(data []byte) (bundles, error) {
	d := &decoder{b: string(data)}
	list := make(bundles, max(d.count(), 0))
	last := 0
	for i := range list {
		last += int(d.uint())
		list[i] = last
	}
	if !slices.IsSorted(list) {
		return nil, errDamaged
	}
	return list, d.err()
}

// row finds row n of a segment; bundle reads a bundle.
func (b bundles) row(n int, bundle func(int) ([]byte, error)) ([]byte, error) {
	at := sort.Search(len(b), func(i int) bool { return b[i] > n }) - 1
	if at < 0 {
		return nil, fmt.Errorf("row %d: %w", n, errDamaged)
	}
	data, err := bundle(at)
	if err != nil {
		return nil, err
	}
	return rowOf(data, n-b[at])
}

// rowOf cuts a row out of a bundle.
func rowOf(data []byte, n int) ([]byte, error) {
	rest, count := cutUvarint(data)
	if count == 0 || uint64(n) >= count-1 {
		return nil, fmt.Errorf("row %d of a bundle of %d: %w", n, int64(count)-1, errDamaged)
	}
	before, size := uint64(0), uint64(0)
	for i := range count - 1 {
		var length uint64
		rest, length = cutUvarint(rest)
		switch {
		case i < uint64(n):
			before += length
		case i == uint64(n):
			size = length
		}
	}
	if before > uint64(len(rest)) || size > uint64(len(rest))-before {
		return nil, errDamaged
	}
	return rest[before : before+size : before+size], nil
}

// cutUvarint takes a number off the front; nothing is left of what is damaged.
func cutUvarint(b []byte) (rest []byte, n uint64) {
	n, size := binary.Uvarint(b)
	if size <= 0 {
		return nil, 0
	}
	return b[size:], n
}
