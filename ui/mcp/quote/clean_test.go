package quote_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/retold-history/retold/redact/redacttest"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// between are characters and sequences that are taken out or spelled out.
var between = []string{
	"\x1b[0m", "\x1b[0m\x1b[K", "\x1b]0;title\x07", "\x07", "\b", "\x00", "\x7f", "\u0085", "\u009b0m", "\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff",
	"\ufe0f", "\u2028", "\u2029", "\u202e", "\u2066", "\U000e0041", "\xff", "\ufdd0", "\u200b\u200b", "\u2028\u2028",
}

// Nothing that is taken out or spelled out hides a secret: before it, inside it,
// or both.
func TestSecretsBehindHiddenCharacters(t *testing.T) {
	for _, k := range redacttest.Tokens(11) {
		if k.Named || len(k.Value) < 16 || quote.Safe(k.Value) == k.Value {
			continue
		}
		for _, c := range between {
			half := len(k.Value) / 2
			left, right := k.Value[:half], k.Value[half:]
			for _, text := range []string{"token" + c + k.Value, "see " + left + c + right + " there", "token" + c + left + c + right, k.Value + c + "word"} {
				for form, got := range map[string]string{"Safe": quote.Safe(text), "Line": quote.Line(text), "JSON": string(quote.JSON(quote.String(text)))} {
					if strings.Contains(got, left) || strings.Contains(got, right) {
						t.Errorf("%s of the key of %s with %+q: %+q becomes %+q", form, k.Provider, c, text, got)
					}
				}
			}
		}
	}
}

// A password is known by its name, wherever the name hides.
func TestPasswordsOfHiddenNames(t *testing.T) {
	for _, c := range []string{"\u200b", "\u200d", "\x07"} {
		raw, err := json.Marshal(map[string]string{"pass" + c + "word": "vel" + c + "vetcrab9"})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(quote.JSON(raw)); strings.Contains(got, "vetcrab9") {
			t.Errorf("with %+q: %s", c, got)
		}
	}
}

// What stands around a secret stays, and many gaps take no more than their time:
// each is looked at once.
func TestCleanKeepsTheRest(t *testing.T) {
	key := redacttest.Tokens(3)[0].Value
	for in, want := range map[string]string{
		"a\x1b[1mb\x1b[0mc": "abc",
		"before\u2028after": "before\nafter",
		"no \u202esecret":   "no ⟨U+202E⟩secret",
	} {
		if got := quote.Clean(in); got != want {
			t.Errorf("%+q becomes %+q, not %+q", in, got, want)
		}
	}
	got := quote.Clean(fmt.Sprintf("left \x1b[1m%s\x1b[0m right", key))
	if !strings.HasPrefix(got, "left [masked ") || !strings.HasSuffix(got, "] right") {
		t.Errorf("%q", got)
	}
	long := strings.Repeat("x\x1b[0m", 50_000)
	if got := quote.Clean(long); got != strings.Repeat("x", 50_000) {
		t.Errorf("%d characters are left", len(got))
	}
}
