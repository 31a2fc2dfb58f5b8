package redact

import "strings"

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
				if j == i+len(quote) && (q == quote || !opensPiece(s, j+len(q), q)) {
					return 0 // an empty literal, a doubled quote, the end of the text around
				}
				return j + len(q)
			}
			return 0
		}
	}
	return 0
}

// opensPiece reports whether the quote q before i opens a piece of a shell's
// word, and does not end what stands around the literal before it.
func opensPiece(s string, i int, q string) bool {
	n := 0
	for i+n < len(s) && n < 256 && tokenByte[s[i+n]] {
		n++
	}
	return n == 256 || n > 0 && strings.IndexByte(",:", s[i]) < 0 && quoteAt(s, i+n) == q
}
