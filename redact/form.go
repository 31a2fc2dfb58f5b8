package redact

import (
	"encoding/base64"
	"strings"
)

// forms are secrets known by what stands around them, whoever issued them.
var forms = []rule{
	{name: "jwt", keys: []string{"eyJ"}, expr: `eyJ[\w-]{8,}\.(?:eyJ[\w-]{8,}|[\w-]{0,700}\.[\w-]{8,}\.[\w-]{16,})\.[\w-]{10,}`, bits: 3.5, mix: true},
	{name: "private-key", keys: []string{"-----BEGIN"}, find: findPEM},
	{name: "private-key", keys: []string{"Private-Lines:"}, find: findPutty},
	{name: "password", keys: []string{"://", `:\/\/`, `:\\/\\/`}, find: findUserinfo},
	{name: "password", keys: []string{"%3A%2F%2F"}, fold: true, find: findUserinfo},
	{name: "bearer-token", keys: []string{"bearer "}, fold: true, find: findBearer},
	{name: "password", keys: []string{"basic "}, fold: true, find: findBasic},
	{name: "cookie", keys: []string{"cookie"}, fold: true, find: findCookie},
	{name: "password", keys: []string{"-u ", "--user ", "--user=", "--proxy-user "}, find: findCurlUser},
	{name: "password", keys: []string{" -p"}, find: findShortPassword},
}

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
	if a, b := trimLines(s, from, limit); longestBase64(s[a:b]) >= 24 {
		t.add(r, a, b)
	}
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

// findUserinfo takes the password of a URL, or the token that stands there alone.
func findUserinfo(t *look, _ *rule, _, end int) {
	s := t.s
	at, colon := -1, -1
	i := end
	for ; i < len(s) && i-end < 1024; i++ {
		c := s[i]
		if c == '@' {
			at = i
		} else if c == ':' && colon < 0 && at < 0 {
			colon = i
		} else if c <= ' ' || strings.IndexByte("/?#\"'`<>\\()[]{}|,;", c) >= 0 && !(at < 0 && (c == '{' || c == '}' || c == '<' || c == '>')) {
			break
		}
	}
	if at < 0 {
		if n := strings.Index(s[end:i], "%40"); n > 0 { // the whole URL is escaped
			at = end + n
			if c := strings.Index(s[end:at], "%3A"); c >= 0 {
				colon = end + c + 2
			}
		}
	}
	if at <= end {
		return
	}
	user, password := s[end:at], ""
	if colon >= 0 {
		user, password = s[end:colon], s[colon+1:at]
	}
	switch {
	case colon >= 0 && len(password) > 2 && password != user && !placeholder(password) && !usual(password):
		t.broad("password", colon+1, at)
	case colon >= 0 && strings.HasPrefix(password, "x-oauth") && random(user, 16), colon < 0 && random(user, 16):
		t.broad("token", end, end+len(user))
	case password == "" && colon >= 0 && random(user, 16):
		t.broad("token", end, colon)
	}
}

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
	if n > 0 && random(t.run.text(0, n), 12) {
		a, b := t.span(0, n)
		t.broad(r.name, a, b)
	}
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
	if n > 0 && userAndPassword(t.run.text(0, n)) {
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
		if random(s[a:b], 16) {
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

// earlier is the part of i's line before it, at most n bytes.
func earlier(s string, i, n int) string {
	line := s[max(0, i-n):i]
	if at := strings.LastIndexAny(line, "\n\r"); at >= 0 && !strings.HasSuffix(strings.TrimRight(line[:at], "\r"), `\`) {
		line = line[at+1:]
	}
	return line
}

// findCurlUser takes the password of curl's -u user:password.
func findCurlUser(t *look, r *rule, start, end int) {
	s := t.s
	if start > 0 && alnum(s[start-1]) || !strings.Contains(earlier(s, start, 400), "curl") {
		return
	}
	a, b, ok := t.value(blanks(s, end), false)
	if !ok {
		return
	}
	user, password, found := strings.Cut(s[a:b], ":")
	if found && len(password) > 2 && password != user && !placeholder(password) && !usual(password) {
		t.broad(r.name, a+len(user)+1, b)
	} else if found && password == "" && random(user, 16) {
		t.broad("token", a, a+len(user))
	}
}

// findShortPassword takes the -p of programs that take a password there.
func findShortPassword(t *look, r *rule, start, end int) {
	line := earlier(t.s, start, 200)
	attached := strings.Contains(line, "mysql") || strings.Contains(line, "mariadb")
	if !attached && !strings.Contains(line, "docker login") && !strings.HasSuffix(line, "sshpass") {
		return
	}
	if end < len(t.s) && t.s[end] == ' ' && attached {
		return // mysql asks for it
	}
	a, b, ok := t.value(blanks(t.s, end), false)
	if ok && b-a > 3 && !placeholder(t.s[a:b]) && !usual(t.s[a:b]) {
		t.broad(r.name, a, b)
	}
}
