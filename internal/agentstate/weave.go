package agentstate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retold-history/retold"
)

// Messages lays the conversation out as people read it: the turns are the order;
// archived messages, tool results, thinking, models and texts that the turns lack
// come from the prompt messages; what is still waiting comes last. Nothing is
// shown twice. Ids are unique; Index is set; times are those that are stored
// (see [Date] for the rest).
func (c *Conversation) Messages(v View) []retold.Message {
	entries := weave(c.turnEntries(v), c.promptEntries(v))
	entries = c.pending(v, entries)
	nameModels(entries)
	if strings.TrimSpace(c.Plan) != "" {
		entries = append(entries, entry{msg: retold.Message{ID: "plan", Role: retold.RoleSystem, Content: c.Plan}})
	}
	out := make([]retold.Message, len(entries))
	for i := range entries {
		if e := &entries[i]; e.call != nil && v.Wanted(&e.msg) {
			e.complete()
		}
		out[i] = entries[i].msg
	}
	Number(out)
	return out
}

// Number sets each message's Index and makes its ID unique, leaving the first
// bearer of an id as it is.
func Number(messages []retold.Message) {
	seen := make(map[string]int, len(messages))
	for i := range messages {
		m := &messages[i]
		m.Index = i
		if m.ID == "" {
			m.ID = "m"
		}
		id := m.ID
		for seen[m.ID] > 0 {
			seen[id]++
			m.ID = fmt.Sprintf("%s#%d", id, seen[id])
		}
		seen[m.ID] = 1
	}
}

// pending appends the assistant messages that wait for their tools, unless the
// conversation already has them.
func (c *Conversation) pending(v View, entries []entry) []entry {
	known := map[key]bool{}
	for i := range entries {
		known[entries[i].key] = true
	}
	delete(known, key{})
	l := promptLayout{view: v, calls: map[string]int{}, shown: map[string]bool{}}
	for i := range c.Pending {
		l.add(&c.Pending[i])
	}
	l.flush()
	for _, e := range l.out {
		if !known[e.key] {
			entries = append(entries, e)
		}
	}
	return entries
}

// weave fills the turns from the prompts. With no turns the prompts are the
// conversation.
func weave(turns, prompts []entry) []entry {
	if len(turns) == 0 {
		return prompts
	}
	match, anchors := align(turns, prompts)
	slot := make([][]int, len(turns)+1) // prompts to put before turns[i]
	for _, g := range gaps(anchors, len(turns)) {
		pair(turns, prompts, match, g)
		at := g.t0
		for p := g.p0; p < g.p1; p++ {
			switch t := match[p]; {
			case t >= at && t < g.t1:
				at = t + 1
			case t < 0 && !prompts[p].missing:
				slot[at] = append(slot[at], p)
			}
		}
	}
	out := make([]entry, 0, len(turns)+8)
	for t := range len(turns) + 1 {
		for _, p := range slot[t] {
			out = append(out, prompts[p])
		}
		if t < len(turns) {
			out = append(out, turns[t])
		}
	}
	return out
}

// gap is what lies between two anchors: turns [t0,t1) and prompts [p0,p1).
type gap struct{ t0, t1, p0, p1 int }

// gaps cuts the prompts at the anchors, matched pairs in rising order.
func gaps(anchors []int, turns int) []gap {
	var out []gap
	g := gap{}
	for p, t := range anchors {
		if t < g.t0 {
			continue
		}
		out = append(out, gap{g.t0, t, g.p0, p})
		g.t0, g.p0 = t+1, p+1
	}
	return append(out, gap{g.t0, turns, g.p0, len(anchors)})
}

