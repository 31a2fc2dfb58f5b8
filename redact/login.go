package redact

import "strings"

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
		} else if c <= ' ' || strings.IndexByte("/?#\"'`\\()[]|,;", c) >= 0 || at >= 0 && strings.IndexByte("{}<>", c) >= 0 {
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
	if at < 0 && t.clipped && i == len(s) {
		t.cutUserinfo(end, colon, i)
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

// cutUserinfo takes what may be a password in a URL that was cut off at to,
// before the @ that would tell. Digits behind a colon are a port.
func (t *look) cutUserinfo(from, colon, to int) {
	if colon < 0 {
		if host := t.s[from:to]; t.mark != "" && !strings.Contains(host, ".") && strings.ContainsAny(host, "0123456789") && mixed(host) {
			t.broad("token", from, to)
		}
		return
	}
	v := t.s[colon+1 : to]
	port := len(v) <= 5 && strings.Trim(v, "0123456789") == ""
	if !port && !placeholder(v) && v != t.s[from:colon] {
		t.broad("password", colon+1, to)
	}
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
	a, b, ok := t.value(blanks(s, end), wordExtent)
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

// options are those that take a password, and the programs whose they are.
var options = map[string]struct {
	programs []string
	attached bool // no space between
}{
	" -p": {[]string{"mysql", "mariadb", "7z", "7za", "7zz", "7zr", "rar", "unrar"}, true},
	" -P": {[]string{"zip", "unzip"}, false},
	" -k": {[]string{"openssl enc", "openssl"}, false},
	" -a": {[]string{"redis-cli"}, false},
}

// findShortPassword takes what follows an option of a program that takes a
// password there.
func findShortPassword(t *look, r *rule, start, end int) {
	line := earlier(t.s, start, 200)
	option := options[strings.TrimRight(t.s[start:end], " ")]
	runs := false
	for _, p := range option.programs {
		if at := strings.LastIndex(line, p); at >= 0 && (at == 0 || !word(line[at-1])) {
			runs = true
		}
	}
	attached := option.attached && runs
	if t.s[start:end] == " -p" && (strings.Contains(line, "docker login") || strings.HasSuffix(line, "sshpass")) {
		runs = true
	}
	if !runs || end < len(t.s) && t.s[end] == ' ' && attached {
		return // mysql asks for it
	}
	a, b, ok := t.value(blanks(t.s, end), wordExtent)
	if ok && b-a > 3 && !placeholder(t.s[a:b]) && !usual(t.s[a:b]) {
		t.broad(r.name, a, b)
	}
}

// findPassArgument takes the password of openssl's pass:….
func findPassArgument(t *look, r *rule, _, end int) {
	if a, b, ok := t.value(blanks(t.s, end), wordExtent); ok && b-a > 3 && !placeholder(t.s[a:b]) && !usual(t.s[a:b]) {
		t.broad(r.name, a, b)
	}
}

// findSQLPassword takes the literal that a keyword ends with the quote of.
func findSQLPassword(t *look, r *rule, _, end int) {
	if a, b, ok := t.value(end-1, wordExtent); ok && random(t.s[a:b], 8) {
		t.broad(r.name, a, b)
	}
}

// findSecretBody takes what gh sets a secret to.
func findSecretBody(t *look, r *rule, start, end int) {
	if !strings.Contains(earlier(t.s, start, 200), "secret set ") {
		return
	}
	at := blanks(t.s, end)
	if at < len(t.s) && t.s[at] == '=' {
		at++
	}
	if a, b, ok := t.value(at, wordExtent); ok && b-a > 3 && !placeholder(t.s[a:b]) && !usual(t.s[a:b]) {
		t.broad(r.name, a, b)
	}
}
