package index

import (
	"encoding/binary"
	"math/bits"
)

// postings are the list of a word: for each message that holds it the distance
// from the one before and, unless the list is bare as those of fields and seams
// are, how and how often the message holds it (see vocabulary.postHow).
//
// A list of more than one is a string of bits: the distance less one by the Rice
// code that riceBits chooses; a number of zeros, which says whether the message
// holds the word by itself (0), as a later part (1) or the first part (2) of a
// word, or in several ways (3; three bits say which); how often, by the Elias
// gamma code.
//
// A single message, and every list of format 1, is written in bytes: the distance
// from the message before (from 0 for the first); for lists that are not bare that
// times four, plus 0, 1 or 2 when the message holds the word once, by itself, as a
// later part or as the first part of a word, or plus 3 when a byte follows that
// says how and how often.
type postings struct {
	bytes []byte
	bare  bool
	bits  int // of messages in a list that is a string of bits; 0: it is not
}

func isBare(word []byte) bool { return len(word) > 0 && word[0] <= seamMark }

// Ways of holding a word that have a short code.
var (
	wayOf  = [4]uint8{asWhole, asPart, asStart}
	codeOf = [8]uint8{0: 3, asWhole: 0, asPart: 1, asStart: 2, asWhole | asPart: 3, asWhole | asStart: 3, asPart | asStart: 3, asWhole | asPart | asStart: 3}
)

// appendPostings appends the list of a word in some of all messages.
func appendPostings(dst []byte, bare bool, all int, docs []uint32, how []uint8) []byte {
	if len(docs) == 1 {
		return appendPosting(dst, bare, docs[0], how)
	}
	w := bitWriter{dst: dst}
	k := riceBits(all, len(docs))
	next := uint32(0)
	for i, d := range docs {
		w.rice(uint64(d-next), k)
		next = d + 1
		if bare {
			continue
		}
		way := how[i] >> tfBits
		code := codeOf[way]
		w.unary(uint64(code))
		if code == 3 {
			w.put(uint64(way), 3)
		}
		w.gamma(uint64(max(how[i]&tfMax, 1)))
	}
	return w.end()
}

func appendPosting(dst []byte, bare bool, doc uint32, how []uint8) []byte {
	if bare {
		return binary.AppendUvarint(dst, uint64(doc))
	}
	for code, known := range howOf[:3] {
		if how[0] == known {
			return binary.AppendUvarint(dst, uint64(doc)<<2|uint64(code))
		}
	}
	return append(binary.AppendUvarint(dst, uint64(doc)<<2|3), how[0])
}

// howOf is what the codes 0 to 2 of a posting in bytes stand for.
var howOf = [4]uint8{asWhole<<tfBits | 1, asPart<<tfBits | 1, asStart<<tfBits | 1}

// each visits the messages of a list by their ordinals, all below docs; false when
// the list is damaged.
func (p postings) each(docs int, visit func(doc uint32, how uint8)) bool {
	if p.bits > 0 {
		return p.eachBits(docs, visit)
	}
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

// mostPosting is the most bits of a posting but for its distance.
const mostPosting = 4 + 3 + 2*tfBits

func (p postings) eachBits(docs int, visit func(doc uint32, how uint8)) bool {
	r := bitReader{b: p.bytes}
	k := riceBits(docs, p.bits)
	next, most := uint64(0), uint64(docs)
	for range p.bits {
		r.fill()
		doc, how := uint64(0), howOf[0]
		if zeros := uint(bits.TrailingZeros64(r.buf)); zeros+1+k+mostPosting <= 56 { // all of it is in the buffer
			r.buf >>= zeros + 1
			doc = next + uint64(zeros)<<k + r.buf&(1<<k-1)
			r.buf >>= k
			r.n -= zeros + 1 + k
			if !p.bare {
				how = r.quickHow()
			}
		} else {
			doc = next + r.unary(most)<<k
			doc += r.take(k)
			if !p.bare {
				r.fill()
				how = r.quickHow()
			}
		}
		if doc >= most {
			return false
		}
		next = doc + 1
		visit(uint32(doc), how)
	}
	return !r.bad() && len(r.b) == 0
}

// quickHow reads how a message holds a word. That many bits, mostPosting, are in
// the buffer.
func (r *bitReader) quickHow() uint8 {
	buf, used := r.buf, uint(1)
	way := uint8(asWhole)
	if buf&1 == 0 {
		code := min(uint(bits.TrailingZeros64(buf)), 3)
		used += code
		if way = wayOf[code]; code == 3 {
			way = uint8(buf >> used & 7)
			used += 3
		}
	}
	buf >>= used
	if buf&1 == 1 { // once
		r.buf, r.n = buf>>1, r.n-used-1
		return way<<tfBits | 1
	}
	n := min(uint(bits.TrailingZeros64(buf)), tfBits)
	tf := min(1<<n|buf>>(n+1)&(1<<n-1), tfMax)
	used += 2*n + 1
	r.buf, r.n = buf>>(2*n+1), r.n-used
	return way<<tfBits | uint8(tf)
}
