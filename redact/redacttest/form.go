package redacttest

import (
	"net/url"
	"slices"
	"strings"
)

// forms are all the ways.
func forms() []form {
	return slices.Concat(plainForms, markedForms, splitForms)
}

// plainForms are those of files, programs and shells.
var plainForms = []form{
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
}

// markedForms are those of headers, documents and lists of pairs.
var markedForms = []form{
	{"authorization", false, false, func(_ *dice, t Token) string {
		return "GET /v1/tides HTTP/1.1\r\nAuthorization: token " + t.Value + "\r\nAccept: */*\r\n"
	}},
	{"authorization-curl", false, false, func(_ *dice, t Token) string {
		return "curl -H 'Authorization: ApiKey " + t.Value + "' https://api.harbour.example/v1"
	}},
	{"pair-yaml", false, false, func(_ *dice, t Token) string {
		return "env:\n  - name: " + t.Name + "\n    value: " + t.Value + "\n  - name: PORT\n    value: 80\n"
	}},
	{"pair-json", false, false, func(_ *dice, t Token) string {
		return "{\"name\":\"" + t.Name + "\",\"value\":\"" + t.Value + "\"}"
	}},
	{"pair-in-json", false, false, func(_ *dice, t Token) string {
		return object("contents", "{\n  \"name\": \""+t.Name+"\",\n  \"value\": \""+t.Value+"\"\n}")
	}},
	{"flag-in-array", false, false, func(_ *dice, t Token) string {
		return "[\"tides\", \"--" + strings.ReplaceAll(strings.ToLower(t.Name), "_", "-") + "\", \"" + t.Value + "\", \"--now\"]"
	}},
	{"gh-secret", false, false, func(_ *dice, t Token) string {
		return "gh secret set " + t.Name + " --body \"" + t.Value + "\" --repo ada/tides"
	}},
	{"bold", false, false, func(_ *dice, t Token) string { return "- **" + t.Name + ":** " + t.Value + "\n- **Port:** 80\n" }},
	{"bold-code", false, false, func(_ *dice, t Token) string { return "**" + t.Name + "**: `" + t.Value + "` and so on" }},
	{"table", false, false, func(_ *dice, t Token) string {
		return "| name | value |\n|---|---|\n| " + t.Name + " | " + t.Value + " |\n"
	}},
	{"label", false, false, func(_ *dice, t Token) string { return "API Key: " + t.Value + "\n" }},
	{"language", false, false, func(d *dice, t Token) string {
		return []string{"Пароль: ", "パスワード: ", "密码：", "mot de passe : ", "contraseña: "}[d.roll(5)] + t.Value + "\n"
	}},
	{"tag-escaped", false, false, func(_ *dice, t Token) string {
		return `{"x":"\u003c` + t.Name + `\u003e` + t.Value + `\u003c/` + t.Name + `\u003e"}`
	}},
	{"arrow-escaped", false, false, func(_ *dice, t Token) string {
		return `{"x":"'` + strings.ToLower(t.Name) + `' \u003d\u003e '` + t.Value + `',"}`
	}},
	{"shell-in-json", false, false, func(_ *dice, t Token) string {
		return object("command", "tides --"+strings.ReplaceAll(strings.ToLower(t.Name), "_", "-")+"='"+t.Value+"'")
	}},
}

// splitForms have the token in pieces, which are cut after the part that all
// tokens of a kind share; what is cut inside it cannot be known again.
var splitForms = []form{
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
