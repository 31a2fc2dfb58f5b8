package export_test

import (
	"encoding/json"
	"time"

	"github.com/retold-history/retold"
)

// at is a moment of the made-up session.
func at(minute, second int) time.Time {
	return time.Date(2026, 3, 1, 14, minute, second, 0, time.UTC)
}

func tool(kind retold.ToolKind, name, params, result string, status retold.ToolStatus) *retold.ToolCall {
	t := &retold.ToolCall{Name: name, Kind: kind, CallID: "call_" + name, Status: status}
	if params != "" {
		t.Params = json.RawMessage(params)
	}
	if result != "" {
		t.Result = json.RawMessage(result)
	}
	return t
}

const goDiff = "--- a/internal/parse/line.go\n+++ b/internal/parse/line.go\n@@ -10,5 +10,7 @@ func Lines(s string) []string {\n \tvar out []string\n-\tfor i := 0; i < len(s)-1; i++ {\n+\tfor i := 0; i < len(s); i++ {\n+\t\t// the last line may lack its newline\n \t\tif s[i] == '\\n' {\n-\t\t\tout = append(out, s[:i])\n+\t\t\tout = append(out, s[:i]) // ``` in a comment\n \t\t}\n"

// everySession holds every role, tool kind and status, attachments, orphans,
// recovered messages and problems.
func everySession() *retold.SessionDetail {
	const ws = "/home/ada/projects/ledger"
	edit := tool(retold.ToolEdit, "search_replace", `{"file_path":"`+ws+`/internal/parse/line.go","old_string":"a","new_string":"b"}`, `{"isApplied":true}`, retold.StatusCompleted)
	edit.Files, edit.Diff = []string{ws + "/internal/parse/line.go"}, goDiff
	unknown := tool(retold.ToolEdit, "edit_file", `{"target_file":"README.md"}`, "", retold.StatusCompleted)
	unknown.Files = []string{ws + "/README.md"}
	failing := tool(retold.ToolShell, "run_terminal_cmd", `{"command":"go test ./..."}`, `{"output":"--- FAIL: TestLines\n\u001b[31mexpected 3 lines, got 2\u001b[0m\nFAIL"}`, retold.StatusFailed)
	failing.ExitCode = new(1)
	passing := tool(retold.ToolShell, "run_terminal_cmd", `{"command":"go vet ./... &&\n  go test ./..."}`, `{"output":"ok"}`, retold.StatusCompleted)
	passing.ExitCode = new(0)
	read := tool(retold.ToolRead, "read_file", `{"target_file":"internal/parse/line.go","offset":1,"limit":40}`, `{"contents":"package parse"}`, retold.StatusCompleted)
	many := tool(retold.ToolOther, "read_lints", `{}`, "", retold.StatusCompleted)
	many.Files = []string{ws + "/a.go", ws + "/b.go", ws + "/c.go", ws + "/d.go"}
	d := &retold.SessionDetail{
		Session: retold.Session{
			ID: "8f14e45f-ceea-467f-a0e6-1d3c2b4a5968", Agent: "cursor", Sources: []string{"composer", "transcript"}, Title: "Fix the *last* line <parser>",
			WorkspacePath: ws, WorkspaceName: "ledger", CreatedAt: at(2, 0), UpdatedAt: at(31, 0), TimeSource: retold.TimeInterpolated,
			FirstMessagePreview: "Why does the parser drop the last line?", Model: "claude-4.5-opus-high-thinking", Mode: "agent", Branch: "fix/last-line",
			LinesAdded: new(3), LinesRemoved: new(2), FilesChanged: new(1), Tokens: &retold.Tokens{Input: 48210, Output: 3120}, ParentID: "11111111-2222-4333-8444-555555555555", Archived: true, Problems: 2,
		},
		ProblemList: []retold.Problem{
			{Kind: retold.ProblemMalformed, Key: "bubbleId:8f14e45f:77", Path: "/home/ada/.config/Cursor/User/globalStorage/state.vscdb", Reason: "not valid JSON at byte 12 <here>"},
			{Kind: retold.ProblemMissing, Key: "bubbleId:8f14e45f:78", Reason: "named by the conversation, but not stored"},
		},
	}
	call := func(t *retold.ToolCall) retold.Message { return retold.Message{Role: retold.RoleTool, Tool: t} }
	d.Messages = []retold.Message{
		{Role: retold.RoleSystem, Content: "Workspace rules:\n- run the tests"},
		{Role: retold.RoleUser, Content: "Why does the parser drop the last line?\n\nIt happens with `printf 'a\\nb'`. 请看 `internal/parse` 🙏", Timestamp: at(2, 0), TimestampSource: retold.TimeStored, RequestID: "req-1", Attachments: []retold.Attachment{
			{Kind: "selection", Name: "line.go", Path: "internal/parse/line.go", StartLine: 10, EndLine: 16, Text: "func Lines(s string) []string {\n```\n</details>"},
			{Kind: "image", Name: "screenshot.png"},
			{Kind: "link", Name: "the bug", Path: "https://example.org/bugs/7"},
			{Kind: "file", Name: "go.mod", Path: "go.mod"},
		}},
		{Role: retold.RoleThinking, Content: "The loop ends **one short**.\n\n```go\nfor i := 0; i < len(s)-1; i++ {", Timestamp: at(2, 4), TimestampSource: retold.TimeTiming, Model: "claude-4.5-opus-high-thinking"},
		{Role: retold.RoleAssistant, Content: "I'll read the file first:\n\n- the loop\n- the tests", Timestamp: at(2, 6), TimestampSource: retold.TimeInterpolated, Model: "claude-4.5-opus-high-thinking"},
		call(read), call(tool(retold.ToolSearch, "grep", `{"pattern":"Lines\\(","path":"`+ws+`/internal"}`, "", retold.StatusCompleted)),
		call(tool(retold.ToolList, "list_dir", `{"targetDirectory":"`+ws+`/internal"}`, "", retold.StatusCompleted)), call(failing),
		{Role: retold.RoleAssistant, Content: "The bound is off by one. The fix:\n\n```go:internal/parse/line.go\nfor i := 0; i < len(s); i++ { // every byte\n\treturn \"x\", 42\n}\n```\n\n| case | before | after |\n|---|:-:|--:|\n| `a\\nb` | 1 | 2 |\n\n> Quoted, with a [link](https://example.org/spec) and ~~an old idea~~.\n\n1. change the bound\n2. add a test\n\n- [x] read\n- [ ] test", Timestamp: at(3, 10), TimestampSource: retold.TimeStored},
		call(edit), call(unknown), call(passing),
		call(tool(retold.ToolEdit, "search_replace", `{"file_path":"a.go"}`, `{"error":"old_string was not found\nin the file"}`, retold.StatusFailed)),
		call(tool(retold.ToolEdit, "delete_file", `{"relativeWorkspacePath":"old.go"}`, "", retold.StatusCompleted)),
		{Role: retold.RoleUser, Content: "Good. Look up the spec and plan the rest", Timestamp: at(20, 0), TimestampSource: retold.TimeSession},
		call(tool(retold.ToolWeb, "web_search", `{"searchTerm":"POSIX text file last line"}`, "", retold.StatusCompleted)),
		call(tool(retold.ToolWeb, "web_fetch", `{"url":"https://example.org/spec"}`, `"gone"`, retold.StatusFailed)),
		call(tool(retold.ToolMCP, "call_mcp_tool", `{"server":"tracker","toolName":"create_issue","toolArgs":"{}"}`, `{"ok":true}`, retold.StatusCompleted)),
		call(tool(retold.ToolTask, "task", `{"description":"Check the callers","subagentType":"explore"}`, `{"agentId":"c0ffee00-1111-4222-8333-444455556666"}`, retold.StatusCompleted)),
		call(tool(retold.ToolTodo, "todo_write", `{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"pending"}]}`, "", retold.StatusCompleted)),
		call(tool(retold.ToolPlan, "create_plan", `{"name":"Last lines everywhere"}`, "", retold.StatusPending)), call(many),
		call(tool(retold.ToolShell, "run_terminal_cmd", `{"command":"rm -rf build"}`, `{"rejected":true}`, retold.StatusCancelled)),
		{Role: retold.RoleAssistant, Content: "日本語の文章も、العربية も、Ελληνικά もそのまま残ります。🎉👩‍👩‍👧", Timestamp: at(30, 0), TimestampSource: retold.TimeStored, Model: "gpt-5.2-codex-high"},
		{Role: retold.RoleError, Content: "Connection lost: the model did not answer.\nTry again.", Timestamp: at(31, 0), TimestampSource: retold.TimeStored},
		{Role: retold.RoleUser, Content: "An edited prompt", Orphan: true},
		{Role: retold.RoleAssistant, Content: "Its answer", Orphan: true},
		{Role: retold.RoleAssistant, Content: "Found in a transcript", Recovered: true},
	}
	for i := range d.Messages {
		d.Messages[i].Index, d.Messages[i].ID = i, "msg-"+string(rune('a'+i))
	}
	d.MessageCount = len(d.Messages)
	return d
}

