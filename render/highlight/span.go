package highlight

import (
	"strings"
	"unicode/utf8"
)

// A span is a piece between two marks: a comment, a string, a directive.
type span struct {
	class, open, close string // close "\n": up to the end of the line, or of the text

	escapes bool // a backslash takes the next character along
	lines   bool // it may go on over line ends; otherwise it ends there unclosed
	nests   bool // it may hold others of its kind
	short   bool // it holds one character; what does not is no such span
	first   bool // only as the first thing of a line
	apart   bool // only after white space
}

// length is the length of a span at the start of s, 0 when there is none.
func (p *span) length(s string) int {
	if !strings.HasPrefix(s, p.open) {
		return 0
	}
	if p.short {
		return p.one(s)
	}
	depth := 1
	for i := len(p.open); i < len(s); {
		switch {
		case s[i] == '\\' && p.escapes && i+1 < len(s):
			i += 2
		case s[i] == '\n' && !p.lines:
			return i
		case strings.HasPrefix(s[i:], p.close):
			i += len(p.close)
			if depth--; depth == 0 {
				return i
			}
		case p.nests && strings.HasPrefix(s[i:], p.open):
			depth++
			i += len(p.open)
		default:
			i++
		}
	}
	return len(s)
}

// one is the length of a span of one character, written as it is or as an
// escape of at most ten.
func (p *span) one(s string) int {
	rest := s[len(p.open):]
	_, n := utf8.DecodeRuneInString(rest)
	if strings.HasPrefix(rest, `\`) {
		n = 2 + max(0, strings.Index(rest[min(2, len(rest)):min(12, len(rest))], p.close))
	}
	if n > len(rest) || !strings.HasPrefix(rest[n:], p.close) {
		return 0
	}
	return len(p.open) + n + len(p.close)
}

// The spans that many languages share.
var (
	slashes   = span{class: "c1", open: "//", close: "\n"}
	stars     = span{class: "cm", open: "/*", close: "*/", lines: true}
	hash      = span{class: "c1", open: "#", close: "\n"}
	dashes    = span{class: "c1", open: "--", close: "\n"}
	double    = span{class: "s", open: `"`, close: `"`, escapes: true}
	single    = span{class: "s1", open: "'", close: "'", escapes: true}
	character = span{class: "sc", open: "'", close: "'", escapes: true}
	template  = span{class: "sb", open: "`", close: "`", escapes: true, lines: true}
)
