package mcp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/ui/mcp"
)

func harbours() *tales {
	s := &tales{}
	add := func(id, folder string, age time.Duration) {
		s.tell(retold.Session{ID: id, Title: "harbour " + id, WorkspacePath: folder, WorkspaceName: "w", CreatedAt: demoDay.Add(-48 * time.Hour), UpdatedAt: demoDay.Add(-age)},
			said(retold.RoleUser, "the harbour of "+id))
	}
	add("asking-one", "/home/ada/harbour", time.Minute)
	add("second-one", "/home/ada/harbour", 2*time.Minute)
	add("old-one", "/home/ada/harbour", time.Hour)
	add("elsewhere", "/home/ada/pier", time.Second)
	return s
}

// The conversation that asks does not find itself, as long as it can be known,
// and nothing else is left out.
func TestAskingSession(t *testing.T) {
	for _, c := range []struct {
		name   string
		roots  []string
		dir    string
		client string
		args   string
		left   string
	}{
		{"its folder is a root", []string{"/home/ada/harbour"}, "", "test", "", "asking-one"},
		{"it was started there", nil, "/home/ada/harbour", "test", "", "asking-one"},
		{"roots count more than that", []string{"/home/ada/harbour"}, "/home/ada/pier", "test", "", "asking-one"},
		{"one of two roots", []string{"/home/ada/none", "/home/ada/pier"}, "", "test", "", "elsewhere"},
		{"no folder", nil, "", "test", "", ""},
		{"another folder", []string{"/home/ada/none"}, "", "test", "", ""},
		{"wanted all the same", []string{"/home/ada/harbour"}, "", "test", `, "include_current": true`, ""},
		{"cursor", []string{"/home/ada/harbour"}, "", "cursor-vscode", "", "asking-one"},
		{"a program whose conversations are not here", []string{"/home/ada/harbour"}, "", "claude-ai", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := mcp.New(harbours().open(t), mcp.Options{Dir: c.dir, Now: func() time.Time { return demoDay }})
			client := attachAs(t, server, c.client, c.roots...)
			for _, call := range [][2]string{{"list_sessions", `{"limit": 20` + c.args + `}`}, {"search_sessions", `{"query": "harbour role:user"` + c.args + `}`}} {
				r := client.call(call[0], call[1])
				page := decode[struct {
					pageOf[struct{ ID, SessionID string }]
					LeftOut *struct{ SessionID, Reason, Hint string }
				}](t, r)
				var got []string
				for _, d := range page.Data {
					got = append(got, d.ID+d.SessionID)
				}
				want := slices.DeleteFunc([]string{"asking-one", "elsewhere", "old-one", "second-one"}, func(id string) bool { return id == c.left })
				if slices.Sort(got); !slices.Equal(got, want) {
					t.Errorf("%s: %v, not %v", call[0], got, want)
				}
				if told := page.LeftOut != nil; told != (c.left != "") || told && (page.LeftOut.SessionID != c.left || !strings.Contains(r.text, "include_current: true")) {
					t.Errorf("%s tells that %+v was left out:\n%s", call[0], page.LeftOut, r.text)
				}
			}
		})
	}
}

// What is asked for by its id is there.
func TestAskedForByID(t *testing.T) {
	server := mcp.New(harbours().open(t), mcp.Options{Dir: "/home/ada/harbour", Now: func() time.Time { return demoDay }})
	c := attach(t, server, nil)
	for _, call := range [][2]string{{"get_session", `{"session": "asking-one"}`}, {"get_message", `{"session": "asking-one", "message": 0}`}, {"search_sessions", `{"query": "harbour", "session": "asking-one"}`}, {"export_session", `{"session": "asking-one"}`}} {
		if r := c.call(call[0], call[1]); r.isError || !strings.Contains(r.text, "asking-one") {
			t.Errorf("%s: %s", call[0], r.text)
		}
	}
}

// A dot is the folder the client works in.
func TestDot(t *testing.T) {
	server := mcp.New(harbours().open(t), mcp.Options{Now: func() time.Time { return demoDay }})
	c := attach(t, server, nil, "/home/ada/pier")
	for _, args := range []string{`{"workspace": ".", "include_current": true}`, `{"workspace": ["."], "include_current": "true"}`} {
		if p := decode[pageOf[retold.Session]](t, c.call("list_sessions", args)); p.Pagination.Total != 1 {
			t.Errorf("%s: %d", args, p.Pagination.Total)
		}
	}
	if p := decode[pageOf[json.RawMessage]](t, c.call("search_sessions", `{"query": "harbour workspace:. role:user", "include_current": true}`)); p.Pagination.Total != 1 {
		t.Errorf("in a query: %d", p.Pagination.Total)
	}
	if text := c.answer("prompt resume_work {}"); !strings.Contains(text, "include_current") && !strings.Contains(text, "No conversation") {
		t.Errorf("resume_work in a folder whose only conversation is the asking one:\n%s", text)
	}
}

// attachAs is attach for a client of some name.
func attachAs(t *testing.T, server *mcp.Server, name string, roots ...string) *client {
	t.Helper()
	here, there := sdk.NewInMemoryTransports()
	serving, err := server.SDK().Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := sdk.NewClient(&sdk.Implementation{Name: name, Version: "1"}, nil)
	for _, root := range roots {
		c.AddRoots(&sdk.Root{URI: fmt.Sprint("file://", root)})
	}
	session, err := c.Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		_ = serving.Wait() // its end is what matters
	})
	return &client{session, t}
}
