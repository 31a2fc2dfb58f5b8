package retold

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// operator is the length of the OR or | that stands here by itself, or 0.
func (p *queryParser) operator(depth int) int {
	for _, op := range []string{"OR", "|"} {
		rest, ok := strings.CutPrefix(p.s[p.pos:], op)
		if ok && (blank(rest) || rest[0] == '(' || depth > 0 && rest[0] == ')') {
			return len(op)
		}
	}
	return 0
}

// negates reports whether a minus sign stands here that leaves out what follows.
// Before digits and signs it is text: -1, ->, --flag.
func (p *queryParser) negates(depth int) bool {
	rest, ok := strings.CutPrefix(p.s[p.pos:], "-")
	if !ok || blank(rest) {
		return false
	}
	switch c := rest[0]; c {
	case '(':
		return p.opens(p.pos+1, depth)
	case '/':
		return !blank(rest[1:])
	case '\\':
		return escapes(rest)
	case '"', '_':
		return true
	default:
		return c >= utf8.RuneSelf || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
}

// opens reports whether the parenthesis at a place opens a group: one that holds
// nothing is text, as in "main()".
func (p *queryParser) opens(at, depth int) bool {
	inside := trimSpace(p.s[at+1:])
	return depth < mostNested && inside != "" && inside[0] != ')'
}

// escapes reports whether s begins with a backslash that takes away the meaning
// of the sign behind it.
func escapes(s string) bool {
	return len(s) > 1 && s[0] == '\\' && sign(s[1])
}

// sign reports whether c is an ASCII character that is neither a letter, a digit,
// a space nor a control character.
func sign(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

// wordEnd is the length of the word that s begins with, at least one character;
// inside a group a parenthesis that the word did not open ends it.
func wordEnd(s string, inGroup bool) int {
	open := 0
	for i, r := range s {
		switch {
		case unicode.IsSpace(r):
			return i
		case r == '(':
			open++
		case r == ')' && open > 0:
			open--
		case r == ')' && inGroup && i > 0:
			return i
		}
	}
	return len(s)
}

// valueEnd is wordEnd for one value of a field, which may be empty and (in a
// list) ends with a comma; open counts over all values of the field.
func valueEnd(s string, open *int, inGroup, list bool) int {
	for i, r := range s {
		switch {
		case unicode.IsSpace(r) || r == ',' && list:
			return i
		case r == '(':
			*open++
		case r == ')' && *open > 0:
			*open--
		case r == ')' && inGroup:
			return i
		}
	}
	return len(s)
}

// quoted reads the quotes that s begins with, in which "" is a quote; they end
// with s when nothing closes them. n is the length of it all.
func quoted(s string) (text string, n int) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] == '"' {
			if i+1 == len(s) || s[i+1] != '"' {
				return b.String(), i + 1
			}
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), len(s)
}

// expression reads the regular expression that s begins with. It is none, but the
// name of a file or a comment, when the first slash after it that has no
// backslash is inside a word, or when it begins with a space, a star or a slash.
func expression(s string, inGroup bool) (expr string, n int, ok bool) {
	if blank(s[1:]) || s[1] == '*' || s[1] == '/' {
		return "", 0, false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '/':
			rest := s[i+1:]
			return b.String(), i + 1, blank(rest) || inGroup && rest[0] == ')'
		case s[i] == '\\' && i+1 < len(s):
			i++
			if s[i] != '/' {
				b.WriteByte('\\')
			}
		}
		b.WriteByte(s[i])
	}
	return "", 0, false
}

// blank reports whether a word ends before s.
func blank(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s == "" || unicode.IsSpace(r)
}

func trimSpace(s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) }

// wordy reports whether r may be part of a word.
func wordy(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
