package demo

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	"github.com/retold-history/retold/demo/vscdb"
)

// versions is the composer's _v by shape.
var versions = map[string]int{"inline": 2, "map": 2, "v1": 2, "timing": 3, "bubbles": 10, "headers": 14, "table": 18, "agentkv": 17, "empty": 16, "draft": 16, "deleted": 10}

// composer writes a session of the IDE into the global database.
func (m *maker) composer(s *story, calls map[string]*tool) {
	key := "composerData:" + s.id()
	switch s.shape {
	case "malformed":
		m.kv(key, []byte(`{"_v":10,"composerId":"`+s.id()+`","name":`+text(s.title)+`,"createdAt":`))
		return
	case "deleted":
		m.tombstone(key)
		m.bubbles(s, calls)
		return
	}
	c := s.composer(versions[s.shape], calls)
	switch s.shape {
	case "inline":
		delete(c, "conversationMap")
		c["conversation"] = s.inlineBubbles()
	case "map":
		all := obj{}
		for _, st := range s.steps {
			all[st.id] = s.bubble(st, calls[st.id])
		}
		c["conversationMap"], c["fullConversationHeadersOnly"] = all, []any{}
	case "agentkv":
		c["fullConversationHeadersOnly"] = []any{}
	default:
		c["fullConversationHeadersOnly"] = m.bubbles(s, calls)
	}
	if s.shape == "v1" {
		data := obj{}
		for id, t := range calls {
			data[id] = t.former(s.find(id), false)
		}
		c["capabilities"] = []obj{{"type": 15, "data": obj{"bubbleDataMap": text(data)}}, {"type": 30, "data": obj{}}}
	}
	if s.shape == "empty" || s.shape == "draft" {
		c["isDraft"], c["status"], c["conversationState"] = s.shape == "draft", "none", "~"
	}
	m.relate(s, c)
	if s.hasState() {
		c["conversationState"] = m.agentState(s, calls)
	}
	m.kv(key, encode(c))
	m.list(s, c)
}

func (s *story) find(id string) step {
	return s.steps[slices.IndexFunc(s.steps, func(st step) bool { return st.id == id })]
}

// bubbles writes the rows of the messages and returns their headers.
func (m *maker) bubbles(s *story, calls map[string]*tool) []obj {
	headers := []obj{}
	for _, st := range s.steps {
		t := calls[st.id]
		key := "bubbleId:" + s.id() + ":" + st.id
		body := encode(s.bubble(st, t))
		switch {
		case st.attr["missing"] != "":
		case st.attr["tombstone"] != "":
			m.tombstone(key)
		case st.attr["malformed"] != "":
			m.kv(key, body[:len(body)*2/3])
		default:
			m.kv(key, body)
		}
		if st.attr["orphan"] == "" {
			headers = append(headers, s.header(st, t))
		}
		if t == nil {
			continue
		}
		for _, id := range slices.Sorted(maps.Keys(t.content)) {
			m.kv(id, []byte(t.content[id]))
		}
	}
	return headers
}

// relate links parents and sub-agents.
func (m *maker) relate(s *story, c obj) {
	children := []string{}
	for _, st := range s.steps {
		if st.verb == "task" && st.attr["child"] != "" {
			children = append(children, childID(st))
		}
	}
	c["subagentComposerIds"] = children
	parent := m.byName[s.parent]
	if parent == nil {
		return
	}
	info := obj{"parentComposerId": parent.id(), "rootParentConversationId": parent.id()}
	for _, st := range parent.steps {
		if st.attr["child"] == s.name {
			info["toolCallId"], info["subagentTypeName"], info["parentRequestId"] = st.call, st.attr["type"], st.request
		}
	}
	c["subagentInfo"] = info
}

// agentState writes the agentKv rows and returns conversationState: "~" and the
// root in base64.
func (m *maker) agentState(s *story, calls map[string]*tool) string {
	a := &state{story: s, calls: calls, put: m.agentBlob}
	root := a.build()
	id := m.agentBlob(root)
	m.kv("agentKv:checkpoint:"+s.id(), []byte(hexID(id)))
	return "~" + base64.StdEncoding.EncodeToString(root)
}

// list puts the session where its version of Cursor kept the list of chats.
func (m *maker) list(s *story, c obj) {
	h := head(c)
	switch s.shape {
	case "headers", "empty", "draft":
		m.listed = append(m.listed, h)
	case "table", "agentkv":
		if m.err == nil {
			m.err = m.global.Head(vscdb.Head{
				ComposerID: s.id(), WorkspaceID: s.workspace.id, CreatedAt: s.start.UnixMilli(), LastUpdatedAt: s.end.UnixMilli(),
				Archived: s.archived, Subagent: s.parent != "", JSON: encode(h),
			})
		}
	default:
		delete(h, "workspaceIdentifier")
		m.heads[s.workspace.key] = append(m.heads[s.workspace.key], h)
	}
}

func cutBlank(s string) (string, string, bool) { return strings.Cut(s, "\n\n") }
