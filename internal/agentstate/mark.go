package agentstate

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// A Mark keeps what the stores of Cursor cannot say of a message of another
// agent: the members that would be read differently, as they were, beside what
// Cursor reads.
type Mark map[string]any

// MarkCall is the members of want that a store gives differently.
func MarkCall(want, got *retold.ToolCall) Mark {
	m := Mark{}
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
	if !SameJSON(want.Params, got.Params) {
		m["params"] = jsonOrNull(want.Params)
	}
	if !SameJSON(want.Result, got.Result) {
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

// RecallCall gives a call that was written by retold back what it was, as its
// mark says.
func RecallCall(mark jscan.Value, c *retold.ToolCall) {
	for name, v := range mark.Members() {
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
			c.ExitCode = nil
			if n, ok := v.Int(); ok {
				code := int(n)
				c.ExitCode = &code
			}
		}
	}
}

var allKinds = []retold.ToolKind{
	retold.ToolRead, retold.ToolEdit, retold.ToolShell, retold.ToolSearch, retold.ToolList, retold.ToolWeb,
	retold.ToolMCP, retold.ToolTask, retold.ToolTodo, retold.ToolPlan, retold.ToolOther,
}

// A transcript does not tell how a call ended: "".
var allStatuses = []retold.ToolStatus{"", retold.StatusCompleted, retold.StatusPending, retold.StatusFailed, retold.StatusCancelled}

// SameJSON compares two documents but for the white space between their parts.
func SameJSON(a, b json.RawMessage) bool {
	if (a == nil) != (b == nil) {
		return false
	}
	return a == nil || bytes.Equal(CompactJSON(a), CompactJSON(b))
}

// CompactJSON is a document without the white space between its parts, or what
// is no document as it is.
func CompactJSON(doc json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, doc) != nil {
		return doc
	}
	return b.Bytes()
}

func jsonOrNull(doc json.RawMessage) json.RawMessage {
	if doc == nil || !json.Valid(doc) {
		return json.RawMessage("null")
	}
	return CompactJSON(doc)
}

// SameCall reports whether two calls of tools that follow each other are of one
// call of the model, as far as it can be told: they belong to the same request,
// and no stored times tell them apart.
func SameCall(a, b *retold.Message) bool {
	if a.Tool == nil || b.Tool == nil || a.RequestID != b.RequestID {
		return false
	}
	dated := func(m *retold.Message) bool {
		return !m.Timestamp.IsZero() && (m.TimestampSource == retold.TimeStored || m.TimestampSource == "")
	}
	return dated(a) == dated(b) && (!dated(a) || a.Timestamp.Equal(b.Timestamp))
}
