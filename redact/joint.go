package redact

import "strings"

// The kinds of what may stand between two bytes of a token.
const (
	jointEnd   = iota // no token goes on here
	jointSkip         // colours, the seam of two literals: skip it
	jointByte         // an escaped byte of the token
	jointBreak        // the end of a line
)

// joint reads what stands at i in a run that begins at from: where the text goes
// on, and with which byte.
func joint(s string, from, i int) (next int, c byte, kind int) {
	if n := colour(s[i:]); n > 0 {
		return i + n, 0, jointSkip
	}
	switch s[i] {
	case '\n', '\r':
		next = afterBreak(s, from, i)
		return next, 0, jointBreak
	case '%':
		if c, ok := hexByte(s, i+1, 2); ok && tokenByte[c] {
			return i + 3, c, jointByte
		}
	case '"', '\'', '`':
		if next = seam(s, i); next > 0 {
			return next, 0, jointSkip
		}
	case '\\':
		return escape(s, from, i)
	}
	return i, 0, jointEnd
}

// escape reads a backslash, or several, as JSON in JSON has them.
func escape(s string, from, i int) (next int, c byte, kind int) {
	j := i
	for j < len(s) && s[j] == '\\' && j-i < 16 {
		j++
	}
	if j == len(s) {
		return i, 0, jointEnd
	}
	switch s[j] {
	case '/':
		return j + 1, '/', jointByte
	case 'u':
		if c, ok := hexByte(s, j+1, 4); ok && tokenByte[c] {
			return j + 5, c, jointByte
		}
	case '\n', '\r':
		return afterBreak(s, from, j), 0, jointSkip
	case 'n', 'r':
		return afterBreak(s, from, i), 0, jointBreak
	case '"', '\'', '`':
		if next = seam(s, i); next > 0 {
			return next, 0, jointSkip
		}
	}
	return i, 0, jointEnd
}

// hexByte reads n hexadecimal digits that give an ASCII character.
func hexByte(s string, i, n int) (byte, bool) {
	if i+n > len(s) {
		return 0, false
	}
	v := 0
	for _, d := range []byte(s[i : i+n]) {
		if !hexadecimal(d) {
			return 0, false
		}
		d |= 0x20
		if d >= 'a' {
			d -= 'a' - '9' - 1
		}
		v = v<<4 | int(d&0x1f-0x10)
	}
	return byte(v), v > 0 && v < 0x80
}

// colour is the length of the terminal sequence that s begins with, also where
// its escape character is written as \u001b, \x1b, \033 or \e.
func colour(s string) int {
	n := 0
	if s == "" || s[0] != '\x1b' && s[0] != '\\' {
		return 0
	}
	if s[0] == '\x1b' {
		n = 1
	} else {
		for n < len(s) && s[n] == '\\' && n < 16 {
			n++
		}
		rest := s[n:]
		switch {
		case len(rest) >= 5 && strings.EqualFold(rest[:5], "u001b"):
			n += 5
		case len(rest) >= 3 && (strings.EqualFold(rest[:3], "x1b") || rest[:3] == "033"):
			n += 3
		case strings.HasPrefix(rest, "e["):
			n++
		default:
			return 0
		}
	}
	if n >= len(s) || s[n] != '[' {
		return 0
	}
	for n++; n < len(s) && n < 32; n++ {
		if c := s[n]; c >= '@' && c <= '~' {
			return n + 1
		} else if c != ';' && !digit(c) {
			return 0
		}
	}
	return 0
}

// eol is the length of the line end at i, plain or escaped; 0 when there is none.
func eol(s string, i int) int {
	j := i
	for j < len(s) && s[j] == '\\' && j-i < 16 {
		j++
	}
	switch {
	case j == i:
		if strings.HasPrefix(s[i:], "\r\n") {
			return 2
		}
		if i < len(s) && (s[i] == '\n' || s[i] == '\r') {
			return 1
		}
	case j < len(s) && s[j] == 'n':
		return j + 1 - i
	case j < len(s) && s[j] == 'r':
		if n := eol(s, j+1); n > 0 && s[j+1] == '\\' {
			return j + 1 - i + n
		}
		return j + 1 - i
	}
	return 0
}

