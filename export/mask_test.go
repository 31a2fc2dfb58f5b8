package export_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/redact/redacttest"
)

// Every format masks by default, says how often, and leaves the session alone;
// Reveal writes what is stored.
func TestSecretsAreMasked(t *testing.T) {
	for _, token := range redacttest.Tokens(8) {
		text := token.Name + "=" + token.Value
		d := &retold.SessionDetail{
			Session: retold.Session{ID: "s1", Agent: "cursor", Title: text},
			Messages: []retold.Message{
				{ID: "m1", Role: retold.RoleUser, Content: text, Attachments: []retold.Attachment{{Kind: "selection", Name: ".env", Text: text}}},
				{ID: "m2", Role: retold.RoleTool, Tool: &retold.ToolCall{
					Name: "shell", Kind: retold.ToolShell, Status: retold.StatusCompleted, Diff: "+" + text + "\n",
					Params: []byte(`{"command":"echo ` + text + `"}`), Result: []byte(`{"output":"` + text + `\n"}`),
				}},
			},
		}
		for _, f := range export.Formats {
			masked := 0
			var hidden, shown bytes.Buffer
			if err := export.Session(&hidden, f, d, export.Options{Tools: export.ToolsFull, Masked: func(n int) { masked += n }}); err != nil {
				t.Fatal(err)
			}
			if part := token.Leak(hidden.String()); part != "" {
				t.Errorf("%s: %s: %q is left", f, token.Provider, part)
			}
			if masked != 6 {
				t.Errorf("%s: %s: %d masked, want 6", f, token.Provider, masked)
			}
			if err := export.Session(&shown, f, d, export.Options{Tools: export.ToolsFull, Reveal: true}); err != nil {
				t.Fatal(err)
			}
			if token.Leak(shown.String()) == "" {
				t.Errorf("%s: %s is not revealed", f, token.Provider)
			}
			if part := token.Leak(export.FileName(d.Session, f)); part != "" || strings.Contains(export.FileName(d.Session, f), strings.ToLower(token.Value)) {
				t.Errorf("%s: in the file's name", token.Provider)
			}
		}
	}
}
