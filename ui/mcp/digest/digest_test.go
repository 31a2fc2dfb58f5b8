package digest_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/ui/mcp/digest"
)

// story makes messages out of short lines: a role, or a kind of tool with its
// status, and what it says.
func story(lines ...retold.Message) []retold.Message {
	for i := range lines {
		lines[i].Index = i
	}
	return lines
}

func says(role retold.Role, text string) retold.Message {
	return retold.Message{Role: role, Content: text}
}

func runs(command string, code int, output string) retold.Message {
	params, _ := json.Marshal(map[string]string{"command": command})
	result, _ := json.Marshal(map[string]string{"output": output})
	status := retold.StatusCompleted
	if code != 0 {
		status = retold.StatusFailed
	}
	return retold.Message{Role: retold.RoleTool, Tool: &retold.ToolCall{Kind: retold.ToolShell, Params: params, Result: result, ExitCode: &code, Status: status}}
}

func edits(path string, status retold.ToolStatus, diff string) retold.Message {
	return retold.Message{Role: retold.RoleTool, Tool: &retold.ToolCall{Kind: retold.ToolEdit, Files: []string{path}, Status: status, Diff: diff}}
}

func todos(params string) retold.Message {
	return retold.Message{Role: retold.RoleTool, Tool: &retold.ToolCall{Kind: retold.ToolTodo, Params: json.RawMessage(params), Status: retold.StatusCompleted}}
}