// afterBreak is where the text of the next line begins: after its indent, and
// after the mark in front of it when the line of from has the same (a diff, a
// quotation, a comment).
func afterBreak(s string, from, i int) int {
	i += max(eol(s, i), 1)
	mark := lineMark(s, from)
	if mark != 0 && i < len(s) && s[i] == mark {
		i++
	}
	return blanks(s, i)
}

// blanks skips spaces and tabs, plain or escaped, at most as many as indent a
// line.
func blanks(s string, i int) int {
	for range 80 {
		n := blank(s, i)
		if n == 0 {
			break
		}
		i += n
	}
	return i
}

// blank is the length of the space or tab at i.
func blank(s string, i int) int {
	if i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		return 1
	}
	j := i
	for j < len(s) && s[j] == '\\' && j-i < 16 {
		j++
	}
	if j > i && j < len(s) && s[j] == 't' {
		return j + 1 - i
	}
	return 0
}

// lineMark is the byte that begins the line of at, when lines are marked by such.
func lineMark(s string, at int) byte {
	for i := at; i > 0 && at-i < 512; i-- {
		if s[i-1] == '\n' || i >= 2 && s[i-2] == '\\' && s[i-1] == 'n' {
			if strings.IndexByte("+->|#*", s[i]) >= 0 {
				return s[i]
			}
			return 0
		}
	}
	if at < 512 && len(s) > 0 && strings.IndexByte("+->|#*", s[0]) >= 0 {
		return s[0]
	}
	return 0
}

// seam is where a text goes on that a program puts together from two literals:
// the quote at i closes one, and another opens after it; 0 when none does.
func seam(s string, i int) int {
	quote := quoteAt(s, i)
	j := i + len(quote)
	gap, glued := false, false
	for n := 0; j < len(s) && n < 80; n++ {
		switch {
		case blank(s, j) > 0:
			gap = true
			j += blank(s, j)
		case eol(s, j) > 0:
			gap = true
			at := j
			j += eol(s, j)
			if m := lineMark(s, i); m != 0 && j < len(s) && s[j] == m && at > 0 {
				j++
			}
		case !glued && (s[j] == '+' || s[j] == '.' || s[j] == '&' || s[j] == '~'):
			glued = true
			j++
			if s[j-1] == '.' && j < len(s) && s[j] == '.' {
				j++ // Lua
			}
		case !glued && s[j] == '\\' && j+1 < len(s) && (s[j+1] == '\n' || s[j+1] == '\r'):
			glued = true
			j++
		default:
			if q := quoteAt(s, j); q != "" && (q == quote || q[len(q)-1] != quote[len(quote)-1] || len(q) == len(quote)) && (gap || glued || j == i+len(quote)) {
				if j == i+len(quote) && q == quote {
					return 0 // an empty literal, or a doubled quote
				}
				return j + len(q)
			}
			return 0
		}
	}
	return 0
}

// quoteAt is the quote at i with the backslashes in front of it.
func quoteAt(s string, i int) string {
	j := i
	for j < len(s) && s[j] == '\\' && j-i < 16 {
		j++
	}
	if j < len(s) && (s[j] == '"' || s[j] == '\'' || s[j] == '`') {
		return s[i : j+1]
	}
	return ""
}

// boundary reports whether a token may begin at i: nothing that belongs to a
// word stands in front of it. The end of an escape does not.
func (t *look) boundary(i int) bool {
	s := t.s
	if i == 0 || i == t.from || !alnum(s[i-1]) {
		return true
	}
	c := s[i-1]
	if i >= 2 && s[i-2] == '\\' && strings.IndexByte("nrtbf", c) >= 0 {
		return true
	}
	if i >= 3 && s[i-3] == '%' {
		_, ok := hexByte(s, i-2, 2)
		return ok
	}
	if i >= 6 && s[i-5] == 'u' && s[i-6] == '\\' {
		_, ok := hexByte(s, i-4, 4)
		return ok
	}
	if c == 'm' || c == 'K' { // the end of a colour
		j := i - 2
		for j > 0 && i-j < 24 && (digit(s[j]) || s[j] == ';') {
			j--
		}
		return j > 0 && s[j] == '[' && (s[j-1] == '\x1b' || j > 2 && strings.HasSuffix(strings.ToLower(s[:j]), "1b") || j > 2 && s[j-3:j] == "033")
	}
	return false
}
