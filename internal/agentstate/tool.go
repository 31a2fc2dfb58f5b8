package agentstate

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/retold-history/retold"
)

// Fields of agent.v1.ToolCall outside the oneof (formats E.4).
const (
	toolHookContexts = 54
	toolCallID       = 57
	toolStartedAt    = 59
	toolCompletedAt  = 60
	toolTruncated    = 34
)

// A ToolCall is an agent.v1.ToolCall. Its arguments and results are decoded by
// [ToolCall.Retold], when somebody wants to see them.
type ToolCall struct {
	ID        string // may hold line breaks
	Name      string // "shell", "edit", "web_search", …; "tool_81" for a variant newer than the table
	Number    int    // the variant's field number; 0 when none is stored
	Started   time.Time
	Completed time.Time

	raw    []byte // the whole ToolCall
	kind   string // the variant's message name, "" when unknown
	body   message
	result []byte // as stored, or with the content that it names filled in
	cut    bool   // the call itself is stored elsewhere and was not found
}

// DecodeToolCall reads an agent.v1.ToolCall, as stored in steps and, in base64,
// in a bubble's toolCallBinary. With an error the call may still be usable: it
// is nil only when nothing at all could be read.
func DecodeToolCall(b []byte) (*ToolCall, error) {
	m, err := parse(b)
	if len(m) == 0 {
		if err == nil {
			err = errWire
		}
		return nil, fmt.Errorf("read tool call: %w", err)
	}
	t := &ToolCall{raw: b, ID: m.text(toolCallID), Started: m.millis(toolStartedAt), Completed: m.millis(toolCompletedAt)}
	known := fields().messages["ToolCall"]
	for i := len(m) - 1; i >= 0 && t.Number == 0; i-- { // of a oneof the last counts
		f := m[i]
		if f.typ != protowire.BytesType || f.num == toolHookContexts || f.num == toolCallID {
			continue
		}
		t.Number, t.Name = int(f.num), fmt.Sprintf("tool_%d", f.num)
		ft, ok := known[f.num]
		if ok && ft.oneof == "tool" {
			t.kind, t.Name = ft.kind, snake(strings.TrimSuffix(ft.name, "ToolCall"))
		}
		body, bodyErr := parse(f.b)
		if err == nil {
			err = bodyErr
		}
		t.body = body
		if len(body.bytes(2)) > 0 || body.has(2) {
			t.result = body.bytes(2)
		}
	}
	t.cut = t.Number == toolTruncated
	if t.ID == "" {
		t.ID = t.argText("toolCallId")
	}
	if err != nil {
		return t, fmt.Errorf("read tool call: %w", err)
	}
	return t, nil
}

// snake turns webSearch back into web_search.
func snake(camel string) string {
	var b strings.Builder
	for i := range len(camel) {
		c := camel[i]
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}

// Retold says what the call was and what came of it.
func (t *ToolCall) Retold() *retold.ToolCall {
	out := &retold.ToolCall{Name: t.Name, CallID: t.ID, Kind: KindOf(t.Name)}
	if t.cut {
		return t.truncated(out)
	}
	out.Params = t.params()
	outcome := t.outcome()
	out.Status = statusOf(outcome, t.body.has(2))
	if t.body.has(2) {
		out.Result = renderMessage(t.result, t.typeOf(2))
	}
	switch t.Name {
	case "mcp":
		out.Name = t.mcpName()
		if outcome.name == "success" && outcome.body.uint(2) != 0 { // McpSuccess.is_error
			out.Status = retold.StatusFailed
		}
	case "shell":
		out.ExitCode = t.shellExit(outcome)
		if outcome.name == "failure" && (outcome.body.uint(11) != 0 || outcome.body.uint(10) == 1) { // aborted, by the user
			out.Status = retold.StatusCancelled
		}
	case "await":
		out.ExitCode = awaitExit(outcome)
	}
	out.Files = t.files(outcome)
	out.Diff = t.diff(outcome)
	return out
}

// truncated says what little a call that was cut off still tells: neither what
// was asked nor what came of it, but whether it failed (TruncatedToolCall 3).
func (t *ToolCall) truncated(out *retold.ToolCall) *retold.ToolCall {
	result := t.body.sub(3)
	switch {
	case result.has(2):
		out.Status = retold.StatusFailed
		out.Result = renderMessage(t.body.bytes(3), t.typeOf(3))
	case result.has(1):
		out.Status = retold.StatusCompleted
	}
	return out
}

// typeOf names the message type of a member of the variant: 1 is args, 2 result.
func (t *ToolCall) typeOf(num protowire.Number) string {
	return fields().messages[t.kind][num].kind
}

// params renders the arguments, with what the variant says beside them (a
// shell's description, a task's cloud agent).
func (t *ToolCall) params() json.RawMessage {
	var extra message
	for _, f := range t.body {
		if f.num > 2 {
			extra = append(extra, f)
		}
	}
	if !t.body.has(1) && len(extra) == 0 {
		return nil
	}
	args := renderMessage(t.body.bytes(1), t.typeOf(1))
	given, _ := parse(t.body.bytes(1))
	named := map[string]bool{}
	for _, f := range given {
		named[fields().messages[t.typeOf(1)][f.num].name] = true
	}
	for _, g := range group(extra) {
		ft, ok := fields().messages[t.kind][g[0].num]
		if ok && named[ft.name] {
			continue
		}
		out := args[:len(args)-1]
		if len(out) > 1 {
			out = append(out, ',')
		}
		if ok {
			out = appendField(append(appendString(out, ft.name), ':'), g[len(g)-1], ft, 0)
		} else {
			out = appendUnknown(append(appendString(out, fmt.Sprint(g[0].num)), ':'), g, 0)
		}
		args = append(out, '}')
	}
	return args
}

// argText reads a string argument by its JSON name.
func (t *ToolCall) argText(name string) string {
	args, _ := parse(t.body.bytes(1))
	return textNamed(args, t.typeOf(1), name)
}

// textNamed reads a string field of a message by its JSON name.
func textNamed(m message, kind, name string) string {
	for num, ft := range fields().messages[kind] {
		if ft.name == name && ft.kind == "string" && !ft.repeated {
			return m.text(num)
		}
	}
	return ""
}

// mcpName is the server's name for the tool.
func (t *ToolCall) mcpName() string {
	args, _ := parse(t.body.bytes(1))
	for _, name := range []string{args.text(1), args.text(5)} { // McpArgs.name, tool_name
		if name != "" {
			return name
		}
	}
	return "mcp"
}

// resolve fills in what the result keeps in other blobs: the text that a read
// returned (ReadToolSuccess 10).
func (t *ToolCall) resolve(blob func(id []byte) ([]byte, error)) error {
	if t.Name != "read" {
		return nil
	}
	o := t.outcome()
	id := o.body.bytes(10)
	if o.name != "success" || !isID(id) {
		return nil
	}
	content, err := blob(id)
	if err != nil || content == nil {
		return err
	}
	success := protowire.AppendTag(append([]byte(nil), o.raw...), 1, protowire.BytesType)
	success = protowire.AppendBytes(success, content)
	t.result = protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), success)
	return nil
}
