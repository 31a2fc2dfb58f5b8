package quote

import (
	"slices"
	"unicode/utf8"

	"github.com/retold-history/retold/redact"
)

// nearby is how much of a text behind a gap is looked at for a secret that begins
// there, and farther how much where one does.
const (
	nearby  = 512
	farther = 16 << 10
)

// hidden are the secrets that only show once what hid them is gone.
func (t *cleaned) hidden() (out []redact.Finding) {
	add := func(from int, found []redact.Finding) {
		for _, f := range found {
			out = append(out, redact.Finding{Rule: f.Rule, Start: t.place(from + f.Start), End: t.place(from+f.End-1) + 1})
		}
	}
	add(0, redact.Find(t.core))
	last := -1
	for _, gap := range t.gaps {
		if gap == last || gap == 0 || gap >= len(t.core) || !wordy(t.core[gap-1]) || !wordy(t.core[gap]) {
			continue
		}
		last = gap
		found := redact.Find(head(t.core[gap:], nearby))
		if len(found) > 0 && found[len(found)-1].End >= nearby-utf8.UTFMax {
			found = redact.Find(head(t.core[gap:], farther))
		}
		add(gap, found)
	}
	return out
}

// place is where an offset of core lies in text.
func (t *cleaned) place(at int) int {
	i, _ := slices.BinarySearch(t.starts, at+1) // how many parts came before it
	if i == 0 {
		return at
	}
	return at + t.shifts[i-1]
}

// wordy reports a byte of a word, on both sides of which a secret does not begin.
func wordy(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-' || c >= utf8.RuneSelf
}

// head is the beginning of a text, with no character cut.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
