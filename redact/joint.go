package redact

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
