package redact

import "strings"

// An assignment is a name and what is said about where its value begins.
type assignment struct {
	strength strength
	called   string
	at       int  // where the value begins
	quoted   bool // the name stands in quotes
	spaced   bool // nothing but space between name and value
	tight    bool // an equals sign, and nothing else
	call     bool // name and value are arguments of a call
	tag      bool // an element of XML
	flag     bool // of a command line
	setting  bool // of an environment or a flag: the value is no code
	line     bool // a line of a file of settings: all of it is the value
}

// separate reads what stands between a name that ends at i and its value.
func (a *assignment) separate(s string, i int) bool {
	if q := quoteAt(s, i); q != "" {
		a.quoted = true
		i += len(q)
	}
	if i < len(s) && (s[i] == ']' || s[i] == ')') {
		i++
	}
	from := skipColour(s, i)
	i = blanks(s, from)
	if i >= len(s) {
		return false
	}
	switch c := s[i]; {
	case c == '=':
		for i < len(s) && (s[i] == '=' || s[i] == '>' || s[i] == '~') {
			i++
		}
		a.tight = i == from+1
	case c == ':':
		i = afterColon(s, i+1)
		if i == 0 {
			return false
		}
	case c == '%' && len(s) > i+2 && s[i+1] == '3' && (s[i+2]|0x20 == 'd' || s[i+2]|0x20 == 'a'):
		i += 3
	case (c == '?' || c == '|') && len(s) > i+2 && s[i+1] == c && quoteAt(s, blanks(s, i+2)) != "": // or else this
		i += 2
	case c == ',' && a.quoted:
		a.call = true
		i++
	case c == '>' && i == from && !a.quoted:
		a.tag = true
		i++
	case i > from && !a.quoted:
		a.spaced = true
	default:
		return false
	}
	a.at = skipColour(s, blanks(s, skipColour(s, i)))
	if j := a.at; j+1 < len(s) && strings.IndexByte("fbruFBRU$@L", s[j]) >= 0 && (s[j+1] == '"' || s[j+1] == '\'') {
		a.at++ // a prefix of the literal
	}
	return a.at < len(s) && (!a.call || quoteAt(s, a.at) != "")
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

// take notes the value when it is a secret.
func (a *assignment) take(t *look) {
	from, to, ok := t.value(a.at, a.line)
	if !ok {
		return
	}
	s := t.s
	literal := quoteAt(s, a.at) != ""
	if !a.line {
		from = afterScheme(s, from, to)
	}
	v := s[from:to]
	if literal && strings.ContainsAny(v, "\"'`") {
		v = joined(v)
	}
	cut := strings.HasPrefix(s[to:], "…") || t.clipped && to >= len(strings.TrimRight(s, "."))
	if a.secret(v, literal) || cut && (len(v) >= 8 || t.clipped && len(v) > 3) && !placeholder(v) && mixed(v) {
		name := map[strength]string{weak: "token", strong: "secret", authorizing: "token", password: "password"}[a.strength]
		t.broad(name, from, to)
	}
}

// afterScheme skips the scheme of a header.
func afterScheme(s string, from, to int) int {
	for _, scheme := range []string{"bearer ", "basic ", "token ", "apikey ", "digest "} {
		if len(scheme) < to-from && strings.EqualFold(s[from:from+len(scheme)], scheme) {
			return blanks(s, from+len(scheme))
		}
	}
	return from
}

// secret decides about a value.
func (a *assignment) secret(v string, literal bool) bool {
	if strings.ContainsAny(v, " \t") || placeholder(v) || usual(v) || address(v) || strings.HasPrefix(v, `\u`) || strings.EqualFold(v, a.called) {
		return false
	}
	if strings.HasPrefix(v, "0x") && len(v) < 12 {
		return false // a number
	}
	if !literal && !a.setting && code(v) {
		return false
	}
	switch {
	case a.call && a.strength == password:
		return random(v, 8)
	case a.call || a.strength == weak:
		return random(v, 16) || userAndPassword(v)
	case a.strength == strong:
		return random(v, 12)
	case a.strength == authorizing:
		return random(v, 12) || userAndPassword(v)
	case len(v) < 4 || v[0] == '/' && !mixed(v) || strings.HasPrefix(v, "~/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, ".."):
		return false
	}
	kinds := [4]bool{}
	for i := range len(v) {
		kinds[kind(v[i])] = true
	}
	several := (kinds[1] || kinds[2]) && (kinds[3] || kinds[0]) || kinds[1] && kinds[2] && mixed(v)
	if identifier(v) && !kinds[3] && !mixed(v) {
		several = false // snake_case, kebab-case
	}
	plain := len(v) >= 6 && !kinds[2] && (a.line || a.quoted && literal || a.flag && literal) && !strings.ContainsAny(v, "_-.")
	return several && len(v) >= 4 || plain
}
