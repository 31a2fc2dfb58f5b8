package redact_test

import (
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/retold-history/retold/redact"
	"github.com/retold-history/retold/redact/redacttest"
)

func TestText(t *testing.T) {
	tokens := map[string]string{}
	for _, k := range redacttest.Tokens(9) {
		tokens[k.Provider] = k.Value
	}
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"key " + tokens["anthropic"] + ".", "key [masked anthropic-key]."},
		{tokens["github"] + "," + tokens["npm"], "[masked github-token],[masked npm-token]"},
		{"OPENAI_API_KEY=" + tokens["openai-project"] + "\n", "OPENAI_API_KEY=[masked openai-key]\n"},
		{"postgres://ada:s3cr3tTide@db/tides", "postgres://ada:[masked password]@db/tides"},
		{"https://" + tokens["github"] + "@github.com/ada/tides", "https://[masked github-token]@github.com/ada/tides"},
		{"curl -u ada:tide-4711 https://x.example", "curl -u ada:[masked password] https://x.example"},
		{"mysql -u root -ptide4711 tides", "mysql -u root -p[masked password] tides"},
		{"machine x.example login ada password tide4711", "machine x.example login ada password [masked password]"},
		{"psql --password=tide4711 --host db", "psql --password=[masked password] --host db"},
		{"DB_PASSWORD=correcthorse\n", "DB_PASSWORD=[masked password]\n"},
		{"Authorization: Basic YWRhOnRpZGU0NzEx", "Authorization: Basic [masked password]"},
		{`{"auths":{"x.example":{"auth":"YWRhOnRpZGU0NzEx"}}}`, `{"auths":{"x.example":{"auth":"[masked token]"}}}`},
		{"Cookie: theme=dark; sid=s%3A9f8Ke2LmQx7TzR4w.Yp1; lang=en", "Cookie: theme=dark; sid=[masked cookie]; lang=en"},
		{"<password>tide-4711</password>", "<password>[masked password]</password>"},
		{"Server=db;User Id=ada;Password=tide-4711;Pooling=1", "Server=db;User Id=ada;Password=[masked password];Pooling=1"},
		{"    client-key-data: " + strings.Repeat("LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVk", 3), "    client-key-data: [masked secret]"},
	} {
		if got := redact.Text(c.in); got != c.want {
			t.Errorf("Text(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func TestTextWithoutSecretsIsNotCopied(t *testing.T) {
	s := strings.Repeat("nothing to see, token := next() ", 1000)
	out := redact.Text(s)
	if unsafe.StringData(out) != unsafe.StringData(s) {
		t.Error("the text was copied")
	}
}

// TestSurroundings embeds tokens in random surroundings.
func TestSurroundings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens := redacttest.Tokens(rapid.Uint64().Draw(t, "seed"))
		token := rapid.SampledFrom(tokens).Draw(t, "token")
		if token.Named {
			t.Skip("only its name tells")
		}
		around := rapid.StringMatching(`[ -~\n\t]{0,60}`)
		before := around.Draw(t, "before") + rapid.SampledFrom([]string{" ", "\n", "\"", "'", "=", ": ", "(", "`", "> ", "\t", "\r\n", "\\n", ","}).Draw(t, "from")
		after := rapid.SampledFrom([]string{" ", "\n", "\"", "'", ")", "`", ";", "\r\n", "\\n", ",", "<"}).Draw(t, "to") + around.Draw(t, "after")
		out := redact.Text(before + token.Value + after)
		if part := token.Leak(out); part != "" {
			t.Fatalf("%s: %q is left in %q", token.Provider, part, out)
		}
	})
}

// TestFindings are in order and inside the text.
func TestFindings(t *testing.T) {
	for _, c := range redacttest.Cases(3) {
		at := 0
		for _, f := range redact.Find(c.Text) {
			if f.Start < at || f.End <= f.Start || f.End > len(c.Text) || f.Rule == "" {
				t.Fatalf("%s, %s: %+v after %d of %d", c.Provider, c.Form, f, at, len(c.Text))
			}
			at = f.End
		}
	}
}
