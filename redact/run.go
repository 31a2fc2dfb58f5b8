package redact

import (
	"slices"
	"strings"
)

// longestRun is the most bytes of one secret that are looked at. Certificates
// with keys and Fly's tokens are the longest met; what is longer is masked up to
// here and, where it is of one piece, to its end.
const longestRun = 8 << 10

// mostLines is the most lines that are put together.
const mostLines = 64

// A run is a stretch of text as its writer meant it: without colours, escapes
// decoded, string literals and broken lines put together. It ends at what no
// token holds: white space, quotes, brackets.
type run struct {
	from, stop int // where it lies in the text
	clean      []byte
	pos        []int32 // of each byte of clean, and of what follows the last, from base on
	breaks     []int   // in clean, where a line ended: perhaps a token broken to fit a width

	base     int // where all that was read begins
	spent    int // bytes of it that rules have looked at
	cleanAll []byte
	posAll   []int32
}

// tokenByte tells what tokens are made of.
var tokenByte = func() (is [256]bool) {
	for c := range 256 {
		is[c] = alnum(byte(c)) || strings.IndexByte("_-.~+/=:$@!*&?,#", byte(c)) >= 0
	}
	return is
}()

// read sets the run to what begins at from. What the last one read is not read
// again, so that a long text full of keys takes no longer than its length.
func (t *look) read(from int) {
	r := &t.run
	if r.again(from) {
		return
	}
	r.spent = 0
	s := t.s
	r.base, r.from = from, from
	r.cleanAll, r.posAll, r.breaks = r.cleanAll[:0], r.posAll[:0], r.breaks[:0]
	i := from
	for i < len(s) && len(r.cleanAll) < longestRun && len(r.breaks) < mostLines {
		if c := s[i]; tokenByte[c] {
			r.push(c, i)
			i++
			continue
		}
		next, c, kind := joint(s, from, i)
		if kind == jointEnd {
			break
		}
		switch kind {
		case jointBreak:
			if n := len(r.breaks); n > 0 && r.breaks[n-1] == len(r.cleanAll) {
				kind = jointEnd // an empty line
			}
			r.breaks = append(r.breaks, len(r.cleanAll))
		case jointByte:
			r.push(c, i)
		}
		if i = next; kind == jointEnd {
			break
		}
	}
	r.stop = i
	t.work += i - from
	r.posAll = append(r.posAll, int32(i-from))
	r.clean, r.pos = r.cleanAll, r.posAll
}

// enough is how often, on the average, a byte is looked at more closely. Text of
// nothing but keys, which only a tool for tests writes, is left alone from there on.
const enough = 8

// weary reports whether enough was tried with the run that from lies in.
func (r *run) weary(from int) bool {
	return from < r.stop && from >= r.base && r.spent > enough*len(r.cleanAll)+4096
}

// again moves the run to a later beginning inside it.
func (r *run) again(from int) bool {
	if len(r.pos) == 0 || from < r.from || from >= r.stop {
		return false
	}
	k, ok := slices.BinarySearch(r.pos, int32(from-r.base))
	if !ok || len(r.cleanAll) >= longestRun && len(r.pos)-k < longestRun/2 || len(r.breaks) >= mostLines {
		return false
	}
	r.from = from
	r.clean, r.pos = r.clean[k:], r.pos[k:]
	for len(r.breaks) > 0 && r.breaks[0] <= k {
		r.breaks = r.breaks[1:]
	}
	for i := range r.breaks {
		r.breaks[i] -= k
	}
	return true
}

func (r *run) push(c byte, at int) {
	r.cleanAll = append(r.cleanAll, c)
	r.posAll = append(r.posAll, int32(at-r.base))
}

func (r *run) n() int               { return len(r.clean) }
func (r *run) text(a, b int) string { return string(r.clean[a:b]) }

// cut reports whether the text was cut off inside the run.
func (t *look) cut() bool {
	return strings.HasPrefix(t.s[t.run.stop:], "…") || t.cutAt(t.run.stop)
}

// span is where clean[a:b] lies in the text.
func (t *look) span(a, b int) (start, end int) {
	r := &t.run
	start = r.base + int(r.pos[a])
	last := r.base + int(r.pos[b-1])
	end = r.base + int(r.pos[b])
	if end > last+1 && tokenByte[t.s[last]] {
		end = last + 1 // what joins this byte to the next is not part of the secret
	}
	return start, end
}

// match looks for a rule's secret at the beginning of the run, the key of which
// is so many bytes long. Lines are taken for one only when they have to be: when
// the token is not whole without, or goes on like one.
func (t *look) match(u *rule, key int) (start, end int, ok bool) {
	r := &t.run
	re := u.expression()
	limits := append(slices.Clip(r.breaks), len(r.clean))
	a, b, whole := -1, -1, -1
	for i, limit := range limits {
		if b >= 0 && (whole != limits[i-1] || !goesOn(r.clean[whole:limit])) {
			break
		}
		loc := re.FindSubmatchIndex(r.clean[:limit])
		t.work += limit
		r.spent += limit
		if loc == nil || i > 0 && loc[1] < limit {
			continue
		}
		x, y := loc[0], loc[1]
		if len(loc) > 2 && loc[2] >= 0 {
			x, y = loc[2], loc[3]
		}
		for y > x && strings.IndexByte(".,:?!", r.clean[y-1]) >= 0 {
			y-- // the end of a sentence
		}
		if y > b && y > x && u.good(r.text(x, y), max(key-x, 0)) {
			a, b, whole = x, y, loc[1]
		}
	}
	if b < 0 {
		return 0, 0, false
	}
	start, end = t.span(a, b)
	return start, end, true
}

// goesOn reports whether a line looks like the rest of a token.
func goesOn(line []byte) bool {
	if len(line) < 4 {
		return false
	}
	text := string(line)
	return mixed(text) || strings.ContainsAny(text, "0123456789") && strings.Trim(text, "0123456789") != ""
}
