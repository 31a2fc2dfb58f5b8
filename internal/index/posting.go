package index

import (
	"encoding/binary"
	"math/bits"
)

// postings are the list of a word: for each message that holds it the distance
// from the one before and, unless the list is bare as those of fields and seams
// are, how and how often the message holds it (see vocabulary.postHow).
//
// A list of more than one is a string of bits. Unless it is bare, it begins with
// two bits that say whether all hold the word by itself (1), as a later part (2)
// or as the first part of a word (3), or some otherwise than others (0), and one
// that says whether all hold it once. Then, for each message: the distance less
// one by the Rice code that riceBits chooses; where ways differ a number of zeros,
// which says whether it holds the word by itself (0), as a later part (1) or the
// first part (2) of a word, or in several ways (3; three bits say which); where
// that differs how often, as a number of zeros that stands for a step of oftenStep:
// ranking needs no more.
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
	var same sameHow
	if !bare {
		same = sameOf(how)
		w.put(uint64(same.code), 2)
		w.put(uint64(same.often), 1)
	}
	next := uint32(0)
	for i, d := range docs {
		w.rice(uint64(d-next), k)
		next = d + 1
		if bare {
			continue
		}
		if same.code == 0 {
			way := how[i] >> tfBits
			code := codeOf[way]
			w.unary(uint64(code))
			if code == 3 {
				w.put(uint64(way), 3)
			}
		}
		if same.often == 0 {
			w.unary(uint64(stepOf[how[i]&tfMax]))
		}
	}
	return w.end()
}

// oftenStep is how often a message is taken to hold a word, by the code of that.
var oftenStep = [...]uint8{1, 2, 3, 6, 12, 24}

// stepOf is the code of how often a message holds a word.
var stepOf = func() (t [tfMax + 1]uint8) {
	for n := range t {
		for code, least := range [len(oftenStep)]int{0, 2, 3, 5, 9, 18} {
			if n >= least {
				t[n] = uint8(code)
			}
		}
	}
	return t
}()

// sameHow says what all postings of a list have in common.
type sameHow struct {
	code  uint8 // one more than that of their way; 0: they differ, or have none
	often uint8 // 1: each is of one occurrence
}

func sameOf(how []uint8) sameHow {
	same := sameHow{code: (codeOf[how[0]>>tfBits] + 1) & 3, often: 1}
	for _, h := range how {
		if h>>tfBits != how[0]>>tfBits {
			same.code = 0
		}
		if h&tfMax > 1 {
			same.often = 0
		}
	}
	return same
}

func appendPosting(dst []byte, bare bool, doc uint32, how []uint8) []byte {
	if bare {
		return binary.AppendUvarint(dst, uint64(doc))
	}
	one := how[0]&^tfMax | oftenStep[stepOf[how[0]&tfMax]] // as in a longer list
	for code, known := range howOf[:3] {
		if one == known {
			return binary.AppendUvarint(dst, uint64(doc)<<2|uint64(code))
		}
	}
	return append(binary.AppendUvarint(dst, uint64(doc)<<2|3), one)
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
const mostPosting = 4 + 3 + len(oftenStep)

func (p postings) eachBits(docs int, visit func(doc uint32, how uint8)) bool {
	r := bitReader{b: p.bytes}
	k := riceBits(docs, p.bits)
	how, differs, same := howOf[0], false, sameHow{}
	if !p.bare {
		same = sameHow{code: uint8(r.take(2)), often: uint8(r.take(1))}
		differs = same.code == 0 || same.often == 0
		if same.code > 0 {
			how = wayOf[same.code-1]<<tfBits | 1
		}
	}
	next, most := uint64(0), uint64(docs)
	for range p.bits {
		if r.n < 56 {
			r.fill()
		}
		doc := uint64(0)
		if zeros := uint(bits.TrailingZeros64(r.buf)); zeros+1+k+uint(mostPosting) <= 56 { // all of it is in the buffer
			r.buf >>= zeros + 1
			doc = next + uint64(zeros)<<k + r.buf&(1<<k-1)
			r.buf >>= k
			r.n -= zeros + 1 + k
		} else {
			doc = next + r.unary(most)<<k
			doc += r.take(k)
			r.fill()
		}
		if doc >= most {
			return false
		}
		next = doc + 1
		if differs {
			how = r.how(same)
		}
		visit(uint32(doc), how)
	}
	return !r.bad() && len(r.b) == 0
}

// how reads how a message holds a word, as far as that is not the same for all.
// As many bits, mostPosting, are in the buffer.
func (r *bitReader) how(same sameHow) uint8 {
	buf, used := r.buf, uint(0)
	way := wayOf[(same.code-1)&3]
	if same.code == 0 {
		code := min(uint(bits.TrailingZeros64(buf)), 3)
		used = code + 1
		if way = wayOf[code]; code == 3 {
			way = uint8(buf >> used & 7)
			used += 3
		}
	}
	often := uint8(1)
	if same.often == 0 {
		step := min(bits.TrailingZeros64(buf>>used), len(oftenStep)-1)
		often = oftenStep[step]
		used += uint(step) + 1
	}
	r.buf, r.n = buf>>used, r.n-used
	return way<<tfBits | often
}
