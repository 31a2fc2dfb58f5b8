package index

import (
	"bytes"
	"context"
)

// A crossing looks for a text that stands across the parts of a word in one
// segment. Places are between the bytes of the text: a seam may be at any, and
// what it must look like there is known.
type crossing struct {
	*Reader
	want  want
	have  bitset
	seams map[int]bitset // docs that have the seam which a place asks for; nil when none
	rests map[int]bitset // docs that may hold what follows a place, as the part that begins there and more
}

// across returns the docs that hold a want's text across the parts of a word:
// those that do for sure, and those that may. Of docs in have, which meet the want
// anyway, it may leave some out.
func (r *Reader) across(ctx context.Context, w want, have bitset) (lower, upper bitset, err error) {
	lower, upper = newBitset(r.docs), newBitset(r.docs)
	if w.field != "" || w.ideograph || w.anywhere || !maySpan(w.text) {
		return lower, upper, nil
	}
	s := &crossing{Reader: r, want: w, have: have, seams: map[int]bitset{}, rests: map[int]bitset{}}
	for at := range w.text {
		docs, sure, err := s.first(ctx, at)
		if err != nil {
			return nil, nil, err
		}
		if docs == nil {
			continue
		}
		upper.or(docs)
		if sure {
			lower.or(docs)
		}
	}
	return lower, upper, nil
}

// first returns the docs in which the first seam inside the text may be at a
// place; sure says that they hold the text. Nil when there are none.
func (s *crossing) first(ctx context.Context, at int) (docs bitset, sure bool, err error) {
	text := s.want.text
	if at == 0 && text[0] != '_' || at > 0 && bytes.IndexByte(text[:at], '_') >= 0 {
		return nil, false, nil
	}
	if may, err := s.maySeam(s.around(at)); !may || err != nil {
		return nil, false, err
	}
	anchored := s.want.kind == wantExact || s.want.kind == wantPrefix
	after := len(text) - at
	sure = after <= reach(text[at:]) && (s.want.kind == wantPrefix && at < seamReach || s.want.kind == wantInside && at <= seamReach)
	var rest bitset
	if !sure { // asked first, as most often the filter knows that there is none
		if rest, err = s.rest(ctx, at); err != nil || rest != nil && rest.empty() {
			return nil, false, err
		}
	}
	docs, err = s.seam(ctx, at)
	if docs == nil || err != nil {
		return nil, false, err
	}
	docs = docs.clone()
	if sure {
		return docs, true, nil
	}
	if rest != nil {
		docs.and(rest)
	}
	if docs.without(s.have).empty() {
		return nil, false, nil
	}
	if at > 0 && (anchored || at > seamReach) {
		w := want{text: text[:at], kind: wantSuffix}
		if anchored {
			w = want{text: text[:at], kind: wantExact, start: true}
		}
		before, err := s.union(ctx, w)
		if err != nil {
			return nil, false, err
		}
		docs.and(before)
	}
	return docs, false, nil
}

// around returns what the entry of a seam at a place of the text holds.
func (s *crossing) around(at int) []byte {
	text := s.want.text
	around := append(make([]byte, 0, 8), text[max(0, at-seamReach):at]...)
	return append(append(around, seamStroke), text[at:min(len(text), at+reach(text[at:]))]...)
}

// seam returns the docs that have a seam such as would be at a place of the text;
// nil when there are none.
func (s *crossing) seam(ctx context.Context, at int) (bitset, error) {
	if docs, ok := s.seams[at]; ok {
		return docs, nil
	}
	around := s.around(at)
	if may, err := s.maySeam(around); !may || err != nil {
		s.seams[at] = nil
		return nil, err
	}
	w := want{field: string(rune(seamMark)), text: around, kind: wantPrefix, anywhere: true}
	if at < seamReach && (s.want.kind == wantInside || s.want.kind == wantSuffix) {
		w.kind = wantInside
	}
	docs := newBitset(s.docs)
	any := false
	err := s.lookup(ctx, w, func(e entry) error {
		any = true
		if !docs.add(&e.list, s.docs, 0xff) {
			return e.damaged()
		}
		return nil
	})
	if !any {
		docs = nil
	}
	s.seams[at] = docs
	return docs, err
}

// rest returns the docs that may hold what follows a seam: as the start of one
// part, or as a whole part with another seam behind. Nil means any.
func (s *crossing) rest(ctx context.Context, at int) (bitset, error) {
	if docs, ok := s.rests[at]; ok {
		return docs, nil
	}
	text := bytes.TrimPrefix(s.want.text[at:], []byte("_"))
	if len(text) <= seamReach && bytes.IndexByte(text, '_') < 0 {
		s.rests[at] = nil
		return nil, nil
	}
	docs := newBitset(s.docs)
	under := bytes.IndexByte(text, '_')
	if under < 0 {
		in, err := s.union(ctx, want{text: text, kind: wantPrefix, anywhere: true})
		if err != nil {
			return nil, err
		}
		docs.or(in)
	}
	from := len(s.want.text) - len(text)
	for next := max(from, at+1); next < len(s.want.text); next++ {
		if under >= 0 && next > from+under {
			break
		}
		in, err := s.through(ctx, from, next)
		if err != nil {
			return nil, err
		}
		if in != nil {
			docs.or(in)
		}
	}
	s.rests[at] = docs
	return docs, nil
}

// through returns the docs that may hold text[from:next] as a whole part and what
// follows behind a seam; nil when there are none.
func (s *crossing) through(ctx context.Context, from, next int) (bitset, error) {
	if may, err := s.maySeam(s.around(next)); !may || err != nil {
		return nil, err
	}
	rest, err := s.rest(ctx, next)
	if err != nil || rest != nil && rest.empty() {
		return nil, err
	}
	docs, err := s.seam(ctx, next)
	if docs == nil || err != nil {
		return nil, err
	}
	docs = docs.clone()
	if rest != nil && docs.and(rest).empty() || next == from {
		return docs, nil
	}
	in, err := s.union(ctx, want{text: s.want.text[from:next], kind: wantExact, anywhere: true})
	if err != nil {
		return nil, err
	}
	return docs.and(in), nil
}
