package retold

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Preview is the first line's worth of s: white space and control characters
// folded to single spaces, at most PreviewLength characters, an ellipsis where
// it was cut.
func Preview(s string) string {
	var b strings.Builder
	n, space := 0, false
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			space = n > 0
			continue
		}
		if space {
			if n+2 > PreviewLength {
				return b.String() + "…"
			}
			b.WriteByte(' ')
			n++
			space = false
		}
		if n == PreviewLength-1 && strings.TrimSpace(s) != "" {
			return b.String() + "…"
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}
