package redact

import "strings"

// headless takes what a clipped text goes on with after a cut when that looks
// like the rest of a secret. A hash of git's is left alone also here.
func (t *look) headless() {
	for _, mark := range []string{"…", "..."} {
		for at := 0; ; {
			i := strings.Index(t.s[at:], mark)
			if i < 0 {
				break
			}
			at += i + len(mark)
			t.rest(at)
		}
	}
}

func (t *look) rest(at int) {
	t.read(at)
	n := 0
	for n < t.run.n() && (base64Byte(t.run.clean[n]) || strings.IndexByte("_-.:", t.run.clean[n]) >= 0) {
		n++
	}
	if n == 0 {
		return
	}
	text := strings.Trim(t.run.text(0, n), ".:")
	if hash := strings.Trim(text, "0123456789abcdef") == ""; hash && (len(text) <= 12 || len(text) == 40) {
		return
	}
	if random(text, 12) && strings.ContainsAny(text, "0123456789") {
		a, b := t.span(0, n)
		t.broad("secret", a, b)
	}
}
