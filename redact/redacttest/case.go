package redacttest

import (
	"encoding/json"
	"fmt"
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

// Cases puts tokens into every form that can be told: a token without a mark of
// its own only behind its name.
func Cases(seed uint64) []Case {
	d := dice(seed ^ 0xC0FFEE)
	var out []Case
	for _, t := range Tokens(seed) {
		for _, f := range forms() {
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
	for _, f := range forms() {
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