func TestTodos(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []retold.Message
		want []string
	}{
		{"none", story(says(retold.RoleUser, "hello")), nil},
		{"one list", story(todos(`{"todos":[{"id":"1","content":"write","status":"completed"},{"id":"2","content":"test","status":"pending"}]}`)), []string{"0 test pending"}},
		{"merged", story(
			todos(`{"todos":[{"id":"1","content":"write","status":"in_progress"},{"id":"2","content":"test","status":"pending"}]}`),
			todos(`{"merge":true,"todos":[{"id":"1","status":"completed"},{"id":"3","content":"ship","status":"pending"}]}`)), []string{"0 test pending", "1 ship pending"}},
		{"replaced", story(
			todos(`{"todos":[{"id":"1","content":"write","status":"pending"}]}`), todos(`{"merge":false,"todos":[{"content":"other","status":"TODO_STATUS_PENDING"}]}`)), []string{"1 other TODO_STATUS_PENDING"}},
		{"as text", story(todos(`{"todos":"[{\"content\":\"write\",\"status\":\"pending\"}]"}`)), []string{"0 write pending"}},
		{"cancelled", story(todos(`{"todos":[{"content":"write","status":"cancelled"},{"content":"x","status":"DONE"}]}`)), nil},
		{"odd", story(todos(`{"todos":{"content":"write"}}`), todos(`null`), todos(`[]`)), nil},
	} {
		var got []string
		for _, o := range digest.OpenTodos(c.in) {
			got = append(got, fmt.Sprint(o.Message.Index, " ", o.Text, " ", o.Status))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestLastFailing(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []retold.Message
		want string
	}{
		{"none", story(runs("ls", 0, "")), ""},
		{"the last", story(runs("make", 2, "a"), runs("curl x", 7, "no host")), "curl x: no host"},
		{"made good", story(runs("curl x", 7, ""), runs("curl  x", 0, "")), ""},
		{"made good as a part", story(runs("curl x", 7, ""), runs("cd a && curl x", 0, "")), ""},
		{"tests made good by another test", story(runs("go test ./a", 1, ""), runs("npm --prefix web test", 0, "")), ""},
		{"tests not made good by a listing", story(runs("go test ./a", 1, "FAIL"), runs("ls", 0, "")), "go test ./a: FAIL"},
		{"fails again", story(runs("x", 0, ""), runs("x", 1, "again")), "x: again"},
	} {
		got := ""
		if f := digest.LastFailing(digest.Commands(c.in)); f != nil {
			got = f.Text + ": " + f.Output
		}
		if got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

func TestIsTest(t *testing.T) {
	for _, line := range []string{
		"go test ./...", "cd web && npm test", "npm --prefix web test", "npm run lint", "pnpm -C web run test:unit", "yarn build", "npx vitest run", "pytest -q", "python -m pytest",
		"cargo test --all", "make check", "make", "./gradlew test", "mvn -q verify", "dotnet test", "golangci-lint run", "tsc --noEmit", "bundle exec rspec",
	} {
		if !digest.IsTest(line) {
			t.Errorf("%s is no test", line)
		}
	}
	for _, line := range []string{"ls test", "git commit -m 'go testing'", "cat makefile", "echo hello", "rm -rf build", "npm install", "go run .", "grep -r jestful"} {
		if digest.IsTest(line) {
			t.Errorf("%s is a test", line)
		}
	}
}

func TestUnfinishedEdits(t *testing.T) {
	done, waiting, rejected, failed := retold.StatusCompleted, retold.StatusPending, retold.StatusCancelled, retold.StatusFailed
	for _, c := range []struct {
		name string
		in   []retold.Message
		want []string
	}{
		{"made, nothing tested", story(edits("a.go", done, "")), nil},
		{"made and tested", story(edits("a.go", done, ""), runs("go test", 0, "")), nil},
		{"made after the test", story(edits("a.go", done, ""), runs("go test", 0, ""), edits("b.go", done, "")), []string{"2 b.go edited after the last test that passed"}},
		{"test failed since", story(runs("go test", 0, ""), edits("a.go", done, ""), runs("go test", 1, "")), []string{"1 a.go edited after the last test that passed"}},
		{"rejected", story(edits("a.go", rejected, "")), []string{"0 a.go cancelled or rejected"}},
		{"rejected and made later", story(edits("a.go", rejected, ""), edits("a.go", done, "")), nil},
		{"waiting", story(edits("a.go", done, ""), edits("a.go", waiting, "")), []string{"1 a.go never finished"}},
		{"failed", story(edits("b.go", failed, ""), edits("a.go", failed, "")), []string{"0 b.go failed", "1 a.go failed"}},
	} {
		var got []string
		for _, u := range digest.UnfinishedEdits(c.in) {
			got = append(got, fmt.Sprint(u.Message.Index, " ", u.Path, " ", u.Why))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestChanges(t *testing.T) {
	diff := "--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,3 @@\n-old\n+new\n+--- more\n same\n@@ -9 +10 @@\n--- gone\n"
	got := digest.Changes(story(
		edits("a.go", retold.StatusCompleted, diff), edits("b.go", retold.StatusCompleted, ""), edits("c.go", retold.StatusFailed, diff), edits("a.go", retold.StatusCompleted, diff)))
	var told []string
	for _, c := range got {
		told = append(told, fmt.Sprint(c.Path, " ", c.Edits, " +", c.Added, " -", c.Removed, " ", c.Last.Index))
	}
	if diff := cmp.Diff([]string{"b.go 1 +0 -0 1", "a.go 2 +4 -4 3"}, told); diff != "" {
		t.Error(diff)
	}
}

func TestDecisions(t *testing.T) {
	got := digest.Decisions(story(
		says(retold.RoleUser, "Hello there. Let's use SQLite instead of Postgres. What do you think?"),
		says(retold.RoleThinking, "I decided nothing."),
		says(retold.RoleAssistant, "Fine.\n```\nlet's use // in code\n```\nWe'll keep v1.2 for now, e.g. the old one! Nothing else."),
		retold.Message{Role: retold.RoleUser, Content: "We decided otherwise.", Orphan: true},
	))
	var told []string
	for _, f := range got {
		told = append(told, fmt.Sprint(f.Message.Index, " ", f.Text))
	}
	if diff := cmp.Diff([]string{"0 Let's use SQLite instead of Postgres.", "2 We'll keep v1.2 for now, e.g. the old one!"}, told); diff != "" {
		t.Error(diff)
	}
}

// A sentence that leads in has what it leads to; plans and answers are decisions,
// with what was not chosen.
func TestDecisionsInLists(t *testing.T) {
	tool := func(kind retold.ToolKind, params, result string) retold.Message {
		return retold.Message{Role: retold.RoleTool, Tool: &retold.ToolCall{Kind: kind, Name: "x", Params: json.RawMessage(params), Result: json.RawMessage(result), Status: retold.StatusCompleted}}
	}
	got := digest.Decisions(story(
		says(retold.RoleAssistant, "Fine. We decided this:\n\n- SQLite\n- no server\n\nMore later."),
		says(retold.RoleUser, "We'll use this:\n```sql\nCREATE TABLE x\n\nDROP y\n```\nand no more."),
		tool(retold.ToolOther, `{"title":"T","questions":[{"id":"q","prompt":"Which?","options":[{"id":"a","label":"One"},{"id":"b","label":"Two"}]}]}`, `{"answers":[{"questionId":"q","selectedOptionIds":["b"],"freeformText":"but small"}]}`),
		tool(retold.ToolOther, `{"questions":[{"id":"q","prompt":"Sure?","options":[]}]}`, `null`),
		tool(retold.ToolPlan, `{"name":"P","overview":"Why","plan":"1. a","todos":[{"content":"do","status":"pending"}]}`, `{"rejected":{"reason":"too long"}}`),
		runs("grep decided", 0, "we decided nothing"),
	))
	var told []string
	for _, f := range got {
		told = append(told, fmt.Sprint(f.Message.Index, " ", f.Text))
	}
	if diff := cmp.Diff([]string{
		"0 We decided this:\n- SQLite\n- no server",
		"1 We'll use this:\n```sql\nCREATE TABLE x\n\nDROP y\n```",
		"2 Which?\n- One (not chosen)\n- Two ← chosen\nAnswer: but small",
		"3 Sure?\n(no answer is recorded)",
		"4 Why\n1. a\n- do (pending)\nThe plan was rejected. too long",
	}, told); diff != "" {
		t.Error(diff)
	}
}

// What a reader is told of a tool call besides its line.
func TestTell(t *testing.T) {
	for _, c := range []struct {
		kind         retold.ToolKind
		params, came string
		want         digest.Told
	}{
		{retold.ToolTask, `{"prompt":"look","description":"d"}`, `{"agentId":"a"}`, digest.Told{Asked: "look"}},
		{retold.ToolMCP, `{"sql":"SELECT 1","limit":3,"x":null}`, `{"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}`, digest.Told{Asked: "sql: SELECT 1\nlimit: 3", Came: "one\ntwo"}},
		{retold.ToolMCP, `{}`, `{"content":[{"type":"image","data":"x"}]}`, digest.Told{Came: `{"content":[{"type":"image","data":"x"}]}`}},
		{retold.ToolShell, `{"command":"ls"}`, `{"output":"a"}`, digest.Told{Came: "a"}},
		{retold.ToolShell, `{"command":"cat <<E\nx\nE"}`, `"b"`, digest.Told{Asked: "cat <<E\nx\nE", Came: "b"}},
		{retold.ToolRead, `{"path":"a"}`, `{"contents":"text"}`, digest.Told{Came: "text"}},
		{retold.ToolTodo, `{"todos":[{"content":"c","status":"done"}]}`, `{"x":1}`, digest.Told{Asked: "- c (done)"}},
	} {
		got := digest.Tell(&retold.ToolCall{Kind: c.kind, Params: json.RawMessage(c.params), Result: json.RawMessage(c.came)})
		if got != c.want {
			t.Errorf("%s %s: %+v", c.kind, c.params, got)
		}
	}
}

func TestStopped(t *testing.T) {
	pending := retold.Message{Role: retold.RoleTool, Tool: &retold.ToolCall{Kind: retold.ToolShell, Status: retold.StatusPending}}
	for _, c := range []struct {
		name string
		in   []retold.Message
		want string
	}{
		{"nothing", nil, ""},
		{"asked", story(says(retold.RoleUser, "why?")), "asked why? unanswered"},
		{"answered", story(says(retold.RoleUser, "why?"), says(retold.RoleAssistant, "so")), "asked why? answered so"},
		{"asked again", story(says(retold.RoleUser, "why?"), says(retold.RoleAssistant, "so"), says(retold.RoleUser, "sure?")), "asked sure? unanswered"},
		{"running", story(says(retold.RoleUser, "why?"), pending), "asked why? running"},
		{"ran on", story(says(retold.RoleUser, "why?"), pending, says(retold.RoleAssistant, "so")), "asked why? answered so"},
		{"error", story(says(retold.RoleUser, "why?"), says(retold.RoleError, "limit")), "asked why? unanswered error limit"},
	} {
		e, got := digest.Stopped(c.in), ""
		add := func(what string, f *digest.Finding) {
			if f != nil {
				got += " " + what
				if f.Text != "" {
					got += " " + f.Text
				}
			}
		}
		add("asked", e.Asked)
		add("answered", e.Answered)
		if e.Unanswered {
			got += " unanswered"
		}
		add("error", e.Error)
		add("running", e.Running)
		if got != "" {
			got = got[1:]
		}
		if got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

func TestOutput(t *testing.T) {
	for in, want := range map[string]string{
		`"text"`: "text", `{"output":"o"}`: "o", `{"stdout":"o","stderr":"e"}`: "o\ne", `{"stderr":"e"}`: "e", `"{\"output\":\"inner\"}"`: "inner", `[1]`: "", `null`: "", ``: "", `{"error":"no"}`: "no",
	} {
		if got := digest.Output(json.RawMessage(in)); got != want {
			t.Errorf("%s: %q", in, got)
		}
	}
}
