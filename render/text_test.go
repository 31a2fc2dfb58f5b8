package render_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/retold-history/retold/render"
)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"plain 你好 🎉\n\ttab":                         "plain 你好 🎉\n\ttab",
		"\x1b[1;31mred\x1b[0m":                      "red",
		"\x1b]0;own the title\x07x":                 "x",
		"\x1b]8;;http://e.org\x1b\\t\x1b]8;;\x1b\\": "t",
		"\u009b31mx":                                "x",
		"\u009d0;t\u009cx":                          "x",
		"\x1bPq…\x1b\\x":                            "x",
		"\x1b(Bx\x1bcy":                             "xy",
		"\x1b]never ends\nbut is text":              "never ends\nbut is text",
		"a\r\nb\rc":                                 "a\nb\nc",
		"a\x00\x07\x08\x7f\u0085b":                  "ab",
		"bad \xff byte":                             "bad \ufffd byte",
		"evil\u202etxt.exe":                         "evil⟨U+202E⟩txt.exe",
		"שלום\u200f":                                "שלום\u200f",
		"\x1b":                                      "",
		"\x1b[":                                     "",
	} {
		if got := render.Plain(in); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, s := range attacks {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		watch(t, in)
		got := render.Plain(in)
		if !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
		for _, r := range got {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				t.Fatalf("%q left in %q", r, got)
			}
		}
		if again := render.Plain(got); again != got {
			t.Fatalf("not stable: %q, then %q", got, again)
		}
		for line := range strings.SplitSeq(render.Terminal(in, 40, false), "\n") {
			if render.Plain(line) != line {
				t.Fatalf("Terminal let %q through", line)
			}
		}
	})
}

func TestTerminal(t *testing.T) {
	in := "# Title\n\nSome words that are too long for one line of it.\n- a list item that is wrapped as well\n```go\nfunc veryLongNameThatStaysWhole(a, b int) {}\n```\n你好世界你好世界你好世界"
	want := "# Title\n\nSome words that are\ntoo long for one\nline of it.\n- a list item that\n  is wrapped as well\n```go\n    func veryLongNameThatStaysWhole(a, b int) {}\n```\n你好世界你好世界你好\n世界\n"
	if got := render.Terminal(in, 20, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := render.Terminal("# T\nx", 0, true); got != "\x1b[1m# T\x1b[0m\nx\n" {
		t.Errorf("colour: %q", got)
	}
}

func TestDiff(t *testing.T) {
	diff := "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- old comment\n+++ new comment\n x\n"
	if a, r := render.DiffStat(diff); a != 1 || r != 1 {
		t.Errorf("DiffStat = +%d −%d", a, r)
	}
	if got := render.DiffHTML(diff); !strings.Contains(got, "<span class=\"d-del\">--- old comment\n</span>") || !strings.Contains(got, "<span class=\"d-file\">+++ b/q.sql\n</span>") {
		t.Errorf("DiffHTML: %s", got)
	}
	if got := render.DiffTerminal("+a\x1b[2J\n", true); got != "\x1b[32m+a\x1b[0m\n" {
		t.Errorf("DiffTerminal: %q", got)
	}
}
