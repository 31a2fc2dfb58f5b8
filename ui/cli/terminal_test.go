package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
)

// onTerminal is a voice that believes to speak to a terminal without colours.
func onTerminal(width int) (*app, *bytes.Buffer) {
	var out bytes.Buffer
	a := &app{voice: voice{out: bufio.NewWriter(&out), err: &out, tty: true, width: width}}
	return a, &out
}

func TestTableOnATerminal(t *testing.T) {
	for name, c := range map[string]struct {
		width int
		rows  [][]string
		want  []string
	}{
		"aligned": {
			80,
			[][]string{{"1", "tidepool", "short"}, {"10", "reef", "longer title"}},
			[]string{" #  WHERE     TITLE", " 1  tidepool  short", "10  reef      longer title"},
		},
		"wide characters": {
			80,
			[][]string{{"1", "潮池", "修正"}, {"2", "x", "y"}},
			[]string{"#  WHERE  TITLE", "1  潮池   修正", "2  x      y"},
		},
		"cut to the width": {
			34,
			[][]string{{"1", "a-very-long-name", "the title is far too long for it"}},
			[]string{"#  WHERE       TITLE", "1  a-very-lo…  the title is far t…"},
		},
		"wide characters are cut whole": {
			31,
			[][]string{{"1", "a", "潮池潮池潮池潮池潮池潮池潮池"}},
			[]string{"#  WHERE  TITLE", "1  a      潮池潮池潮池潮池潮池…"},
		},
		"one line each, no escapes": {
			80,
			[][]string{{"1", "a\nb", "red\x1b[31m\ttext\x07"}},
			[]string{"#  WHERE  TITLE", "1  a b    red text"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, out := onTerminal(c.width)
			table := table{columns: []column{{title: "#", right: true}, {title: "WHERE", most: 10}, {title: "TITLE"}}, rows: c.rows}
			a.print(&table)
			if err := a.flush(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, strings.Split(strings.TrimRight(out.String(), "\n"), "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAgo(t *testing.T) {
	zone := time.FixedZone("somewhere", -5*3600)
	now := time.Date(2026, 3, 10, 15, 0, 0, 0, zone) // a Tuesday
	for at, want := range map[time.Time]string{
		{}:                                   "—",
		now.Add(-20 * time.Second):           "just now",
		now.Add(-5 * time.Minute):            "5m ago",
		now.Add(-3 * time.Hour):              "3h ago",
		now.Add(-16 * time.Hour):             "yesterday",
		now.AddDate(0, 0, -3):                "Saturday",
		now.AddDate(0, 0, -10):               "28 Feb",
		now.AddDate(-1, 0, 0):                "10 Mar 2025",
		now.AddDate(0, 1, 0):                 "10 Apr 2026",
		now.Add(-10 * time.Hour).UTC():       "10h ago",
		now.Add(-15*time.Hour - time.Minute): "yesterday",
	} {
		if got := ago(at, now); got != want {
			t.Errorf("ago(%v) = %q, want %q", at, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64][2]string{
		0: {"0", "0 B"}, 999: {"999", "999 B"}, 1000: {"1,000", "1.0 kB"}, 1234567: {"1,234,567", "1.2 MB"}, -1234: {"-1,234", "-1234 B"},
		10_700_000_000: {"10,700,000,000", "10.7 GB"},
	} {
		if got := [2]string{number(n), size(n)}; got != want {
			t.Errorf("%d is %v, want %v", n, got, want)
		}
	}
}

func TestQuoted(t *testing.T) {
	for in, want := range map[string]string{"/home/ada/x": "/home/ada/x", "/home/ada/a b": "'/home/ada/a b'", "/it's": `'/it'\''s'`} {
		if got := quoted(in); got != want {
			t.Errorf("quoted(%q) = %s, want %s", in, got, want)
		}
	}
}

// spoken is what a session of these messages looks like in a pipe.
func spoken(t *testing.T, how export.Tools, d *retold.SessionDetail) string {
	t.Helper()
	var out bytes.Buffer
	v := voice{out: bufio.NewWriter(&out)}
	for i := range d.Messages {
		d.Messages[i].Index = i
	}
	d.MessageCount = len(d.Messages)
	c := conversation{voice: &v, tools: how}
	c.print(d, d.Messages)
	if err := v.flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestConversation(t *testing.T) {
	one := 1
	d := &retold.SessionDetail{
		Session: retold.Session{ID: "s1", Agent: "cursor", Sources: []string{"composer"}, Title: "Fix\x1b[2J it", Model: "gpt-5", ParentID: "s0"},
		Messages: []retold.Message{
			{Role: retold.RoleUser, Content: "why\x1b]0;owned\x07?", Attachments: []retold.Attachment{{Kind: "file", Name: "a.go", Path: "/home/ada/a.go", StartLine: 3, EndLine: 9}}},
			{Role: retold.RoleThinking, Content: "hm\n"},
			{Role: retold.RoleTool, Tool: &retold.ToolCall{Name: "run", Kind: retold.ToolShell, Params: json.RawMessage(`{"command":"go test"}`), Result: json.RawMessage(`"FAIL"`), Status: retold.StatusFailed, ExitCode: &one}},
			{Role: retold.RoleAssistant, Content: "because", Timestamp: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), TimestampSource: retold.TimeInterpolated},
			{Role: retold.RoleUser, Content: "old", Orphan: true},
			{Role: retold.RoleAssistant, Content: "found", Recovered: true},
		},
		ProblemList: []retold.Problem{{Kind: retold.ProblemMissing, Key: "bubbleId:s1:b9", Reason: "named but not stored"}},
	}
	short := spoken(t, export.ToolsShort, d)
	for _, want := range []string{
		"↳ Fix it\n", "GPT-5", "sub-agent of s0", "You  #0", "  + file a.go (/home/ada/a.go) lines 3–9\n",
		"Thinking  #1\n  hm\n", "  ✗ #2 ", "Assistant  #3 · ≈ 2026-03-01T12:00:00.000Z\nbecause\n",
		"── No longer part of the conversation (edited or rewound) ──", "── Recovered from another store ──",
		"1 thing could not be read:\n  missing · bubbleId:s1:b9 · named but not stored\n",
	} {
		if !strings.Contains(short, want) {
			t.Errorf("%q is not in\n%s", want, short)
		}
	}
	if strings.ContainsAny(short, "\x1b\x07") || strings.Contains(short, "owned") {
		t.Errorf("an escape sequence of a message came through:\n%q", short)
	}
	if strings.Contains(short, "FAIL") {
		t.Errorf("a short tool call shows its result:\n%s", short)
	}
	full := spoken(t, export.ToolsFull, d)
	for _, want := range []string{"parameters\n", "      command: go test\n", "result\n       FAIL\n"} {
		if !strings.Contains(full, want) {
			t.Errorf("%q is not in\n%s", want, full)
		}
	}
	if none := spoken(t, export.ToolsNone, d); strings.Contains(none, "✗") || !strings.Contains(none, "(1 tool call not shown)") {
		t.Errorf("tools are not left out:\n%s", none)
	}
}

func TestChoose(t *testing.T) {
	var ms []retold.Message
	for i := range 10 {
		ms = append(ms, retold.Message{ID: "m" + string(rune('a'+i)), Index: i, Role: []retold.Role{retold.RoleUser, retold.RoleAssistant}[i%2]})
	}
	for name, c := range map[string]struct {
		o    showOptions
		want []int
	}{
		"all":           {showOptions{}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		"around":        {showOptions{around: "4", context: 1}, []int{3, 4, 5}},
		"around #":      {showOptions{around: "#0", context: 2}, []int{0, 1, 2}},
		"around id":     {showOptions{around: "mj", context: 1}, []int{8, 9}},
		"only":          {showOptions{only: []string{"user"}}, []int{0, 2, 4, 6, 8}},
		"tail":          {showOptions{tail: 2}, []int{8, 9}},
		"tail too long": {showOptions{tail: 99, only: []string{"user"}, around: "9", context: 1}, []int{8}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.o.choose(ms)
			if err != nil {
				t.Fatal(err)
			}
			var indexes []int
			for _, m := range got {
				indexes = append(indexes, m.Index)
			}
			if diff := cmp.Diff(c.want, indexes); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := (&showOptions{around: "10"}).choose(ms); retold.CodeOf(err) != retold.CodeUsage {
		t.Errorf("a message that is not there: %v", err)
	}
}

func TestOutline(t *testing.T) {
	for in, want := range map[string]string{
		`"text"`:                         " text",
		`"a\nb\n"`:                       "a\nb",
		`{"a":1,"b":"x","c":{},"d":[]}`:  "a: 1\nb: x\nc: {}\nd: []",
		`{"out":"1\n2","n":{"x":true}}`:  "out:\n  1\n  2\nn:\n  x: true",
		`["a",{"b":null}]`:               "- a\n-\n  b: null",
		`not json`:                       "not json",
		`{"url":"a&b<c>","u":"\u0026é"}`: "url: a&b<c>\nu: &é",
	} {
		if got := outline(json.RawMessage(in)); got != want {
			t.Errorf("outline(%s) =\n%q, want\n%q", in, got, want)
		}
	}
	deep := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
	if got := outline(json.RawMessage(deep)); !strings.Contains(got, `{"a":`) {
		t.Error("a value deeper than anyone reads is not printed as JSON")
	}
}

func TestPager(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the pagers of this test are shell commands")
	}
	paged := filepath.Join(t.TempDir(), "paged")
	for name, c := range map[string]struct {
		pager       string
		lines       int
		page, plain string // what came to the pager, and to the terminal
		err         string
	}{
		"read to the end": {"cat > " + paged, 2, "line\nline\n", "", ""},
		"left early":      {"head -n 1 > " + paged, 100_000, "line\n", "", ""},
		"none":            {"", 1, "", "line\n", ""},
		"not installed":   {"no-such-pager-here", 1, "", "line\n", ""},
		"broken":          {"cat > " + paged + "; exit 3", 1, "line\n", "", "exit status 3"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(paged, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			a, out := onTerminal(80)
			a.settings.Pager.value = c.pager
			err := a.paged(func() error {
				for range c.lines {
					a.line("line")
				}
				return nil
			})
			if flushed := a.flush(); flushed != nil {
				t.Fatal(flushed)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error is %v, want %q", err, c.err)
			}
			page, err := os.ReadFile(paged)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{c.page, c.plain}, []string{string(page), out.String()}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Whatever a tool's result holds, its outline ends and reaches the terminal
// without control characters.
func FuzzOutline(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"x\ny",{"b":null}]}`, `"\u001b[2J"`, `[[[[[[[[[[1]]]]]]]]]]`, `{"a":`, "\xff", `{"\n":"\t"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		shown := plain(outline(raw))
		for _, r := range shown {
			if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
				t.Fatalf("%q came through in %q", r, shown)
			}
		}
	})
}
