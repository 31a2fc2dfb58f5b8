package index

import "encoding/binary"

// postings are the list of a word: for each message that holds it the distance
// from the one before. Of fields and seams that is all, their lists are bare. For
// other words it is times four, plus 0, 1 or 2 when the message holds the word
// once, by itself, as a later part or as the first part of a word, or plus 3 when
// a byte follows that says how and how often (see vocabulary.postHow).
type postings struct {
	bytes []byte
	bare  bool
}

func isBare(word []byte) bool { return len(word) > 0 && word[0] <= seamMark }

func appendPostings(dst []byte, bare bool, docs []uint32, how []uint8) []byte {
	prev := uint32(0)
	for i, d := range docs {
		v := uint64(d - prev)
		prev = d
		if bare {
			dst = binary.AppendUvarint(dst, v)
			continue
		}
		code := codeOf[how[i]]
		if v = v<<2 | uint64(code); v < 0x80 {
			dst = append(dst, byte(v))
		} else {
			dst = binary.AppendUvarint(dst, v)
		}
		if code == 3 {
			dst = append(dst, how[i])
		}
	}
	return dst
}

// howOf is what the codes 0 to 2 of a posting stand for, codeOf the reverse.
var howOf = [4]uint8{asWhole<<tfBits | 1, asPart<<tfBits | 1, asStart<<tfBits | 1}

var codeOf = func() (t [256]uint8) {
	for i := range t {
		t[i] = 3
	}
	for code, how := range howOf[:3] {
		t[how] = uint8(code)
	}
	return t
}()

// each visits the messages of a list by their ordinals, all below docs; false when
// the list is damaged.
func (p postings) each(docs int, visit func(doc uint32, how uint8)) bool {
	shift := 2
	if p.bare {
		shift = 0
	}
	doc := uint64(0)
	for list := p.bytes; len(list) > 0; {
		v, n := binary.Uvarint(list)
		if n <= 0 {
			return false
		}
		list = list[n:]
		how := howOf[0]
		if !p.bare {
			how = howOf[v&3]
			if v&3 == 3 {
				if len(list) == 0 {
					return false
				}
				how, list = list[0], list[1:]
			}
		}
		if v >>= shift; v >= uint64(docs) {
			return false
		}
		if doc += v; doc >= uint64(docs) {
			return false
		}
		visit(uint32(doc), how)
	}
	return true
}
