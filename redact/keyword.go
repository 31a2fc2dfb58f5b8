package redact

import (
	"strings"
	"sync"
)

// keywords finds the places at which a rule should look closer. Three
// neighbouring bytes of the text, letter case folded, choose one of few buckets;
// in ordinary text nearly all choose none. Unlike in an automaton no step waits
// for the one before, which makes this as fast as memory in practice.
type keywords struct {
	slots   [1 << slotBits]uint8 // bucket of a hash, from 1; 0 is none
	buckets []bucket
	used    int // slots in use
}

const slotBits = 14

const wordBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// A bucket holds the keywords that have three bytes of one hash.
type bucket []keyword

type keyword struct {
	text  string
	at    int // of the three bytes in text
	three uint32
	fold  bool // letter case does not matter
	rule  *rule
}

// known is built when the first text is looked at, so that a process that shows
// none does not pay for it.
var known = sync.OnceValue(func() *keywords {
	k := &keywords{buckets: make([]bucket, 1, 256)}
	for _, table := range [][]rule{providers, platforms, forms, names} {
		for i := range table {
			r := &table[i]
			for _, text := range r.keys {
				if r.next == "" {
					k.add(keyword{text: text, fold: r.fold, rule: r})
				}
				for j := range r.next {
					k.add(keyword{text: text + r.next[j:j+1], rule: r})
				}
			}
		}
	}
	return k
})

// slot is a hash; of many multipliers this one lets fewest of the frequent
// neighbours of English and Go share a slot with a keyword.
func slot(three uint32) uint32 { return three * 0xC45DBAB3 >> (32 - slotBits) }

func (k *keywords) add(w keyword) {
	w.at = rarest(w.text)
	for _, c := range []byte(w.text[w.at : w.at+3]) {
		w.three = (w.three | uint32(c|0x20)) << 8
	}
	h := slot(w.three)
	if k.slots[h] == 0 {
		if k.slots[h] = uint8(1 + k.used%255); k.used < 255 { // then shared, for want of numbers
			k.buckets = append(k.buckets, nil)
		}
		k.used++
	}
	b := &k.buckets[k.slots[h]]
	*b = append(*b, w)
}

// frequent are the bytes of English and of code, most frequent first.
const frequent = " etaoinsrlcdupmhgfbyvwkx-/_.:zjq"

// rarest is where the three bytes of a keyword begin that text has least often.
func rarest(text string) int {
	best, at := -1, 0
	for i := 0; i+3 <= len(text); i++ {
		score := 0
		for _, c := range []byte(strings.ToLower(text[i : i+3])) {
			n := strings.IndexByte(frequent, c)
			if n < 0 {
				n = len(frequent)
			}
			score += n
		}
		if score > best {
			best, at = score, i
		}
	}
	return at
}

// each has the rules look at every keyword in s.
func (k *keywords) each(s string, t *look) {
	three := uint32(0) // in the upper bytes, so that the oldest falls out by itself
	for i := 0; i < len(s); {
		if i+4 <= len(s) {
			four := s[i : i+4]
			a := (three | uint32(four[0]|0x20)) << 8
			b := (a | uint32(four[1]|0x20)) << 8
			c := (b | uint32(four[2]|0x20)) << 8
			d := (c | uint32(four[3]|0x20)) << 8
			if k.slots[slot(a)]|k.slots[slot(b)]|k.slots[slot(c)]|k.slots[slot(d)] == 0 {
				three = d
				i += 4
				continue
			}
		}
		for stop := min(i+4, len(s)); i < stop; i++ {
			three = (three | uint32(s[i]|0x20)) << 8
			if n := k.slots[slot(three)]; n > 0 && i >= 2 {
				k.met(k.buckets[n], three, i, t)
			}
			if t.from > i+1 { // nothing of what was found is looked at again
				i, three = t.from-1, 0
			}
		}
	}
}

// met has the rules look whose keywords have three bytes that end at i.
func (k *keywords) met(b bucket, three uint32, i int, t *look) {
	for j := range b {
		w := &b[j]
		if w.three != three {
			continue
		}
		start := i - 2 - w.at
		end := start + len(w.text)
		if start < t.from || end > len(t.s) {
			continue
		}
		if at := t.s[start:end]; at == w.text || w.fold && strings.EqualFold(at, w.text) {
			t.at(w.rule, start, end)
		}
	}
}
