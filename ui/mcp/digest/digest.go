// Package digest finds what matters in a conversation without any model: what was
// asked, decided, run and changed, and what was left open. It quotes and counts;
// it makes nothing up, and knows nothing that the messages do not say. All of it
// is pure. What it finds points back to the message it stands in.
package digest

import (
	"encoding/json"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// A Finding is something that one message says.
type Finding struct {
	Message *retold.Message
	Text    string // a part of what the message says
}

// live leaves out what is no longer part of the conversation.
func live(messages []retold.Message) []*retold.Message {
	var out []*retold.Message
	for i := range messages {
		if !messages[i].Orphan {
			out = append(out, &messages[i])
		}
	}
	return out
}

// Asks are what the user said, in order.
func Asks(messages []retold.Message) (out []Finding) {
	for _, m := range live(messages) {
		if m.Role == retold.RoleUser && strings.TrimSpace(m.Content) != "" {
			out = append(out, Finding{m, strings.TrimSpace(m.Content)})
		}
	}
	return out
}

// An End is where a conversation stopped.
type End struct {
	Asked      *Finding // the last thing the user said; nil when there is none
	Answered   *Finding // the last thing the agent said after it; nil when there is none
	Unanswered bool     // the user asked, and nothing was said or done about it
	Error      *Finding // an error that nothing was said or done after
	Running    *Finding // a tool call that never ended, with nothing after it; Text is empty
}

// Stopped says where a conversation stopped.
func Stopped(messages []retold.Message) (e End) {
	for _, m := range live(messages) {
		f := &Finding{m, strings.TrimSpace(m.Content)}
		switch m.Role {
		case retold.RoleUser:
			if f.Text != "" {
				e = End{Asked: f, Unanswered: true}
			}
		case retold.RoleAssistant:
			if f.Text != "" {
				e.Answered, e.Unanswered, e.Error, e.Running = f, false, nil, nil
			}
		case retold.RoleTool:
			if e.Unanswered, e.Error, e.Running = false, nil, nil; m.Tool.Status == retold.StatusPending {
				e.Running = f
			}
		case retold.RoleError:
			e.Error = f
		}
	}
	return e
}

// object is a JSON object, or the one that a string holds.
func object(raw json.RawMessage) jscan.Value {
	v, _ := jscan.Parse(raw) // what is cut short or odd is read as far as it goes
	if v.Kind() == jscan.String {
		v = v.Embedded()
	}
	if v.Kind() != jscan.Object {
		return nil
	}
	return v
}

// first is the first of the named members that is a text with something in it.
func first(object jscan.Value, names ...string) string {
	for _, name := range names {
		if s := strings.TrimSpace(object.Get(name).Str()); s != "" {
			return s
		}
	}
	return ""
}
