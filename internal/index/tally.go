package index

import (
	"bytes"
	"context"
)

// tally counts, for each doc of a segment, how often it holds what was wanted,
// and in its two highest bits how well.
type tally []uint16

// How well a word meets what was wanted.
const (
	gradeInside = 1
	gradeStart  = 2
	gradeWhole  = 3
)

const (
	tallyBits = 14
	tallyMax  = 1<<tallyBits - 1
)

// found returns how a want must be met in a list: the bits of how that will do.
func (w *want) found() uint8 {
	switch {
	case w.start:
		return asStart
	case w.anywhere || w.kind == wantInside || w.kind == wantSuffix:
		return asWhole | asStart | asPart
	case w.kind == wantPrefix:
		return asWhole | asStart
	}
	return asWhole
}

// tally adds up the lists of all words that a want asks for.
func (r *Reader) tally(ctx context.Context, w want) (tally, error) {
	t := make(tally, r.docs)
	will := w.found()
	err := r.lookup(ctx, w, func(e entry) error {
		if !t.add(&e.list, will, gradesOf(w, e.word)) {
			return e.damaged()
		}
		return nil
	})
	return t, err
}

// gradesOf returns how well a word of the dictionary does when it is met by
// itself, and as a part of a word.
func gradesOf(w want, word []byte) (grades [2]uint16) {
	switch {
	case w.ideograph:
		return [2]uint16{gradeWhole, gradeWhole}
	case len(word) == len(w.field)+len(w.text):
		return [2]uint16{gradeWhole, gradeStart}
	case w.kind == wantPrefix, w.kind == wantInside && bytes.HasPrefix(word, w.text):
		return [2]uint16{gradeStart, gradeInside}
	}
	return [2]uint16{gradeInside, gradeInside}
}

// add counts a list's docs that meet one of the ways in will; false when the list
// is damaged.
func (t tally) add(p *postings, will uint8, grades [2]uint16) bool {
	if p.bare {
		return p.each(len(t), func(doc uint32, _ uint8) { t[doc] = gradeWhole<<tallyBits | 1 })
	}
	will <<= tfBits
	return p.each(len(t), func(doc uint32, how uint8) {
		if how&will == 0 {
			return
		}
		grade := grades[1]
		if how&(asWhole<<tfBits) != 0 {
			grade = grades[0]
		}
		old := t[doc]
		t[doc] = max(old>>tallyBits, grade)<<tallyBits | min(old&tallyMax+uint16(how&tfMax), tallyMax)
	})
}

// note enters docs that were met across the parts of a word.
func (t tally) note(docs bitset) {
	docs.each(func(i int) bool {
		if t[i] == 0 {
			t[i] = gradeInside<<tallyBits | 1
		}
		return true
	})
}

// docs returns the docs that were met.
func (t tally) docs() bitset {
	s := newBitset(len(t))
	for i, v := range t {
		if v != 0 {
			s.set(i)
		}
	}
	return s
}

func (t tally) at(i int) (tf float64, grade int) {
	return float64(t[i] & tallyMax), int(t[i] >> tallyBits)
}

// union returns the docs that hold a word of any of the wants.
func (r *Reader) union(ctx context.Context, wants ...want) (bitset, error) {
	all := newBitset(r.docs)
	for _, w := range wants {
		will := w.found() << tfBits
		err := r.lookup(ctx, w, func(e entry) error {
			if !all.add(&e.list, r.docs, will) {
				return e.damaged()
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// add adds a list's docs that meet one of the ways in will, shifted to where how
// has them.
func (s bitset) add(p *postings, docs int, will uint8) bool {
	return p.each(docs, func(doc uint32, how uint8) {
		if how&will != 0 {
			s.set(int(doc))
		}
	})
}
