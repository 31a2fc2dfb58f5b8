package jscan

import (
	"iter"
	"slices"
	"unicode/utf8"
)

// A Word is one string of a document and where it stands.
type Word struct {
	Start, End int    // of the document, quotes included
	Name       string // of the member that holds it, through arrays; of a key that of the member that holds its object
	Key        bool   // it is the name of a member itself
}

// Words yields every string of a document in order, names of members included.
// It ends where the document is no JSON any more. Depth costs no stack.
func Words(doc []byte) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		type level struct {
			object bool
			name   string // of the member that holds this object or array
			member string // of the member under way
			key    bool   // a key comes next
		}
		stack := []level{{}}
		for i := space(doc, 0); i < len(doc); i = space(doc, i) {
			top := &stack[len(stack)-1]
			name := top.name
			if top.object {
				name = top.member
			}
			switch doc[i] {
			case '{', '[':
				stack = append(stack, level{object: doc[i] == '{', name: name, key: true})
				i++
			case '}', ']':
				if len(stack) == 1 {
					return
				}
				stack = stack[:len(stack)-1]
				i++
			case ',':
				top.key = true
				i++
			case ':':
				top.key = false
				i++
			case '"':
				end, ok := skipString(doc, i)
				if !ok {
					return
				}
				w := Word{Start: i, End: end, Name: name}
				if top.object && top.key {
					w.Key, w.Name = true, top.name
					top.member = Value(doc[i:end]).Str()
				}
				if !yield(w) {
					return
				}
				i = end
			default:
				end, ok := skip(doc, i)
				if !ok || end == i {
					return
				}
				i = end
			}
		}
	}
}

// Spell takes the escapes out of what stands between the quotes of a string, and
// says for each byte of the result, and for its end, where its spelling begins.
func Spell(body []byte) (plain []byte, at []int) {
	plain, at = make([]byte, 0, len(body)), make([]int, 0, len(body)+1)
	for i := 0; i < len(body); {
		if body[i] != '\\' || i+1 == len(body) {
			plain, at = append(plain, body[i]), append(at, i)
			i++
			continue
		}
		_, r, rest := cutEscape(body[i:])
		next := len(body) - len(rest)
		before := len(plain)
		if r >= 0 {
			plain = utf8.AppendRune(plain, r)
		} else { // \" and \/ stand for what follows
			plain, next = append(plain, body[i+1]), i+2
		}
		for range len(plain) - before {
			at = append(at, i)
		}
		i = next
	}
	return plain, append(at, len(body))
}

// Quote is text as it stands between the quotes of a string, escaped as
// JavaScript does: only where it has to be.
func Quote(text []byte) []byte {
	const digits = "0123456789abcdef"
	out := make([]byte, 0, len(text)+8)
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c >= ' ':
			out = append(out, c)
		case c == '\n':
			out = append(out, '\\', 'n')
		case c == '\r':
			out = append(out, '\\', 'r')
		case c == '\t':
			out = append(out, '\\', 't')
		case c == '\b':
			out = append(out, '\\', 'b')
		case c == '\f':
			out = append(out, '\\', 'f')
		default:
			out = append(out, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return out
}

// A Splice puts Text in the place of the bytes from Start to End.
type Splice struct {
	Start, End int
	Text       []byte
}

// Edit makes a document with all splices done; every other byte stays. Splices
// must not overlap.
func Edit(doc []byte, splices []Splice) []byte {
	if len(splices) == 0 {
		return doc
	}
	slices.SortStableFunc(splices, func(a, b Splice) int { return a.Start - b.Start })
	size := len(doc)
	for _, s := range splices {
		size += len(s.Text) - (s.End - s.Start)
	}
	out, last := make([]byte, 0, size), 0
	for _, s := range splices {
		out = append(append(out, doc[last:s.Start]...), s.Text...)
		last = s.End
	}
	return append(out, doc[last:]...)
}

// Offset is where a value of a document begins in it. The value must have been
// taken out of that very document by this package.
func Offset(doc []byte, v Value) int { return cap(doc) - cap(v) }