// pair joins, inside a gap, what the two views say differently: the n-th
// unmatched user message of one is the n-th of the other, answers and calls that
// are alike are the same, and what is missing among the turns takes what is left.
func pair(turns, prompts []entry, match []int, g gap) {
	taken := map[int]bool{}
	for _, t := range match[g.p0:g.p1] {
		taken[t] = true
	}
	free := func(p *entry, missing bool) int {
		for t := g.t0; t < g.t1; t++ {
			if taken[t] || turns[t].missing != missing {
				continue
			}
			if missing && fits(&turns[t], p.msg.Role) || !missing && alike(&turns[t].msg, &p.msg) {
				return t
			}
		}
		return -1
	}
	if g.t1 > g.t0 && (g.t1-g.t0)*(g.p1-g.p0) < 1<<20 {
		for _, missing := range []bool{false, true} {
			for p := g.p0; p < g.p1; p++ {
				if match[p] >= 0 || prompts[p].missing || prompts[p].msg.Role == retold.RoleSystem {
					continue
				}
				if t := free(&prompts[p], missing); t >= 0 {
					match[p] = t
					taken[t] = true
					fill(&turns[t], &prompts[p])
				}
			}
		}
	}
}

// fits reports whether a placeholder can stand for that role: one for a user
// message or a tool call only for its like, any other for what the agent did.
func fits(placeholder *entry, role retold.Role) bool {
	if placeholder.msg.Role == retold.RoleSystem {
		return role != retold.RoleUser
	}
	return placeholder.msg.Role == role
}

// alike reports whether two messages at the same place are two spellings of one:
// the text was cleaned (<think> taken out), cut or completed in one of the views.
func alike(t, p *retold.Message) bool {
	if t.Role != p.Role {
		return false
	}
	switch t.Role {
	case retold.RoleUser:
		return true
	case retold.RoleTool:
		return t.Tool.Kind == p.Tool.Kind && (t.Tool.CallID == "" || p.Tool.CallID == "")
	}
	a, b := strings.TrimSpace(t.Content), strings.TrimSpace(p.Content)
	n := min(len(a), len(b), 12)
	return a[:n] == b[:n] || a[len(a)-n:] == b[len(b)-n:]
}

// fill completes a message of the turns from the prompt that says the same.
func fill(t, p *entry) {
	t.complete()
	p.complete()
	m, from := &t.msg, &p.msg
	if t.missing {
		m.Role, m.Content, m.Tool = from.Role, from.Content, from.Tool
		t.missing, m.Stub = false, false
	}
	if from.Model != "" && (m.Model == "" || t.display) {
		m.Model, t.display = from.Model, false
	}
	if m.RequestID == "" {
		m.RequestID = from.RequestID
	}
	if m.Timestamp.IsZero() {
		m.Timestamp, m.TimestampSource = from.Timestamp, from.TimestampSource
	}
	for _, a := range from.Attachments {
		if !slices.ContainsFunc(m.Attachments, func(b retold.Attachment) bool { return sameAttachment(a, b) }) {
			m.Attachments = append(slices.Clip(m.Attachments), a)
		}
	}
	if m.Tool == nil || from.Tool == nil || m.Tool == from.Tool {
		return
	}
	call, other := m.Tool, from.Tool
	if call.Params == nil {
		call.Params = other.Params
	}
	if other.Status != retold.StatusPending && (call.Status == "" || call.Status == retold.StatusPending || call.Result == nil) {
		call.Status = other.Status
	}
	call.Result = joinResults(call.Result, other.Result)
	if len(call.Files) == 0 {
		call.Files = other.Files
	}
	if call.Diff == "" {
		call.Diff = other.Diff
	}
}

// sameAttachment also takes the two views' names for one image as the same.
func sameAttachment(a, b retold.Attachment) bool {
	if a.Kind == "image" && b.Kind == "image" {
		return true
	}
	return a.Kind == b.Kind && a.Name == b.Name && a.Text == b.Text
}

// nameModels gives all of a request the identifier of its model where some of it
// has one, in place of the display name that turns store.
func nameModels(entries []entry) {
	ids := map[string]string{}
	for i := range entries {
		if m := &entries[i].msg; m.Model != "" && !entries[i].display {
			ids[m.RequestID] = m.Model
		}
	}
	for i := range entries {
		m := &entries[i].msg
		if id := ids[m.RequestID]; id != "" && m.RequestID != "" && entries[i].display {
			m.Model = id
		}
	}
}
