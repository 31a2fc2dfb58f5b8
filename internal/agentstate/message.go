package agentstate

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/retold-history/retold"
)

// View says how much of each message is wanted.
type View struct {
	Light bool // leave out what tools were given and returned

	// Wanted, where set, tells which of a conversation's tool calls are wanted in
	// full; it is asked with the light message. Rendering them is most of the work.
	Wanted func(*retold.Message) bool
}

// key identifies what a message says: its role and its text, white space folded,
// or the id of its tool call. The zero key equals nothing.
type key struct {
	role retold.Role
	sum  uint64
}

// keySeed makes keys comparable within this process only.
var keySeed = maphash.MakeSeed()

// entry is a message on its way to its place in the conversation.
type entry struct {
	msg     retold.Message
	key     key
	missing bool // a placeholder for what the store lost
	display bool // the model is known by its display name only

	call *ToolCall // what msg.Tool is still to be filled from, see complete
}

// complete fills in what was left out of a light message.
func (e *entry) complete() {
	if e.call != nil {
		e.msg.Tool, e.call = e.call.Retold(), nil
	}
}

// textKey folds white space, so that "a\n\nb" and "a b" say the same.
func textKey(role retold.Role, text string) key {
	var h maphash.Hash
	h.SetSeed(keySeed)
	for word := range strings.FieldsFuncSeq(text, unicode.IsSpace) {
		_, _ = h.WriteString(word) // a Hash never fails
		_ = h.WriteByte(' ')
	}
	return key{role, h.Sum64()}
}

func callKey(id string) key {
	if id == "" {
		return key{}
	}
	return key{retold.RoleTool, maphash.String(keySeed, id)}
}

// turnEntries lays the turns out as messages.
func (c *Conversation) turnEntries(v View) []entry {
	var out []entry
	times := c.turnTimes()
	for i := range c.Turns {
		out = append(out, c.Turns[i].entries(v, times[i])...)
	}
	return out
}

// turnTimes spreads the timings over the turns: one for each, or one for each
// that is no shell command. Any other number cannot be told apart.
func (c *Conversation) turnTimes() []Timing {
	out := make([]Timing, len(c.Turns))
	var agent []int
	for i := range c.Turns {
		if c.Turns[i].Shell == nil {
			agent = append(agent, i)
		}
	}
	switch len(c.Timings) {
	case len(out):
		copy(out, c.Timings)
	case len(agent):
		for n, i := range agent {
			out[i] = c.Timings[n]
		}
	}
	return out
}

// Messages lays one turn out: what the user said, then each step.
func (t *Turn) Messages(v View) []retold.Message {
	var out []retold.Message
	for _, e := range t.entries(View{Light: v.Light}, Timing{}) {
		out = append(out, e.msg)
	}
	return out
}

func (t *Turn) entries(v View, timing Timing) []entry {
	var out []entry
	switch {
	case t.Missing:
		out = append(out, placeholder(t.ID, "turn not stored here"))
	case t.Shell != nil:
		out = append(out, t.Shell.entry(v))
	case t.User != nil:
		out = append(out, t.User.entry())
	}
	for i := range t.Steps {
		if e, ok := t.Steps[i].entry(v); ok {
			out = append(out, e)
		}
	}
	for i := range out {
		m := &out[i].msg
		m.RequestID = t.RequestID
		if m.Role != retold.RoleUser && m.Role != retold.RoleSystem {
			m.Model = t.Model
			out[i].display = true
		}
		if i == 0 && m.Timestamp.IsZero() && !timing.At.IsZero() {
			m.Timestamp, m.TimestampSource = timing.At, retold.TimeTiming
		}
	}
	return out
}

func placeholder(id, what string) entry {
	return entry{missing: true, msg: retold.Message{ID: short(id), Role: retold.RoleSystem, Content: "[" + what + "]", Stub: true}}
}

// short is enough of an id to be unique in a session.
func short(id string) string { return id[:min(len(id), 16)] }

func (u *User) entry() entry {
	id := u.MessageID
	if id == "" {
		id = short(u.ID)
	}
	if u.Missing {
		e := placeholder(u.ID, "user message not stored here")
		e.msg.Role = retold.RoleUser
		e.msg.Attachments = u.Attachments
		return e
	}
	m := retold.Message{ID: id, Role: retold.RoleUser, Content: u.Text, Attachments: u.Attachments}
	spoken := true
	if strings.HasPrefix(strings.TrimSpace(u.Text), "<") { // other writers store the wrapping here too
		var context []retold.Attachment
		m.Content, spoken, context = Unwrap(u.Text)
		m.Attachments = append(slices.Clip(m.Attachments), context...)
	}
	if u.Simulated || !spoken {
		m.Role = retold.RoleSystem
	}
	if !spoken {
		m.Content = u.Text
	}
	stamp(&m, u.Started, u.Completed)
	return entry{msg: m, key: textKey(m.Role, m.Content)}
}

// stamp dates a message by the first of the stored times.
func stamp(m *retold.Message, times ...time.Time) {
	for _, t := range times {
		if !t.IsZero() {
			m.Timestamp, m.TimestampSource = t, retold.TimeStored
			return
		}
	}
}

func (s *Shell) entry(v View) entry {
	call := &retold.ToolCall{Name: "shell", Kind: retold.ToolShell, Status: retold.StatusPending}
	if !v.Light {
		call.Params = append(appendString([]byte(`{"command":`), s.Command), '}')
	}
	if s.Output != nil {
		out, _ := parse(s.Output)
		code := int(int32(out.uint(3)))
		call.ExitCode, call.Status = &code, retold.StatusCompleted
		if code != 0 {
			call.Status = retold.StatusFailed
		}
		if !v.Light {
			call.Result = renderMessage(s.Output, "ShellOutput")
		}
	}
	return entry{msg: retold.Message{ID: short(s.ID), Role: retold.RoleTool, Tool: call}}
}

// Message is what a step says or does; ok is false for a step that says nothing.
func (s *Step) Message(v View) (m retold.Message, ok bool) {
	e, ok := s.entry(View{Light: v.Light})
	return e.msg, ok
}

func (s *Step) entry(v View) (entry, bool) {
	m := retold.Message{ID: short(s.ID), Content: s.Text}
	stamp(&m, s.Started, s.Completed)
	switch s.Kind {
	case StepAssistant:
		m.Role = retold.RoleAssistant
	case StepThinking:
		m.Role = retold.RoleThinking
	case StepTool:
		m.Role, m.Stub = retold.RoleTool, s.Tool.cut
		e := entry{key: callKey(s.Tool.ID), missing: s.Tool.cut}
		switch {
		case v.Light || v.Wanted != nil:
			m.Tool = &retold.ToolCall{Name: s.Tool.Name, Kind: KindOf(s.Tool.Name), CallID: s.Tool.ID}
			if !v.Light {
				e.call = s.Tool
			}
		default:
			m.Tool = s.Tool.Retold()
		}
		e.msg = m
		return e, true
	case StepUnknown:
		return placeholder(s.ID, "step of an unknown kind"), true
	default:
		return placeholder(s.ID, "step not stored here"), true
	}
	return entry{msg: m, key: textKey(m.Role, m.Content)}, strings.TrimSpace(m.Content) != ""
}

// json keeps what only a full view shows.
func (v View) json(raw json.RawMessage) json.RawMessage {
	if v.Light {
		return nil
	}
	return raw
}
