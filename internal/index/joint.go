package index

import (
	"unicode"
	"unicode/utf8"
)

// Joints are what stands next to each other in a text: two plain words, of ASCII
// letters only, with nothing but white space between them; a dot or an opening
// parenthesis directly between word characters, with the two on either side of it;
// and an opening parenthesis with the three before it. Each message has a filter of its joints (jointset.go). So phrases
// and code made of common words, which thousands of messages hold somewhere, are
// looked for in the few that may hold them joined.

const longestPlain = 64 // bytes; longer words have no joints

// isJointSign tells the signs that join.
func isJointSign(c byte) bool { return c == '.' || c == '(' }

// wordJoint names the joint of two plain words, given the hashes of these.
func wordJoint(before, after uint64) uint64 { return mix(before, after) }

// signJoint names the joint of two characters, a sign and two characters; 0
// stands where the word is over.
func signJoint(before [2]byte, sign byte, after [2]byte) uint64 {
	v := uint64(before[0])<<32 | uint64(before[1])<<24 | uint64(sign)<<16 | uint64(after[0])<<8 | uint64(after[1])
	return mix(v, 5)
}

// callJoint names the joint of three characters and an opening parenthesis.
func callJoint(before [3]byte) uint64 {
	return mix(uint64(before[0])<<16|uint64(before[1])<<8|uint64(before[2]), 7)
}

// isPlain reports whether a folded word has joints with other words.
func isPlain(word []byte) bool {
	for _, c := range word {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return len(word) > 0 && len(word) <= longestPlain
}

// What stands behind the last word of a text that was read: white space only, one
// sign only, or, as more is added up, something else.
const (
	gapNothing = 0
	gapSpace   = 1
	gapSign    = 2
	gapOther   = 4
)

// gapOf is what a character of ASCII is that is in no word.
var gapOf = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			t[c] = gapSpace
		case isJointSign(byte(c)):
			t[c] = gapSign
		default:
			t[c] = gapOther
		}
	}
	return t
}()

// A joiner gathers the joints of a message, each once.
type joiner struct {
	gap  uint8
	sign byte
	last uint64  // hash of the word before the gap; 0: it is not plain
	end  []byte  // its last characters, good while nothing else is folded
	tail [2]byte // of a word before a sign the last two; zeros when these are not known

	list  []uint64
	table []uint64 // open addressing; of a length that what is in list so far needs
}

// cut begins a new text.
func (j *joiner) cut() {
	j.wide()
	j.gap = gapOther
}

// apartBy notes a character of ASCII between words; before is the word that stood
// there last.
func (j *joiner) apartBy(c byte, before []byte) {
	g := gapOf[c]
	if g == gapSign {
		if j.gap == gapNothing {
			j.signAfter(before, c)
		} else {
			g = gapOther
		}
	}
	j.gap |= g
}

func (j *joiner) signAfter(word []byte, c byte) {
	j.sign = c
	if j.tail = [2]byte{}; !charsBefore(word, false, j.tail[:]) {
		j.tail = [2]byte{}
	}
	if three := [3]byte{}; c == '(' && charsBefore(word, false, three[:]) {
		j.add(callJoint(three))
	}
}

// word notes a folded word, and its hash when it is plain, else 0.
func (j *joiner) word(w []byte, hash uint64) {
	switch {
	case j.gap == gapSpace && hash != 0 && j.last != 0:
		j.add(wordJoint(j.last, hash))
	case j.gap == gapSign && j.tail[1] != 0:
		if head, known := charsAfter(w, false); known {
			j.add(signJoint(j.tail, j.sign, head))
		}
	}
	j.gap, j.last = gapNothing, hash
}

// wide ends what is known of the text before, for ideographs, which have no
// joints.
func (j *joiner) wide() { j.gap, j.last, j.end = gapNothing, 0, nil }

// wordHash names a word in joints. It may look at bytes behind the word, up to its
// capacity.
func wordHash(w []byte) uint64 {
	if len(w) <= 8 {
		return shortHash(keyOf(w), len(w))
	}
	return hashBytes(w) | 1
}

// shortHash is wordHash of the word of up to eight bytes that key stands for.
func shortHash(key uint64, n int) uint64 { return mix(key, uint64(n)) | 1 }

const minJoints = 1 << 9

