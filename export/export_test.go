package export_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
)

func TestJSONIsTheContract(t *testing.T) {
	for _, d := range []*retold.SessionDetail{everySession(), hostileSession()} {
		want, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if err := json.Unmarshal(want, &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(one(t, export.JSON, export.Options{}, d)), &b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, b); diff != "" {
			t.Error(diff)
		}
		var both []any
		if err := json.Unmarshal([]byte(write(t, export.JSON, export.Options{}, d, d)), &both); err != nil || len(both) != 2 || !cmp.Equal(both[1], a) {
			t.Errorf("array of two: %v, %d", err, len(both))
		}
	}
	if got := strings.Join(strings.Fields(write(t, export.JSON, export.Options{})), ""); got != "[]" {
		t.Errorf("no sessions: %q", got)
	}
}

func TestJSONL(t *testing.T) {
	d := everySession()
	lines := strings.Split(strings.TrimSuffix(write(t, export.JSONL, export.Options{Roles: []retold.Role{retold.RoleUser}}, d, d), "\n"), "\n")
	var kinds []string
	for _, line := range lines {
		var v struct{ Type, SessionID, Role string }
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if v.Type == "message" && (v.SessionID != d.ID || v.Role != "user") {
			t.Errorf("line %s", line)
		}
		kinds = append(kinds, v.Type)
	}
	want := []string{"session", "message", "message", "message"}
	if diff := cmp.Diff(append(want, want...), kinds); diff != "" {
		t.Error(diff)
	}
}

func TestCSV(t *testing.T) {
	d := hostileSession()
	out := write(t, export.CSV, export.Options{}, d, everySession())
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 + len(d.Messages) + len(everySession().Messages); len(rows) != want {
		t.Fatalf("%d rows, want %d", len(rows), want)
	}
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") {
				t.Errorf("a spreadsheet would run %q", cell)
			}
		}
	}
	if !strings.Contains(out, `"'=HYPERLINK(""https://beacon.invalid"",""x"")"`) {
		t.Error("the formula is not in the table as text")
	}
}

func TestTool(t *testing.T) {
	huge := tool(retold.ToolShell, "run", "", "", retold.StatusFailed)
	huge.Params, _ = json.Marshal(map[string]string{"command": strings.Repeat("長い ", 1_000_000)})
	huge.ExitCode = new(137)
	hostile := tool(retold.ToolMCP, "a\nb\x1b[31m\u202e", `{"server":"x\u001b]0;y\u0007"}`, "", retold.StatusCompleted)
	deep := tool(retold.ToolOther, "deep", strings.Repeat("[", 100_000), strings.Repeat("{\"a\":", 100_000), retold.StatusFailed)
	for name, c := range map[string]struct {
		t    *retold.ToolCall
		want string
	}{
		"exit":    {tool(retold.ToolShell, "sh", `{"command":"make"}`, "", retold.StatusPending), "$ make → not finished"},
		"huge":    {huge, "→ exit 137"},
		"hostile": {hostile, "MCP x/a b⟨U+202E⟩"},
		"deep":    {deep, "deep → failed"},
		"bare":    {&retold.ToolCall{}, "tool"},
		"read":    {tool(retold.ToolRead, "read_file", "", "", retold.StatusCompleted), "Read read_file"},
	} {
		got := export.Tool(c.t)
		if utf8.RuneCountInString(got) > 200 || strings.ContainsAny(got, "\n\r\t\x1b") || !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %q (%d characters), want …%q", name, got, utf8.RuneCountInString(got), c.want)
		}
	}
}

func TestFileName(t *testing.T) {
	s := everySession().Session
	for _, c := range []struct {
		title, id string
		want      string
	}{
		{"Fix the parser!", s.ID, "2026-03-01-fix-the-parser-8f14e45f.md"},
		{"修复 解析器 🎉", s.ID, "2026-03-01-修复-解析器-8f14e45f.md"},
		{"../../etc/passwd\x00<>:\"|?*", s.ID, "2026-03-01-etc-passwd-8f14e45f.md"},
		{"", "odd/../id", "2026-03-01-untitled-"},
		{strings.Repeat("長", 500), s.ID, "2026-03-01-長"},
	} {
		s.Title, s.ID = c.title, c.id
		got := export.FileName(s, export.Markdown)
		if !strings.HasPrefix(got, strings.TrimSuffix(c.want, ".md")) || len(got) > 120 || !utf8.ValidString(got) || strings.ContainsAny(got, `/\<>:"|?*`) {
			t.Errorf("%q: %q, want %q", c.title, got, c.want)
		}
	}
	a, b := s, s
	a.ID, b.ID = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"
	if export.FileName(a, export.Text) == export.FileName(b, export.Text) {
		t.Error("two ids, one name")
	}
}

func TestParse(t *testing.T) {
	if f, err := export.ParseFormat("Markdown"); f != export.Markdown || err != nil {
		t.Error(f, err)
	}
	if _, err := export.ParseFormat("pdf"); retold.CodeOf(err) != retold.CodeUsage {
		t.Error(err)
	}
	if _, err := export.ParseTools("some"); retold.CodeOf(err) != retold.CodeUsage {
		t.Error(err)
	}
}

var errFull = errors.New("disk full")

type full struct{ left int }

func (f *full) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriteErrorIsReturned(t *testing.T) {
	for _, f := range export.Formats {
		if err := export.Session(&full{left: 10}, f, everySession(), export.Options{}); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// A message of 50 MB passes through every format without being parsed.
func TestHugeMessage(t *testing.T) {
	d := &retold.SessionDetail{Session: retold.Session{ID: "huge", Agent: "cursor"}, Messages: []retold.Message{
		{Role: retold.RoleAssistant, Content: strings.Repeat("<b>\x1b[31m[x](", 50<<20/12)},
	}}
	for _, f := range export.Formats {
		if err := export.Session(io.Discard, f, d, export.Options{}); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
}
