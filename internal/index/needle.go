package index

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// A needle is a term as it is looked for in folded text.
type needle struct {
	parts      [][]byte // folded; any white space stands between them
	start, end bool     // begins, ends where a word does
}

// find returns where the needle is met first from a byte on; start < 0 when it is
// not. A needle without parts is met at once, with no bytes.
func (n *needle) find(text []byte, from int) (start, end int) {
	if len(n.parts) == 0 {
		return from, from
	}
	longest := 0
	for i, part := range n.parts {
		if len(part) > len(n.parts[longest]) {
			longest = i
		}
	}
	for at := from; at <= len(text); {
		p := bytes.Index(text[at:], n.parts[longest])
		if p < 0 {
			break
		}
		p += at
		if start, end = n.meets(text, p, longest); start >= from {
			return start, end
		}
		_, size := utf8.DecodeRune(text[p:])
		at = p + max(size, 1)
	}
	return -1, -1
}

// meets returns where the needle is met with part k standing at p; start < 0 when
// it is not.
func (n *needle) meets(text []byte, p, k int) (start, end int) {
	start = p
	for i := k - 1; i >= 0; i-- {
		before := trimSpace(text, start)
		if before == start || !bytes.HasSuffix(text[:before], n.parts[i]) {
			return -1, -1
		}
		start = before - len(n.parts[i])
	}
	end = p + len(n.parts[k])
	for _, part := range n.parts[k+1:] {
		next := skipSpace(text, end)
		if next == end || !bytes.HasPrefix(text[next:], part) {
			return -1, -1
		}
		end = next + len(part)
	}
	if n.start && !edge(text, start) || n.end && !edge(text, end) {
		return -1, -1
	}
	return start, end
}

// trimSpace returns where the white space begins that ends at i.
func trimSpace(text []byte, i int) int {
	for i > 0 {
		r, size := utf8.DecodeLastRune(text[:i])
		if !unicode.IsSpace(r) {
			break
		}
		i -= size
	}
	return i
}

func skipSpace(text []byte, i int) int {
	for i < len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			if c != ' ' && (c < '\t' || c > '\r') {
				break
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if !unicode.IsSpace(r) {
			break
		}
		i += size
	}
	return i
}

// spaced splits a folded phrase at white space.
func spaced(folded []byte) [][]byte { return bytes.FieldsFunc(folded, unicode.IsSpace) }

// short reports whether a folded word is so short that it has to stand at the
// start of a word: one or two letters or digits, no ideographs.
func short(folded []byte) bool {
	n := 0
	for _, r := range string(folded) {
		if class(r) != inner || r == '_' {
			return false
		}
		if n++; n > 2 {
			return false
		}
	}
	return n > 0
}

// How a want's word stands to a word of the dictionary.
type wantKind int

const (
	wantExact wantKind = iota
	wantPrefix
	wantSuffix
	wantInside
)

// A want is something the dictionary can be asked: words of one field, or plain
// ones when it is "", that are, begin with, end with or hold a text.
type want struct {
	field     string
	text      []byte
	kind      wantKind
	ideograph bool // any occurrence is as good as a whole word
	anywhere  bool // it need not be a word by itself, nor begin one; parts of words will do
	start     bool // only as the first part of a word
}

// wants returns what words a message must have for the needle to be in it, and
// whether having them is enough.
func (n *needle) wants() (list []want, exact bool) {
	for k, part := range n.parts {
		open := k == 0 && !n.start
		for i := 0; i < len(part); {
			r, size := utf8.DecodeRune(part[i:])
			c := class(r)
			if c == apart {
				i += size
				continue
			}
			end := i + size
			for end < len(part) {
				r, size := utf8.DecodeRune(part[end:])
				if class(r) != c {
					break
				}
				end += size
			}
			left := i == 0 && open
			right := end == len(part) && k == len(n.parts)-1 && !n.end
			if c == inner {
				list = append(list, want{text: part[i:end], kind: kindOf(left, right)})
			} else {
				list = append(list, ideographWants(part[i:end], end < len(part) || k < len(n.parts)-1)...)
			}
			exact = len(n.parts) == 1 && i == 0 && end == len(part) && (c == inner || utf8.RuneCount(part) <= 2)
			i = end
		}
	}
	return list, exact && len(list) == 1
}

func kindOf(left, right bool) wantKind {
	switch {
	case left && right:
		return wantInside
	case left:
		return wantSuffix
	case right:
		return wantPrefix
	}
	return wantExact
}

// ideographWants asks for the pairs of a run of Han and kana, and for its last
// character by itself where the run is known to end there.
func ideographWants(run []byte, ends bool) (list []want) {
	_, size := utf8.DecodeRune(run)
	for i := 0; ; {
		next := i + size
		if next == len(run) {
			if ends {
				return append(list, want{text: run[i:], kind: wantExact, ideograph: true})
			}
			if list == nil {
				return []want{{text: run[i:], kind: wantPrefix, ideograph: true}}
			}
			return list
		}
		_, size = utf8.DecodeRune(run[next:])
		list = append(list, want{text: run[i : next+size], kind: wantExact, ideograph: true})
		i = next
	}
}
