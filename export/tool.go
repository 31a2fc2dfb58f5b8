package export

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/render"
)

// maxToolLine is the most characters of a tool call's line.
const maxToolLine = 200

// Tool tells a tool call and its outcome in one line of at most 200 characters,
// without control characters: "$ go test ./... → exit 1", "Edit src/a.go +3 −1".
func Tool(t *retold.ToolCall) string { return ToolIn(t, "") }

// ToolIn is [Tool] with the paths below the workspace written relative to it.
func ToolIn(t *retold.ToolCall, workspace string) string {
	p := paramsOf(t.Params)
	what := render.Line(head(subject(t, p, workspace), 4*maxToolLine))
	if what == "" {
		what = "Tool call"
	}
	after := outcome(t)
	if after != "" {
		after = " " + after
	}
	return shorten(what, maxToolLine-utf8.RuneCountInString(after)) + after
}

// subject is what the call was to do.
func subject(t *retold.ToolCall, p params, workspace string) string {
	switch t.Kind {
	case retold.ToolRead:
		return "Read " + or(fileList(t, p, workspace)+lineRange(p), t.Name)
	case retold.ToolEdit:
		return editVerb(t) + " " + or(fileList(t, p, workspace), t.Name)
	case retold.ToolShell:
		return shell(t, p)
	case retold.ToolSearch:
		return search(t, p, workspace)
	case retold.ToolList:
		return "List " + or(relative(p.text("targetDirectory", "target_directory", "directoryPath", "relative_workspace_path", "path"), workspace), or(fileList(t, p, workspace), t.Name))
	case retold.ToolWeb:
		if u := p.text("url", "uri"); u != "" {
			return "Fetch " + u
		}
		return "Search the web" + quoted(" for ", p.text("searchTerm", "search_term", "query"))
	case retold.ToolMCP:
		return mcp(t, p)
	case retold.ToolTask:
		return task(t, p)
	case retold.ToolTodo:
		return todo(t, p)
	case retold.ToolPlan:
		return "Plan" + quoted(" ", p.text("name", "title"))
	}
	return other(t, p, workspace)
}

func editVerb(t *retold.ToolCall) string {
	name := strings.ToLower(t.Name)
	switch {
	case strings.Contains(name, "delete"):
		return "Delete"
	case strings.HasPrefix(t.Diff, "--- /dev/null") || strings.Contains(head(t.Diff, 1000), "\n--- /dev/null\n"):
		return "Create"
	case name == "write" && t.Diff == "":
		return "Write"
	}
	return "Edit"
}

func shell(t *retold.ToolCall, p params) string {
	command := p.text("command", "cmd", "script")
	if command == "" {
		return "$ " + or(t.Name, "(command not stored)")
	}
	command = strings.ReplaceAll(strings.TrimSpace(render.Plain(head(command, 4*maxToolLine))), "\n", " ⏎ ")
	if p.flag("isBackground", "is_background") {
		command += " (in the background)"
	}
	return "$ " + command
}

func search(t *retold.ToolCall, p params, workspace string) string {
	query := p.text("pattern", "query", "globPattern", "glob_pattern", "regex", "searchTerm", "symbol")
	if query == "" {
		return "Search " + t.Name
	}
	out := "Search" + quoted(" ", query)
	if in := relative(p.text("path", "targetDirectory", "target_directory", "glob", "includePattern", "include_pattern"), workspace); in != "" {
		out += " in " + in
	}
	return out
}

func mcp(t *retold.ToolCall, p params) string {
	server, tool := p.text("server", "serverName", "providerIdentifier"), p.text("toolName", "tool")
	if inner := p.list("tools"); server == "" && len(inner) > 0 {
		server, tool = inner[0].text("serverName"), inner[0].text("name")
	}
	return "MCP " + or(strings.Trim(server+"/"+or(tool, t.Name), "/"), t.Name)
}

func task(t *retold.ToolCall, p params) string {
	out := "Sub-agent" + quoted(" ", or(p.text("description", "name", "title"), p.text("prompt")))
	if kind := p.text("subagentType", "subagent_type", "subagent"); kind != "" && kind != "unspecified" {
		out += " (" + kind + ")"
	}
	if id := paramsOf(t.Result).text("agentId", "subagentComposerId", "composerId", "sessionId"); id != "" {
		out += ", session " + id
	}
	return out
}

func todo(t *retold.ToolCall, p params) string {
	list := p.list("todos")
	if len(list) == 0 {
		list = paramsOf(t.Result).list("finalTodos", "todos")
	}
	if len(list) == 0 {
		return "To-do list"
	}
	done := 0
	for _, item := range list {
		if s := strings.ToLower(item.text("status")); strings.HasSuffix(s, "completed") || s == "done" {
			done++
		}
	}
	return fmt.Sprintf("To-do list, %d of %d done", done, len(list))
}

func other(t *retold.ToolCall, p params, workspace string) string {
	name := or(t.Name, "tool")
	if files := fileList(t, p, workspace); files != "" {
		return name + " " + files
	}
	return name + quoted(" ", p.text("title", "name", "query", "description", "path", "url", "message"))
}

// outcome is how the call ended, as far as that is not plain from the subject.
func outcome(t *retold.ToolCall) string {
	switch t.Status {
	case retold.StatusFailed:
		if t.ExitCode != nil {
			return fmt.Sprintf("→ exit %d", *t.ExitCode)
		}
		if why := failure(t); why != "" {
			return "→ failed: " + why
		}
		return "→ failed"
	case retold.StatusCancelled:
		if paramsOf(t.Result).flag("rejected") {
			return "→ rejected"
		}
		return "→ cancelled"
	case retold.StatusPending:
		return "→ not finished"
	}
	if t.Kind == retold.ToolEdit {
		return edited(t)
	}
	if t.ExitCode != nil {
		return fmt.Sprintf("→ exit %d", *t.ExitCode)
	}
	return ""
}

func edited(t *retold.ToolCall) string {
	if t.Diff == "" {
		if strings.Contains(strings.ToLower(t.Name), "delete") {
			return ""
		}
		return "(diff not stored)"
	}
	added, removed := render.DiffStat(t.Diff)
	return fmt.Sprintf("+%d −%d", added, removed)
}

// failure is the reason stored with a failed call, in a few words.
func failure(t *retold.ToolCall) string {
	text := asText(t.Result)
	if text == "" {
		p := paramsOf(t.Result)
		text = p.text("clientVisibleErrorMessage", "error", "errorMessage", "message", "modelVisibleErrorMessage", "reason")
		if inner := paramsOf(p["error"]); text == "" && inner != nil {
			text = inner.text("message", "clientVisibleErrorMessage", "error", "modelVisibleErrorMessage")
		}
	}
	return shorten(render.Line(head(text, 400)), 80)
}

func or(s, otherwise string) string {
	if strings.TrimSpace(s) == "" {
		return otherwise
	}
	return s
}

func quoted(lead, s string) string {
	if s = shorten(render.Line(head(s, 400)), 80); s == "" {
		return ""
	}
	return lead + "“" + s + "”"
}

// head is at most the first n bytes of s, so that a line about a huge text does
// not cost its size.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// shorten cuts s to n characters, an ellipsis where it was cut.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	count := 0
	for i := range s {
		if count++; count == n {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}
