package redact

import "strings"

// findPEM takes a private key's lines; its head and foot stay.
func findPEM(t *look, r *rule, start, end int) {
	s := t.s
	head := strings.Index(s[end:min(len(s), end+60)], "-----")
	if head < 0 || !strings.Contains(s[end:end+head], "PRIVATE KEY") {
		return
	}
	from := end + head + len("-----")
	limit := min(len(s), from+64<<10)
	if next := strings.Index(s[from:limit], "-----"); next >= 0 && strings.HasPrefix(s[from+next:], "-----END") {
		limit = from + next
	} else {
		limit = from + keyLines(s[from:limit])
	}
	t.work += limit - from
	if t.mark != "" && limit < len(s) && onlyLines(s[from:]) {
		limit = len(s)
	}
	if a, b := trimLines(s, from, limit); longestBase64(s[a:b]) >= 24 || t.cutAt(limit) && a < b {
		t.add(r, a, b)
	}
}

// onlyLines reports whether a text is lines of a key of which the last was cut
// off.
func onlyLines(s string) bool {
	lines := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\"'`|>,\\\n\r", r) })
	for i, l := range lines {
		if longestBase64(l) != len(l) || i < len(lines)-1 && len(l) < 40 {
			return false
		}
	}
	return len(lines) > 0
}

// findPutty takes the private lines of a PuTTY key file.
func findPutty(t *look, r *rule, _, end int) {
	s := t.s
	for end < len(s) && (s[end] == ' ' || digit(s[end])) {
		end++
	}
	if a, b := trimLines(s, end, end+keyLines(s[end:min(len(s), end+64<<10)])); longestBase64(s[a:b]) >= 24 {
		t.add(r, a, b)
	}
}

func base64Byte(c byte) bool { return alnum(c) || c == '+' || c == '/' || c == '=' }

// longestBase64 is the length of the longest stretch of base64.
func longestBase64(s string) int {
	most, n := 0, 0
	for i := range len(s) {
		if n++; !base64Byte(s[i]) {
			n = 0
		}
		most = max(most, n)
	}
	return most
}

// keyLines is how far lines of base64 go in a text that begins with them.
func keyLines(s string) int {
	i, end := 0, 0
	for i < len(s) {
		if n := eol(s, i); n > 0 {
			i += n
			continue
		}
		if c := s[i]; strings.IndexByte(" \t\"'`+-|>,\\", c) >= 0 && (c != '+' || i == end || !base64Byte(s[i-1])) {
			i++
			continue
		}
		n := 0
		for i+n < len(s) && base64Byte(s[i+n]) {
			n++
		}
		if n < 16 && (n == 0 || s[i+n-1] != '=') {
			break
		}
		i += n
		end = i
	}
	return end
}

// trimLines takes line ends, indents and quotes off both ends.
func trimLines(s string, a, b int) (int, int) {
	for a < b {
		if n := eol(s, a); n > 0 {
			a += n
		} else if strings.IndexByte(" \t\"'`+-|>,", s[a]) >= 0 {
			a++
		} else {
			break
		}
	}
	for b > a {
		c := s[b-1]
		if strings.IndexByte(" \t\"'`-|>,\\\n\r", c) >= 0 || c == '+' && b >= 2 && s[b-2] == '\n' {
			b--
			continue
		}
		if (c == 'n' || c == 'r') && b-2 >= a && s[b-2] == '\\' {
			for b--; b > a && s[b-1] == '\\'; {
				b--
			}
			continue
		}
		break
	}
	return a, max(a, b)
}
