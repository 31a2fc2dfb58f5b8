package redact

import "strings"

// signAt is the byte at i, also where JSON has it as \u003d, and its length in
// the text; 0 at the end.
func signAt(s string, i int) (c byte, n int) {
	if i >= len(s) {
		return 0, 0
	}
	if s[i] != '\\' {
		return s[i], 1
	}
	j := i
	for j < len(s) && s[j] == '\\' && j-i < 16 {
		j++
	}
	if j < len(s) && s[j] == 'u' {
		if c, ok := hexByte(s, j+1, 4); ok {
			return c, j + 5 - i
		}
	}
	return s[i], 1
}

// endsWithSign reports whether the byte before i is c, also as an escape of JSON.
func endsWithSign(s string, i int, c byte) bool {
	if i > 0 && s[i-1] == c {
		return true
	}
	if i < 6 || s[i-6] != '\\' {
		return false
	}
	got, n := signAt(s, i-6)
	return n == 6 && got == c
}

// emphasis skips the asterisks that Markdown puts around a name.
func emphasis(s string, i int) int {
	n := 0
	for i+n < len(s) && s[i+n] == '*' && n < 3 {
		n++
	}
	return i + n
}

// before is where the blanks end that stand before i, and a quote with its
// backslashes when there is one.
func before(s string, i int) int {
	if i > 0 && strings.IndexByte("\"'`", s[i-1]) >= 0 {
		for i--; i > 0 && s[i-1] == '\\'; {
			i--
		}
	}
	for i > 0 && (s[i-1] == ' ' || s[i-1] == '\t') {
		i--
	}
	return i
}

// opensRow reports whether what begins at i is a cell of a table.
func opensRow(s string, i int) bool {
	for i > 0 && s[i-1] == '*' {
		i--
	}
	i = before(s, i)
	return i > 0 && s[i-1] == '|' && (i == 1 || strings.IndexByte(" \t\nn", s[i-2]) >= 0)
}

// pairedValue is where the value begins of a pair such as {"name": "API_KEY",
// "value": "…"}, of which s[start:i] is the name; 0 when this is no such pair.
func pairedValue(s string, start, i int) int {
	if i < len(s) && s[i] == ',' {
		i++
	}
	i = blanks(s, i)
	if n := eol(s, i); n > 0 {
		i = afterBreak(s, start, i)
	}
	i += len(quoteAt(s, i))
	from := i
	for i < len(s) && alnum(s[i]) && i-from < 24 {
		i++
	}
	if !hasSuffixFold(s[from:i], "value") {
		return 0
	}
	i = blanks(s, i+len(quoteAt(s, i)))
	if i >= len(s) || s[i] != ':' && s[i] != '=' {
		return 0
	}
	at := before(s, start)
	if at == 0 || s[at-1] != ':' && s[at-1] != '=' {
		return 0
	}
	at = before(s, at-1)
	at = beforeQuote(s, at)
	if what := s[max(0, at-4):at]; !strings.EqualFold(what, "name") && !hasSuffixFold(what, "key") {
		return 0
	}
	if i = blanks(s, i+1); i == len(s) {
		return 0
	}
	return i
}

// beforeQuote is i, or where the quote begins that ends there.
func beforeQuote(s string, i int) int {
	if i > 0 && strings.IndexByte("\"'`", s[i-1]) >= 0 {
		for i--; i > 0 && s[i-1] == '\\'; {
			i--
		}
	}
	return i
}

func hasSuffixFold(s, end string) bool {
	return len(s) >= len(end) && strings.EqualFold(s[len(s)-len(end):], end)
}
