package redact

import "strings"

// names are the words in names of secrets: what is assigned to such a name may
// be one, whatever its shape.
var names = []rule{
	{name: "name", fold: true, find: findNamed, keys: []string{
		"passw", "passphrase", "passcode", "_pass", "pass=", `pass"`, "pass:", "pwd", "secret", "token", "credential",
		"apikey", "_key", "-key", "authorization", `auth"`, "_auth", `auth'`, "accesskey", "secretkey",
	}},
	{name: "name", find: findNamed, keys: []string{"Key", "Pass"}},
}

// How much a name says about its value.
type strength int

const (
	harmless    strength = iota
	weak                 // a value that looks random is a secret
	strong               // so is a shorter one
	authorizing          // a header: a scheme may stand in front
	password             // what a person made up: any value that is no example
)

// classes say what the last word of a name means.
var classes = map[string]strength{
	"password": password, "passwd": password, "passphrase": password, "pwd": password, "passcode": password, "passwort": password, "pgpassword": password,
	"secret": strong, "secrets": weak, "token": weak, "credential": strong, "credentials": strong,
	"apikey": strong, "accesskey": strong, "secretkey": strong, "privatekey": strong, "authtoken": strong, "accesstoken": strong,
	"authorization": authorizing, "auth": weak,
}

// keyed are the words that make a key a secret one, harmlessKeys those that do
// not, when the name is in capitals as in an environment.
var (
	keyed = set("api secret access private encryption encrypt signing sign master auth service account app application client license licence webhook storage shared session deploy role hmac admin integration subscription consumer server anon jwt crypto cipher aes rest sdk write ingest sas")

	harmlessKeys = set("public cache primary foreign sort partition registry site hot hash map object index unique row column query route react list item group short press any data context config lookup search node sibling parent child composite natural message event state ssh")

	// harmlessTokens are words before "token" that say it is none to keep.
	harmlessTokens = set("page next continuation sync cancel cancellation max stop eos bos pad unk sep cls mask start end begin first last input output prompt completion num total per each previous prev current lexer parse parser syntax design color css math word sub invalid unexpected expected this the a")

	// trailing words of a name do not change what it is.
	trailing = set("prod production dev development test testing staging stage live old new value val v1 v2 v3 1 2 3 base64 b64 raw string str plain plaintext default env header")
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// meaning is what a name says about its value.
func meaning(name string) strength {
	words := split(name)
	for len(words) > 1 && trailing[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return harmless
	}
	last, before := words[len(words)-1], ""
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	switch last {
	case "pass":
		if before != "" {
			return password
		}
		return weak
	case "token":
		if harmlessTokens[before] {
			return harmless
		}
		if before != "" {
			return strong
		}
	case "key":
		return keyMeaning(name, before, words)
	}
	if c, ok := classes[last]; ok {
		return c
	}
	for _, end := range []string{"password", "passwd", "apikey", "secret", "token"} {
		if len(last) > len(end) && strings.HasSuffix(last, end) {
			return classes[end]
		}
	}
	return harmless
}

func keyMeaning(name, before string, words []string) strength {
	switch {
	case keyed[before]:
		return strong
	case harmlessKeys[before] || before == "":
		return harmless
	case len(words) > 2 && words[0] == "aws", name == strings.ToUpper(name):
		return weak
	}
	return harmless
}

// split cuts a name into lower-case words, at separators and where the case
// changes.
func split(name string) []string {
	var words []string
	from := 0
	cut := func(to int) {
		if to > from {
			words = append(words, strings.ToLower(name[from:to]))
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
	return words
}

// findNamed takes what is assigned to a name.
func findNamed(t *look, _ *rule, start, end int) {
	s := t.s
	for n := 0; end < len(s) && word(s[end]) && n < 40; n++ {
		end++
	}
	if end == len(s) || end == t.named || !strings.Contains("=:\"'`\\ ]\t>%,)?|\x1b", s[end:end+1]) {
		return
	}
	a := assignment{}
	if !a.separate(s, end) {
		return
	}
	t.named = end
	for n := 0; start > t.from && n < 48 && (word(s[start-1]) || s[start-1] == '.') && !(alnum(s[start-1]) && t.boundary(start)); n++ {
		start--
	}
	name := strings.Trim(s[start:end], "_.")
	a.called, a.flag = name, strings.HasPrefix(name, "-")
	a.strength = meaning(name)
	if a.strength == harmless || a.spaced && !a.allowsSpace(s, start, name) || a.tag && (start == 0 || s[start-1] != '<') {
		return
	}
	a.setting = a.flag || name == strings.ToUpper(name) && a.tight
	a.line = a.setting && !a.flag && opensLine(s, start)
	a.take(t)
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
