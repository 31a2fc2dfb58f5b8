package agentstate

import (
	"encoding/hex"
	"path"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/retold-history/retold"
)

// user reads a UserMessage; text that was moved out because of its size
// (text_blob_id) is read from its blob.
func (d *decoder) user(c *Conversation, ref []byte) (*User, error) {
	id, content, err := d.load(ref)
	if err != nil {
		return nil, err
	}
	u := &User{ID: id}
	if content == nil {
		c.problem(retold.ProblemMissing, id, "a user message is not stored here")
		u.Missing = true
		return u, nil
	}
	m, err := parse(content)
	if err != nil {
		c.problem(retold.ProblemMalformed, id, "a user message is damaged")
		u.Missing = len(m) == 0
	}
	u.Text, u.MessageID, u.RichText = m.text(1), m.text(2), m.text(8)
	u.Mode, u.Simulated = ModeName(m.uint(4)), m.uint(5) != 0
	if n := m.uint(9); n != 0 {
		u.Reason = strings.ToLower(strings.TrimPrefix(fields().enums["#SimulatedMsgReason"][n], "SIMULATED_MSG_REASON_"))
	}
	if state := m.bytes(10); isID(state) {
		u.StateID = hex.EncodeToString(state)
	}
	u.Started, u.Completed = m.millis(25), m.millis(26)
	for num, into := range map[protowire.Number]*string{18: &u.Text, 19: &u.RichText} {
		ref := m.bytes(num)
		if len(ref) == 0 {
			continue
		}
		id, content, err := d.load(ref)
		if err != nil {
			return nil, err
		}
		switch {
		case content != nil:
			*into = string(content)
		case num == 18:
			c.problem(retold.ProblemMissing, id, "the text of a user message is not stored here")
			u.Missing = u.Text == ""
		}
	}
	u.Attachments = d.attachments(m.sub(3))
	for b := range m.all(21) {
		hook, _ := parse(b)
		u.Attachments = append(u.Attachments, retold.Attachment{Kind: "context", Name: "hook " + hook.text(1), Text: hook.text(2)})
	}
	if plan := m.sub(14); len(plan) > 0 {
		u.Attachments = append(u.Attachments, retold.Attachment{Kind: "context", Name: "plan " + plan.text(2), Path: plan.text(1)})
	}
	return u, nil
}

// shape says how a kind of SelectedContext entry becomes an attachment; the
// numbers are fields of the entry, 0 for none.
type shape struct {
	kind                  string
	name, path, text, rng protowire.Number
}

// contextShapes follows the fields of agent.v1.SelectedContext.
var contextShapes = map[protowire.Number]shape{
	1:  {kind: "image", name: 3, path: 3},
	4:  {kind: "file", name: 2, path: 2, text: 1},
	5:  {kind: "selection", name: 2, path: 2, text: 1, rng: 4},
	6:  {kind: "terminal", name: 2, path: 3, text: 1},
	7:  {kind: "terminal", name: 2, path: 3, text: 1, rng: 4},
	8:  {kind: "folder", name: 1, path: 1},
	9:  {kind: "link", name: 1, path: 1, text: 3},
	11: {kind: "context", text: 1},
	12: {kind: "command", name: 1, path: 4, text: 2},
	13: {kind: "doc", name: 2, path: 1},
	14: {kind: "context", name: 1, path: 2, text: 3},
	15: {kind: "context", name: 3, text: 1},
	17: {kind: "commit", name: 2, path: 1, text: 4},
	18: {kind: "context", text: 1},
	19: {kind: "chat", name: 2, path: 1},
	20: {kind: "pr", name: 2, path: 1, text: 5},
	21: {kind: "pr", name: 3, path: 2, text: 6},
	22: {kind: "context", name: 1},
	23: {kind: "file", name: 10, path: 3},
	24: {kind: "link", name: 3, path: 2},
	25: {kind: "doc", name: 3, path: 7},
	26: {kind: "context", name: 1, path: 1, text: 2},
}

// contextNames are for kinds whose entries have no name of their own.
var contextNames = map[protowire.Number]string{
	1: "image", 6: "terminal", 7: "terminal", 11: "git diff to main", 18: "git diff", 14: "element", 15: "console log", 21: "pull request", 26: "skill",
}

// attachments reads what the user added to a message (SelectedContext), in the
// order of the wire. Bytes of images are not copied.
func (d *decoder) attachments(m message) []retold.Attachment {
	var out []retold.Attachment
	for _, f := range m {
		if f.num == 3 && f.typ == protowire.BytesType { // extra_context: plain text
			out = append(out, retold.Attachment{Kind: "context", Name: "extra context", Text: string(f.b)})
			continue
		}
		entry, _ := parse(f.b)
		s, ok := contextShapes[f.num]
		switch {
		case f.num == 16: // ExtraContextEntry
			out = append(out, retold.Attachment{Kind: "context", Name: "extra context", Text: entry.text(1)})
			continue
		case f.num == 10: // SelectedCursorRule wraps a CursorRule
			rule := entry.sub(1)
			out = append(out, retold.Attachment{Kind: "rule", Name: base(rule.text(1)), Path: rule.text(1), Text: rule.text(2)})
			continue
		case !ok:
			continue
		}
		a := retold.Attachment{Kind: s.kind, Name: base(entry.text(s.name)), Path: entry.text(s.path), Text: entry.text(s.text)}
		if s.kind == "link" || s.kind == "commit" {
			a.Name = entry.text(s.name)
		}
		if a.Name == "" {
			a.Name = base(a.Path)
		}
		if a.Name == "" && s.kind == "image" {
			a.Name = entry.text(2) // uuid
		}
		if a.Name == "" {
			a.Name = contextNames[f.num]
		}
		if r := entry.sub(s.rng); s.rng != 0 && len(r) > 0 {
			a.StartLine, a.EndLine = int(uint32(r.sub(1).uint(1))), int(uint32(r.sub(2).uint(1)))
		}
		if f.num == 20 {
			a.StartLine, a.EndLine = int(int32(entry.uint(3))), int(int32(entry.uint(4)))
		}
		out = append(out, a)
		d.noteContent(f.num, entry)
	}
	return out
}

// noteContent marks the blobs of images and documents as part of the state.
func (d *decoder) noteContent(num protowire.Number, entry message) {
	switch num {
	case 1, 23, 25:
		d.note(entry.bytes(1))
		d.note(entry.sub(9).bytes(1))
	case 9, 20:
		d.note(entry.bytes(6))
	case 21:
		d.note(entry.bytes(7))
	}
}

// base is the last element of a path in either notation.
func base(p string) string {
	p = strings.TrimRight(strings.ReplaceAll(p, `\`, "/"), "/")
	if p == "" {
		return ""
	}
	return path.Base(p)
}
