package redact

import "strings"

// allowsSpace reports whether space may stand between this name and its value:
// after a flag, in a netrc file, and after a name in capitals, as shells have it.
func (a *assignment) allowsSpace(s string, start int, name string) bool {
	if a.flag {
		return strings.HasPrefix(name, "--")
	}
	if name == "password" && strings.Contains(s[max(0, start-128):start], "login ") {
		return true
	}
	a.call = true
	if q := quoteAt(s, a.at); name == "PASSWORD" && strings.HasSuffix(q, "'") {
		return true // SQL
	}
	return name == strings.ToUpper(name) && strings.Contains(name, "_")
}

// quotedValue is where the text lies that the quote q at i opens.
func quotedValue(s string, i int, q string) (from, to int, ok bool) {
	from = i + len(q)
	to = closing(s, from, q)
	for range mostLines {
		next := 0
		if to < len(s) && quoteAt(s, to) != "" {
			next = seam(s, to)
		}
		if next == 0 {
			break
		}
		open := next - 1
		for open > 0 && s[open-1] == '\\' {
			open--
		}
		to = closing(s, next, s[open:next])
	}
	return from, to, to > from
}

// joined is a value without the seams of its literals.
func joined(v string) string {
	var b strings.Builder
	for i := 0; i < len(v); {
		if quoteAt(v, i) != "" {
			if next := seam(v, i); next > 0 {
				i = next
				continue
			}
		}
		b.WriteByte(v[i])
		i++
	}
	return b.String()
}

// endsMember reports whether a quote before i ends a string of JSON.
func endsMember(s string, i int) bool {
	for n := 0; i < len(s) && s[i] == ' ' && n < 16; n++ {
		i++
	}
	return i == len(s) || strings.IndexByte(":,}]", s[i]) >= 0
}

// closing is where the text ends that began at i after the quote q: at such a
// quote, at one with fewer backslashes, which ends the text around it, or at the
// end of the line.
func closing(s string, i int, q string) int {
	slashes := 0
	for j := i; j < len(s) && j-i < longestRun; j++ {
		switch c := s[j]; {
		case c == '\\':
			slashes++
			continue
		case c == q[len(q)-1] && slashes <= len(q)-1:
			return j - slashes
		case c == '\n' || c == '\r':
			return i // no literal
		case c == '"' && slashes == 0 && endsMember(s, j+1):
			return j
		}
		slashes = 0
	}
	return min(len(s), i+longestRun)
}
