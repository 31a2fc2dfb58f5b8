package cursor

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// What Cursor's own members cannot say of a call of another agent stands in
// toolFormerData.additionalData.retold, where Cursor lets anything stand: the
// members of the call that would come out differently, as they were.

// imported gives a call that was written by retold back what it was.
func (t *toolData) imported(c *retold.ToolCall) {
	for name, v := range t.extra.Get("retold").Members() {
		switch string(name) {
		case "name":
			c.Name = v.Str()
		case "kind":
			if k := retold.ToolKind(v.Str()); slices.Contains(allKinds, k) {
				c.Kind = k
			}
		case "callId":
			c.CallID = v.Str()
		case "status":
			if s := retold.ToolStatus(v.Str()); slices.Contains(allStatuses, s) {
				c.Status = s
			}
		case "params":
			c.Params = nil
			if v.Kind() == jscan.Object {
				c.Params = v.RawObject()
			}
		case "result":
			c.Result = nil
			if v.Kind() != jscan.Null {
				c.Result = v.Raw()
			}
		case "files":
			c.Files = nil
			for f := range v.Items() {
				c.Files = append(c.Files, f.Str())
			}
		case "diff":
			c.Diff = v.Str()
		case "exitCode":
			c.ExitCode = number(v)
		}
	}
}

var allKinds = []retold.ToolKind{
	retold.ToolRead, retold.ToolEdit, retold.ToolShell, retold.ToolSearch, retold.ToolList, retold.ToolWeb,
	retold.ToolMCP, retold.ToolTask, retold.ToolTodo, retold.ToolPlan, retold.ToolOther,
}

// A transcript does not tell how a call ended: "".
var allStatuses = []retold.ToolStatus{"", retold.StatusCompleted, retold.StatusPending, retold.StatusFailed, retold.StatusCancelled}

// differing is the members of want that a record gives differently.
func differing(want, got *retold.ToolCall) members {
	m := members{}
	if want.Name != got.Name {
		m["name"] = want.Name
	}
	if want.Kind != got.Kind {
		m["kind"] = want.Kind
	}
	if want.CallID != got.CallID {
		m["callId"] = want.CallID
	}
	if want.Status != got.Status {
		m["status"] = want.Status
	}
	if !sameJSON(want.Params, got.Params) {
		m["params"] = jsonOrNull(want.Params)
	}
	if !sameJSON(want.Result, got.Result) {
		m["result"] = jsonOrNull(want.Result)
	}
	if !slices.Equal(want.Files, got.Files) {
		m["files"] = append([]string{}, want.Files...)
	}
	if want.Diff != got.Diff {
		m["diff"] = want.Diff
	}
	if (want.ExitCode == nil) != (got.ExitCode == nil) || want.ExitCode != nil && *want.ExitCode != *got.ExitCode {
		m["exitCode"] = want.ExitCode
	}
	return m
}

// sameJSON compares two documents but for the white space between their parts.
func sameJSON(a, b json.RawMessage) bool {
	if (a == nil) != (b == nil) {
		return false
	}
	return a == nil || bytes.Equal(compact(a), compact(b))
}

func compact(doc json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, doc) != nil { // no JSON: then as it is
		return doc
	}
	return b.Bytes()
}

func jsonOrNull(doc json.RawMessage) json.RawMessage {
	if doc == nil || !json.Valid(doc) {
		return json.RawMessage("null")
	}
	return compact(doc)
}

// members is a JSON object in the making.
type members map[string]any

// encode writes JSON as JavaScript does, without escaping what HTML would need.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}
