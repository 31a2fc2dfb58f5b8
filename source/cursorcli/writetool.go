package cursorcli

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/jscan"
)

// members is a JSON object in the making.
type members map[string]any

// A draft is a call in the making: a tool of the agent with arguments and result
// in the members that it has.
type draft struct {
	call    *retold.ToolCall
	given   jscan.Value // what the model gave
	id      string
	variant string
	args    json.RawMessage
	result  json.RawMessage
}

// callID is what the providers of models take for the id of a call, and of
// nameable for the name of a tool.
var (
	callID   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`) })
	unnamed  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9_-]+`) })
	flatName = strings.NewReplacer("_", "", "-", "", " ", "")
)

// draftCalls drafts all calls of the conversation. Each has an id that no other
// has: by it an answer is found.
func (w *chat) draftCalls() {
	w.calls = make([]draft, len(w.talk))
	used := map[string]bool{}
	for i := range w.talk {
		m := &w.talk[i]
		if m.Role != retold.RoleTool {
			continue
		}
		call := m.Tool
		if call == nil {
			call = &retold.ToolCall{Name: "unknown tool", Kind: retold.ToolOther, Status: retold.StatusCompleted}
			m.Tool = call
		}
		id := call.CallID
		if !callID().MatchString(id) || used[id] {
			id = "call_" + strings.ReplaceAll(derivedID(w.id, m.ID, call.CallID), "-", "")
		}
		used[id] = true
		w.calls[i] = newDraft(call, id)
	}
}

func newDraft(call *retold.ToolCall, id string) draft {
	given, err := jscan.Parse(agentstate.CompactJSON(call.Params))
	if err != nil || given.Kind() != jscan.Object {
		given = jscan.Value("{}")
	}
	d := draft{call: call, given: given, id: id}
	if !d.native() {
		d.foreign()
	}
	d.outcome()
	return d
}

// encoded is the call as the agent keeps it. What its tool has no member for is
// left out here; see compare.
func (d *draft) encoded(at time.Time) []byte {
	n := agentstate.NewCall{Variant: d.variant, ID: d.id, Args: d.args, Result: d.result, Started: at}
	b, _ := n.Encode()
	return b
}

// fits reports whether a tool has members for all of this.
func fits(variant string, args, result json.RawMessage) bool {
	n := agentstate.NewCall{Variant: variant, Args: args, Result: result}
	_, ok := n.Encode()
	return ok
}

// variantsByName are the tools that models know under another name than that of
// the variant, in lower case without separators.
var variantsByName = map[string]string{
	"readfile": "read", "write": "edit", "strreplace": "edit", "searchreplace": "edit", "deletefile": "delete",
	"runterminalcmd": "shell", "bash": "shell", "listdir": "ls", "todowrite": "update_todos", "codebasesearch": "sem_search",
	"semanticsearch": "sem_search", "globfilesearch": "glob", "applypatch": "edit", "multiedit": "edit",
}

// native takes a call whose arguments are those of the agent's own tool of that
// name, and none beside them.
func (d *draft) native() bool {
	flat := flatName.Replace(strings.ToLower(d.call.Name))
	variant := variantsByName[flat]
	for v := range agentstate.Variants() {
		if flatName.Replace(v) == flat {
			variant = v
		}
	}
	if d.call.Kind == retold.ToolMCP && variant == "" && d.given.Get("name").Str() == d.call.Name {
		variant = "mcp"
	}
	if variant == "" || variant == "edit" && d.given.Get("path").Empty() || !fits(variant, json.RawMessage(d.given), nil) || !d.says(variant, d.given) {
		return false
	}
	d.variant, d.args = variant, json.RawMessage(d.given)
	if agentstate.NamesItself(variant) && d.given.Get("toolCallId") == nil {
		head, separator := d.given[:len(d.given)-1], ","
		if d.given.Len() == 0 {
			separator = ""
		}
		d.args = fmt.Appendf(nil, `%s%s"toolCallId":"%s"}`, head, separator, d.id)
	}
	return true
}

// needed are the members without which a tool shows nothing.
var needed = map[string]string{
	"read": "path", "edit": "path", "delete": "path", "shell": "command", "grep": "pattern", "glob": "globPattern", "sem_search": "query",
	"ls": "path", "web_fetch": "url", "web_search": "searchTerm", "task": "prompt", "update_todos": "todos", "create_plan": "plan", "mcp": "name",
}

func (d *draft) says(variant string, args jscan.Value) bool {
	return needed[variant] == "" || !args.Get(needed[variant]).Empty()
}

// foreign writes a call of another agent as the tool that does the same, else as
// the call of a server's tool, which may have any arguments.
func (d *draft) foreign() {
	if variant, m := d.likeness(); variant != "" {
		if agentstate.NamesItself(variant) {
			m["toolCallId"] = d.id
		}
		if doc, err := encodeJSON(m); err == nil && fits(variant, doc, nil) && d.says(variant, doc) {
			d.variant, d.args = variant, doc
			return
		}
	}
	server, tool := serverTool(d.call.Name)
	m := members{"name": server + "-" + tool, "args": d.given.Raw(), "toolCallId": d.id, "providerIdentifier": server, "toolName": tool}
	doc, err := encodeJSON(m)
	if err != nil || !fits("mcp", doc, nil) {
		m["args"] = members{}
		if doc, err = encodeJSON(m); err != nil { // texts always encode
			doc = []byte("{}")
		}
	}
	d.variant, d.args = "mcp", doc
}

// serverTool is the server and the tool that a name speaks of.
func serverTool(name string) (server, tool string) {
	server, tool, ok := strings.Cut(name, "/")
	for _, sep := range []string{"__", "-", "_"} {
		if rest, cut := strings.CutPrefix(name, "mcp"+sep); cut && !ok {
			server, tool, ok = strings.Cut(rest, sep)
		}
	}
	if ok && server != "" && tool != "" {
		return server, tool
	}
	if name == "" {
		name = "tool"
	}
	return "imported", name
}
