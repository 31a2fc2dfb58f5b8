package export

import (
	"strconv"
	"strings"
	"time"

	"github.com/retold-history/retold"
)

// A turn is what one prompt led to: a user message and all that follows it up to
// the next. What stands outside the conversation has turns of its own.
type turn struct {
	number   int    // 1-based; 0 for the parts below
	heading  string // set where number is 0
	messages []*retold.Message
	hidden   int // tool calls left out
}

// Headings of what is not a numbered turn.
const (
	headPreamble  = "Before the first prompt"
	headOrphan    = "No longer part of the conversation"
	headRecovered = "Recovered from another store"
)

// turns groups the wanted messages. Numbers count the user's messages whatever
// is left out, so that two exports of one session agree on them.
func turns(d *retold.SessionDetail, o Options) []turn {
	cur := turn{heading: headPreamble}
	var main, orphan, recovered []turn
	orphans, recoveries := turn{heading: headOrphan}, turn{heading: headRecovered}
	number := 0
	for i := range d.Messages {
		m := &d.Messages[i]
		at := &cur
		switch {
		case m.Orphan:
			at = &orphans
		case m.Recovered:
			at = &recoveries
		case m.Role == retold.RoleUser:
			main = append(main, cur)
			number++
			cur = turn{number: number}
		}
		switch {
		case !o.wants(m):
		case m.Role == retold.RoleTool && o.Tools == ToolsNone:
			at.hidden++
		default:
			at.messages = append(at.messages, m)
		}
	}
	main = append(main, cur)
	orphan, recovered = append(orphan, orphans), append(recovered, recoveries)
	all := append(append(main, orphan...), recovered...)
	kept := all[:0]
	for _, t := range all {
		if len(t.messages) > 0 || t.hidden > 0 {
			kept = append(kept, t)
		}
	}
	return kept
}

// speaker names who a message comes from.
func speaker(r retold.Role) string {
	switch r {
	case retold.RoleUser:
		return "User"
	case retold.RoleAssistant:
		return "Assistant"
	case retold.RoleThinking:
		return "Thinking"
	case retold.RoleTool:
		return "Tool"
	case retold.RoleError:
		return "Error"
	case retold.RoleSystem:
		return "System"
	}
	return string(r)
}

// prompt is the first message of a numbered turn, if it is still there.
func (t turn) prompt() *retold.Message {
	if t.number > 0 && len(t.messages) > 0 && t.messages[0].Role == retold.RoleUser {
		return t.messages[0]
	}
	return nil
}

// when is the time at which a turn began and where that comes from: "" when
// nothing in it is dated.
func (t turn) when(loc *time.Location) (at time.Time, shown string) {
	for _, m := range t.messages {
		if !m.Timestamp.IsZero() {
			at = m.Timestamp.In(loc)
			shown = at.Format("2006-01-02 15:04")
			if note := timeNote(m.TimestampSource); note != "" {
				shown += " (" + note + ")"
			}
			return at, shown
		}
	}
	return at, ""
}

// timeNote tells where a time comes from when its record does not carry it.
func timeNote(s retold.TimeSource) string {
	switch s {
	case retold.TimeTiming:
		return "from request timings"
	case retold.TimeInterpolated:
		return "estimated from dated neighbours"
	case retold.TimeSession:
		return "only the session is dated"
	}
	return ""
}

// clock is the time of day of a message, with "≈" where it is not stored.
func clock(m *retold.Message, loc *time.Location) string {
	if m.Timestamp.IsZero() || m.TimestampSource == retold.TimeSession {
		return ""
	}
	s := m.Timestamp.In(loc).Format("15:04:05")
	if timeNote(m.TimestampSource) != "" {
		return "≈ " + s
	}
	return s
}

// left tells how many tool calls a turn leaves out.
func (t turn) left() string {
	switch t.hidden {
	case 0:
		return ""
	case 1:
		return "1 tool call left out"
	}
	return strconv.Itoa(t.hidden) + " tool calls left out"
}

// attachmentName is an attachment in a few words: "selection src/a.go:10–20".
func attachmentName(a retold.Attachment) string {
	name := a.Path
	if name == "" || strings.HasPrefix(name, "data:") {
		name = a.Name
	}
	if a.Kind == "link" && a.Name != "" && a.Name != name {
		name = a.Name + " (" + name + ")"
	}
	if a.StartLine > 0 {
		name += ":" + strconv.Itoa(a.StartLine)
		if a.EndLine > a.StartLine {
			name += "–" + strconv.Itoa(a.EndLine)
		}
	}
	return strings.TrimSpace(a.Kind + " " + name)
}
