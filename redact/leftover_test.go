package redact_test

import (
	"strings"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/redact"
	"github.com/retold-history/retold/redact/redacttest"
)

// A preview makes a space of the sign that begins an escape and leaves the rest,
// which stands right before the key then.
func TestEscapesInPreviews(t *testing.T) {
	for _, token := range redacttest.Tokens(7) {
		if !strings.HasPrefix(token.Value, "ghp_") {
			continue
		}
		for _, escape := range []string{"\x1b[0m", "\x1b[0m\x1b[K", "\x1b[31;1m", "\x1b[2J", "\x1b[H", "\x07", "\x1b[K"} {
			s := retold.Session{Title: retold.Preview("token" + escape + token.Value), FirstMessagePreview: retold.Preview(escape + token.Value)}
			redact.Session(&s)
			if leak := token.Leak(s.Title + " " + s.FirstMessagePreview); leak != "" {
				t.Errorf("%q leaves %q in %q and %q", escape, leak, s.Title, s.FirstMessagePreview)
			}
		}
		return
	}
	t.Fatal("no token to try")
}
