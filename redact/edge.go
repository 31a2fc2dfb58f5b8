package redact

import "strings"

// headless takes what a clipped text begins with when that looks like the rest
// of a secret.
func (t *look) headless() {
	s, at := t.s, 0
	if at = len(s) - len(strings.TrimPrefix(strings.TrimPrefix(s, "…"), "...")); at == 0 {
		return
	}
	t.read(at)
	n := 0
	for n < t.run.n() && (base64Byte(t.run.clean[n]) || word(t.run.clean[n])) {
		n++
	}
	if n > 0 && random(t.run.text(0, n), 20) && !address(t.run.text(0, n)) {
		a, b := t.span(0, n)
		t.broad("secret", a, b)
	}
}
