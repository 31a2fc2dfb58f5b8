package cursorcli

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/jscan"
)

// readJSON reads the third encoding: one object that keeps text, thinking and
// calls apart.
func (t *transcript) readJSON(b []byte) {
	doc, err := jscan.Parse(b)
	if doc.Kind() != jscan.Object {
		t.lines["malformed"]++
		t.problems = append(t.problems, retold.Problem{Kind: retold.ProblemMalformed, Reason: "the transcript is not a JSON object"})
		return
	}
	if err != nil {
		t.problems = append(t.problems, retold.Problem{Kind: retold.ProblemMalformed, Reason: "the transcript is cut: " + err.Error()})
	}
	t.mode = doc.Get("mode").Str()
	n := 0
	for m := range doc.Get("messages").Items() {
		id := fmt.Sprintf("M%d", n)
		n++
		role := m.Get("role").Str()
		t.lines[first(role, "unknown")]++
		if role == "tool" {
			t.answer(m.Get("toolResult"))
			continue
		}
		t.thinking(id+".t", m.Get("thinking").Str())
		said := role
		if role != "user" && role != "assistant" && role != "system" {
			said = "system"
			t.problems = append(t.problems, retold.Problem{Key: "message " + id, Kind: retold.ProblemUnknown, Reason: fmt.Sprintf("a message of the unknown role %.60q", role)})
		}
		t.text(id, said, m.Get("text").Str())
		i := 0
		for call := range m.Get("toolCalls").Items() {
			t.call(fmt.Sprintf("%s.%d", id, i), call.First("toolName", "name").Str(), call.Get("toolCallId").Str(), call.First("args", "input"))
			i++
		}
	}
	if end := doc.Get("turnEnded"); !end.Empty() {
		t.lines["turn_ended"]++
		t.ended("end", end.Get("status").Str(), end.Get("error"))
	}
}

// answer puts a result, if one is written at all, on the first call of that name
// that has none.
func (t *transcript) answer(result jscan.Value) {
	out := result.First("result", "content", "text", "output")
	name := result.Get("toolName").Str()
	if out.Empty() {
		return
	}
	if !t.settle(name, out.Raw()) {
		t.problems = append(t.problems, retold.Problem{Kind: retold.ProblemMissing, Reason: fmt.Sprintf("a result of the tool %.60q, which was not called", name)})
	}
}

// settle gives a call of that name its result; false when there is none without.
func (t *transcript) settle(name string, result json.RawMessage) bool {
	for i := len(t.messages) - 1; i >= 0 && t.messages[i].Role != retold.RoleUser; i-- {
		if tool := t.messages[i].Tool; tool != nil && tool.Name == name && tool.Result == nil {
			tool.Result, tool.Status = result, retold.StatusCompleted
			return true
		}
	}
	return false
}

// argument is a line of a tool call in the text encoding.
var argument = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^  ([A-Za-z_][A-Za-z0-9_]*): ?(.*)$`) })

// readText reads the text encoding. It is meant for people: a line of an answer
// that looks like a heading is taken for one when it follows an empty line. What
// stands indented below a tool call needs no empty line to end.
func (t *transcript) readText(s string) {
	p := textParser{t: t}
	blank := true
	for line := range strings.Lines(s) {
		p.line++
		text := strings.TrimRight(line, "\r\n")
		free := blank || p.tool != "" || p.role == "tool" || p.role == ""
		switch {
		case free && (text == "user:" || text == "assistant:" || text == "system:"):
			p.flush()
			p.role, p.start = strings.TrimSuffix(text, ":"), p.line
			t.lines[p.role]++
		case free && strings.HasPrefix(text, "[Tool result] "):
			p.flush()
			p.role, p.result, p.start = "tool", strings.TrimPrefix(text, "[Tool result] "), p.line
			t.lines["tool"]++
		case free && strings.HasPrefix(text, "Turn ended:"):
			p.flush()
			p.role = ""
			t.lines["turn_ended"]++
			status, reason, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(text, "Turn ended:")), "."), ": ")
			t.ended(fmt.Sprintf("T%d", p.line), status, jscan.Value(errorText(reason)))
		case (p.role == "assistant" || p.role == "tool") && strings.HasPrefix(text, "[Thinking]"):
			p.flush()
			p.role = "assistant"
			thought := strings.TrimPrefix(strings.TrimPrefix(text, "[Thinking]"), " ")
			t.thinking(fmt.Sprintf("T%d", p.line), first(thought, agentstate.Redacted))
			p.start = p.line + 1
		case (p.role == "assistant" || p.role == "tool") && strings.HasPrefix(text, "[Tool call] "):
			p.flush()
			p.role = "assistant"
			p.tool, p.start = strings.TrimPrefix(text, "[Tool call] "), p.line
		default:
			p.body = append(p.body, line)
		}
		blank = text == ""
	}
	p.flush()
}

func errorText(reason string) []byte {
	if reason == "" {
		return nil
	}
	return quoted(reason)
}

// textParser gathers the lines of one block.
type textParser struct {
	t      *transcript
	role   string
	tool   string // name, while its arguments are read
	result string // name of the tool whose result is read
	body   []string
	line   int
	start  int
}

// flush ends a block.
func (p *textParser) flush() {
	body, id := p.body, fmt.Sprintf("T%d", p.start)
	p.body = nil
	if p.tool != "" {
		args, rest := arguments(body)
		p.t.call(id, p.tool, "", jscan.Value(args))
		p.tool = ""
		p.t.text(id+"r", p.role, trimBlock(rest))
		return
	}
	text := trimBlock(strings.Join(body, ""))
	switch {
	case strings.TrimSpace(text) == "":
	case p.role == "":
		p.t.problems = append(p.t.problems, retold.Problem{
			Key: fmt.Sprintf("line %d", p.line), Kind: retold.ProblemMalformed,
			Reason: fmt.Sprintf("text above this line belongs to nobody: %.60q", strings.TrimSpace(text)),
		})
	case p.role == "tool":
		if !p.t.settle(p.result, quoted(text)) {
			p.t.text(id, "system", text)
		}
	default:
		p.t.text(id, p.role, text)
	}
}

// trimBlock takes off the line breaks that end a block.
func trimBlock(s string) string { return strings.TrimRight(s, "\r\n") }

// arguments reads "  key: value" lines into an object of strings; lines that are
// no key continue the value above. What follows an empty line is text again.
func arguments(body []string) (json.RawMessage, string) {
	var keys []string
	values := map[string]string{}
	for i, line := range body {
		text := strings.TrimRight(line, "\r\n")
		m := argument().FindStringSubmatch(text)
		switch {
		case m != nil:
			if _, ok := values[m[1]]; !ok {
				keys = append(keys, m[1])
			}
			values[m[1]] = m[2]
		case len(keys) > 0 && text != "":
			values[keys[len(keys)-1]] += "\n" + text
		case strings.TrimSpace(strings.Join(body[i:], "")) == "":
			return object(keys, values), ""
		case text == "" && len(keys) > 0: // a value with an empty line in it
			values[keys[len(keys)-1]] += "\n"
		default:
			return object(keys, values), strings.Join(body[i:], "")
		}
	}
	return object(keys, values), ""
}

func object(keys []string, values map[string]string) json.RawMessage {
	out := []byte{'{'}
	for i, k := range keys {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, quoted(k)...), ':')
		v := values[k]
		if inner := jscan.Value(v); (inner.Kind() == jscan.Object || inner.Kind() == jscan.Array) && json.Valid(inner) {
			out = append(out, inner...)
		} else {
			out = append(out, quoted(v)...)
		}
	}
	return append(out, '}')
}
