package cursor

import (
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/jscan"
)

// The tools of Cursor that calls of other agents are written as.
const (
	idDelete   = 11
	idShell    = 15
	idWebFind  = 18
	idMCP      = 19
	idTodo     = 35
	idEdit     = 38
	idList     = 39
	idRead     = 40
	idGrep     = 41
	idGlob     = 42
	idPlan     = 43
	idTask     = 48
	idCallMCP  = 49
	idWebFetch = 57
)

// toolsByName are the tools that go by a name of models in lower case without
// separators, the newest first. Those of the table of tools go by theirs too.
var toolsByName = map[string][]int64{
	"readfile": {idRead, 5}, "listdir": {idList, 6}, "editfile": {idEdit, 7}, "searchreplace": {idEdit, 7},
	"write": {idEdit}, "applypatch": {idEdit}, "multiedit": {idEdit}, "editnotebook": {idEdit},
	"runterminalcmd": {idShell}, "runterminalcommand": {idShell}, "rg": {idGrep}, "ripgreprawsearch": {idGrep},
	"grepsearch": {3, idGrep}, "semanticsearchfull": {9}, "task": {idTask, 32},
}

// A penman writes the calls of one conversation as Cursor's bubbles keep them.
type penman struct {
	read  rows // records of the database that is written to
	texts []fileText
	known map[string]string // texts by their keys

	last      *retold.Message // the call before, of the same conversation
	modelCall string          // the model's answer that the call is a part of
	index     int             // and its place among the calls of that answer
}

// number gives a call its place among those that the model made in one answer
// (formats C.5): calls that follow each other, as far as nothing tells them apart.
func (p *penman) number(id string, m *retold.Message) {
	if p.last != nil && agentstate.SameCall(p.last, m) {
		p.index++
	} else {
		p.index, p.modelCall = 0, derivedID(id, m.ID, "model call")
	}
	p.last = m
}

// A fileText is a row composer.content.<hash>.
type fileText struct{ key, text string }

// A draft is a toolFormerData in the making.
type draft struct {
	call   *retold.ToolCall
	id     int64
	name   string
	args   jscan.Value // the model's arguments
	params []byte
	result []byte // nil for none
	fail   []byte
}

// former is a call as toolFormerData.
func (p *penman) former(c *retold.ToolCall, callID string) ([]byte, error) {
	args, err := jscan.Parse(agentstate.CompactJSON(c.Params))
	if err != nil || args.Kind() != jscan.Object {
		args = jscan.Value("{}")
	}
	d := &draft{call: c, name: c.Name, args: args}
	if !d.native() {
		d.foreign()
	}
	d.outcome()
	if d.id == idEdit {
		if err := p.edited(d); err != nil {
			return nil, err
		}
	}
	if d.name == "" {
		d.name = toolName(d.id, "")
	}
	record := members{
		"tool": d.id, "toolIndex": p.index, "modelCallId": p.modelCall, "toolCallId": callID, "status": formerStatus(c.Status), "name": d.name,
		"rawArgs": string(args), "params": string(d.params), "additionalData": members{},
	}
	if d.result != nil {
		record["result"] = string(d.result)
	}
	if d.fail != nil {
		record["error"] = string(d.fail)
	}
	doc, err := encode(record)
	if err != nil {
		return nil, err
	}
	if lost := agentstate.MarkCall(c, p.reading(doc)); len(lost) > 0 {
		record["additionalData"] = members{"retold": lost}
		return encode(record)
	}
	return doc, nil
}

// reading is the call that a record is read as.
func (p *penman) reading(doc []byte) *retold.ToolCall {
	m := &mapper{composer: &composer{}, index: &blockIndex{}, read: p.content}
	b := &bubble{tool: doc}
	return m.tool(b)
}

// content finds a row that is there or about to be.
func (p *penman) content(key string) ([]byte, bool) {
	if text, ok := p.known[key]; ok {
		return []byte(text), true
	}
	if p.read == nil {
		return nil, false
	}
	return p.read(key)
}

// formerStatus is never one of a call under way, which Cursor would wait for.
func formerStatus(s retold.ToolStatus) string {
	switch s {
	case retold.StatusFailed:
		return "error"
	case retold.StatusPending, retold.StatusCancelled:
		return "cancelled"
	}
	return "completed"
}

// native takes a call whose parameters are Cursor's own for a tool of that name.
func (d *draft) native() bool {
	flat := flatten.Replace(strings.ToLower(d.call.Name))
	ids := toolsByName[flat]
	for id, t := range tools {
		if len(ids) == 0 && flatten.Replace(t.name) == flat {
			ids = []int64{id}
		}
	}
	all := toolShapes()
	for _, id := range ids {
		shape := all.tools[id]
		if id == idMCP || id == idCallMCP || shape.params == "" || toolKind(id, "") != d.call.Kind {
			continue
		}
		doc, kept := all.fitting(shape.params, d.args)
		if kept == 0 || !says(id, jscan.Value(doc)) {
			continue
		}
		d.id, d.params = id, doc
		return true
	}
	return false
}

// needed are the members without which a tool shows nothing.
var needed = map[int64]string{
	5: "relativeWorkspacePath", 7: "relativeWorkspacePath", idDelete: "relativeWorkspacePath", idShell: "command", idWebFind: "searchTerm",
	idEdit: "relativeWorkspacePath", idList: "targetDirectory", idRead: "targetFile", idGrep: "pattern", idGlob: "globPattern",
	idTodo: "todos", idPlan: "plan", idTask: "prompt", idWebFetch: "url", 9: "query", 51: "questions",
}

func says(id int64, params jscan.Value) bool {
	return needed[id] == "" || !params.Get(needed[id]).Empty()
}

// foreign writes a call of another agent as the tool of Cursor that does the
// same, else as the call of a server's tool, which may have any arguments.
func (d *draft) foreign() {
	all := toolShapes()
	if id, m := d.likeness(); id != 0 {
		if doc, err := encode(m); err == nil && all.fits(all.tools[id].params, doc) && says(id, jscan.Value(doc)) {
			d.id, d.params = id, doc
			return
		}
	}
	server, tool := d.serverTool()
	doc, err := encode(members{"server": server, "toolName": tool, "toolArgs": d.args.Raw()})
	if err != nil || !all.fits("CallMcpToolParams", doc) {
		doc = []byte(`{"server":` + quoted(server) + `,"toolName":` + quoted(tool) + `,"toolArgs":{}}`)
	}
	d.id, d.params = idCallMCP, doc
}

// serverTool is the server and the tool that a name speaks of.
func (d *draft) serverTool() (server, tool string) {
	name := d.call.Name
	if server, tool, ok := strings.Cut(name, "/"); ok && d.call.Kind == retold.ToolMCP && server != "" && tool != "" {
		d.name = "call_mcp_tool"
		return server, tool
	}
	for _, sep := range []string{"__", "-", "_"} {
		rest, ok := strings.CutPrefix(name, "mcp"+sep)
		if server, tool, cut := strings.Cut(rest, sep); ok && cut && server != "" && tool != "" {
			return server, tool
		}
	}
	if name == "" {
		name = "tool"
	}
	return "imported", name
}
