package demo

import (
	"path/filepath"
	"strings"

	"github.com/retold-history/retold/demo/vscdb"
)

// store writes a session of the command line: store.db and meta.json.
func (m *maker) store(s *story, calls map[string]*tool) {
	if m.err != nil {
		return
	}
	dir := filepath.Join(m.home.CursorHome, "chats", md5sum(s.workspace.path), s.id())
	if s.shape == "acp" {
		dir = filepath.Join(m.home.CursorHome, "acp-sessions", s.id())
	}
	db, err := vscdb.Create(m.ctx, filepath.Join(dir, "store.db"), vscdb.Store)
	if err != nil {
		m.done(err)
		return
	}
	put := func(value []byte) [32]byte {
		id, err := db.Blob(value)
		m.done(err)
		return id
	}
	a := &state{story: s, calls: calls, put: put}
	for _, st := range s.steps {
		if child := m.byName[st.attr["child"]]; child != nil {
			a.extra = append(a.extra, m.subagent(child, put)...)
		}
	}
	root := put(a.build())
	m.done(db.Meta(encode(m.meta(s, hexID(root)))))
	m.done(db.Close())
	m.sidecar(s, dir)
}

// subagent stores a child's state inside its parent and returns the root's
// entry for it.
func (m *maker) subagent(child *story, put func([]byte) [32]byte) pb {
	calls, desk := map[string]*tool{}, newDesk(child)
	for _, st := range child.steps {
		if !st.spoken() {
			calls[st.id] = desk.use(st)
		}
	}
	inner := &state{story: child, calls: calls, put: put}
	id := put(pb{}.bytes(1, inner.build()).num(2, child.start.UnixMilli()).num(3, child.end.UnixMilli()).bytes(4, pb{}.bytes(4, pb{})).str(5, child.model))
	return pb{}.pair(31, child.id(), id[:])
}

func (m *maker) meta(s *story, root string) obj {
	meta := obj{"agentId": s.id(), "latestRootBlobId": root, "name": s.title, "mode": "default", "createdAt": s.start.UnixMilli(), "lastUsedModel": s.model}
	if s.shape == "cli-old" {
		meta["mode"] = "auto-run"
		return meta
	}
	meta["isRunEverything"] = false
	meta["blobEncryptionKey"] = strings.Repeat("00", 32)
	if parent := m.byName[s.parent]; parent != nil {
		info := obj{"parentAgentId": parent.id(), "rootParentAgentId": parent.id(), "typeName": "explore"}
		for _, st := range parent.steps {
			if st.attr["child"] == s.name {
				info["toolCallId"] = st.call
			}
		}
		meta["subagentInfo"] = info
	}
	return meta
}

func (m *maker) sidecar(s *story, dir string) {
	side := obj{"schemaVersion": 1, "cwd": s.workspace.path, "title": s.title}
	switch s.shape {
	case "cli-old":
		return
	case "cli":
		side["createdAtMs"], side["updatedAtMs"], side["hasConversation"] = s.start.UnixMilli(), s.end.UnixMilli(), true
	}
	m.file(filepath.Join(dir, "meta.json"), encode(side))
}

// transcript writes the plain copy that agents keep of a session: words and
// calls, no results, no times.
func (m *maker) transcript(s *story, calls map[string]*tool) {
	dir := filepath.Join(m.home.CursorHome, "projects", slug(s.workspace.path), "agent-transcripts")
	if s.shape == "transcript-txt" {
		m.file(filepath.Join(dir, s.id()+".txt"), s.plain(calls))
		return
	}
	var b []byte
	line := func(v obj) { b = append(append(b, encode(v)...), '\n') }
	var parts []obj
	flush := func() {
		if len(parts) > 0 {
			line(obj{"role": "assistant", "message": obj{"content": parts}})
		}
		parts = nil
	}
	for i, st := range s.steps {
		switch st.verb {
		case "user":
			flush()
			if i > 0 {
				line(obj{"type": "turn_ended", "status": "success"})
			}
			line(obj{"role": "user", "message": obj{"content": []obj{{"type": "text", "text": "<user_query>\n" + st.body + "\n</user_query>"}}}})
		case "assistant":
			flush()
			parts = append(parts, obj{"type": "text", "text": st.body})
		case "thinking", "notice", "error":
		default:
			parts = append(parts, obj{"type": "tool_use", "name": calls[st.id].cli, "input": calls[st.id].input})
		}
	}
	flush()
	line(obj{"type": "turn_ended", "status": "success"})
	path := filepath.Join(dir, s.id(), s.id()+".jsonl")
	if parent := m.byName[s.parent]; parent != nil {
		path = filepath.Join(dir, parent.id(), "subagents", s.id()+".jsonl")
	}
	m.file(path, b)
}

// plain is the transcript as agents wrote it early in 2026.
func (s *story) plain(calls map[string]*tool) []byte {
	var b strings.Builder
	for _, st := range s.steps {
		switch st.verb {
		case "user":
			b.WriteString("user:\n<user_query>\n" + st.body + "\n</user_query>\n\n")
		case "assistant":
			b.WriteString("assistant:\n" + st.body + "\n\n")
		case "thinking":
			b.WriteString("assistant:\n[Thinking] " + st.body + "\n\n")
		case "notice", "error":
		default:
			t := calls[st.id]
			b.WriteString("assistant:\n[Tool call] " + t.cli + "\n")
			for _, name := range sortedKeys(t.input) {
				v, ok := t.input[name].(string)
				if !ok {
					v = text(t.input[name])
				}
				b.WriteString("  " + name + ": " + v + "\n")
			}
			b.WriteString("\n[Tool result] " + t.cli + "\n\n")
		}
	}
	b.WriteString("Turn ended: success\n")
	return []byte(b.String())
}
