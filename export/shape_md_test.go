package export_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/render"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// A reader that obeys raw HTML is shown the hostile session: only the folds that
// export writes may be there, each closed, and every turn keeps its heading.
func TestMarkdownKeepsItsShape(t *testing.T) {
	d := hostileSession()
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	var b bytes.Buffer
	if err := md.Convert([]byte(one(t, export.Markdown, export.Options{Tools: export.ToolsFull}, d)), &b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, bad := range []string{"<script", "<style", "<svg", "<iframe", "<meta", "<div", "<!--", "onclick=alert(1)\">"} {
		if strings.Contains(page, bad) {
			t.Errorf("%s reached the page", bad)
		}
	}
	open, closed := strings.Count(page, "<details>"), strings.Count(page, "</details>")
	if open == 0 || open != closed {
		t.Errorf("%d folds opened, %d closed", open, closed)
	}
	if got, want := strings.Count(page, "<h2>"), len(attacks)+1; got != want {
		t.Errorf("%d headings, want %d", got, want)
	}
}

func TestNothingForATerminalToObey(t *testing.T) {
	d := hostileSession()
	for _, f := range []export.Format{export.Markdown, export.Text, export.HTML} {
		for _, tools := range []export.Tools{export.ToolsShort, export.ToolsFull} {
			if out := one(t, f, export.Options{Tools: tools}, d); render.Plain(out) != out {
				t.Errorf("%s, tools %s: control characters in the output", f, tools)
			}
		}
	}
}

// Two exports agree on the numbers of turns, whatever they leave out.
func TestTurnsKeepTheirNumbers(t *testing.T) {
	out := one(t, export.Markdown, export.Options{Roles: []retold.Role{retold.RoleError}}, everySession())
	if !strings.Contains(out, "\n## 2 · 2026-03-01 14:31\n") || strings.Contains(out, "\n## 1") {
		t.Errorf("got\n%s", out)
	}
}
