package jscan

import "bytes"

// space returns the index of the first byte from i that is not white space.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skip returns the index behind the value that starts at i, and whether the
// value is whole. It never recurses: nesting is a count of open brackets.
func skip(b []byte, i int) (int, bool) {
	if i >= len(b) {
		return i, false
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	start := i
	for i < len(b) && !structural(b[i]) {
		i++
	}
	return i, i > start
}

func structural(c byte) bool {
	switch c {
	case ',', ':', ']', '}', '[', '{', '"', ' ', '\n', '\t', '\r':
		return true
	}
	return false
}

func skipNested(b []byte, i int) (int, bool) {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1, true
			}
		case '"':
			end, ok := skipString(b, i)
			if !ok {
				return len(b), false
			}
			i = end
			continue
		}
		i++
	}
	return len(b), false
}

// skipString returns the index behind the string that opens at i. A quote ends
// it unless an odd number of backslashes stands before.
func skipString(b []byte, i int) (int, bool) {
	for from := i + 1; ; {
		q := bytes.IndexByte(b[from:], '"')
		if q < 0 {
			return len(b), false
		}
		q += from
		slashes := 0
		for p := q - 1; p > i && b[p] == '\\'; p-- {
			slashes++
		}
		if slashes%2 == 0 {
			return q + 1, true
		}
		from = q + 1
	}
}
