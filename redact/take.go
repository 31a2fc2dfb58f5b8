package redact

import "strings"

// take notes the value when it is a secret.
func (a *assignment) take(t *look) {
	from, to, ok := t.value(a.at, a.extent(t.s))
	if !ok {
		return
	}
	s := t.s
	literal := quoteAt(s, a.at) != ""
	bearer := false
	if next := schemeValue(s, from, to); a.strength == authorizing && !literal && next > 0 {
		bearer = len(s[from:next]) > 6 && strings.EqualFold(s[from:from+6], "bearer")
		if from, to, ok = t.value(next, wordExtent); !ok {
			return
		}
	} else if !a.line {
		from = afterScheme(s, from, to, a.strength)
	}
	cut := t.openEnd(to)
	if from >= to {
		return
	}
	v := s[from:to]
	if literal && strings.ContainsAny(v, "\"'`") {
		v = joined(v)
	}
	if a.secret(v, literal) || cut && a.secretBeginning(t, v, literal) {
		name := map[strength]string{weak: "token", strong: "secret", authorizing: "token", short: "password", password: "password"}[a.strength]
		if bearer {
			name = "bearer-token"
		}
		t.broad(name, from, to)
	}
}

// extent says where an unquoted value ends.
func (a *assignment) extent(s string) extent {
	switch {
	case a.line:
		return lineExtent
	case a.start > 0 && (s[a.start-1] == '?' || endsWithSign(s, a.start, '&') || strings.HasSuffix(s[:a.start], "&amp;")):
		return queryExtent
	}
	return wordExtent
}

// afterScheme is where the value of a header begins after its scheme: any word
// of an Authorization header, one that is known of others.
func afterScheme(s string, from, to int, name strength) int {
	next := schemeValue(s, from, to)
	if next == 0 || next >= to || strings.IndexByte(s[next:to], ' ') >= 0 {
		return from
	}
	switch scheme := strings.ToLower(strings.TrimRight(s[from:next], " \t")); {
	case name == authorizing, scheme == "bearer", scheme == "basic", scheme == "token", scheme == "apikey", scheme == "digest":
		return next
	}
	return from
}

// schemeValue is where the value begins after a scheme at from, which ends
// before a space; 0 when there is none.
func schemeValue(s string, from, to int) int {
	i := from
	for i < len(s) && i-from < 24 && (alnum(s[i]) || s[i] == '-') {
		i++
	}
	if i == from || i < to && s[i] != ' ' || i >= len(s) || s[i] != ' ' || digit(s[from]) {
		return 0
	}
	if i = blanks(s, i); i == len(s) {
		return 0
	}
	return i
}

// secret decides about a value.
func (a *assignment) secret(v string, literal bool) bool {
	if strings.ContainsAny(v, " \t") && !a.phrase(v, literal) || placeholder(v) || usual(v) || address(v) || strings.HasPrefix(v, `\u`) || strings.HasPrefix(v, "&#") || colour(v) > 0 || a.echo(v) || prose(v) {
		return false
	}
	if strings.HasPrefix(v, "0x") && len(v) < 12 {
		return false // a number
	}
	if !literal && !a.setting && !a.pair && code(v) {
		return false
	}
	switch {
	case a.call && a.strength == password && !a.flag:
		return random(v, 8)
	case a.strength == short: // tests print PASS: TestTides
		return (a.tight || a.called != "PASS") && !strings.Contains(v, "/") && strings.ContainsAny(v, "0123456789") && random(v, 8)
	case a.call && !a.flag || a.strength == weak:
		return random(v, 16) || userAndPassword(v)
	case a.strength == strong:
		return random(v, 12)
	case a.strength == authorizing:
		return random(v, 12) || userAndPassword(v)
	}
	return a.password(v, literal)
}

// password decides about the value of what a person makes up.
func (a *assignment) password(v string, literal bool) bool {
	if len(v) < 4 || v[0] == '/' && !mixed(v) || strings.HasPrefix(v, "~/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "..") {
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
	plain := len(v) >= 6 && !kinds[2] && (a.line || a.quoted && literal && !a.pair || a.flag && literal) && !strings.ContainsAny(v, "_-.")
	return several || plain
}

// phrase reports whether a value with spaces may be a password: of an
// environment and of a passphrase any, of another name one with a digit.
func (a *assignment) phrase(v string, literal bool) bool {
	if !literal || a.strength != password || len(v) > 100 || a.closed || strings.HasSuffix(a.called, "PWD") || strings.TrimLeft(v, " \t,;+)") != v {
		return false
	}
	return a.setting || containsFold(a.called, "passphrase") || strings.ContainsAny(v, "0123456789") && strings.Count(v, " ") < 6
}

// echo reports whether a value only says its name again, as the names of types
// and headers do.
func (a *assignment) echo(v string) bool {
	if strings.EqualFold(v, a.called) {
		return true
	}
	if !identifier(v) || a.strength == password && (a.setting || len(v)-len(strings.Trim(v, "0123456789")) > 1 || strings.ContainsAny(strings.TrimRight(v, "0123456789"), "0123456789")) {
		return false
	}
	parts, known := split(a.called), words()
	for len(parts) > 1 && known.trailing[parts[len(parts)-1]] {
		parts = parts[:len(parts)-1]
	}
	name := letters(strings.Join(parts, ""))
	return len(name) > 4 && strings.Contains(letters(v), name)
}

// letters are the letters of s in lower case.
func letters(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if k := kind(s[i]); k == 1 || k == 2 {
			b.WriteByte(s[i] | 0x20)
		}
	}
	return b.String()
}

// secretBeginning decides about a value that was cut off.
func (a *assignment) secretBeginning(t *look, v string, literal bool) bool {
	if placeholder(v) || usual(v) || strings.ContainsAny(v, " \t") && !a.phrase(v, literal) || prose(v) {
		return false
	}
	if t.mark != "" && a.strength == password && !a.spaced && len(v) > 2 {
		return true
	}
	if t.mark != "" && (t.mark != "..." || len(v) > 3) && (literal || a.setting || !code(v) || strings.ContainsAny(v, "0123456789")) {
		return true
	}
	return (len(v) >= 8 || t.clipped && len(v) > 3) && mixed(v)
}
