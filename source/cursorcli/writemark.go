package cursorcli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/jscan"
)

// marksKey is the row of the table meta in which an imported store keeps what the
// agent's records cannot say. The agent asks only for its own row, "0", and the
// state knows nothing of it: it never reaches a model or a server.
const marksKey = "retold"

// A markSet is what that row holds.
type markSet struct {
	Version  int                        `json:"v"`
	Messages map[string]agentstate.Mark `json:"messages"`        // by the ids of what is read
	Aside    []retold.Message           `json:"aside,omitempty"` // messages that were no part of the conversation any more
}

// encode is the row's value, nil when there is nothing to keep.
func (s *markSet) encode() ([]byte, error) {
	if len(s.Messages)+len(s.Aside) == 0 {
		return nil, nil
	}
	return encodeJSON(s)
}

// markMessage is the members of want that are read differently.
func markMessage(want, got *retold.Message, id bool) agentstate.Mark {
	m := agentstate.Mark{}
	if want.Tool != nil && got.Tool != nil {
		m = agentstate.MarkCall(want.Tool, got.Tool)
	}
	if id && want.ID != got.ID {
		m["id"] = want.ID
	}
	if want.Role != got.Role {
		m["role"] = want.Role
	}
	if want.Content != got.Content {
		m["content"] = want.Content
	}
	if want.Model != got.Model {
		m["model"] = want.Model
	}
	if want.RequestID != got.RequestID {
		m["requestId"] = want.RequestID
	}
	if want.Tokens != nil {
		m["tokens"] = want.Tokens
	}
	if !slices.Equal(want.Attachments, got.Attachments) {
		m["attachments"] = append([]retold.Attachment{}, want.Attachments...)
	}
	switch known := !stored(want).IsZero() || want.TimestampSource == retold.TimeTiming; {
	case known && (!want.Timestamp.Equal(got.Timestamp) || want.TimestampSource != got.TimestampSource):
		m["timestamp"], m["timestampSource"] = want.Timestamp.Format(time.RFC3339Nano), want.TimestampSource
	case !known && !got.Timestamp.IsZero():
		m["timestamp"] = nil
	}
	return m
}

// readMarks is the row of marks; empty where a store has none.
func readMarks(conn *sqlite.Conn) (v jscan.Value, err error) {
	stmt, err := conn.Prepare("SELECT value FROM meta WHERE key = ?")
	if err != nil {
		return nil, err
	}
	stmt.BindText(1, marksKey)
	found, err := stmt.Step()
	var doc []byte
	if found {
		doc = column(stmt, 0)
	}
	if err = errors.Join(err, stmt.Reset()); err != nil || len(doc) == 0 {
		return nil, err
	}
	if v, err = jscan.Parse(doc); err != nil {
		return nil, fmt.Errorf("%w: %w", errMarks, err)
	}
	return v, nil
}

var errMarks = errors.New("what was kept of an import is damaged")

// recall gives what was imported back what the agent's records do not say of it.
func (p *part) recall(conn *sqlite.Conn, path string, v agentstate.View) error {
	marks, err := readMarks(conn)
	if errors.Is(err, errMarks) {
		p.problems = append(p.problems, retold.Problem{Path: path, Key: "meta " + marksKey, Kind: retold.ProblemMalformed, Reason: err.Error()})
		return nil
	}
	if err != nil || marks.Empty() {
		return err
	}
	byID := map[string]jscan.Value{}
	for id, mark := range marks.Get("messages").Members() {
		byID[string(id)] = mark
	}
	shown := p.messages[:0]
	for i := range p.messages {
		m := p.messages[i]
		mark, ok := byID[m.ID]
		if ok && mark.Get("hidden").Bool() {
			continue
		}
		if ok {
			recallMessage(mark, &m, v)
		}
		shown = append(shown, m)
	}
	p.messages = shown
	for aside := range marks.Get("aside").Items() {
		var m retold.Message
		if err := json.Unmarshal(aside, &m); err != nil {
			p.problems = append(p.problems, retold.Problem{Path: path, Key: "meta " + marksKey, Kind: retold.ProblemMalformed, Reason: "a message that was kept aside is damaged: " + err.Error()})
			continue
		}
		if v.Light && m.Tool != nil {
			m.Tool.Params, m.Tool.Result, m.Tool.Diff = nil, nil, ""
		}
		p.orphans = append(p.orphans, m)
	}
	return nil
}

func recallMessage(mark jscan.Value, m *retold.Message, v agentstate.View) {
	for name, value := range mark.Members() {
		switch string(name) {
		case "id":
			m.ID = value.Str()
		case "role":
			if r := retold.Role(value.Str()); slices.Contains(retold.Roles, r) && (r == retold.RoleTool) == (m.Tool != nil) {
				m.Role = r
			}
		case "content":
			m.Content = value.Str()
		case "model":
			m.Model = value.Str()
		case "requestId":
			m.RequestID = value.Str()
		case "tokens":
			in, _ := value.Get("input").Int()
			out, _ := value.Get("output").Int()
			m.Tokens = &retold.Tokens{Input: in, Output: out}
		case "attachments":
			m.Attachments = attachmentsOf(value)
		case "timestamp":
			m.Timestamp, m.TimestampSource = time.Time{}, ""
			if t, err := time.Parse(time.RFC3339Nano, value.Str()); err == nil {
				m.Timestamp, m.TimestampSource = t.UTC(), retold.TimeSource(mark.Get("timestampSource").Str())
			}
		}
	}
	if m.Tool != nil {
		agentstate.RecallCall(mark, m.Tool)
		if v.Light {
			m.Tool.Params, m.Tool.Result, m.Tool.Diff = nil, nil, ""
		}
	}
}

func attachmentsOf(list jscan.Value) (all []retold.Attachment) {
	for v := range list.Items() {
		var a retold.Attachment
		if err := json.Unmarshal(v, &a); err == nil { // of another shape: it was not written here
			all = append(all, a)
		}
	}
	return all
}
