package cursorcli_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/retold-history/retold"
)

// TestImportProperty writes and reads back whatever a session may hold.
func TestImportProperty(t *testing.T) {
	a := newArrivals(t)
	message := drawnMessage()
	cases := 0
	rapid.Check(t, func(rt *rapid.T) {
		d := &retold.SessionDetail{Session: retold.Session{ID: "x", Agent: "codex", Title: "t"}, Messages: rapid.SliceOfN(message, 1, 10).Draw(rt, "messages")}
		for i := range d.Messages {
			d.Messages[i].ID, d.Messages[i].Index = "m"+strconv.Itoa(i), i
		}
		cases++
		id := fmt.Sprintf("2f9e8f0c-8f2e-4d0f-8a54-%012d", cases)
		want := kept(d)
		if len(want) == 0 {
			_, err := a.plan(d, id)
			if retold.CodeOf(err) != retold.CodeUsage {
				rt.Fatalf("nothing to import: %v", err)
			}
			return
		}
		got := a.put(d, id)
		if diff := cmp.Diff(want, kept(got), cmpopts.EquateEmpty()); diff != "" {
			rt.Fatal(diff)
		}
		if len(got.ProblemList) > 0 {
			rt.Fatal(got.ProblemList)
		}
	})
}

// drawnText is a text of what is hard to keep.
func drawnText() *rapid.Generator[string] {
	words := rapid.SampledFrom([]string{
		"tide", " moon\n", "\x00", "\u2028", "<b>&amp;</b>", "\"\\", "…", "```go\nx\n```", "🌊", `{"a":1}`, "@@ -1 +1 @@", "\r\n",
		"<user_query>", "</user_query>", "\n<user_query>\n", "<user_info>x</user_info>", "<timestamp>2026-03-04T05:06:07Z</timestamp>", "<think>", "</think>", "[Image]", " ", "ok",
	})
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(words, 0, 5).Draw(t, "words"), "") })
}

// drawnDocument is an object with members that tools know, of any kind.
func drawnDocument() *rapid.Generator[json.RawMessage] {
	text := drawnText()
	names := rapid.SampledFrom([]string{
		"command", "path", "targetFile", "workingDirectory", "pattern", "query", "url", "todos", "output", "contents", "result", "error", "rejected",
		"success", "name", "args", "toolCallId", "modelOutput", "offset", "limit", "0", "",
	})
	value := rapid.OneOf(
		rapid.Just(any(nil)), rapid.Just(any(true)), rapid.Just(any(1.5)), rapid.Just(any(7)), rapid.Just(any(-1)), rapid.Just(any(1e300)),
		rapid.Just(any([]any{"a", map[string]any{"text": "x"}})), rapid.Just(any([]any{})), rapid.Just(any(map[string]any{"a": nil})), rapid.Just(any(map[string]any{"exitCode": 3, "stdout": "x"})),
		rapid.Custom(func(t *rapid.T) any { return text.Draw(t, "value") }),
	)
	return rapid.Custom(func(t *rapid.T) json.RawMessage {
		m := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			m[names.Draw(t, "name")] = value.Draw(t, "value")
		}
		doc, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return doc
	})
}

var drawnAttachments = []retold.Attachment{
	{Kind: "file", Name: "harbor.txt", Path: "/home/ada/harbor.txt", Text: "low"},
	{Kind: "file", Name: "other", Path: "/home/ada/harbor.txt"},
	{Kind: "selection", Name: "a.go", Path: "/home/ada/a.go", StartLine: 3, EndLine: 9, Text: "x"},
	{Kind: "selection", Name: "a.go", Path: "a.go"},
	{Kind: "image", Name: "moon.png"},
	{Kind: "folder", Name: "ada", Path: "/home/ada"},
	{Kind: "link", Name: "tides", Path: "https://tides.example", Text: "t"},
	{Kind: "rule", Name: "r.mdc", Path: "/home/ada/r.mdc", Text: "be calm"},
	{Kind: "rule", Name: "rules"},
	{Kind: "terminal", Name: "zsh", Path: "/1", Text: "$"},
	{Kind: "command", Name: "go", Text: "do"},
	{Kind: "doc", Name: "Go", Path: "go"},
	{Kind: "chat", Name: "old", Path: "x"},
	{Kind: "context", Name: "extra", Text: "<b>"},
	{Kind: "", Name: ""},
}

