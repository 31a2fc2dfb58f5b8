package render_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/retold-history/retold/render"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"ordinary text is kept", "# A\n\n*b*  \n\n- c\n\n```go\n<x>\n```", "# A\n\n*b*  \n\n- c\n\n```go\n<x>\n```"},
		{"open fence", "a\n```go\nb", "a\n```go\nb\n```"},
		{"open long fence", "~~~~\nb\n~~~", "~~~~\nb\n~~~\n~~~~"},
		{"fence in a list ends with it", "- ```\n  a", "- ```\n  a"},
		{"fold", "</details>x", "\\</details>x"},
		{"generic type", "a List<String> b", "a List\\<String> b"},
		{"comparison", "if a < b && c > d", "if a < b && c > d"},
		{"block", "<div>\n<b>\n</div>", "\\<div>\n\\<b>\n\\</div>"},
		{"comment", "<!-- open", "\\<!-- open"},
		{"link", "<https://example.org>", "<https://example.org>"},
	} {
		if got := render.Markdown(c.in); got != c.want {
			t.Errorf("%s: Markdown(%q)\n got %q\nwant %q", c.name, c.in, got, c.want)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range attacks {
		f.Add(s)
	}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	f.Fuzz(func(t *testing.T, in string) {
		watch(t, in)
		var b bytes.Buffer
		// A reader that passes raw HTML through would show it; ours must find none.
		if err := md.Convert([]byte(render.Markdown(in)+"\n\nwhat follows\n"), &b); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.HasSuffix(got, "<p>what follows</p>\n") || strings.Contains(got, "raw HTML omitted") {
			t.Fatalf("%q became %q", in, got)
		}
		b.Reset()
		if err := md.Convert([]byte(render.Fence(in, in)+"\n\nwhat follows\n"), &b); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.HasPrefix(got, "<pre><code") || strings.Count(got, "<pre>") != 1 || !strings.HasSuffix(got, "</code></pre>\n<p>what follows</p>\n") {
			t.Fatalf("fence: %q became %q", in, got)
		}
	})
}
