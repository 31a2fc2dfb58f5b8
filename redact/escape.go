package redact

import "strings"

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

// afterEscape is i, or the next byte when the one at i is the end of an escape:
// \npm_ may be a line end.
func afterEscape(s string, i int) int {
	j := i
	for j > 0 && s[j-1] == '\\' {
		j--
	}
	if (i-j)%2 == 1 && i < len(s) && strings.IndexByte("nrtbf", s[i]) >= 0 {
		return i + 1
	}
	return i
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
	if i >= 2 && strings.IndexByte("mKJH", c) >= 0 { // the end of a colour, or of what a one-line preview left of it
		j := i - 2
		for j > 0 && i-j < 24 && (digit(s[j]) || s[j] == ';') {
			j--
		}
		if s[j] != '[' {
			return false
		}
		return j == 0 || s[j-1] == '\x1b' || s[j-1] == ' ' || j > 2 && (strings.EqualFold(s[j-2:j], "1b") || s[j-3:j] == "033")
	}
	return false
}
