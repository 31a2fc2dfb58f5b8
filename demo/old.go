package demo

import (
	"path/filepath"

	"github.com/retold-history/retold/demo/vscdb"
)

// firstGeneration keeps a conversation for its workspace's own database: chat
// tabs of 2023 and 2024, composers with everything inline, or no conversation
// at all, only the lists of prompts.
func (m *maker) firstGeneration(s *story) {
	switch s.shape {
	case "chat":
		m.tabs[s.workspace.key] = append(m.tabs[s.workspace.key], s.tab())
	case "inline-workspace":
		m.inline[s.workspace.key] = append(m.inline[s.workspace.key], obj{
			"composerId": s.id(), "name": s.title, "createdAt": s.start.UnixMilli(), "lastUpdatedAt": s.end.UnixMilli(),
			"status": "completed", "text": "", "richText": "", "context": emptyContext(), "conversation": s.inlineBubbles(),
		})
	}
}

// tab is one tab of the chat panel. Its messages have no times of their own.
func (s *story) tab() obj {
	bubbles := []obj{}
	for _, st := range s.steps {
		switch st.verb {
		case "user":
			b := obj{"type": "user", "id": st.id, "messageType": 2, "delegate": obj{"a": st.body}, "selections": []any{}, "fileSelections": []any{}, "image": nil}
			if f := st.attr["file"]; f != "" {
				b["fileSelections"] = []obj{{"uri": s.uri(f)}}
			}
			if len(bubbles) > 0 { // later questions had their text elsewhere
				b["delegate"], b["initText"] = nil, lexical(st.body)
			}
			bubbles = append(bubbles, b)
		case "error":
			bubbles = append(bubbles, obj{"type": "ai", "id": st.id, "rawText": "", "modelType": s.model, "errorDetails": obj{"message": st.body}})
		default:
			bubbles = append(bubbles, obj{"type": "ai", "id": st.id, "rawText": st.body, "modelType": s.model})
		}
	}
	return obj{"tabId": s.id(), "chatTitle": s.title, "lastSendTime": s.end.UnixMilli(), "bubbles": bubbles}
}

// inlineBubbles is a conversation as composers of 2024 held it.
func (s *story) inlineBubbles() []obj {
	all := []obj{}
	for _, st := range s.steps {
		b := obj{"bubbleId": st.id, "type": 2, "text": st.body, "codeBlocks": s.codeBlocks(st)}
		if st.verb == "user" {
			context := emptyContext()
			if f := st.attr["file"]; f != "" {
				context["fileSelections"] = []obj{{"uri": s.uri(f)}}
			}
			b = obj{"bubbleId": st.id, "type": 1, "text": st.body, "richText": lexical(st.body), "context": context}
		}
		all = append(all, b)
	}
	return all
}

// prompts is the two lists every generation kept beside its conversations: what
// was asked lately, and when.
func (m *maker) prompts(w *workspace) (prompts, generations []obj) {
	prompts, generations = []obj{}, []obj{}
	for _, s := range m.stories {
		if s.workspace != w || !s.ide() || s.parent != "" {
			continue
		}
		for _, st := range s.steps {
			if st.verb == "user" && st.attr["orphan"] == "" {
				prompts = append(prompts, obj{"text": st.body, "commandType": 4})
				generations = append(generations, obj{"unixMs": st.at.UnixMilli(), "generationUUID": st.request, "type": "composer", "textDescription": st.body})
			}
		}
	}
	return prompts[max(0, len(prompts)-200):], generations[max(0, len(generations)-100):]
}

// workspace writes workspaceStorage/<id>.
func (m *maker) workspace(w *workspace) {
	if m.err != nil {
		return
	}
	dir := filepath.Join(m.home.CursorUser, "workspaceStorage", w.id)
	if data := w.json(); data != nil {
		m.file(filepath.Join(dir, "workspace.json"), data)
	}
	kind := vscdb.State
	if w.key == "lantern" {
		kind = vscdb.Old // last opened before cursorDiskKV came
	}
	db, err := vscdb.Create(m.ctx, filepath.Join(dir, "state.vscdb"), kind)
	if err != nil {
		m.done(err)
		return
	}
	item := func(key string, v any) { m.done(db.Item(key, encode(v))) }
	if tabs := m.tabs[w.key]; len(tabs) > 0 {
		item("workbench.panel.aichat.view.aichat.chatdata", obj{"tabs": tabs, "selectedTabId": tabs[0]["tabId"]})
	}
	prompts, generations := m.prompts(w)
	item("aiService.prompts", prompts)
	item("aiService.generations", generations)
	composers := obj{"selectedComposerIds": []any{}, "hasMigratedComposerData": true, "hasMigratedMultipleComposers": true}
	if list := append(m.inline[w.key], m.heads[w.key]...); len(list) > 0 {
		composers["allComposers"] = list
		composers["selectedComposerIds"] = []any{list[len(list)-1]["composerId"]}
	}
	item("composer.composerData", composers)
	item("workbench.panel.composerChatViewPane."+uuid(w.key, "pane"), obj{})
	m.done(db.Close())
}
