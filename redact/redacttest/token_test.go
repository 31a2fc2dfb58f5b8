package redacttest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold/redact/redacttest"
)

func TestTokens(t *testing.T) {
	tokens := redacttest.Tokens(1)
	if diff := cmp.Diff(tokens, redacttest.Tokens(1)); diff != "" {
		t.Errorf("the same seed gives others:\n%s", diff)
	}
	seen := map[string]bool{}
	for i, k := range tokens {
		if k.Value == redacttest.Tokens(2)[i].Value {
			t.Errorf("%s does not depend on the seed", k.Provider)
		}
		if seen[k.Provider] || k.Name == "" || strings.ContainsAny(k.Value, "{} ") {
			t.Errorf("%+v", k)
		}
		seen[k.Provider] = true
	}
	if len(tokens) < 100 {
		t.Errorf("only %d kinds", len(tokens))
	}
}

// A leak is a part of the secret, and nothing that all tokens of a kind share.
func TestLeak(t *testing.T) {
	tokens := redacttest.Tokens(3)
	watch := redacttest.Watch(tokens)
	for _, k := range tokens {
		for _, text := range []string{k.Value, "x " + k.Value + " y", k.Name + "=" + k.Value[:len(k.Value)-1]} {
			if k.Leak(text) == "" {
				t.Errorf("%s does not see itself in %q", k.Provider, text)
			}
			if _, part := watch(text); part == "" {
				t.Errorf("nothing is seen in %q", text)
			}
		}
		for _, text := range []string{"", "[masked token]", k.Value[:k.Prefix], k.Name} {
			if part := k.Leak(text); part != "" {
				t.Errorf("%s: %q is no leak in %q", k.Provider, part, text)
			}
		}
	}
}

func TestCasesHoldTheirTokens(t *testing.T) {
	forms := redacttest.Forms()
	for _, c := range redacttest.Cases(4) {
		if !slices.Contains(forms, c.Form) {
			t.Errorf("no form %q", c.Form)
		}
		if c.Leak(strings.NewReplacer(`\/`, "/", `\u002b`, "+", `\u003d`, "=", "%2B", "+", "%2F", "/", "%3D", "=", "%3A", ":").Replace(c.Text)) == "" {
			t.Errorf("%s, %s: nothing to leak in %q", c.Provider, c.Form, c.Text)
		}
	}
}
