package mcp_test

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp"
)

// tales is a source whose sessions are made up by a test.
type tales struct {
	sessions []*retold.SessionDetail
	gate     chan struct{} // closed, or messages are not told
	broken   error         // in place of sessions that cannot be read; nil for none
}

func (s *tales) Agent() string { return "cursor" }

func (s *tales) Places(context.Context) ([]retold.Place, error) {
	return []retold.Place{{Agent: "cursor", Path: "/made/up", Kind: "user", Used: true, Reason: "made up"}}, nil
}

func (s *tales) Headers(context.Context, retold.Place) iter.Seq2[retold.Header, error] {
	return func(yield func(retold.Header, error) bool) {
		for _, d := range s.sessions {
			if !yield(retold.Header{Session: d.Session, Ref: retold.Ref{Agent: "cursor", Place: "/made/up", ID: d.ID}, Stamp: "1"}, nil) {
				return
			}
		}
		if s.broken != nil {
			yield(retold.Header{}, s.broken)
		}
	}
}

func (s *tales) Session(ctx context.Context, ref retold.Ref) (*retold.SessionDetail, error) {
	if s.gate != nil {
		select {
		case <-s.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	i := slices.IndexFunc(s.sessions, func(d *retold.SessionDetail) bool { return d.ID == ref.ID })
	if i < 0 {
		return nil, retold.ErrSessionNotFound
	}
	d := *s.sessions[i]
	d.Messages = slices.Clone(d.Messages)
	return &d, nil
}

// tell makes a session, the newest last.
func (s *tales) tell(session retold.Session, messages ...retold.Message) {
	session.Agent, session.Sources, session.TimeSource = "cursor", []string{"composer"}, retold.TimeStored
	if session.CreatedAt.IsZero() {
		session.CreatedAt = demoDay.Add(time.Duration(len(s.sessions)-1000) * time.Hour)
	}
	if session.UpdatedAt.IsZero() {
		session.UpdatedAt = session.CreatedAt
	}
	for i := range messages {
		m := &messages[i]
		m.Index = i
		if m.ID == "" {
			m.ID = "m" + strings.Repeat("0", 3) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
		}
		if m.Timestamp.IsZero() {
			m.Timestamp, m.TimestampSource = session.CreatedAt, retold.TimeStored
		}
	}
	session.MessageCount = len(messages)
	s.sessions = append(s.sessions, &retold.SessionDetail{Session: session, Messages: messages})
}

func said(role retold.Role, text string) retold.Message {
	return retold.Message{Role: role, Content: text}
}

func ran(kind retold.ToolKind, name, params, result string) retold.Message {
	raw, err := json.Marshal(result)
	if err != nil {
		panic(err)
	}
	return retold.Message{Role: retold.RoleTool, Tool: &retold.ToolCall{Name: name, Kind: kind, CallID: "call", Params: json.RawMessage(params), Result: raw, Status: retold.StatusCompleted}}
}

// open opens a library over the tales.
func (s *tales) open(t testing.TB, change ...func(*library.Options)) *library.Library {
	t.Helper()
	o := library.Options{Sources: []retold.Source{s}, Env: paths.Env{GOOS: "linux", Home: t.TempDir()}, Mask: mcp.Mask, Now: func() time.Time { return demoDay }}
	for _, c := range change {
		c(&o)
	}
	l, err := library.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// everything asks for all that can be asked about the sessions of a library, and
// returns all that came back, both forms.
func (c *client) everything(ids []string, counts []int) map[string]string {
	c.t.Helper()
	out := map[string]string{}
	add := func(tool, args string) {
		r := c.call(tool, args)
		out[tool+" "+args], out["json "+tool+" "+args] = r.text, string(r.body)
	}
	for _, tool := range []string{"list_sessions", "list_workspaces", "get_stats", "doctor"} {
		add(tool, `{"max_chars": 400000}`)
		add(tool, `{}`)
	}
	add("search_sessions", `{"query": "role:user OR role:assistant OR role:tool OR role:thinking", "limit": 200, "max_chars": 400000}`)
	add("search_sessions", `{"query": "harbour", "limit": 200, "max_chars": 400000}`)
	out["json resources"] = string(unescaped(c.t, c.resources()))
	out["resource retold://workspaces"] = c.answer("resource retold://workspaces")
	out["prompt resume_work"] = c.answer(`prompt resume_work {"workspace": "harbour"}`)
	out["prompt explain_decision"] = c.answer(`prompt explain_decision {"query": "harbour"}`)
	for i, id := range ids {
		quoted := string(unescaped(c.t, id))
		add("get_session", `{"session": `+quoted+`, "limit": 1000, "max_chars": 400000}`)
		add("get_session", `{"session": `+quoted+`}`)
		add("get_session", `{"session": `+quoted+`, "around": "nothing like it"}`)
		for _, format := range []string{"md", "json", "html", "jsonl", "csv", "text"} {
			add("export_session", `{"session": `+quoted+`, "format": "`+format+`", "tools": "full", "max_chars": 400000}`)
		}
		out["prompt summarise_session "+id] = c.answer(`prompt summarise_session {"session": ` + quoted + `}`)
		out["resource "+id] = c.answer("resource retold://session/" + id)
		for n := range counts[i] {
			at := string(unescaped(c.t, n))
			out["resource "+id+" "+at] = c.answer("resource retold://session/" + id + "/message/" + at)
			for _, part := range []string{``, `, "part": "content"`, `, "part": "result"`, `, "part": "params"`, `, "part": "diff"`} {
				add("get_message", `{"session": `+quoted+`, "message": `+at+part+`, "max_chars": 400000}`)
			}
		}
	}
	return out
}

func (c *client) resources() any {
	c.t.Helper()
	list, err := c.ListResources(c.t.Context(), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return list.Resources
}

// serveTales connects a client to a server over the tales.
func serveTales(t testing.TB, s *tales) *client {
	t.Helper()
	return connect(t, s.open(t), mcp.Options{}, nil)
}
