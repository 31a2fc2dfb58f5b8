package sqlite

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
)

func TestSnippet(t *testing.T) {
	long := strings.Repeat("some words before it ", 20)
	for _, c := range []struct{ name, query, text, want string }{
		{"whole", "word", "one word here", "one [word] here"},
		{"white space", "two", "one\n\n\ttwo\r\n  three\x00four", "one [two] three four"},
		{"cut", "needle", long + "the needle in it" + strings.Repeat(" and words after", 20), "…it some words before it some words before it the [needle] in it and words after and words after and words after and words after and words after and words after…"},
		{"inside a word", "eed", "a needle", "a n[eed]le"},
		{"at the start", "some", "some thing", "[some] thing"},
		{"several", "one two", "one two three one", "[one] [two] three [one]"},
		{"nearest together", "alpha omega", "alpha " + long + "omega " + long + "alpha beta omega", "…it some words before it some words before it [alpha] beta [omega]"},
		{"phrase over lines", `"two words"`, "of two\n\n  words it is", "of [two words] it is"},
		{"no spaces", "本語", strings.Repeat("漢字", 200) + "日本語" + strings.Repeat("文字", 200), "…" + strings.Repeat("漢字", 25)[3:] + "日[本語]" + strings.Repeat("文字", 200)},
		{"case and accents", "cafe", "Le CAFÉ noir", "Le [CAFÉ] noir"},
	} {
		q, err := retold.ParseQuery(c.query, testNow)
		must(t, err)
		m, err := index.NewMatcher(q.Match)
		must(t, err)
		got, marks := snippet(m, &retold.Message{Content: c.text})
		for _, r := range slices.Backward(marks) {
			got = got[:r[0]] + "[" + got[r[0]:r[1]] + "]" + got[r[1]:]
		}
		if c.name == "no spaces" { // how much of it fits is not the point
			n := strings.Index(got, "[")
			if !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "字…") && !strings.HasSuffix(got, "文…") || !strings.HasSuffix(got[:n], "字日") {
				t.Errorf("%s: %s", c.name, got)
			}
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestSnippetOfTool: of a tool's texts that is shown in which the words are met.
func TestSnippetOfTool(t *testing.T) {
	tool := &retold.Message{Role: retold.RoleTool, Tool: &retold.ToolCall{
		Name: "run_terminal_cmd", Params: []byte(`{"command":"go test ./...","why":"to be sure"}`), Result: []byte(`"ok\nFAIL: needle\n"`), Files: []string{"/home/ada/x.go"},
	}}
	for query, want := range map[string]string{"needle": "ok FAIL: needle", "test": "go test ./...", "sure": "to be sure", "x.go": "/home/ada/x.go", "": "go test ./..."} {
		q, err := retold.ParseQuery(query, testNow)
		must(t, err)
		m, err := index.NewMatcher(q.Match)
		must(t, err)
		if got, _ := snippet(m, tool); got != want {
			t.Errorf("%q shows %q, want %q", query, got, want)
		}
	}
}

// FuzzSnippet: whatever the text and the spans, a snippet is one short line of
// valid UTF-8 with highlights inside of it, at characters, in order.
func FuzzSnippet(f *testing.F) {
	f.Add("one two three", 4, 3, 2, 20)
	f.Add("日本語\xff\x00 \u2028 x", 3, 3, 0, 0)
	f.Add(strings.Repeat("long ", 100), 200, 90, 100, 300)
	f.Add(strings.Repeat("x", 5000), 2000, 3000, 1, 1)
	f.Add(strings.Repeat(" \n", 5000)+"x", 10000, 1, 0, 5)
	f.Fuzz(func(t *testing.T, text string, a, n, b, m int) {
		var spans [][2]int
		at := 0
		for _, s := range [][2]int{{a, n}, {b, m}, {a, m}} {
			if s[0] < 0 || s[1] < 0 || s[0] > len(text) || s[1] > len(text) {
				return
			}
			from := boundary(text, at+s[0])
			to := boundary(text, from+s[1])
			if to > from {
				spans = append(spans, [2]int{from, to})
				at = to
			}
		}
		got, marks := cutSnippet(text, spans)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > snippetLength || strings.ContainsFunc(got, unicode.IsControl) ||
			strings.Contains(got, "  ") || strings.TrimSpace(got) != got {
			t.Fatalf("snippet %q", got)
		}
		last := 0
		for _, r := range marks {
			if r[0] < last || r[1] <= r[0] || r[1] > len(got) || !utf8.RuneStart(got[r[0]]) || !utf8.ValidString(got[r[0]:r[1]]) {
				t.Fatalf("highlights %v in %q", marks, got)
			}
			last = r[1]
		}
	})
}

// boundary is the first place between characters that is not before at.
func boundary(text string, at int) int {
	p := 0
	for p < at && p < len(text) {
		_, size := utf8.DecodeRuneInString(text[p:])
		p += size
	}
	return p
}
