package redact

import (
	"strings"
	"unicode/utf8"
)

// An extent says how far a value without quotes goes.
type extent int

const (
	wordExtent  extent = iota // as far as a word of a shell or a scalar of YAML
	queryExtent               // up to the next & of a query string
	lineExtent                // all of a line
)

// A measured value is kept, so that no text is measured twice.
type measured struct {
	from, end int
	spent     int // bytes of it that were looked at
}

// value is where a value lies that begins at i: inside its quotes, or up to what
// cannot be part of it. Literals that are put together are one value.
func (t *look) value(i int, kind extent) (from, to int, ok bool) {
	s := t.s
	if i >= len(s) {
		return 0, 0, false
	}
	if q := quoteAt(s, i); q != "" {
		from, to, ok = quotedValue(s, i, q)
		t.work += to - i
		return from, to, ok
	}
	known := &t.measured[kind]
	if kind != lineExtent && i >= known.from && i < known.end {
		if known.spent > enough*(known.end-known.from)+4096 {
			return 0, 0, false
		}
		known.spent += known.end - i
		t.work += known.end - i
		return i, known.end, true
	}
	to = i
	for to < len(s) && to-i < longestRun {
		n := valueByte(s, to, kind)
		if n == 0 {
			break
		}
		to += n
	}
	t.work += to - i
	*known = measured{i, to, to - i}
	return i, to, to > i
}

// valueByte is the length of the next byte of a value, which may be escaped; 0
// where the value ends.
func valueByte(s string, i int, kind extent) int {
	c, n := signAt(s, i)
	switch c {
	case ' ', '\t', '\n', '\r', '"', '\'', '`', '\x1b':
		return 0
	case '\\':
		if i+1 < len(s) && s[i+1] == '/' {
			return 2
		}
		return 0
	}
	if strings.HasPrefix(s[i:], "…") {
		return 0
	}
	if kind == lineExtent {
		return n
	}
	switch c {
	case ')', '}', ']', '<', '>', '|':
		return 0
	case ',', ';':
		if kind == queryExtent || !restOfPassword(s, i+n) {
			return 0
		}
	case '&':
		if kind == queryExtent || !sameValue(s, i+n) {
			return 0
		}
	case '%':
		if strings.HasPrefix(s[i:], "%26") && (kind == queryExtent || !sameValue(s, i+3)) {
			return 0
		}
	}
	return n
}

// sameValue reports whether the value before an & goes on at i: it does not when
// a name and a sign follow, as in a form, or nothing of a value's.
func sameValue(s string, i int) bool {
	i += len(s[i:]) - len(strings.TrimPrefix(s[i:], "amp;"))
	n := 0
	for i+n < len(s) && n < 40 && (word(s[i+n]) || s[i+n] == '.') {
		n++
	}
	next := s[i+n:]
	c, _ := signAt(s, i+n)
	return c != '=' && !strings.HasPrefix(next, "[") && !strings.HasPrefix(next, "%5B") && !strings.HasPrefix(next, "%3D") &&
		(n > 0 || next != "" && strings.IndexByte("!#$*+-.?@^_~%:", next[0]) >= 0)
}

// restOfPassword reports whether what follows a comma or a semicolon can only be
// the rest of the value before it.
func restOfPassword(s string, i int) bool {
	n := 0
	for i+n < len(s) && n < 40 && strings.IndexByte(" \t\r\n\"'`\\,;&)}]<>|=:\x1b", s[i+n]) < 0 {
		n++
	}
	if next := s[i+n:]; next != "" && (next[0] == '=' || next[0] == ':') {
		return false
	}
	return n >= 4 && n < 40 && mixed(s[i:i+n])
}

// prose reports whether a value is said about secrets and is none: the texts of
// a user interface, in whatever language, and the rules of a form.
func prose(v string) bool {
	foreign := 0
	for _, r := range v {
		if r >= utf8.RuneSelf {
			foreign++
		}
	}
	if foreign > 0 && !random(strings.ToValidUTF8(ascii(v), ""), 8) {
		return true
	}
	if !strings.ContainsAny(v, " |") {
		return false
	}
	known := words()
	for f := range strings.FieldsFuncSeq(v, func(r rune) bool { return strings.ContainsRune(" \t|,;:/", r) }) {
		if known.prose[strings.ToLower(strings.Trim(f, ".!?()*'\""))] {
			return true
		}
	}
	return false
}

// ascii is s without what is not.
func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return -1
		}
		return r
	}, s)
}
