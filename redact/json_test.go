package redact_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/retold-history/retold/redact"
	"github.com/retold-history/retold/redact/redacttest"
)

func TestJSON(t *testing.T) {
	tokens := map[string]string{}
	for _, k := range redacttest.Tokens(9) {
		tokens[k.Provider] = k.Value
	}
	pem := redacttest.Key(4, "PRIVATE"+" KEY")
	lined, err := json.Marshal(pem)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, raw, want string }{
		{"nothing", `{ "a" : [1, true, null, "x\ty\u00e9\ud83d\ude00"] }`, `{ "a" : [1, true, null, "x\ty\u00e9\ud83d\ude00"] }`},
		{"text", `"see ` + tokens["github"] + `, \u00e9"`, `"see [masked github-token], \u00e9"`},
		{"name", `{ "password" : "hunter2", "n": 1 }`, `{ "password" : "[masked password]", "n": 1 }`},
		{"any password", `{"password":"tide"}`, `{"password":"[masked password]"}`},
		{
			"names", `{"apiKey":"abc12345","client_secret":"q9q9q9q9","headers":{"Authorization":"Bearer abc.def.123"}}`,
			`{"apiKey":"[masked secret]","client_secret":"[masked secret]","headers":{"Authorization":"Bearer [masked secret]"}}`,
		},
		{"no string", `{"password":{"min":8},"token":17,"secret":[],"apiKey":null}`, `{"password":{"min":8},"token":17,"secret":[],"apiKey":null}`},
		{"examples", `{"password":"","apiKey":"<key>","token":"$TOKEN","secret":"********"}`, `{"password":"","apiKey":"<key>","token":"$TOKEN","secret":"********"}`},
		{"a key as a name", `{"` + tokens["npm"] + `":1}`, `{"[masked npm-token]":1}`},
		{"escapes in it", `{"a":"` + tokens["sendgrid"][:25] + strings.Replace(tokens["sendgrid"][25:], ".", `\u002e`, 1) + `\n"}`, `{"a":"[masked sendgrid-key]\n"}`},
		{"quotes around", `{"a":"{\"k\":\"` + tokens["stripe"] + `\"}"}`, `{"a":"{\"k\":\"[masked stripe-key]\"}"}`},
		{"PEM", `{"f":` + string(lined) + `}`, `{"f":"-----BEGIN PRIVATE KEY-----\n[masked private-key]\n-----END PRIVATE KEY-----\n"}`},
		{"not JSON", `{"a": "` + tokens["github"], `{"a": "[masked github-token]`},
		{"escape at the end", `{"password":"a1\\"}`, `{"password":"[masked password]"}`},
		{"empty", ``, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := json.RawMessage(c.raw)
			if got := string(redact.JSON(in)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if string(in) != c.raw {
				t.Error("the value itself was changed")
			}
		})
	}
}

// TestPrivateKeys masks keys in the forms in which they are pasted.
func TestPrivateKeys(t *testing.T) {
	for _, kind := range []string{"PRIVATE", "RSA PRIVATE", "EC PRIVATE", "ENCRYPTED PRIVATE", "OPENSSH PRIVATE"} {
		pem := redacttest.Key(2, kind+" KEY")
		body := strings.Split(strings.TrimSpace(pem), "\n")
		quoted, err := json.Marshal(pem)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := json.Marshal(string(quoted))
		if err != nil {
			t.Fatal(err)
		}
		for form, s := range map[string]string{
			"plain": pem, "crlf": strings.ReplaceAll(pem, "\n", "\r\n"), "json": string(quoted), "json in json": string(twice),
			"one line": strings.ReplaceAll(pem, "\n", " "), "env": `KEY="` + strings.ReplaceAll(pem, "\n", `\n`) + `"`,
			"diff": "+" + strings.ReplaceAll(strings.TrimSpace(pem), "\n", "\n+"), "yaml": "key: |\n  " + strings.ReplaceAll(pem, "\n", "\n  "),
			"go": `k := "` + strings.Join(body, "\\n\" +\n\t\"") + `\n"`, "no end": strings.Join(body[:10], "\n"),
		} {
			out := redact.Text("before " + s + " after")
			for _, line := range body[1 : len(body)-1] {
				if len(line) > 20 && strings.Contains(out, line[:20]) {
					t.Errorf("%s, %s: left in %q", kind, form, out)
					break
				}
			}
			if !strings.HasPrefix(out, "before ") || !strings.HasSuffix(out, " after") || !strings.Contains(out, "BEGIN "+kind) {
				t.Errorf("%s, %s: too much is gone: %q", kind, form, out)
			}
		}
	}
}
