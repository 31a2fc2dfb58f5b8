package digest

import (
	"fmt"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// Told is what a reader wants of a tool call besides the line that sums it up.
type Told struct {
	Asked   string // what it was called with: a plan, a question with its options, a prompt, arguments
	Came    string // what came of it
	Decides bool   // Asked is something that a person was to decide about
}

// Tell reads a tool call as a person would. A diff stands for what an edit was
// called with and for what came of it.
func Tell(t *retold.ToolCall) Told {
	p := object(t.Params)
	out := Told{Came: output(t)}
	switch {
	case len(items(p.Get("questions"))) > 0:
		return Told{Asked: questions(p, object(t.Result)), Decides: true}
	case t.Kind == retold.ToolPlan:
		return Told{Asked: plan(p), Came: verdict(t), Decides: true}
	case t.Kind == retold.ToolTodo:
		if list := todoLines(p); list != "" {
			return Told{Asked: list}
		}
	case t.Kind == retold.ToolTask:
		if out.Asked = first(p, "prompt", "task", "instructions"); out.Asked != "" && first(object(t.Result), "agentId") != "" {
			out.Came = first(object(t.Result), "output", "result", "message", "error")
		}
	case t.Kind == retold.ToolShell:
		if line := first(p, "command", "cmd", "script"); len(line) > longLine || strings.Contains(line, "\n") {
			out.Asked = line
		}
	case t.Kind == retold.ToolMCP, t.Kind == retold.ToolOther, t.Kind == retold.ToolEdit && t.Diff == "":
		out.Asked = arguments(p)
	}
	return out
}

// longLine is how long a command is that the line of its call may not hold.
const longLine = 150

// output is what a call returned: its text, else its JSON.
func output(t *retold.ToolCall) string {
	if t.Diff != "" || len(t.Result) == 0 || string(t.Result) == "null" {
		return ""
	}
	if s := Output(t.Result); s != "" {
		return s
	}
	if s := contents(object(t.Result)); s != "" {
		return s
	}
	if v := jscan.Value(t.Result); v.Kind() == jscan.String {
		return v.Str()
	}
	return string(t.Result)
}

// contents are the texts that an MCP server returned; "" where there is anything
// else besides.
func contents(result jscan.Value) string {
	var texts []string
	all := items(result.Get("content"))
	for _, item := range all {
		if s := first(item, "text"); s != "" {
			texts = append(texts, s)
		}
	}
	if len(texts) < len(all) {
		return ""
	}
	return strings.Join(texts, "\n")
}

// questions are what a person was asked, with the options, and what they chose.
func questions(params, result jscan.Value) string {
	var lines []string
	answers := items(result.Get("answers"))
	for _, q := range items(params.Get("questions")) {
		lines = append(lines, first(q, "prompt", "question", "text", "title"))
		var answer jscan.Value
		for _, a := range answers {
			if first(a, "questionId", "id") == first(q, "id") {
				answer = a
			}
		}
		chosen := map[string]bool{}
		for id := range answer.Get("selectedOptionIds").Items() {
			chosen[id.Str()] = true
		}
		free, told := first(answer, "freeformText", "answer", "text"), false
		for _, o := range items(q.Get("options")) {
			line := "- " + first(o, "label", "text", "title")
			told = told || free != "" && strings.Contains(line, free)
			if chosen[first(o, "id")] {
				line += " ← chosen"
			} else if answer != nil {
				line += " (not chosen)"
			}
			lines = append(lines, line)
		}
		switch {
		case free != "" && !told:
			lines = append(lines, "Answer: "+free)
		case answer == nil:
			lines = append(lines, "(no answer is recorded)")
		}
	}
	return strings.Join(lines, "\n")
}

func plan(p jscan.Value) string {
	var parts []string
	for _, name := range []string{"overview", "plan", "content", "text"} {
		if s := first(p, name); s != "" {
			parts = append(parts, s)
		}
	}
	if list := todoLines(p); list != "" {
		parts = append(parts, list)
	}
	if len(parts) == 0 {
		return arguments(p)
	}
	return strings.Join(parts, "\n")
}

// verdict is what became of a plan.
func verdict(t *retold.ToolCall) string {
	result := object(t.Result)
	for _, name := range []string{"accepted", "rejected", "cancelled"} {
		switch v := result.Get(name); v.Kind() {
		case jscan.Object:
			return strings.TrimSpace("The plan was " + name + ". " + first(v, "reason", "feedback", "message"))
		case jscan.Bool:
			if v.Bool() {
				return "The plan was " + name + "."
			}
		}
	}
	return ""
}

func todoLines(p jscan.Value) string {
	var lines []string
	for _, e := range items(p.Get("todos")) {
		line := "- " + first(e, "content", "text", "title", "task", "id")
		if status := first(e, "status", "state"); status != "" {
			line += " (" + status + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// arguments are the members of an object, one after the other.
func arguments(p jscan.Value) string {
	var lines []string
	for name, v := range p.Members() {
		switch v.Kind() {
		case jscan.String:
			if s := strings.TrimSpace(v.Str()); s != "" {
				lines = append(lines, fmt.Sprintf("%s: %s", name, s))
			}
		case jscan.Null:
		default:
			lines = append(lines, fmt.Sprintf("%s: %s", name, []byte(v)))
		}
	}
	return strings.Join(lines, "\n")
}
