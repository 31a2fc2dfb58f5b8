package redact

import "strings"

// cutMark takes off what says at the end of a text that it was cut.
func (t *look) cutMark() {
	for _, mark := range []string{"…", "..."} {
		if before, found := strings.CutSuffix(t.s, mark); found {
			t.s, t.mark = before, mark
			return
		}
	}
}

// openEnd reports whether a value that ends at to was cut off there.
func (t *look) openEnd(to int) bool {
	return strings.HasPrefix(t.s[to:], "…") || t.clipped && to >= len(t.s)
}

// cutAt reports whether the text was cut off at i, and says so.
func (t *look) cutAt(i int) bool { return t.mark != "" && i >= len(t.s) }

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
