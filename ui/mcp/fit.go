package mcp

import "unicode/utf8"

// The least that a shortened text keeps, where the page has any room.
const (
	leastSaid = 600
	leastDone = 160
)

// overhead is about how many characters a message takes besides its texts, in
// the longer of the two forms.
const overhead = 520

// fit shortens messages to about n characters in all, and returns how many of
// them that is: always at least one. Tool results and thinking are shortened
// first, what people said last.
func fit(pieces []*piece, n int) int {
	count, least := 0, 0
	for _, p := range pieces {
		need := overhead
		for _, f := range p.fields {
			need += min(f.full, p.least())
		}
		if count > 0 && least+need > n {
			break
		}
		least += need
		count++
	}
	var said, done []int
	floor := 0
	for _, p := range pieces[:count] {
		n -= overhead
		for _, f := range p.fields {
			if p.people() {
				said = append(said, f.full)
				continue
			}
			done = append(done, f.full)
			floor += min(f.full, leastDone)
		}
	}
	n = max(n, 0)
	saidLevel := level(said, max(n-floor, n/2))
	doneLevel := level(done, max(0, n-taken(said, saidLevel)))
	for _, p := range pieces[:count] {
		if p.people() {
			p.shorten(saidLevel)
		} else {
			p.shorten(doneLevel)
		}
	}
	return count
}

func (p *piece) least() int {
	if p.people() {
		return leastSaid
	}
	return leastDone
}

// level is the largest height to which texts of these lengths can be cut so that
// they take at most n characters together.
func level(lengths []int, n int) int {
	low, high := 0, 0
	for _, l := range lengths {
		high = max(high, l)
	}
	for low < high {
		if middle := (low + high + 1) / 2; taken(lengths, middle) <= n {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

func taken(lengths []int, level int) (sum int) {
	for _, l := range lengths {
		sum += min(l, level)
	}
	return sum
}

// jsonChars counts the characters of JSON as a client would write it: < > & as
// they are.
func jsonChars(b []byte) int {
	n := utf8.RuneCount(b)
	for i := 0; i+5 < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		if s := string(b[i : i+6]); s == `\u003c` || s == `\u003e` || s == `\u0026` {
			n -= 5
		}
		i++
	}
	return n
}
