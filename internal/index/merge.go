package index

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Merge writes one segment that holds the docs of several, without those that
// dead names (nil: none), row after row in the order of their numbers
// (cut as in Segment.Cuts), and returns its Info. Docs keep their numbers; no two segments may hold the same.
// It holds the columns, some 30 bytes per doc, one block of each segment, the
// dictionary's filters, two bytes per word, and the joints of one class of docs at a
// time, and returns the context's error when that ends.
func Merge(ctx context.Context, segs []*Reader, dead func(seg int, doc uint32) bool, emit func(n int, row []byte, cut bool) error) (Info, error) {
	m := &merger{ctx: ctx}
	w := &writer{}
	w.emit = func(row []byte, cut bool) error { return emit(w.rows, row, cut) }
	if err := m.number(segs, dead); err != nil {
		return Info{}, err
	}
	head, err := writeColumns(w, m.docs, m.names.list)
	if err != nil {
		return Info{}, err
	}
	if err := m.words(w); err != nil {
		return Info{}, err
	}
	if head, err = w.finish(head, m.docs, m.jointsOf); err != nil {
		return Info{}, err
	}
	tokens := int64(0)
	for i := range m.docs {
		tokens += int64(m.docs[i].length)
	}
	return infoOf(m.docs, tokens, head), nil
}

type merger struct {
	ctx     context.Context
	docs    []docFacts
	names   nameTable
	cursors []*cursor
	origins []origin // of docs
	list    []uint64 // postings of the word in hand: ordinal<<8 | how, as in Builder
	ords    []uint32
	how     []uint8
}

// A cursor stands before a word of one segment.
type cursor struct {
	*Reader
	ords  []uint32 // by ordinal of the segment: that of the merged one, or gone
	block int      // next to be read
	words []cursorWord
}

type cursorWord struct {
	word []byte
	list postings
}

const gone = math.MaxUint32

// origin says which doc of which segment one was.
type origin struct{ seg, at uint32 }

// jointsOf gives the filters of a class to be written.
func (m *merger) jointsOf(class int) (func(k, n int) uint64, error) {
	var words [][]byte // of all docs of the class in one segment, one row of words after the other
	var ranks [][]int  // by ordinal
	for _, c := range m.cursors {
		if err := m.ctx.Err(); err != nil {
			return nil, err
		}
		w, rank, err := c.jointsOf(m.ctx, class)
		if err != nil {
			return nil, err
		}
		words, ranks = append(words, w), append(ranks, rank)
	}
	type place struct{ seg, rank int }
	var places []place
	for i, o := range m.origins {
		if int(m.docs[i].joints) == class {
			places = append(places, place{int(o.seg), ranks[o.seg][o.at]})
		}
	}
	return func(k, n int) uint64 {
		p := places[k]
		return binary.LittleEndian.Uint64(words[p.seg][8*(n*m.cursors[p.seg].joints[class].docs+p.rank):])
	}, nil
}

// number gives the docs that live on their ordinals in the merged segment.
func (m *merger) number(segs []*Reader, dead func(int, uint32) bool) error {
	var from []origin
	for n, r := range segs {
		c := &cursor{Reader: r, ords: make([]uint32, r.docs)}
		m.cursors = append(m.cursors, c)
		codes := make([]uint16, len(r.names)+1)
		for i, name := range r.names {
			codes[i+1] = m.names.code(name)
		}
		err := r.eachColumns(m.ctx, func(base int, cols *columns) {
			for i := range cols.n {
				c.ords[base+i] = gone
				f := cols.facts(i)
				if dead != nil && dead(n, f.doc) {
					continue
				}
				if int(f.tool) < len(codes) {
					f.tool = codes[f.tool]
				}
				f.first = len(from)
				from = append(from, origin{uint32(n), uint32(base + i)})
				m.docs = append(m.docs, f)
			}
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(m.docs, func(a, b docFacts) int { return cmp.Compare(a.doc, b.doc) })
	for i := range m.docs {
		if i > 0 && m.docs[i].doc == m.docs[i-1].doc {
			return fmt.Errorf("merge indexes: doc %d is in two: %w", m.docs[i].doc, ErrDamaged)
		}
		o := from[m.docs[i].first]
		m.cursors[o.seg].ords[o.at] = uint32(i)
		m.origins = append(m.origins, o)
	}
	return nil
}

// words writes all words that a living doc holds.
func (m *merger) words(w *writer) error {
	var word []byte
	for {
		var least []byte
		for _, c := range m.cursors {
			if err := c.fill(m.ctx); err != nil {
				return err
			}
			if len(c.words) > 0 && (least == nil || bytes.Compare(c.words[0].word, least) < 0) {
				least = c.words[0].word
			}
		}
		if least == nil {
			return nil
		}
		if bytes.Compare(least, word) <= 0 {
			return errOrder
		}
		word = append(word[:0], least...)
		m.list = m.list[:0]
		for _, c := range m.cursors {
			if len(c.words) == 0 || !bytes.Equal(c.words[0].word, word) {
				continue
			}
			if err := m.take(c); err != nil {
				return err
			}
		}
		if err := m.put(w, word); err != nil {
			return err
		}
	}
}

// take reads the list of a cursor's word and steps over it.
func (m *merger) take(c *cursor) error {
	ok := c.words[0].list.each(c.docs, func(doc uint32, how uint8) {
		if to := c.ords[doc]; to != gone {
			m.list = append(m.list, uint64(to)<<8|uint64(how))
		}
	})
	if !ok {
		return fmt.Errorf("merge list of %q: %w", c.words[0].word, ErrDamaged)
	}
	c.words = c.words[1:]
	return nil
}

func (m *merger) put(w *writer, word []byte) error {
	if len(m.list) == 0 {
		return nil
	}
	if !slices.IsSorted(m.list) {
		slices.Sort(m.list)
	}
	m.ords, m.how = m.ords[:0], m.how[:0]
	for _, p := range m.list {
		m.ords = append(m.ords, uint32(p>>8))
		m.how = append(m.how, uint8(p))
	}
	return w.add(word, m.ords, m.how)
}

var errOrder = fmt.Errorf("words out of order: %w", ErrDamaged)

// fill reads the next block when the last one's words are used up.
func (c *cursor) fill(ctx context.Context) error {
	for len(c.words) == 0 && c.block < len(c.blocks) {
		if err := ctx.Err(); err != nil {
			return err
		}
		var arena []byte
		c.words = nil
		all := func([]byte, int) (bool, error) { return true, nil }
		err := c.eachEntry(c.block, all, func(e entry) error {
			if n := len(c.words); n > 0 && bytes.Compare(c.words[n-1].word, e.word) >= 0 {
				return errOrder
			}
			start := len(arena)
			arena = append(arena, e.word...)
			c.words = append(c.words, cursorWord{arena[start:len(arena):len(arena)], e.list})
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			return err
		}
		c.block++
	}
	return nil
}
