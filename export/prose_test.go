package export_test

import (
	"strings"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
)

// What people and models wrote loads nothing from elsewhere and is not taken for
// the headings of the file; code is left alone.
func TestProseIsHarmless(t *testing.T) {
	for _, c := range []struct {
		role     retold.Role
		in, want string
	}{
		{retold.RoleUser, "## 2 · User", "\\## 2 · User"},
		{retold.RoleUser, "one\n  # two", "one\n  \\# two"},
		{retold.RoleUser, "```sh\n# a comment\n```", "```sh\n# a comment\n```"},
		{retold.RoleAssistant, "# Plan", "# Plan"},
		{retold.RoleAssistant, "see ![x](http://example.com/x.png)", "see \\![x](http://example.com/x.png)"},
		{retold.RoleAssistant, "see `![x](y)`", "see `![x](y)`"},
		{retold.RoleAssistant, "a ` b\n` ![x](http://e.com) `", "a ` b\n` \\![x](http://e.com) `"},
		{retold.RoleAssistant, "1. a\n   ```\nout ![x](http://e.com)", "out \\![x](http://e.com)"},
		{retold.RoleAssistant, "```\n![x](y)\n```\n![x][y]", "```\n![x](y)\n```\n\\![x][y]"},
	} {
		var b strings.Builder
		d := &retold.SessionDetail{Session: retold.Session{ID: "a", Agent: "cursor"}, Messages: []retold.Message{{ID: "1", Role: c.role, Content: c.in}}}
		if err := export.Session(&b, export.Markdown, d, export.Options{}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "\n"+c.want) {
			t.Errorf("%q became %q, want %q", c.in, b.String(), c.want)
		}
	}
}
