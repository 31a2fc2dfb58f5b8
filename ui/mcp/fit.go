package mcp

import "unicode/utf8"

// The least that a shortened text keeps, where the page has any room, and the
// least that is cut off: the note about less would be longer.
const (
	leastSaid = 600
	leastDone = 160
	leastCut  = 90
)

// A form is one of the two in which messages are told.
type form struct {
	overhead int // about how many characters a message takes besides its texts
	more     func(*piece) int
	lengths  func(*piece, func(full int, said bool))
	shorten  func(p *piece, said, done int)
}

// asJSON is the structured form.
func asJSON() form {
	return form{
		overhead: 520,
		more:     func(p *piece) int { return len(p.Attachments) * 80 },
		lengths: func(p *piece, each func(int, bool)) {
			for _, f := range p.fields {
				each(f.full, f.said(p))
			}
		},
		shorten: (*piece).shorten,
	}
}

// asText is the form for readers.
func asText() form {
	return form{
		overhead: leastTold,
		more:     (*piece).fixed,
		lengths: func(p *piece, each func(int, bool)) {
			for _, t := range p.texts {
				each(t.full, t.said)
			}
		},
		shorten: (*piece).tellLess,
	}
}

// leastTold is about what a message takes besides its texts: the line above it
// and the marks around it.
const leastTold = 180

// fit shortens messages to about n characters in all, and returns how many of
// them that is: always at least one. Tool results and thinking are shortened
// first, what people said last.
func fit(pieces []*piece, n int, f form) int {
	count, least := 0, 0
	for _, p := range pieces {
		need := f.overhead + f.more(p)
		f.lengths(p, func(full int, said bool) { need += min(full, leastOf(said)) })
		if count > 0 && least+need > n {
			break
		}
		least += need
		count++
	}
	var said, done []int
	floor := 0
	for _, p := range pieces[:count] {
		n -= f.overhead + f.more(p)
		f.lengths(p, func(full int, isSaid bool) {
			if isSaid {
				said = append(said, full)
				return
			}
			done = append(done, full)
			floor += min(full, leastDone)
		})
	}
	n = max(n, 0)
	saidLevel := level(said, max(n-floor, n*3/4))
	doneLevel := level(done, max(0, n-taken(said, saidLevel)))
	for _, p := range pieces[:count] {
		f.shorten(p, saidLevel, doneLevel)
	}
	return count
}

func leastOf(said bool) int {
	if said {
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
