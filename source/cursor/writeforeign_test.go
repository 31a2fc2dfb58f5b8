package cursor_test

import (
	"encoding/json"
	"time"

	"github.com/retold-history/retold"
)

// foreign is a session of another agent, with a tool of every kind and every end.
func foreign() *retold.SessionDetail {
	one, zero := 1, 0
	at := time.Date(2026, 3, 4, 5, 6, 7, int(8*time.Millisecond), time.UTC)
	d := &retold.SessionDetail{Session: retold.Session{ID: "rollout-ada-1", Agent: "codex", Title: "Tides & <moons>", Mode: "unheard-of", Model: "gpt-5.2", CreatedAt: at, UpdatedAt: at.Add(time.Hour), Branch: "neap"}}
	add := func(m retold.Message) {
		m.Timestamp, m.TimestampSource = at.Add(time.Duration(len(d.Messages))*time.Second), retold.TimeStored
		m.ID, m.RequestID = "m"+string(rune('a'+len(d.Messages)%26)), "0b7be6a2-5f43-4f6e-9d0e-4a3a5f2f9a01"
		d.Messages = append(d.Messages, m)
	}
	add(retold.Message{Role: retold.RoleUser, Content: "When is \"slack\" water?\n\u2028 <user_query>", Attachments: []retold.Attachment{
		{Kind: "file", Name: "tide table.go", Path: "/home/ada/projects/tide pool/tide table.go"},
		{Kind: "selection", Name: "moon.go", Path: "/home/ada/projects/tidepool/moon.go", StartLine: 3, EndLine: 9, Text: "func phase() {}"},
		{Kind: "link", Name: "Tides", Path: "https://tides.example/a?b=c#d"},
		{Kind: "folder", Name: "harbor", Path: "/home/ada/harbor"},
		{Kind: "image", Name: "chart.png", Path: "/home/ada/chart.png"},
		{Kind: "doc", Name: "Almanac"},
		{Kind: "rule", Name: "house.mdc"},
	}})
	add(retold.Message{Role: retold.RoleUser, Content: "<system_notification> typed by hand"})
	add(retold.Message{Role: retold.RoleSystem, Content: "<environment>none</environment>"})
	add(retold.Message{Role: retold.RoleThinking, Content: "The moon … ", Model: "gpt-5.2"})
	add(retold.Message{Role: retold.RoleAssistant, Content: "At noon.\n```go\nx\n```\n", Model: "gpt-5.2", Tokens: &retold.Tokens{Input: 5, Output: 7}})
	for _, status := range []retold.ToolStatus{retold.StatusCompleted, retold.StatusFailed, retold.StatusCancelled, retold.StatusPending} {
		for _, c := range foreignCalls(status) {
			c.Status = status
			switch {
			case c.Kind == retold.ToolShell && status == retold.StatusFailed:
				c.ExitCode = &one
			case c.Kind == retold.ToolShell && status == retold.StatusCompleted:
				c.ExitCode = &zero
			case c.Name == "Edit":
				c.Files, c.Diff = []string{"/home/ada/a.go"}, "--- a/home/ada/a.go\n+++ b/home/ada/a.go\n@@ -7 +7 @@\n-a\n+b\n\\ No newline at end of file\n@@ -90,2 +90,1 @@ func x\n c\n-d\n"
			}
			add(retold.Message{Role: retold.RoleTool, Tool: c, Model: "gpt-5.2"})
		}
	}
	add(retold.Message{Role: retold.RoleError, Content: "overloaded: try later", Model: "gpt-5.2"})
	add(retold.Message{Role: retold.RoleAssistant, Content: "regenerated", Orphan: true, Model: "o3"})
	return d
}

// foreignCalls are calls of tools that other agents have, all ended in one way.
func foreignCalls(status retold.ToolStatus) []*retold.ToolCall {
	call := func(name string, kind retold.ToolKind, params, result string, status retold.ToolStatus) *retold.ToolCall {
		c := &retold.ToolCall{Name: name, Kind: kind, CallID: "call_" + name + string(status), Status: status}
		if params != "" {
			c.Params = json.RawMessage(params)
		}
		if result != "" {
			c.Result = json.RawMessage(result)
		}
		return c
	}
	return []*retold.ToolCall{
		call("Bash", retold.ToolShell, `{"command":"ls","description":"list","timeout":5}`, `"a\nb"`, status),
		call("Bash", retold.ToolShell, `{"command":"false"}`, `{"stdout":"x","stderr":""}`, status),
		call("exec_command", retold.ToolShell, `{"cmd":["ls","-l"]}`, `[]`, status),
		call("Read", retold.ToolRead, `{"file_path":"/home/ada/a.go","offset":2,"limit":1e9}`, `"line"`, status),
		call("read_file", retold.ToolRead, `{"targetFile":"/home/ada/a.go","limit":"many"}`, `{"contents":"x","no":1}`, status),
		call("Edit", retold.ToolEdit, `{"file_path":"/home/ada/a.go","old_string":"a","new_string":"b"}`, `"ok"`, status),
		call("apply_patch", retold.ToolEdit, `{"input":"*** Begin Patch\n*** End Patch"}`, "", status),
		call("delete_file", retold.ToolEdit, `{"path":"/home/ada/a.go"}`, `"gone"`, status),
		call("Grep", retold.ToolSearch, `{"pattern":"x","-n":true}`, `"a.go:3:x\nb.go:4:xx"`, status),
		call("Glob", retold.ToolSearch, `{"pattern":"*.go"}`, `"a.go\nb.go"`, status),
		call("search", retold.ToolSearch, `{"query":"moon"}`, `{"hits":[]}`, status),
		call("LS", retold.ToolList, `{"path":"/home/ada"}`, `"a\nb"`, status),
		call("WebSearch", retold.ToolWeb, `{"query":"moon"}`, `[{"type":"text","text":"found"}]`, status),
		call("WebFetch", retold.ToolWeb, `{"url":"https://tides.example","prompt":"what"}`, `"# Tides"`, status),
		call("mcp__tides__now", retold.ToolMCP, `{"where":{"lat":1.5},"deep":[null,true]}`, `{"content":[{"type":"text","text":"high"}],"isError":true}`, status),
		call("tides/now", retold.ToolMCP, `{}`, `"high"`, status),
		call("Task", retold.ToolTask, `{"description":"d","prompt":"p","subagent_type":"s"}`, `"done"`, status),
		call("TodoWrite", retold.ToolTodo, `{"todos":[{"content":"a","status":"pending","activeForm":"A"}]}`, `"ok"`, status),
		call("update_plan", retold.ToolPlan, `{"plan":[{"step":"a","status":"completed"}]}`, "", status),
		call("Skill", retold.ToolOther, `{"a":1,"a ":2,"":3}`, `17`, status),
		call("", retold.ToolOther, "", "", status),
	}
}
