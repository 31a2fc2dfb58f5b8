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
