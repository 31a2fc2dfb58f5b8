package cursorcli

import (
	"hash/maphash"
	"strings"
	"unicode"
)

// maxSeams bounds the places at which a text is tried to come apart.
const maxSeams = 64

// seam is an empty line inside a text, with the hashes of what stands before and
// after it.
type seam struct{ before, after uint64 }

// base makes the hash of a sequence of words depend on their order; any odd
// number does, since the words themselves are hashed with a secret seed.
const base = 0x9e3779b97f4a7c15

// digest hashes a text by its words, so that white space does not count, and
// gives the hashes of both sides of its first empty lines in the same pass:
// h(a b c) = ((a·base)+b)·base+c, hence h(c) = h(a b c) − h(a b)·base.
func (b *backbone) digest(text string) (whole uint64, seams []seam) {
	type cut struct {
		hash  uint64
		words int
	}
	var cuts []cut
	n, breaks, start := 0, 0, -1
	word := func(end int) {
		whole = whole*base + maphash.String(b.seed, text[start:end])
		n, start = n+1, -1
	}
	for i, r := range text {
		if unicode.IsSpace(r) {
			if start >= 0 {
				word(i)
			}
			if r == '\n' {
				breaks++
			}
			continue
		}
		if start < 0 {
			if breaks > 1 && n > 0 && len(cuts) < maxSeams {
				cuts = append(cuts, cut{whole, n})
			}
			start, breaks = i, 0
		}
	}
	if start >= 0 {
		word(len(text))
	}
	for _, c := range cuts {
		seams = append(seams, seam{c.hash, whole - c.hash*power(n-c.words)})
	}
	return whole, seams
}

// power is base to the n-th.
func power(n int) uint64 {
	out, square := uint64(1), uint64(base)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			out *= square
		}
		square *= square
	}
	return out
}

// withoutThink removes <think>…</think>, as the transcript writer does.
func withoutThink(s string) string {
	if !strings.Contains(s, "<think>") {
		return s
	}
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, "<think>")
		_, rest, closed := strings.Cut(after, "</think>")
		if !ok || !closed {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(before)
		s = rest
	}
}
