package cursor

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// toolData is a toolFormerData record (formats C.5) with its strings of JSON
// opened.
type toolData struct {
	id               int64
	name, callID     string
	status, decision string
	params, args     jscan.Value // params are Cursor's, args the model's own
	result, failure  jscan.Value
	extra            jscan.Value // additionalData
	binary           string      // toolCallBinary, base64
	rawArgs          jscan.Value // as stored, for what is no JSON

	// Whether the bytes are the value's own, not the record's.
	ownParams, ownArgs, ownResult bool

	members *toolResult // of result, once asked for
	texts   *fileTexts  // nil: none are kept
}

// isTool reports whether the record names a call; toolFormerData also occurs
// empty or with display state only.
func isTool(v jscan.Value) bool {
	if v.Kind() != jscan.Object {
		return false
	}
	for key, m := range v.Members() {
		switch string(key) {
		case "tool", "name", "toolCallId", "rawArgs", "params", "result":
			if n, ok := m.Int(); !m.Empty() && (m.Kind() != jscan.Number || ok && n != 0) {
				return true
			}
		}
	}
	return false
}

func decodeTool(v jscan.Value) toolData {
	var t toolData
	for key, m := range v.Members() {
		switch string(key) {
		case "tool":
			t.id, _ = m.Int()
		case "name":
			t.name = m.Str()
		case "toolCallId":
			t.callID = m.Str()
		case "status":
			t.status = m.Str()
		case "userDecision":
			t.decision = m.Str()
		case "params":
			t.params, t.ownParams = m.Open()
		case "rawArgs":
			t.rawArgs = m
			t.args, t.ownArgs = m.Open()
		case "result":
			t.result, t.ownResult = m.Open()
		case "error":
			t.failure = m.Embedded()
		case "additionalData":
			t.extra = m
		case "toolCallBinary":
			t.binary = m.Str()
		}
	}
	return t
}

// call maps the record. The edit's diff and what only toolCallBinary holds are
// added by the caller, who can read other rows.
func (t *toolData) call() *retold.ToolCall {
	c := &retold.ToolCall{
		Name:   toolName(t.id, t.name),
		Kind:   t.kind(),
		CallID: t.callID,
		Status: t.outcome(),
	}
	t.mcp(c)
	if c.Params == nil {
		c.Params = t.parameters()
	}
	if c.Result == nil && !t.result.Empty() {
		c.Result = raw(t.result, t.ownResult)
	}
	switch {
	case t.failure.Empty():
	case c.Result == nil:
		c.Result = t.failure.Raw()
	default: // both are stored
		c.Result = json.RawMessage(`{"error":` + string(t.failure.Raw()) + `,"result":` + string(c.Result) + `}`)
	}
	c.Files = t.files(c.Kind)
	if c.Kind == retold.ToolShell {
		c.ExitCode = t.exitCode()
		if c.ExitCode != nil && *c.ExitCode != 0 && c.Status == retold.StatusCompleted {
			c.Status = retold.StatusFailed
		}
	}
	return c
}

// raw is a value as JSON; one that has its own bytes is not copied.
func raw(v jscan.Value, own bool) json.RawMessage {
	if own {
		return v.RawShared()
	}
	return v.Raw()
}

// rawObject is raw for what has to be an object.
func rawObject(v jscan.Value, own bool) json.RawMessage {
	if own {
		return v.RawObjectShared()
	}
	return v.RawObject()
}

// kind is the tool's; a record without a number and with a name of the server's
// own is known by the shape of its parameters.
func (t *toolData) kind() retold.ToolKind {
	kind := toolKind(t.id, t.name)
	if kind == retold.ToolOther && t.id == 0 {
		for first := range t.params.Get("tools").Items() {
			if !first.Get("parameters").Empty() || !first.Get("serverName").Empty() {
				return retold.ToolMCP
			}
			break
		}
		if !t.params.Get("toolName").Empty() && t.params.Get("server").Kind() == jscan.String {
			return retold.ToolMCP
		}
	}
	return kind
}

// parameters are Cursor's own, with what only the model's arguments say added
// under their names (an explanation, the text of a refused edit); arguments that
// were cut while streaming are kept as they are.
func (t *toolData) parameters() []byte {
	switch {
	case t.params.Kind() == jscan.Object && !t.params.Empty():
		return t.addArguments(rawObject(t.params, t.ownParams))
	case t.args.Kind() == jscan.Object && !t.args.Empty():
		return rawObject(t.args, t.ownArgs)
	}
	if !t.rawArgs.Empty() {
		return t.rawArgs.RawObject()
	}
	return t.params.RawObject()
}

// addArguments adds the members of the arguments whose value is not in params
// already. The two name the same things differently (target_file, targetFile), so
// paths and switches are left to params.
func (t *toolData) addArguments(params []byte) []byte {
	if t.args.Kind() != jscan.Object || len(params) < 2 || params[len(params)-1] != '}' {
		return params
	}
	names := map[string]bool{}
	for name := range t.params.Members() {
		names[flatten.Replace(strings.ToLower(string(name)))] = true
	}
	open := params[: len(params)-1 : len(params)-1] // appending copies
	out := open
	for name, v := range t.args.Members() {
		if v.Empty() || v.Kind() == jscan.Bool || names[flatten.Replace(strings.ToLower(string(name)))] ||
			slices.Contains(pathKeys, string(name)) || v.Kind() != jscan.Number && bytes.Contains(t.params, v) {
			continue
		}
		quoted, err := json.Marshal(string(name))
		if err != nil { // a string always marshals
			continue
		}
		out = append(append(append(append(out, ','), quoted...), ':'), v.RawShared()...)
	}
	if len(out) == len(open) {
		return params
	}
	return append(out, '}')
}

