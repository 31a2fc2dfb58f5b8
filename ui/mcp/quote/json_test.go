package quote_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/retold-history/retold/ui/mcp/quote"
)

func TestJSON(t *testing.T) {
	blob := strings.Repeat("aB3d", 400)
	for in, want := range map[string]string{
		`{ "a" : [1.50, "plain <b>&", null] }`:     `{ "a" : [1.50, "plain <b>&", null] }`,
		`"a\\b \\u001b \n \t \" \/ \u003c \u00e9"`: `"a\\b \\u001b \n \t \" \/ \u003c \u00e9"`,
		`"\u001b[31mred\u001b[0m"`:                 `"red"`,
		`{"\u200bname": "x\u202ey", "n": 1e3}`:     `{"name": "x⟨U+202E⟩y", "n": 1e3}`,
		`"a\udb40\udc41b"`:                         `"ab"`,
		`"bell\u0007 \b \f \r\n"`:                  `"bell   \n"`,
		"\"raw \u200b zero\"":                      `"raw  zero"`,
		`["\\\u001b[1m", "\\\\u001b"]`:             `["\\", "\\\\u001b"]`,
		`[1e999, -7E+777, 1e308, 5, "1e999"]`:      `["1e999", "-7E+777", 1e308, 5, "1e999"]`,
		`{"data":"` + blob + `"}`:                  `{"data":"[data, 1,600 characters, left out]"}`,
		`"\ud83d\ude00 and \ud800"`:                `"😀 and \ufffd"`,
	} {
		if got := string(quote.JSON(json.RawMessage(in))); got != want && got != strings.ReplaceAll(want, `\ufffd`, "\ufffd") {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

// What was JSON stays JSON, is safe, and stays as it is the second time.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a":"\u001b[31m","b":[1,"x\u200by"]}`, `"\udb40\udc41"`, `"\\\""`, `{"k\r":"\\u0000"}`, "\"\xff\"", `"data:image/png;base64,AAAA"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return
		}
		once := quote.JSON(raw)
		if !json.Valid(once) {
			t.Fatalf("%q becomes %q", raw, once)
		}
		if twice := quote.JSON(once); string(twice) != string(once) {
			t.Fatalf("%q becomes %q and then %q", raw, once, twice)
		}
		var v any
		if err := json.Unmarshal(once, &v); err != nil {
			t.Fatal(err)
		}
		each(v, func(s string) {
			if quote.Visible(s) != s || !utf8.ValidString(s) {
				t.Fatalf("%q holds %q", once, s)
			}
		})
	})
}

// each calls do with every string of a value.
func each(v any, do func(string)) {
	switch v := v.(type) {
	case string:
		do(v)
	case []any:
		for _, item := range v {
			each(item, do)
		}
	case map[string]any:
		for name, item := range v {
			do(name)
			each(item, do)
		}
	}
}
