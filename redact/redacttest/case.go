package redacttest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// A Case is a text that holds a token.
type Case struct {
	Token
	Form string
	Text string
}

// A form is a way in which a token stands in a text.
type form struct {
	name  string
	bare  bool // without a name, so that only the token's own shape can tell
	split bool // the token is in pieces
	write func(d *dice, t Token) string
}

// forms are the ways. Pieces are cut after the part that all tokens of a kind
// share; what is cut inside it cannot be known again.
var forms = []form{
	{"bare", true, false, func(_ *dice, t Token) string { return "I made a new one, it is " + t.Value + " and it works." }},
	{"line", true, false, func(_ *dice, t Token) string { return t.Value }},
	{"backticks", true, false, func(_ *dice, t Token) string { return "use `" + t.Value + "` here" }},
	{"env", false, false, func(_ *dice, t Token) string { return "DEBUG=1\n" + t.Name + "=" + t.Value + "\nPORT=8080\n" }},
	{"export", false, false, func(_ *dice, t Token) string { return "export " + t.Name + "=\"" + t.Value + "\"\n" }},
	{"export-single", false, false, func(_ *dice, t Token) string { return "$ export " + t.Name + "='" + t.Value + "'\n" }},
	{"crlf", false, false, func(_ *dice, t Token) string { return "A=1\r\n" + t.Name + "=" + t.Value + "\r\nB=2\r\n" }},
	{"json", false, false, func(_ *dice, t Token) string { return object(t.Name, t.Value) }},
	{"json-indented", false, false, func(_ *dice, t Token) string {
		return "{\n  \"env\": {\n    \"" + t.Name + "\": \"" + t.Value + "\"\n  }\n}"
	}},
	{"json-in-json", false, false, func(_ *dice, t Token) string { return object("contents", object(t.Name, t.Value)) }},
	{"json-thrice", false, false, func(_ *dice, t Token) string { return object("a", object("b", object(t.Name, t.Value))) }},
	{"env-in-json", false, false, func(_ *dice, t Token) string { return object("out", "A=1\n"+t.Name+"="+t.Value+"\nB=2\n") }},
	{"json-escapes", false, false, func(_ *dice, t Token) string {
		return `{"` + t.Name + `":"` + strings.NewReplacer("/", `\/`, "+", `\u002b`, "=", `\u003d`).Replace(t.Value) + `"}`
	}},
	{"camel", false, false, func(_ *dice, t Token) string { return "{ " + camel(t.Name) + ": '" + t.Value + "', retries: 3 }" }},
	{"yaml", false, false, func(_ *dice, t Token) string {
		return "env:\n  - name: x\n  " + strings.ToLower(t.Name) + ": " + t.Value + "\n  b: 2\n"
	}},
	{"yaml-quoted", false, false, func(_ *dice, t Token) string { return "  " + t.Name + ": \"" + t.Value + "\"\n" }},
	{"toml", false, false, func(_ *dice, t Token) string { return "[api]\n" + strings.ToLower(t.Name) + " = \"" + t.Value + "\"\n" }},
	{"go", false, false, func(_ *dice, t Token) string { return "\tconst " + camel(t.Name) + " = \"" + t.Value + "\"\n" }},
	{"ts", false, false, func(_ *dice, t Token) string {
		return "const " + camel(t.Name) + ": string = process.env." + t.Name + " ?? \"" + t.Value + "\";\n"
	}},
	{"python", false, false, func(_ *dice, t Token) string { return "os.environ[\"" + t.Name + "\"] = '" + t.Value + "'\n" }},
	{"setenv", false, false, func(_ *dice, t Token) string { return "os.Setenv(\"" + t.Name + "\", \"" + t.Value + "\")" }},
	{"docker", false, false, func(_ *dice, t Token) string { return "docker run -e " + t.Name + "=" + t.Value + " tides:latest" }},
	{"flag", false, false, func(_ *dice, t Token) string {
		return "tides deploy --" + strings.ReplaceAll(strings.ToLower(t.Name), "_", "-") + " " + t.Value + " --now"
	}},
	{"header", true, false, func(_ *dice, t Token) string {
		return "curl -sS https://api.harbour.example/v1 -H 'Authorization: Bearer " + t.Value + "' -d '{}'"
	}},
	{"header-json", false, false, func(_ *dice, t Token) string {
		return object("headers", map[string]string{"Authorization": "Bearer " + t.Value, "Accept": "*/*"})
	}},
	{"x-api-key", false, false, func(_ *dice, t Token) string {
		return "> x-api-key: " + t.Value + "\n> accept: */*\n"
	}},
	{"query", false, false, func(_ *dice, t Token) string {
		return "GET https://api.harbour.example/v1?a=1&" + strings.ToLower(t.Name) + "=" + url.QueryEscape(t.Value) + "&b=2"
	}},
	{"diff", false, false, func(_ *dice, t Token) string {
		return "@@ -1,2 +1,2 @@\n A=1\n-" + t.Name + "=old\n+" + t.Name + "=" + t.Value + "\n"
	}},
	{"colour", false, false, func(_ *dice, t Token) string { return t.Name + "=\x1b[32m" + t.Value + "\x1b[0m\n" }},
	{"grep", false, false, func(_ *dice, t Token) string {
		return ".env:3:\x1b[1;31m" + t.Name + "\x1b[m=" + t.Value + "\n"
	}},
	{"colour-inside", true, true, func(d *dice, t Token) string {
		a, b := t.cut(d)
		return "key " + a + "\x1b[1;31m" + b + "\x1b[0m\n"
	}},
	{"concat", true, true, func(d *dice, t Token) string {
		a, b := t.cut(d)
		return "const k = \"" + a + "\" + \"" + b + "\";"
	}},
	{"concat-lines", true, true, func(d *dice, t Token) string {
		a, b := t.cut(d)
		return "k := \"" + a + "\" +\n\t\t\"" + b + "\"\n"
	}},
	{"concat-python", true, true, func(d *dice, t Token) string {
		a, b := t.cut(d)
		return "k = (\n    '" + a + "'\n    '" + b + "'\n)\n"
	}},
	{"concat-in-json", true, true, func(d *dice, t Token) string {
		a, b := t.cut(d)
		return object("code", "k = \""+a+"\" +\n  \""+b+"\"")
	}},
	{"continued", true, true, func(d *dice, t Token) string {
		a, b := t.cut(d)
		return "login " + a + "\\\n" + b + "\n"
	}},
	{"wrapped", true, true, func(d *dice, t Token) string {
		a, b := t.cut(d)
		return "  the key is " + a + "\n  " + b + "\n\n  done\n"
	}},
	{"wrapped-in-json", true, true, func(d *dice, t Token) string {
		a, b := t.cut(d)
		return object("output", "key: "+a+"\r\n"+b+"\r\n")
	}},
	{"wrapped-diff", true, true, func(d *dice, t Token) string {
		a, b := t.cut(d)
		return " x\n+key " + a + "\n+" + b + "\n y\n"
	}},
	{"concat-named", false, true, func(d *dice, t Token) string {
		a, b := t.cut(d)
		return "const " + camel(t.Name) + " = '" + a + "' +\n  '" + b + "';"
	}},
}

