package redact

import "strings"

// An assignment is a name and what is said about where its value begins.
type assignment struct {
	strength strength
	called   string
	start    int  // where the name begins
	at       int  // where the value begins
	quoted   bool // the name stands in quotes
	closed   bool // so do name and sign, as in "PASSWORD=" + x
	spaced   bool // nothing but space between name and value
	tight    bool // an equals sign, and nothing else
	call     bool // name and value are arguments of a call
	tag      bool // an element of XML
	flag     bool // of a command line
	setting  bool // of an environment or a flag: the value is no code
	line     bool // a line of a file of settings: all of it is the value
	pair     bool // {"name": …, "value": …}: the name is a value itself
	row      bool // of a table
}

// separate reads what stands between a name, s[start:i], and its value.
func (a *assignment) separate(s string, start, i int) bool {
	if q := quoteAt(s, i); q != "" {
		a.quoted = true
		i += len(q)
	}
	if a.at = pairedValue(s, start, i); a.at > 0 {
		a.pair = true
		return true
	}
	if i < len(s) && (s[i] == ']' || s[i] == ')') {
		i++
	}
	from := skipColour(s, emphasis(s, i))
	i = a.sign(s, start, from, blanks(s, from))
	if i == 0 {
		return false
	}
	a.at = skipColour(s, blanks(s, emphasis(s, blanks(s, skipColour(s, i)))))
	if j := a.at; j+1 < len(s) && strings.IndexByte("fbruFBRU$@L", s[j]) >= 0 && (s[j+1] == '"' || s[j+1] == '\'') {
		a.at++ // a prefix of the literal
	}
	return a.at < len(s) && (!a.call || quoteAt(s, a.at) != "")
}

// sign is where the text goes on after what stands for "is" at i; the name ends
// at from. It is 0 when nothing does.
func (a *assignment) sign(s string, start, from, i int) int {
	c, n := signAt(s, i)
	switch {
	case n == 0:
		return 0
	case c == '=':
		end := i
		for n > 0 && (c == '=' || c == '>' || c == '~') {
			end += n
			c, n = signAt(s, end)
		}
		a.tight = end == from+1
		return end
	case c == ':':
		return afterColon(s, i+n)
	case c == '%' && len(s) > i+2 && s[i+1] == '3' && (s[i+2]|0x20 == 'd' || s[i+2]|0x20 == 'a'):
		return i + 3
	case (c == '?' || c == '|') && len(s) > i+2 && s[i+1] == c && quoteAt(s, blanks(s, i+2)) != "": // or else this
		return i + 2
	case c == '|' && opensRow(s, start):
		a.row = true
		return i + 1
	case c == ',' && a.quoted:
		a.call = true
		return i + 1
	case c == '>' && i == from && !a.quoted:
		a.tag = true
		return i + n
	case i > from && !a.quoted:
		a.spaced = true
		return i
	}
	return 0
}

func skipColour(s string, i int) int {
	for n := colour(s[i:]); n > 0; n = colour(s[i:]) {
		i += n
	}
	return i
}

// afterColon skips the rest of ":=" and of ": string =".
func afterColon(s string, i int) int {
	if i < len(s) && s[i] == ':' {
		return 0
	}
	if i < len(s) && s[i] == '=' {
		return i + 1
	}
	j := blanks(s, i)
	for n := 0; j < len(s) && (word(s[j]) || strings.IndexByte("<>|?&[] ", s[j]) >= 0) && n < 40; n++ {
		j++
	}
	if j > i+2 && j < len(s)-1 && s[j] == '=' && s[j+1] != '=' && s[j-1] == ' ' {
		return j + 1
	}
	return i
}