// mcp unwraps the two forms in which a call of an MCP server is stored: the
// call's own arguments and answer are what a reader wants.
func (t *toolData) mcp(c *retold.ToolCall) {
	if c.Kind != retold.ToolMCP {
		return
	}
	server, tool, args := t.params.Get("server").Str(), t.params.Get("toolName").Str(), t.params.Get("toolArgs").Embedded()
	for first := range t.params.Get("tools").Items() {
		server, tool, args = first.Get("serverName").Str(), first.Get("name").Str(), first.Get("parameters").Embedded()
		break
	}
	if tool != "" && (t.name == "" || t.name == "call_mcp_tool" || t.name == "mcp") {
		c.Name = strings.TrimPrefix(server+"/"+tool, "/")
	}
	if args.Kind() == jscan.Object {
		c.Params = args.RawObject()
	}
	if inner := t.told().inner; !inner.Empty() {
		c.Result = inner.Embedded().Raw()
	}
}

// outcome folds the record's status, the person's decision and the result's own
// word into one. What a crash left loading or running stays pending.
func (t *toolData) outcome() retold.ToolStatus {
	status := t.status
	if status == "" {
		status = t.extra.Get("status").Str()
	}
	status = strings.ToLower(status)
	r := t.told()
	ended := r.endedReason.Str()
	switch {
	case strings.HasSuffix(ended, "EXECUTION_ABORTED"):
		return retold.StatusCancelled
	case t.decision == "rejected" || r.rejected.Bool() || r.rejected.Kind() == jscan.Object || t.extra.At("reviewData", "status").Str() == "rejected":
		return retold.StatusCancelled
	case status == "cancelled" || status == "canceled" || status == "aborted" || status == "rejected":
		return retold.StatusCancelled
	case status == "error" || status == "failed" || !t.failure.Empty():
		return retold.StatusFailed
	case status == "loading" || status == "running" || status == "pending":
		return retold.StatusPending
	case strings.HasSuffix(ended, "EXECUTION_FAILED") || r.failure.Kind() == jscan.Object || r.applyFailed.Bool() || r.nonExistent.Bool() || t.mcpFailed():
		return retold.StatusFailed
	case status != "completed" && status != "success" && t.result.Empty() && t.binary == "":
		return retold.StatusPending
	}
	return retold.StatusCompleted
}

// mcpFailed reads the protocol's own word for an answer that is an error.
func (t *toolData) mcpFailed() bool {
	return t.kind() == retold.ToolMCP && t.told().inner.Embedded().Get("isError").Bool()
}

// exitCode is the command's, from wherever a version kept it. A command that was
// refused or moved to the background before it ended has none, though a zero is
// stored.
func (t *toolData) exitCode() *int {
	r := t.told()
	if r.rejected.Bool() || r.popped.Bool() || r.background.Bool() || strings.HasSuffix(r.endedReason.Str(), "TIMEOUT") {
		return nil
	}
	for _, v := range []jscan.Value{r.exitCodeV2, r.exitCode, t.extra.Get("exitCode")} {
		if n := number(v); n != nil {
			return n
		}
	}
	return nil
}

// pathKeys are the members that name one file or folder, by preference.
// relativeWorkspacePath is absolute in spite of its name (formats C.6).
var pathKeys = []string{"relativeWorkspacePath", "targetFile", "target_file", "file_path", "filePath", "target_notebook", "path", "effectiveUri", "targetDirectory", "directoryPath"}

// files are the paths a call touched: those of its parameters, and for a patch
// those that the patch names. Folders that were merely listed or searched are in
// the parameters.
func (t *toolData) files(kind retold.ToolKind) []string {
	if kind == retold.ToolSearch || kind == retold.ToolList {
		return nil
	}
	return t.paths(kind)
}

// paths are the files and folders that a call names.
func (t *toolData) paths(kind retold.ToolKind) []string {
	if kind == retold.ToolShell || kind == retold.ToolMCP || kind == retold.ToolWeb {
		return nil
	}
	var found []string
	for _, v := range []jscan.Value{t.params, t.args} {
		if p := namedPath(v); p != "" {
			found = append(found, p)
			break
		}
	}
	for p := range t.args.Get("paths").Items() {
		found = append(found, p.Str())
	}
	if kind == retold.ToolEdit {
		for _, p := range patchFiles(t.patch()) {
			if !slices.ContainsFunc(found, func(f string) bool { return f == p || strings.HasSuffix(f, "/"+p) }) {
				found = append(found, p)
			}
		}
	}
	if kind == retold.ToolPlan {
		found = append(found, uriPath(t.told().planURI))
	}
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(found, func(p string) bool {
		twice := seen[p]
		seen[p] = true
		return twice
	})
}

// namedPath is what the first of the pathKeys that says anything says.
func namedPath(v jscan.Value) string {
	var said [16]jscan.Value // more than there are keys
	for name, m := range v.Members() {
		if i := slices.Index(pathKeys, string(name)); i >= 0 {
			said[i] = m
		}
	}
	for _, m := range said {
		if p := m.Str(); p != "" {
			return p
		}
	}
	return ""
}