// drawnMessage is a message of any role, and the call of any tool.
func drawnMessage() *rapid.Generator[retold.Message] {
	text, document := drawnText(), drawnDocument()
	names := rapid.SampledFrom([]string{
		"Bash", "shell", "read", "Read", "edit", "StrReplace", "grep", "Glob", "ls", "mcp-a-b", "a/b", "todo_write", "update_todos", "task", "x", "", "web_fetch",
		"delete", "create_plan", "await", "ask_question", "tool_81", "WebSearch", "sem_search", "mcp",
	})
	kinds := rapid.SampledFrom([]retold.ToolKind{
		retold.ToolRead, retold.ToolEdit, retold.ToolShell, retold.ToolSearch, retold.ToolList, retold.ToolWeb, retold.ToolMCP, retold.ToolTask, retold.ToolTodo, retold.ToolPlan, retold.ToolOther,
	})
	states := rapid.SampledFrom([]retold.ToolStatus{retold.StatusCompleted, retold.StatusPending, retold.StatusFailed, retold.StatusCancelled, ""})
	ids := rapid.SampledFrom([]string{"", "call_1", "call_2", "toolu_\n2", "call_3"})
	return rapid.Custom(func(t *rapid.T) retold.Message {
		m := retold.Message{
			Role: rapid.SampledFrom(retold.Roles).Draw(t, "role"), Model: rapid.SampledFrom([]string{"", "gpt-5.2", "opus"}).Draw(t, "model"), RequestID: rapid.SampledFrom([]string{"", "r1", "r2"}).Draw(t, "request"),
			Orphan: rapid.IntRange(0, 5).Draw(t, "aside") == 0, Recovered: rapid.IntRange(0, 9).Draw(t, "recovered") == 0,
		}
		if rapid.Bool().Draw(t, "dated") {
			m.Timestamp, m.TimestampSource = time.UnixMilli(rapid.SampledFrom([]int64{1, 1e12, 15e11, 2e12, 2e14, -5}).Draw(t, "at")).UTC(), rapid.SampledFrom([]retold.TimeSource{retold.TimeStored, retold.TimeTiming, retold.TimeInterpolated}).Draw(t, "source")
		}
		if rapid.IntRange(0, 4).Draw(t, "counted") == 0 {
			m.Tokens = &retold.Tokens{Input: 3, Output: 1 << 40}
		}
		if rapid.IntRange(0, 3).Draw(t, "carries") == 0 {
			m.Attachments = rapid.SliceOfN(rapid.SampledFrom(drawnAttachments), 1, 3).Draw(t, "attachments")
		}
		if m.Role != retold.RoleTool {
			m.Content = text.Draw(t, "text")
			return m
		}
		m.Tool = &retold.ToolCall{Name: names.Draw(t, "tool"), Kind: kinds.Draw(t, "kind"), CallID: ids.Draw(t, "call"), Status: states.Draw(t, "status")}
		if rapid.IntRange(0, 5).Draw(t, "asked") > 0 {
			m.Tool.Params = document.Draw(t, "params")
		}
		if rapid.IntRange(0, 5).Draw(t, "answered") > 0 {
			m.Tool.Result = document.Draw(t, "result")
		}
		if rapid.Bool().Draw(t, "said") {
			quoted, err := json.Marshal(text.Draw(t, "answer"))
			if err != nil {
				t.Fatal(err)
			}
			m.Tool.Result = quoted
		}
		if rapid.Bool().Draw(t, "edited") {
			m.Tool.Diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-" + text.Draw(t, "old") + "\n+" + text.Draw(t, "new") + "\n"
			m.Tool.Files = []string{text.Draw(t, "file")}
		}
		if rapid.Bool().Draw(t, "ended") {
			n := rapid.IntRange(-1, 255).Draw(t, "exit")
			m.Tool.ExitCode = &n
		}
		return m
	})
}
