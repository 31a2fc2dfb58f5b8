package quote

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Cut is the beginning of a text of at most n characters, and how many there are
// in the whole: cut says so when it is the smaller number. No character is cut.
func Cut(s string, n int) (head string, full int) {
	if len(s) <= n {
		return s, utf8.RuneCountInString(s)
	}
	at, count := len(s), 0
	for i := range s {
		if count == n {
			at = i
		}
		count++
	}
	if at > len(s) || count <= n {
		return s, count
	}
	return s[:at], count
}

// Skip is what follows the first n characters of a text.
func Skip(s string, n int) string {
	count := 0
	for i := range s {
		if count == n {
			return s[i:]
		}
		count++
	}
	return ""
}

// Number writes a count as people read it: 12,345.
func Number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// When says when something was said: the day and minute in UTC and how long ago
// that is.
func When(t, now time.Time) string {
	if t.IsZero() {
		return "time unknown"
	}
	return t.UTC().Format("2006-01-02 15:04 UTC") + " (" + ago(now.Sub(t)) + ")"
}

func ago(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < -time.Minute:
		return "in the future"
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return count(int(d/time.Minute), "minute")
	case d < day:
		return count(int(d/time.Hour), "hour")
	case d < 60*day:
		return count(int(d/day), "day")
	case d < 730*day:
		return count(int(d/(30*day)), "month")
	}
	return count(int(d/(365*day)), "year")
}

func count(n int, unit string) string {
	if n == 1 {
		return "1 " + unit + " ago"
	}
	return fmt.Sprintf("%d %ss ago", n, unit)
}

// mostRun is the longest run of characters as base64 has them that is not taken
// for the bytes of something.
const mostRun = 1000

// Blobs replaces data URLs and long runs of base64 by a note of what was there:
// bytes of images say nothing to a reader.
func Blobs(s string) string {
	if len(s) < 64 || !hasRun(s) && !strings.Contains(s, ";base64,") {
		return s
	}
	var b strings.Builder
	at := 0
	for i := 0; i < len(s); {
		if !inBase64(s[i]) {
			i++
			continue
		}
		j := i
		for j < len(s) && inBase64(s[j]) {
			j++
		}
		head, isURL := dataURL(s[at:i])
		if n := j - i; isURL && n > 64 || n >= mostRun && mixed(s[i:j]) {
			b.WriteString(s[at : i-head])
			what := "data"
			if isURL {
				what = s[i-head+len("data:") : i-len(";base64,")]
			}
			fmt.Fprintf(&b, "[%s, %s characters, left out]", what, Number(n+head))
			at = j
		}
		i = j
	}
	b.WriteString(s[at:])
	return b.String()
}

// dataURL is the length of the beginning of a data URL at the end of s.
func dataURL(s string) (int, bool) {
	if !strings.HasSuffix(s, ";base64,") {
		return 0, false
	}
	i := strings.LastIndex(s[max(0, len(s)-120):], "data:")
	if i < 0 {
		return 0, false
	}
	n := len(s[max(0, len(s)-120):]) - i
	if strings.ContainsAny(s[len(s)-n:], " \n\"'") {
		return 0, false
	}
	return n, true
}

func hasRun(s string) bool {
	for i := mostRun - 1; i < len(s); i += mostRun {
		if !inBase64(s[i]) {
			continue
		}
		from, to := i, i
		for from > 0 && inBase64(s[from-1]) {
			from--
		}
		for to < len(s) && inBase64(s[to]) {
			to++
		}
		if to-from >= mostRun {
			return true
		}
		i = max(i, to-1)
	}
	return false
}

func inBase64(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '='
}

// mixed reports letters of both cases and digits: a long line of dashes or of
// one letter is no base64.
func mixed(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.ContainsAny(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && strings.ContainsAny(s, "abcdefghijklmnopqrstuvwxyz")
}
