package redact

import (
	"encoding/base64"
	"strings"
)

// findBearer takes what follows "Bearer".
func findBearer(t *look, r *rule, start, end int) {
	if !t.boundary(start) {
		return
	}
	t.read(end)
	n := 0
	for n < t.run.n() && (word(t.run.clean[n]) || strings.IndexByte("._~+/=:|", t.run.clean[n]) >= 0) {
		n++
	}
	if len(t.run.breaks) > 0 && n > t.run.breaks[0] && t.run.breaks[0] > 12 && !goesOn(t.run.clean[t.run.breaks[0]:n]) {
		n = t.run.breaks[0]
	}
	for n > 0 && strings.IndexByte(".:", t.run.clean[n-1]) >= 0 {
		n--
	}
	if n > 0 && (random(t.run.text(0, n), 12) || t.cutToken(n)) {
		a, b := t.span(0, n)
		t.broad(r.name, a, b)
	}
}

// cutToken reports whether the first n bytes of the run are a token's, of which
// the rest was cut off: they look like no word.
func (t *look) cutToken(n int) bool {
	v := t.run.text(0, n)
	return t.cutAt(t.run.stop) && n == t.run.n() && !placeholder(v) && (mixed(v) || strings.ContainsAny(v, "0123456789"))
}

// findBasic takes the base64 of a user and a password.
func findBasic(t *look, r *rule, start, end int) {
	if !t.boundary(start) {
		return
	}
	t.read(end)
	n := 0
	for n < t.run.n() && base64Byte(t.run.clean[n]) {
		n++
	}
	if n > 0 && (userAndPassword(t.run.text(0, n)) || t.cutToken(n)) {
		a, b := t.span(0, n)
		t.add(r, a, b)
	}
}

// userAndPassword reports whether s is "user:password" in base64.
func userAndPassword(s string) bool {
	if len(s) < 8 {
		return false
	}
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	colon := strings.IndexByte(string(b), ':')
	if err != nil || colon < 0 || colon == len(b)-1 {
		return false
	}
	for _, c := range b {
		if c < 0x20 || c == 0x7f {
			return false
		}
	}
	return !placeholder(string(b[colon+1:]))
}

// findCookie takes the values of a cookie header that look like keys.
func findCookie(t *look, r *rule, _, end int) {
	s := t.s
	i := skipSeparator(s, end)
	if i == 0 {
		return
	}
	limit := min(len(s), i+4096)
	for i < limit {
		a := i
		for a < limit && (word(s[a]) || strings.IndexByte(".%~", s[a]) >= 0) {
			a++
		}
		if a == i || a == limit || s[a] != '=' {
			return
		}
		a++
		b := a
		for b < limit && s[b] > ' ' && s[b] < 0x7f && strings.IndexByte(";,\"'`\\<>", s[b]) < 0 {
			b++
		}
		if random(s[a:b], 16) || t.cutAt(b) && (mixed(s[a:b]) || strings.ContainsAny(s[a:b], "0123456789")) {
			t.broad(r.name, a, b)
		}
		if b == limit || s[b] != ';' {
			return
		}
		for b++; b < limit && s[b] == ' '; {
			b++
		}
		i = b
	}
}

// skipSeparator is where a value begins after a name that ends at i, 0 when it is
// followed by none.
func skipSeparator(s string, i int) int {
	if q := quoteAt(s, i); q != "" {
		i += len(q)
	}
	i = blanks(s, i)
	if i >= len(s) || s[i] != ':' && s[i] != '=' {
		return 0
	}
	i = blanks(s, i+1)
	if q := quoteAt(s, i); q != "" {
		i += len(q)
	}
	return i
}
