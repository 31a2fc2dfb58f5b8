package cursor_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/source/cursor"
)

// TestImportProperty writes and reads back whatever a session may hold.
func TestImportProperty(t *testing.T) {
	r := newRelocation(t)
	to := r.folder("harbor")
	cases := 0
	message := drawnMessage()
	rapid.Check(t, func(rt *rapid.T) {
		d := &retold.SessionDetail{Session: retold.Session{ID: "x", Agent: "codex", Title: "t"}, Messages: rapid.SliceOfN(message, 1, 8).Draw(rt, "messages")}
		for i := range d.Messages {
			d.Messages[i].ID = "m" + strconv.Itoa(i)
		}
		sort.SliceStable(d.Messages, func(i, j int) bool { return !d.Messages[i].Orphan && d.Messages[j].Orphan })
		cases++
		id := fmt.Sprintf("2f9e8f0c-8f2e-4d0f-8a54-%012d", cases)
		dir, err := r.desk.DraftDir()
		r.check(err)
		p, err := change.Draft(r.t.Context(), dir, "import", r.src.PlanImport(r.t.Context(), retold.Import{Place: r.home.CursorUser, To: to, Sessions: []retold.Arrival{{Session: d, ID: id}}}))
		if retold.CodeOf(err) == retold.CodeUsage && len(sayings(d)) == 0 {
			return
		}
		r.check(err)
		_, err = r.desk.Apply(r.t.Context(), p, "")
		r.check(errors.Join(err, p.Close()))
		now := r.session(id)
		// What is aside has no order but that of its times.
		want, got := sayings(d), sayings(now)
		for _, list := range [][]saying{want, got} {
			slices.SortStableFunc(list, func(a, b saying) int {
				if !a.Aside || !b.Aside {
					return 0
				}
				return strings.Compare(a.String(), b.String())
			})
		}
		if diff := cmp.Diff(want, got, sameSession); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func (s saying) String() string {
	text, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// drawnText is a text of what is hard to keep.
func drawnText() *rapid.Generator[string] {
	words := rapid.SampledFrom([]string{"tide", " moon\n", "\x00", "\u2028", "<b>&amp;</b>", "\"\\", "…", "```go\nx\n```", "🌊", "{\"a\":1}", "@@ -1 +1 @@", "\r\n"})
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(words, 1, 5).Draw(t, "words"), "") })
}

// drawnDocument is an object with members that tools know, of any kind.
func drawnDocument() *rapid.Generator[json.RawMessage] {
	text := drawnText()
	return rapid.Custom(func(t *rapid.T) json.RawMessage {
		m := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			name := rapid.SampledFrom([]string{"command", "path", "targetFile", "relativeWorkspacePath", "pattern", "query", "url", "todos", "output", "contents", "result", "error", "rejected", "tool", "0", ""}).Draw(t, "name")
			m[name] = rapid.OneOf(rapid.Just(any(nil)), rapid.Just(any(true)), rapid.Just(any(1.5)), rapid.Just(any(7)), rapid.Just(any([]any{"a", map[string]any{"text": "x"}})), rapid.Just(any(map[string]any{"a": nil})), rapid.Custom(func(t *rapid.T) any { return text.Draw(t, "value") })).Draw(t, "value")
		}
		doc, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return doc
	})
}

// drawnMessage is a message of any role, and the call of any tool.
func drawnMessage() *rapid.Generator[retold.Message] {
	text, document := drawnText(), drawnDocument()
	names := rapid.SampledFrom([]string{"Bash", "read_file_v2", "edit_file_v2", "search_replace", "grep", "glob_file_search", "mcp-a-b", "a/b", "todo_write", "task_v2", "x", "", "web_fetch", "delete_file", "create_plan"})
	kinds := rapid.SampledFrom([]retold.ToolKind{retold.ToolRead, retold.ToolEdit, retold.ToolShell, retold.ToolSearch, retold.ToolList, retold.ToolWeb, retold.ToolMCP, retold.ToolTask, retold.ToolTodo, retold.ToolPlan, retold.ToolOther})
	states := rapid.SampledFrom([]retold.ToolStatus{retold.StatusCompleted, retold.StatusPending, retold.StatusFailed, retold.StatusCancelled, ""})
	return rapid.Custom(func(t *rapid.T) retold.Message {
		m := retold.Message{Role: rapid.SampledFrom(retold.Roles).Draw(t, "role"), Orphan: rapid.IntRange(0, 5).Draw(t, "aside") == 0, Model: "gpt-5.2"}
		if rapid.Bool().Draw(t, "dated") {
			m.Timestamp, m.TimestampSource = time.UnixMilli(rapid.Int64Range(1e12, 2e12).Draw(t, "at")).UTC(), rapid.SampledFrom([]retold.TimeSource{retold.TimeStored, retold.TimeTiming}).Draw(t, "source")
		}
		if m.Role != retold.RoleTool {
			m.Content = text.Draw(t, "text")
			return m
		}
		m.Tool = &retold.ToolCall{Name: names.Draw(t, "tool"), Kind: kinds.Draw(t, "kind"), CallID: "call " + text.Draw(t, "call"), Status: states.Draw(t, "status"), Params: document.Draw(t, "params"), Result: document.Draw(t, "result")}
		if rapid.Bool().Draw(t, "edited") {
			m.Tool.Diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-" + text.Draw(t, "old") + "\n+" + text.Draw(t, "new") + "\n"
			m.Tool.Files = []string{text.Draw(t, "file")}
		}
		if rapid.Bool().Draw(t, "ended") {
			n := rapid.IntRange(-1, 255).Draw(t, "exit")
			m.Tool.ExitCode = &n
		}
		if _, why := cursor.CheckWritten(m.Tool); why != "" {
			t.Fatalf("%+v: %s", m.Tool, why)
		}
		return m
	})
}
