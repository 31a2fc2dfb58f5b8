package demo

import (
	"context"
	_ "embed"
	"os"
	"path/filepath"
	"strings"

	"github.com/retold-history/retold/demo/vscdb"
)

// A maker writes one home. Its first error sticks: everything after it does
// nothing.
type maker struct {
	ctx     context.Context
	home    Home
	global  *vscdb.DB
	err     error
	stories []*story // oldest first
	byName  map[string]*story
	listed  []obj            // heads in the global list of 3.0 to 3.11
	heads   map[string][]obj // heads in a workspace's own list, by workspace
	inline  map[string][]obj // whole composers in a workspace's list (2024)
	tabs    map[string][]obj // chat tabs (2023 and 2024), by workspace
}

func (m *maker) make(stories []*story) error {
	m.stories, m.byName = stories, map[string]*story{}
	for _, s := range stories {
		m.byName[s.name] = s
	}
	m.global, m.err = vscdb.Create(m.ctx, filepath.Join(m.home.CursorUser, "globalStorage", "state.vscdb"), vscdb.Headers)
	if m.err != nil {
		return m.err
	}
	for _, s := range stories {
		m.story(s)
	}
	m.leftovers()
	m.lists()
	for _, w := range workspaces {
		m.workspace(w)
	}
	m.done(m.global.Close())
	return m.err
}

// story writes one conversation in the form its shape names.
func (m *maker) story(s *story) {
	calls, desk := map[string]*tool{}, newDesk(s)
	for _, st := range s.steps {
		if !st.spoken() {
			calls[st.id] = desk.use(st)
		}
		if name := st.attr["image"]; name != "" {
			m.file(filepath.Join(m.home.CursorUser, "workspaceStorage", s.workspace.id, "images", name), pixel)
		}
		if st.verb == "plan" {
			m.plan(s, st)
		}
	}
	switch s.shape {
	case "chat", "prompts", "inline-workspace":
		m.firstGeneration(s)
	case "inline", "map", "v1", "timing", "bubbles", "headers", "table", "agentkv", "empty", "draft", "deleted", "malformed":
		m.composer(s, calls)
	case "cli", "cli-old", "acp":
		m.store(s, calls)
	case "transcript", "transcript-txt":
		m.transcript(s, calls)
	default:
		m.done(&unknownShape{s.name, s.shape})
	}
	if s.also == "transcript" {
		m.transcript(s, calls)
	}
}

type unknownShape struct{ story, shape string }

func (e *unknownShape) Error() string { return "story " + e.story + ": unknown shape " + e.shape }

func (m *maker) done(err error) {
	if m.err == nil {
		m.err = err
	}
}

func (m *maker) kv(key string, value []byte) {
	if m.err == nil {
		m.err = m.global.KV(key, value)
	}
}

func (m *maker) item(key string, value any) {
	if m.err == nil {
		m.err = m.global.Item(key, encode(value))
	}
}

// tombstone is what is left of a deleted row.
func (m *maker) tombstone(key string) {
	if m.err == nil {
		m.err = m.global.KVBlob(key, nil)
	}
}

func (m *maker) agentBlob(value []byte) [32]byte {
	id, err := m.global.AgentBlob(value)
	m.done(err)
	return id
}

func (m *maker) file(path string, data []byte) {
	if m.err != nil {
		return
	}
	if m.err = os.MkdirAll(filepath.Dir(path), 0o755); m.err == nil {
		m.err = os.WriteFile(path, data, 0o644)
	}
}

// plan writes a plan file with the todos the story goes on to keep.
func (m *maker) plan(s *story, st step) {
	var front strings.Builder
	front.WriteString("---\nname: " + st.subject + "\noverview: ")
	overview, body, _ := cutBlank(st.body)
	front.WriteString(overview + "\ntodos:\n")
	for _, next := range s.steps {
		if next.verb != "todo" {
			continue
		}
		for _, item := range todosOf(next.body) {
			front.WriteString("  - id: " + text(item["id"]) + "\n    content: " + text(item["content"]) + "\n    status: " + text(item["status"]) + "\n")
		}
		break
	}
	m.file(filepath.Join(m.home.CursorHome, "plans", planName(s, st)), []byte(front.String()+"---\n\n"+body+"\n"))
}

//go:embed story/pixel.png
var pixel []byte
