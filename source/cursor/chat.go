package cursor

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// addTabs adds the tabs of the chat panel (formats B.1). A tab whose id is also
// a composer's is the same chat, read from there.
func (g *catalog) addTabs(w *workspace) {
	for id, tab := range w.tabs() {
		c := g.chat(id)
		if c == nil || !c.empty() {
			continue
		}
		c.kind, c.home, c.listID = bodyTabs, w, w.id
		if name := tab.First("chatTitle", "title"); name.Kind() == jscan.String {
			s := name.Str()
			c.meta.name, c.meta.named = &s, true
		}
		for key, at := range map[string]*time.Time{"createdAt": &c.meta.created, "lastSendTime": &c.meta.updated} {
			*at = parseTime(tab.Get(key))
		}
		if c.meta.updated.IsZero() {
			c.meta.updated = parseTime(tab.First("lastUpdatedAt", "timestamp"))
		}
		c.count, c.sum = 0, checksum(tab)
		for v := range tabBubbles(tab).Items() {
			c.inline++
			c.count += len(tabMessages(v, "-"))
			role, text := tabText(v)
			if role == retold.RoleUser && c.preview == "" {
				c.preview = retold.Preview(text)
			}
			if m := v.Get("modelType").Str(); m != "" {
				c.meta.model = m
			}
		}
		c.meta.mode = "chat"
	}
}

// tabsOf lists the tabs; one writer called them chatSessions.
func tabsOf(chats jscan.Value) (tabs []jscan.Value) {
	for tab := range chats.First("tabs", "chatSessions").Items() {
		tabs = append(tabs, tab)
	}
	return tabs
}

func tabBubbles(tab jscan.Value) jscan.Value { return tab.First("bubbles", "messages") }

// tabs yields the workspace's tabs by id: a tab's own, else one made from its
// place, which stays the same as long as the tab does. A second tab of one id gets
// a mark behind it, so that neither hides the other.
func (w *workspace) tabs() iter.Seq2[string, jscan.Value] {
	return func(yield func(string, jscan.Value) bool) {
		ids := unique{}
		for i, tab := range tabsOf(w.chats) {
			id := tab.First("tabId", "id").Text()
			if id == "" {
				id = fmt.Sprintf("chat-%s-%d", w.id, i)
			}
			if !yield(ids.id(id), tab) {
				return
			}
		}
	}
}

// tab yields the messages of one tab.
func (r *reader) tab() error {
	for id, tab := range r.chat.home.tabs() {
		if id != r.chat.id {
			continue
		}
		n := 0
		for v := range tabBubbles(tab).Items() {
			for _, m := range tabMessages(v, fmt.Sprintf("%s-%d", r.chat.id, n)) {
				if err := r.dater.add(m); err != nil {
					return err
				}
			}
			n++
		}
		return nil
	}
	return nil
}

// tabMessages maps one bubble of the chat panel.
func tabMessages(v jscan.Value, fallback string) (out []retold.Message) {
	id := v.First("id", "bubbleId").Text()
	if id == "" {
		id = fallback
	}
	at := parseTime(v.First("timestamp", "createdAt"))
	add := func(id string, role retold.Role, text string) *retold.Message {
		out = append(out, retold.Message{ID: id, Role: role, Content: text, Timestamp: at, Model: v.Get("modelType").Str()})
		m := &out[len(out)-1]
		if !at.IsZero() {
			m.TimestampSource = retold.TimeStored
		}
		return m
	}
	role, text := tabText(v)
	attached := tabAttachments(v)
	if text != "" || len(attached) > 0 {
		add(id, role, text).Attachments = attached
	}
	if failure := v.Get("errorDetails"); !failure.Empty() {
		if len(out) > 0 {
			id += ":error"
		}
		add(id, retold.RoleError, failureText(failure))
	}
	return out
}

// tabText is what a bubble says: the person's in the first of several members,
// one of which is a Lexical document.
func tabText(v jscan.Value) (retold.Role, string) {
	kind := v.First("type", "role").Text()
	role := retold.RoleUser
	if kind == "ai" || kind == "assistant" || kind == "bot" || kind == "2" {
		role = retold.RoleAssistant
	}
	if kind == "system" {
		role = retold.RoleSystem
	}
	tries := []string{v.At("delegate", "a").Str(), v.Get("text").Str(), lexicalText(v.Get("initText")), v.Get("rawText").Str(), v.Get("content").Str()}
	if role != retold.RoleUser {
		tries = []string{v.Get("rawText").Str(), v.Get("text").Str(), v.Get("content").Str()}
	}
	for _, text := range tries {
		if strings.TrimSpace(text) != "" {
			return role, text
		}
	}
	return role, ""
}

func tabAttachments(v jscan.Value) []retold.Attachment {
	b := bubble{context: v.Get("context")}
	for _, l := range []struct{ list, kind string }{
		{"selections", "selection"},
		{"fileSelections", "file"},
		{"folderSelections", "folder"},
		{"selectedDocs", "doc"},
		{"commits", "commit"},
		{"images", "image"},
	} {
		b.lists = append(b.lists, attachedList{l.kind, v.Get(l.list)})
	}
	all := b.attachments()
	if image := v.Get("image"); image.Kind() == jscan.Object {
		if a, ok := attachment("image", image); ok {
			all = append(all, a)
		}
	}
	return all
}
