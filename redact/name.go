package redact

import "strings"

// names are the words in names of secrets: what is assigned to such a name may
// be one, whatever its shape.
var names = []rule{
	{name: "name", fold: true, find: findNamed, keys: []string{
		"passw", "passphrase", "passcode", "_pass", "pass=", `pass"`, `pass'`, `pass\`, "pass:", "pass =", "pass :", "pwd", "secret", "token", "credential",
		"_pw", "-pw", "pw=", "pw:", `pw"`, `pw\`, "pw =", "_pat", "-pat", "pat=",
		"apikey", "_key", "-key", "api key", "access key", "secret key", "authorization", `auth"`, "_auth", `auth'`, `auth\`, "accesskey", "secretkey",
	}},
	{name: "name", find: findNamed, keys: []string{"Key", "Pass"}},
}

// How much a name says about its value.
type strength int

const (
	harmless    strength = iota
	weak                 // a value that looks random is a secret
	strong               // so is a shorter one
	short                // so is a password of eight
	authorizing          // a header: a scheme may stand in front
	password             // what a person made up: any value that is no example
)

// meaning is what a name says about its value.
func meaning(name string) strength {
	parts, known := split(name), words()
	for len(parts) > 1 && known.trailing[parts[len(parts)-1]] {
		parts = parts[:len(parts)-1]
	}
	if len(parts) == 0 {
		return harmless
	}
	last, before := parts[len(parts)-1], ""
	if len(parts) > 1 {
		before = parts[len(parts)-2]
	}
	switch last {
	case "pass", "pw":
		if before != "" {
			return password
		}
		return short
	case "pat":
		if before != "" || name == "PAT" || strings.HasPrefix(name, "-") {
			return strong
		}
		return harmless
	case "token":
		if known.harmlessToken[before] {
			return harmless
		}
		if before != "" {
			return strong
		}
	case "key":
		return keyMeaning(name, before, parts)
	}
	if c, ok := known.classes[last]; ok {
		return c
	}
	for _, end := range []string{"password", "passwd", "apikey", "secret", "token"} {
		if len(last) > len(end) && strings.HasSuffix(last, end) {
			return known.classes[end]
		}
	}
	return harmless
}

func keyMeaning(name, before string, parts []string) strength {
	switch {
	case words().keyed[before]:
		return strong
	case words().harmlessKeys[before] || before == "":
		return harmless
	case name == strings.ToUpper(name):
		return weak
	}
	return harmless
}

// split cuts a name into lower-case words, at separators and where the case
// changes.
func split(name string) []string {
	var parts []string
	from := 0
	cut := func(to int) {
		if to > from {
			parts = append(parts, strings.ToLower(name[from:to]))
		}
	}
	for i := range len(name) {
		switch k := kind(name[i]); {
		case k == 0:
			cut(i)
			from = i + 1
		case k == 2 && i > from && (kind(name[i-1]) == 1 || i+1 < len(name) && kind(name[i+1]) == 1 && kind(name[i-1]) == 2):
			cut(i)
			from = i
		}
	}
	cut(len(name))
	return parts
}

// findNamed takes what is assigned to a name.
func findNamed(t *look, _ *rule, start, end int) {
	s := t.s
	for !word(s[end-1]) {
		end-- // what a keyword has behind the name
	}
	for n := 0; end < len(s) && word(s[end]) && n < 40; n++ {
		end++
	}
	if end == len(s) || end == t.named || !strings.Contains("=:\"'`\\ ]\t>%,)?|*\r\n\x1b", s[end:end+1]) {
		return
	}
	for n := 0; start > t.from && n < 48 && (word(s[start-1]) || s[start-1] == '.') && (!alnum(s[start-1]) || !t.boundary(start)); n++ {
		start--
	}
	a := assignment{start: start}
	if !a.separate(s, start, end) {
		return
	}
	t.named = end
	name := strings.Trim(s[start:end], "_.")
	a.called, a.flag = name, strings.HasPrefix(name, "-")
	a.strength = meaning(name)
	if a.strength == harmless || a.spaced && !a.allowsSpace(s, start, name) || a.tag && !endsWithSign(s, start, '<') || inARN(s, start) {
		return
	}
	a.setting = a.flag || name == strings.ToUpper(name) && a.tight
	a.line = a.setting && !a.flag && opensLine(s, start)
	a.closed = !a.quoted && start > 0 && s[start-1] == s[a.at]
	a.take(t)
}

// inARN reports whether what begins at i is a part of the name of a thing in
// Amazon's cloud: arn:aws:secretsmanager:…:secret:prod/db.
func inARN(s string, i int) bool {
	if i == 0 || s[i-1] != ':' {
		return false
	}
	return strings.Contains(s[max(0, i-80):i], "arn:aws")
}

// opensLine reports whether what begins at i is the first on its line.
func opensLine(s string, i int) bool {
	before := strings.TrimSuffix(s[max(0, i-12):i], "export ")
	if before == "" {
		return true
	}
	c := before[len(before)-1]
	return c == '\n' || c == '\r' || strings.HasSuffix(before, `\n`) || len(before) > 1 && strings.IndexByte("+- ", c) >= 0 && before[len(before)-2] == '\n'
}