// Cases puts tokens into every form that can be told: a token without a mark of
// its own only behind its name.
func Cases(seed uint64) []Case {
	d := dice(seed ^ 0xC0FFEE)
	var out []Case
	for _, t := range Tokens(seed) {
		for _, f := range forms {
			if f.bare && t.Named || f.split && !t.divisible() {
				continue
			}
			out = append(out, Case{Token: t, Form: f.name, Text: f.write(&d, t)})
		}
	}
	return out
}

// Forms names the forms.
func Forms() []string {
	var out []string
	for _, f := range forms {
		out = append(out, f.name)
	}
	return out
}

// divisible reports whether pieces of the token are still told by its mark.
func (t Token) divisible() bool {
	return t.Prefix > 0 && !strings.Contains(t.Value, "://") || t.Named
}

// cut cuts the token in two behind its mark, neither piece tiny.
func (t Token) cut(d *dice) (string, string) {
	from, to := t.Prefix, len(t.Value)-piece
	at := from
	if to > from {
		at += d.roll(to - from)
	}
	return t.Value[:at], t.Value[at:]
}

func object(name string, value any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	if err := e.Encode(map[string]any{name: value}); err != nil {
		panic(fmt.Sprintf("redacttest: %v", err))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// camel writes OPENAI_API_KEY as openaiApiKey.
func camel(name string) string {
	words := strings.Split(strings.ToLower(name), "_")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}