func (j *joiner) add(h uint64) {
	if 2*len(j.list) >= len(j.table) {
		j.grow()
	}
	h |= 1
	mask := uint64(len(j.table) - 1)
	for i := h >> 20 & mask; ; i = (i + 1) & mask {
		switch j.table[i] {
		case h:
			return
		case 0:
			j.table[i] = h
			j.list = append(j.list, h)
			return
		}
	}
}

func (j *joiner) grow() {
	n := max(minJoints, 2*len(j.table))
	if n <= cap(j.table) {
		clear(j.table)
		j.table = j.table[:n]
	} else {
		j.table = make([]uint64, n)
	}
	mask := uint64(n - 1)
	for _, h := range j.list {
		i := h >> 20 & mask
		for j.table[i] != 0 {
			i = (i + 1) & mask
		}
		j.table[i] = h
	}
}

// reset begins a new message. What lies behind the table, up to its capacity, are
// zeros always.
func (j *joiner) reset() {
	clear(j.table)
	j.table = j.table[:min(len(j.table), minJoints)]
	if cap(j.table) > 1<<14 {
		j.table = nil
	}
	j.list = j.list[:0]
	j.cut()
}

// joints returns joints that a text must have for the needle to be in it.
func (n *needle) joints() (list []uint64) {
	for k, part := range n.parts {
		open := k == 0 && !n.start
		openEnd := k == len(n.parts)-1 && !n.end
		for i, c := range part {
			if isJointSign(c) {
				list = append(list, signJoints(part, i, open, openEnd)...)
			}
		}
		if k == 0 {
			continue
		}
		before, after := lastWord(n.parts[k-1], k == 1 && !n.start), firstWord(part, openEnd)
		if isPlain(before) && isPlain(after) {
			list = append(list, wordJoint(wordHash(before), wordHash(after))|1)
		}
	}
	return list
}

// signJoints returns the joints of the sign at a place of a text.
func signJoints(text []byte, at int, open, openEnd bool) (list []uint64) {
	var two [2]byte
	var three [3]byte
	after, known := charsAfter(text[at+1:], openEnd)
	if charsBefore(text[:at], open, two[:]) && known {
		list = append(list, signJoint(two, text[at], after)|1)
	}
	if text[at] == '(' && charsBefore(text[:at], open, three[:]) {
		list = append(list, callJoint(three)|1)
	}
	return list
}

// charsBefore fills last with the last characters of the word that ends a text;
// open says that the text may begin inside of a word. Not known are those of other
// words than ASCII's.
func charsBefore(text []byte, open bool, last []byte) (known bool) {
	for i := range last {
		at := len(text) - 1 - i
		switch {
		case at < 0:
			return i > 0 && !open
		case asciiClass[text[at]] == apart:
			return i > 0
		case asciiClass[text[at]] != inner:
			return false
		}
		last[len(last)-1-i] = text[at]
	}
	return true
}

// charsAfter returns the first two characters of the word that begins a text.
func charsAfter(text []byte, open bool) (two [2]byte, known bool) {
	for i := range 2 {
		switch {
		case i >= len(text):
			return two, i > 0 && !open
		case asciiClass[text[i]] == apart:
			return two, i > 0
		case asciiClass[text[i]] != inner:
			return two, false
		}
		two[i] = text[i]
	}
	return two, true
}

// lastWord returns the word that ends a text, when it is known to begin there.
func lastWord(text []byte, open bool) []byte {
	i := len(text)
	for i > 0 && text[i-1] >= 'a' && text[i-1] <= 'z' {
		i--
	}
	if i == 0 && open || i > 0 && !isApart(text[:i]) {
		return nil
	}
	return text[i:]
}

// firstWord returns the word that begins a text, when it is known to end there.
func firstWord(text []byte, open bool) []byte {
	i := 0
	for i < len(text) && text[i] >= 'a' && text[i] <= 'z' {
		i++
	}
	if i == len(text) && open || i < len(text) && asciiClass[text[i]] != apart {
		return nil
	}
	return text[:i]
}

func isApart(text []byte) bool { return asciiClass[text[len(text)-1]] == apart }

// joinGap notes a character of folded text that is in no word.
func (j *joiner) joinGap(text []byte, i, size int) {
	if text[i] < utf8.RuneSelf {
		j.apartBy(text[i], j.end)
		return
	}
	if r, _ := utf8.DecodeRune(text[i : i+size]); unicode.IsSpace(r) {
		j.gap |= gapSpace
	} else {
		j.gap |= gapOther
	}
}
