package render

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Plain makes s harmless for a terminal: escape sequences (CSI, OSC, DCS and
// the rest, in their 7-bit and 8-bit forms) and control characters are taken
// out, line ends become \n, tabs stay, invalid UTF-8 becomes U+FFFD, and
// characters that reorder text on screen are spelled out ("⟨U+202E⟩"). Text that
// needs none of this is returned as it is, without a copy.
func Plain(s string) string {
	i := firstUnplain(s)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		b.WriteString(s[:i])
		s = s[i:]
		s = s[plainOne(&b, s):]
		i = firstUnplain(s)
	}
	b.WriteString(s)
	return b.String()
}

// firstUnplain is the offset of the first character that Plain changes, or -1.
func firstUnplain(s string) int {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < 0x20 && c != '\n' && c != '\t' || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || r <= 0x9f || reorders(r) {
			return i
		}
		i += n
	}
	return -1
}

// plainOne writes what stands for the control, sequence or bad byte at the
// start of s and returns how many bytes of s that covers.
func plainOne(b *strings.Builder, s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == '\r':
		b.WriteByte('\n')
		if strings.HasPrefix(s[1:], "\n") {
			return 2
		}
		return 1
	case r == 0x1b:
		return 1 + escapeLen(s[1:])
	case r == utf8.RuneError && n == 1:
		b.WriteRune(utf8.RuneError)
	case r == 0x9b:
		return n + csiLen(s[n:])
	case r == 0x90 || r == 0x98 || r >= 0x9d && r <= 0x9f:
		return n + stringLen(s[n:])
	case reorders(r):
		fmt.Fprintf(b, "⟨U+%04X⟩", r)
	}
	return n
}

// reorders reports the bidirectional embeddings, overrides and isolates, which
// can make a line read differently from what it says. The marks U+200E and
// U+200F that ordinary Hebrew and Arabic text uses are left alone.
func reorders(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// escapeLen is the length of what belongs to an ESC, after it.
func escapeLen(s string) int {
	if s == "" {
		return 0
	}
	switch c := s[0]; {
	case c == '[':
		return 1 + csiLen(s[1:])
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_':
		return 1 + stringLen(s[1:])
	case c >= 0x20 && c <= 0x2f:
		i := 1
		for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
			i++
		}
		if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
			return i + 1
		}
		return 0
	case c >= 0x30 && c <= 0x7e:
		return 1
	}
	return 0
}

func csiLen(s string) int {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		return i + 1
	}
	return i
}

// stringLen is the length of a control string with its terminator. One that
// does not end on its line is no control string: its text is kept.
func stringLen(s string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\n':
			return 0
		case s[i] == 0x07:
			return i + 1
		case s[i] == 0x1b:
			if strings.HasPrefix(s[i+1:], `\`) {
				return i + 2
			}
			return i
		case strings.HasPrefix(s[i:], "\u009c"):
			return i + 2
		}
	}
	return 0
}

// Line is [Plain] on one line: runs of white space become one space.
func Line(s string) string { return strings.Join(strings.Fields(Plain(s)), " ") }