// hostileSession tries to break out of every place that shows text.
func hostileSession() *retold.SessionDetail {
	d := &retold.SessionDetail{Session: retold.Session{
		ID: "</title><script>alert(0)</script>", Agent: "cursor\x1b[31m", Title: "</title></h1><script>alert('title')</script>\x1b]0;x\x07 | `a` [b](javascript:c)",
		WorkspacePath: "/home/ada/`<img src=x onerror=alert(1)>`\u202e", Branch: "=cmd|' /C calc'!A0", Model: "<b>model</b>", TimeSource: retold.TimeSession,
	}}
	for _, s := range attacks {
		evil := tool(retold.ToolShell, s, "", "", retold.StatusFailed)
		evil.Params, _ = json.Marshal(map[string]string{"command": s})
		evil.Result, _ = json.Marshal(s)
		evil.Diff, evil.Files = "--- a/"+s+"\n+++ b/x\n@@ -1 +1 @@\n-"+s+"\n+"+s+"\n", []string{s}
		d.Messages = append(d.Messages,
			retold.Message{Role: retold.RoleUser, Content: s, Attachments: []retold.Attachment{{Kind: "link", Name: s, Path: "javascript:alert(2)"}, {Kind: "selection", Name: s, Text: s}}},
			retold.Message{Role: retold.RoleThinking, Content: s}, retold.Message{Role: retold.RoleAssistant, Content: s, Model: s},
			retold.Message{Role: retold.RoleTool, Tool: evil}, retold.Message{Role: retold.RoleError, Content: s}, retold.Message{Role: retold.RoleSystem, Content: s})
	}
	for i := range d.Messages {
		d.Messages[i].Index = i
	}
	d.ProblemList = []retold.Problem{{Kind: "malformed", Key: "</ul><script>alert(3)</script>", Reason: "\x1b[2J"}}
	return d
}

var attacks = []string{
	"<script>alert(1)</script>", "<img src=https://beacon.invalid/a.png onerror=alert(1)>", "[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "</details></article></main>",
	"</style><style>body{display:none}</style>", "![b](https://beacon.invalid/b.gif)", "![d](data:image/svg+xml;base64,PHN2Zy8+)", "[x](data:text/html,<script>alert(1)</script>)",
	"text\n```\nnever closed </details>", "~~~html\nnever closed", "<!-- never closed", "<div>\n\n<table><tr>", "<iframe src=https://beacon.invalid/f></iframe>", "<a href=https://x.invalid onclick=alert(1)>x</a>",
	"\x1b[31mred\x1b[0m\x1b]0;owned\x07", "user\u202etxt.exe\u2066", "=HYPERLINK(\"https://beacon.invalid\",\"x\")", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "a\x00b\xffc", "```\n````\n```", "<svg onload=alert(1)>", "<style>@import url(https://beacon.invalid/s.css)</style>", "<meta http-equiv=refresh content=0;url=https://beacon.invalid>",
}
