package index

import (
	"slices"
	"unicode/utf8"
)

// maxSpans is the most spans that are returned.
const maxSpans = 4096

// Spans returns where the terms that are not under a Not are met in one text:
// byte ranges of s, in order, not overlapping, beginning and ending between
// characters; the first 4,096 at most of each term.
func (m *Matcher) Spans(s string) [][2]int {
	var found [][2]int
	var folded *foldedText
	var cuts [][2]int
	for _, t := range m.terms {
		switch {
		case !t.wanted:
		case t.re != nil:
			for _, at := range t.re.FindAllStringIndex(s, maxSpans) {
				if at[0] < at[1] {
					found = append(found, [2]int{at[0], at[1]})
				}
			}
		case len(t.parts) > 0:
			if folded == nil {
				folded = foldWithMap(s)
				if len(folded.text) > maxWord {
					cuts = tails(folded.text)
				}
			}
			found = append(found, t.spans(folded, cuts)...)
		}
	}
	return disjoint(found)
}

func (t *term) spans(f *foldedText, cuts [][2]int) (found [][2]int) {
	for from := 0; len(found) < maxSpans; {
		start, end := t.find(f.text, from)
		if start < 0 {
			break
		}
		for len(cuts) > 0 && cuts[0][1] <= start {
			cuts = cuts[1:]
		}
		if len(cuts) == 0 || end <= cuts[0][0] {
			found = append(found, [2]int{f.start(start), f.end(end)})
		}
		from = end
	}
	return found
}

// disjoint sorts ranges and joins those that overlap.
func disjoint(list [][2]int) [][2]int {
	slices.SortFunc(list, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	out := list[:0]
	for _, s := range list {
		if n := len(out); n > 0 && s[0] < out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], s[1])
			continue
		}
		out = append(out, s)
	}
	return out
}

// foldedText is folded text that knows which of the original's bytes each of its
// own came from.
type foldedText struct {
	text  []byte
	from  string
	marks [][2]int // places in text and from, one for about each 1,024 bytes
}

// foldWithMap folds s in pieces, no piece beginning with a character that
// changes the one before.
func foldWithMap(s string) *foldedText {
	f := &foldedText{from: s}
	for i := 0; i < len(s); {
		f.marks = append(f.marks, [2]int{len(f.text), i})
		end := min(i+foldStep, len(s))
		for end < len(s) {
			r, size := utf8.DecodeRuneInString(s[end:])
			if utf8.RuneStart(s[end]) && !composes(r) || end-i > 4*foldStep {
				break
			}
			end += size
		}
		f.text = foldText(f.text, s[i:end])
		i = end
	}
	return f
}

// start returns where the character begins that byte d of the text came from;
// end where the one ends that the byte before d came from, with its marks.
func (f *foldedText) start(d int) int { at, _ := f.locate(d); return at }
func (f *foldedText) end(d int) int   { _, at := f.locate(d); return at }

// locate folds again, character by character, from the last mark before d. start
// is the original's place of the character that wrote byte d, end the place
// behind all characters that wrote bytes before d.
func (f *foldedText) locate(d int) (start, end int) {
	k, found := slices.BinarySearchFunc(f.marks, d, func(m [2]int, d int) int { return m[0] - d })
	if !found || k == len(f.marks) {
		k--
	}
	for k+1 < len(f.marks) && f.marks[k+1][0] == d {
		k++
	}
	if k < 0 {
		return 0, 0
	}
	at, i := f.marks[k][0], f.marks[k][1]
	var buf []byte
	for i < len(f.from) {
		r, size := utf8.DecodeRuneInString(f.from[i:])
		n := len(buf)
		if r < utf8.RuneSelf {
			buf = append(buf, lower[r])
		} else {
			buf = appendFolded(buf, 0, r)
		}
		switch {
		case at+n >= d && len(buf) > n:
			return i, i
		case at+len(buf) > d:
			return i, i + size
		}
		i += size
	}
	return i, i
}
