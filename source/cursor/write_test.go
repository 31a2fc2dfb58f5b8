package cursor_test

import (
	"bytes"
	gocmp "cmp"
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/source/cursor"
	"github.com/retold-history/retold/source/cursorcli"
)

// take imports a session and returns what became of it.
func (r *relocation) take(d *retold.SessionDetail, id, to string) *change.Outcome {
	r.t.Helper()
	m := retold.Import{Place: r.home.CursorUser, To: to, Sessions: []retold.Arrival{{Session: d, ID: id}}}
	dir, err := r.desk.DraftDir()
	r.check(err)
	p, err := change.Draft(r.t.Context(), dir, "import", r.src.PlanImport(r.t.Context(), m))
	r.check(err)
	again, err := change.Draft(r.t.Context(), dir, "import", r.src.PlanImport(r.t.Context(), m))
	r.check(err)
	if p.Fingerprint() != again.Fingerprint() {
		r.t.Error("the same import has two plans")
	}
	out, err := r.desk.Apply(r.t.Context(), p, p.Fingerprint())
	r.check(err)
	r.check(p.Close())
	r.check(again.Close())
	return out
}

func (r *relocation) undo() {
	r.t.Helper()
	plan, err := r.desk.PlanUndo("")
	r.check(err)
	_, err = r.desk.Apply(r.t.Context(), plan, "")
	r.check(err)
	r.check(plan.Close())
}

// A saying is what has to come back of a message.
type saying struct {
	Role        retold.Role
	Content     string
	At          string // of what was dated
	Model       string
	Request     string
	Tokens      *retold.Tokens
	Attachments []retold.Attachment
	Tool        *retold.ToolCall
	Aside       bool
}

// sayings is what docs/migrate.md promises to keep of a session.
func sayings(d *retold.SessionDetail) (all []saying) {
	model, request := "", ""
	spoken := slices.ContainsFunc(d.Messages, func(m retold.Message) bool { return !m.Orphan && !m.Recovered })
	for _, m := range d.Messages {
		if m.Content == "" && m.Tool == nil && len(m.Attachments) == 0 {
			continue
		}
		s := saying{Role: m.Role, Content: m.Content, Model: m.Model, Request: m.RequestID, Tokens: m.Tokens, Aside: spoken && (m.Orphan || m.Recovered)}
		// Attachments are sorted by kind, and what names no model has its request's.
		s.Attachments = slices.SortedStableFunc(slices.Values(m.Attachments), func(a, b retold.Attachment) int { return strings.Compare(a.Kind, b.Kind) })
		if m.Role == retold.RoleUser || m.Role == retold.RoleSystem || m.RequestID != "" && m.RequestID != request {
			model, request = "", m.RequestID
		}
		if !m.Orphan && !m.Recovered {
			s.Model = gocmp.Or(m.Model, model)
			model = s.Model
		}
		if m.TimestampSource == retold.TimeStored || m.TimestampSource == retold.TimeTiming {
			s.At = m.Timestamp.Format(time.RFC3339Nano) + string(m.TimestampSource)
		}
		if m.Tool != nil {
			t := *m.Tool
			t.Params, t.Result = squeezed(t.Params), squeezed(t.Result)
			if t.CallID == "" {
				t.CallID = "made"
			}
			s.Tool = &t
		}
		all = append(all, s)
	}
	return all
}

func squeezed(doc json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if doc == nil || json.Compact(&b, doc) != nil {
		return doc
	}
	return b.Bytes()
}

var sameSession = cmp.Options{cmpopts.EquateEmpty()}

// TestImportGivesTheSameSession imports every conversation of the demo, of the
// editor and of the command line, as another one.
func TestImportGivesTheSameSession(t *testing.T) {
	r := newRelocation(t)
	to := r.folder("taken in")
	const id = "7d0c8e1a-5b1f-4c3e-9f2a-0d9a6b7c8e11"
	before := r.content()
	var all []*retold.SessionDetail
	for _, src := range []retold.Source{r.src, cursorcli.New(cursorcli.Options{Home: []string{r.home.CursorHome}})} {
		places, err := src.Places(t.Context())
		r.check(err)
		for h, err := range src.Headers(t.Context(), places[0]) {
			if err != nil || h.Empty {
				continue
			}
			d, err := src.Session(t.Context(), h.Ref)
			r.check(err)
			all = append(all, d)
		}
	}
	if len(all) < 30 {
		t.Fatalf("only %d sessions", len(all))
	}
	for _, d := range all {
		if len(sayings(d)) == 0 {
			continue
		}
		r.take(d, id, to)
		now := r.session(id)
		if diff := cmp.Diff(sayings(d), sayings(now), sameSession); diff != "" {
			t.Errorf("%s %q (%v):\n%s", d.ID, d.Title, d.Sources, diff)
		}
		if now.Title != strings.TrimSpace(d.Title) || now.WorkspacePath != to || now.Archived != d.Archived || now.Branch != d.Branch || now.Problems != 0 {
			t.Errorf("%s: %q in %q, %v, %+v", d.ID, now.Title, now.WorkspacePath, now.Archived, now.ProblemList)
		}
		if !d.CreatedAt.IsZero() && !now.CreatedAt.Equal(d.CreatedAt) {
			t.Errorf("%s: begun %v, want %v", d.ID, now.CreatedAt, d.CreatedAt)
		}
		r.undo()
	}
	if diff := cmp.Diff(before, r.content()); diff != "" {
		t.Error(diff)
	}
}

// foreign is a session of another agent, with a tool of every kind and every end.
func foreign() *retold.SessionDetail {
	one, zero := 1, 0
	at := time.Date(2026, 3, 4, 5, 6, 7, int(8*time.Millisecond), time.UTC)
	d := &retold.SessionDetail{Session: retold.Session{ID: "rollout-ada-1", Agent: "codex", Title: "Tides & <moons>", Mode: "unheard-of", Model: "gpt-5.2", CreatedAt: at, UpdatedAt: at.Add(time.Hour), Branch: "neap"}}
	add := func(m retold.Message) {
		m.Timestamp, m.TimestampSource = at.Add(time.Duration(len(d.Messages))*time.Second), retold.TimeStored
		m.ID, m.RequestID = "m"+string(rune('a'+len(d.Messages)%26)), "0b7be6a2-5f43-4f6e-9d0e-4a3a5f2f9a01"
		d.Messages = append(d.Messages, m)
	}
	call := func(name string, kind retold.ToolKind, params, result string, status retold.ToolStatus) *retold.ToolCall {
		c := &retold.ToolCall{Name: name, Kind: kind, CallID: "call_" + name + string(status), Status: status}
		if params != "" {
			c.Params = json.RawMessage(params)
		}
		if result != "" {
			c.Result = json.RawMessage(result)
		}
		return c
	}
	add(retold.Message{Role: retold.RoleUser, Content: "When is \"slack\" water?\n\u2028 <user_query>", Attachments: []retold.Attachment{
		{Kind: "file", Name: "tide table.go", Path: "/home/ada/projects/tide pool/tide table.go"},
		{Kind: "selection", Name: "moon.go", Path: "/home/ada/projects/tidepool/moon.go", StartLine: 3, EndLine: 9, Text: "func phase() {}"},
		{Kind: "link", Name: "Tides", Path: "https://tides.example/a?b=c#d"}, {Kind: "folder", Name: "harbor", Path: "/home/ada/harbor"},
		{Kind: "image", Name: "chart.png", Path: "/home/ada/chart.png"}, {Kind: "doc", Name: "Almanac"}, {Kind: "rule", Name: "house.mdc"},
	}})
	add(retold.Message{Role: retold.RoleUser, Content: "<system_notification> typed by hand"})
	add(retold.Message{Role: retold.RoleSystem, Content: "<environment>none</environment>"})
	add(retold.Message{Role: retold.RoleThinking, Content: "The moon … ", Model: "gpt-5.2"})
	add(retold.Message{Role: retold.RoleAssistant, Content: "At noon.\n```go\nx\n```\n", Model: "gpt-5.2", Tokens: &retold.Tokens{Input: 5, Output: 7}})
	for _, status := range []retold.ToolStatus{retold.StatusCompleted, retold.StatusFailed, retold.StatusCancelled, retold.StatusPending} {
		for _, c := range []*retold.ToolCall{
			call("Bash", retold.ToolShell, `{"command":"ls","description":"list","timeout":5}`, `"a\nb"`, status),
			call("Bash", retold.ToolShell, `{"command":"false"}`, `{"stdout":"x","stderr":""}`, status),
			call("exec_command", retold.ToolShell, `{"cmd":["ls","-l"]}`, `[]`, status),
			call("Read", retold.ToolRead, `{"file_path":"/home/ada/a.go","offset":2,"limit":1e9}`, `"line"`, status),
			call("read_file", retold.ToolRead, `{"targetFile":"/home/ada/a.go","limit":"many"}`, `{"contents":"x","no":1}`, status),
			call("Edit", retold.ToolEdit, `{"file_path":"/home/ada/a.go","old_string":"a","new_string":"b"}`, `"ok"`, status),
			call("apply_patch", retold.ToolEdit, `{"input":"*** Begin Patch\n*** End Patch"}`, "", status),
			call("delete_file", retold.ToolEdit, `{"path":"/home/ada/a.go"}`, `"gone"`, status),
			call("Grep", retold.ToolSearch, `{"pattern":"x","-n":true}`, `"a.go:3:x\nb.go:4:xx"`, status),
			call("Glob", retold.ToolSearch, `{"pattern":"*.go"}`, `"a.go\nb.go"`, status),
			call("search", retold.ToolSearch, `{"query":"moon"}`, `{"hits":[]}`, status),
			call("LS", retold.ToolList, `{"path":"/home/ada"}`, `"a\nb"`, status),
			call("WebSearch", retold.ToolWeb, `{"query":"moon"}`, `[{"type":"text","text":"found"}]`, status),
			call("WebFetch", retold.ToolWeb, `{"url":"https://tides.example","prompt":"what"}`, `"# Tides"`, status),
			call("mcp__tides__now", retold.ToolMCP, `{"where":{"lat":1.5},"deep":[null,true]}`, `{"content":[{"type":"text","text":"high"}],"isError":true}`, status),
			call("tides/now", retold.ToolMCP, `{}`, `"high"`, status),
			call("Task", retold.ToolTask, `{"description":"d","prompt":"p","subagent_type":"s"}`, `"done"`, status),
			call("TodoWrite", retold.ToolTodo, `{"todos":[{"content":"a","status":"pending","activeForm":"A"}]}`, `"ok"`, status),
			call("update_plan", retold.ToolPlan, `{"plan":[{"step":"a","status":"completed"}]}`, "", status),
			call("Skill", retold.ToolOther, `{"a":1,"a ":2,"":3}`, `17`, status),
			call("", retold.ToolOther, "", "", status),
		} {
			c.Status = status
			switch {
			case c.Kind == retold.ToolShell && status == retold.StatusFailed:
				c.ExitCode = &one
			case c.Kind == retold.ToolShell && status == retold.StatusCompleted:
				c.ExitCode = &zero
			case c.Name == "Edit":
				c.Files, c.Diff = []string{"/home/ada/a.go"}, "--- a/home/ada/a.go\n+++ b/home/ada/a.go\n@@ -7 +7 @@\n-a\n+b\n\\ No newline at end of file\n@@ -90,2 +90,1 @@ func x\n c\n-d\n"
			}
			add(retold.Message{Role: retold.RoleTool, Tool: c, Model: "gpt-5.2"})
		}
	}
	add(retold.Message{Role: retold.RoleError, Content: "overloaded: try later", Model: "gpt-5.2"})
	add(retold.Message{Role: retold.RoleAssistant, Content: "regenerated", Orphan: true, Model: "o3"})
	return d
}

// TestImportOfAnotherAgent gives back what Cursor has no members for.
func TestImportOfAnotherAgent(t *testing.T) {
	r := newRelocation(t)
	const id = "2f9e8f0c-8f2e-4d0f-8a54-2a7b0a9d1c01"
	d := foreign()
	out := r.take(d, id, r.folder("harbor"))
	now := r.session(id)
	want := sayings(d)
	for i := range want {
		if want[i].Tool != nil && want[i].Tool.CallID == "made" {
			want[i].Tool.CallID = ""
		}
	}
	if diff := cmp.Diff(want, sayings(now), sameSession, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".CallID" }, cmp.Comparer(func(a, b string) bool {
		return a == b || a == "" || b == "" || strings.HasPrefix(a, "made") || strings.HasPrefix(b, "made")
	}))); diff != "" {
		t.Error(diff)
	}
	if now.Mode != "agent" || now.Model != "gpt-5.2" || !now.CreatedAt.Equal(d.CreatedAt) || *now.LinesAdded != 1 || *now.LinesRemoved != 2 || *now.FilesChanged != 1 {
		t.Errorf("%+v", now.Session)
	}
	if out.Rows < len(d.Messages) {
		t.Errorf("%d rows", out.Rows)
	}
}

// TestImportIsListed wants the conversation in every list of F.1.
func TestImportIsListed(t *testing.T) {
	r := newRelocation(t)
	const id = "2f9e8f0c-8f2e-4d0f-8a54-2a7b0a9d1c02"
	to := r.folder("harbor")
	r.take(foreign(), id, to)
	all := r.content()
	for key, want := range map[string]string{
		"globalStorage/state.vscdb/cursorDiskKV/composerData:" + id:                `"workspaceIdentifier":{"id":"`,
		"globalStorage/state.vscdb/composerHeaders/" + id:                          `"type":"head"`,
		"globalStorage/state.vscdb/ItemTable/composer.composerHeaders":             `"composerId":"` + id + `"`,
		"globalStorage/state.vscdb/ItemTable/glass.localAgentProjectMembership.v1": `"` + id + `":"`,
		"globalStorage/state.vscdb/ItemTable/glass.localAgentProjects.v1":          path.Base(to),
	} {
		if !strings.Contains(all[key], want) {
			t.Errorf("%s has no %s: %.300s", key, want, all[key])
		}
	}
}

// TestImportRefuses an id that is taken, and a session without a word.
func TestImportRefuses(t *testing.T) {
	r := newRelocation(t)
	taken := r.about(tidepool)[0]
	for name, a := range map[string]retold.Arrival{
		"taken": {Session: foreign(), ID: taken},
		"empty": {Session: &retold.SessionDetail{}, ID: "2f9e8f0c-8f2e-4d0f-8a54-2a7b0a9d1c03"},
	} {
		_, err := change.Draft(t.Context(), t.TempDir(), "import", r.src.PlanImport(t.Context(), retold.Import{Place: r.home.CursorUser, To: r.folder("x"), Sessions: []retold.Arrival{a}}))
		if retold.CodeOf(err) != retold.CodeUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWrittenToolsFit holds the parameters and results of every written call to
// what Cursor's parser takes.
func TestWrittenToolsFit(t *testing.T) {
	d := foreign()
	tools := map[int64]bool{}
	for _, m := range d.Messages {
		if m.Tool == nil {
			continue
		}
		id, why := cursor.CheckWritten(m.Tool)
		if tools[id] = true; why != "" {
			t.Errorf("%s (%s) as tool %d: %s", m.Tool.Name, m.Tool.Status, id, why)
		}
	}
	for _, id := range []int64{9, 11, 15, 18, 35, 38, 39, 40, 41, 42, 48, 49, 57} {
		if !tools[id] {
			t.Errorf("no call became tool %d", id)
		}
	}
}

// TestImportProperty writes and reads back whatever a session may hold.
func TestImportProperty(t *testing.T) {
	r := newRelocation(t)
	to := r.folder("harbor")
	const id = "2f9e8f0c-8f2e-4d0f-8a54-2a7b0a9d1c04"
	words := rapid.SampledFrom([]string{"tide", " moon\n", "\x00", "\u2028", "<b>&amp;</b>", "\"\\", "…", "```go\nx\n```", "🌊", "{\"a\":1}", "@@ -1 +1 @@", "\r\n"})
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(words, 1, 5).Draw(t, "words"), "") })
	document := rapid.Custom(func(t *rapid.T) json.RawMessage {
		m := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			name := rapid.SampledFrom([]string{"command", "path", "targetFile", "relativeWorkspacePath", "pattern", "query", "url", "todos", "output", "contents", "result", "error", "rejected", "tool", "0", ""}).Draw(t, "name")
			m[name] = rapid.OneOf(rapid.Just(any(nil)), rapid.Just(any(true)), rapid.Just(any(1.5)), rapid.Just(any(7)), rapid.Just(any([]any{"a", map[string]any{"text": "x"}})), rapid.Just(any(map[string]any{"a": nil})), rapid.Custom(func(t *rapid.T) any { return text.Draw(t, "value") })).Draw(t, "value")
		}
		doc, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return doc
	})
	names := rapid.SampledFrom([]string{"Bash", "read_file_v2", "edit_file_v2", "search_replace", "grep", "glob_file_search", "mcp-a-b", "a/b", "todo_write", "task_v2", "x", "", "web_fetch", "delete_file", "create_plan"})
	kinds := rapid.SampledFrom([]retold.ToolKind{retold.ToolRead, retold.ToolEdit, retold.ToolShell, retold.ToolSearch, retold.ToolList, retold.ToolWeb, retold.ToolMCP, retold.ToolTask, retold.ToolTodo, retold.ToolPlan, retold.ToolOther})
	states := rapid.SampledFrom([]retold.ToolStatus{retold.StatusCompleted, retold.StatusPending, retold.StatusFailed, retold.StatusCancelled, ""})
	message := rapid.Custom(func(t *rapid.T) retold.Message {
		m := retold.Message{Role: rapid.SampledFrom(retold.Roles).Draw(t, "role"), Orphan: rapid.IntRange(0, 5).Draw(t, "aside") == 0, Model: "gpt-5.2"}
		if rapid.Bool().Draw(t, "dated") {
			m.Timestamp, m.TimestampSource = time.UnixMilli(rapid.Int64Range(1e12, 2e12).Draw(t, "at")).UTC(), rapid.SampledFrom([]retold.TimeSource{retold.TimeStored, retold.TimeTiming}).Draw(t, "source")
		}
		if m.Role != retold.RoleTool {
			m.Content = text.Draw(t, "text")
			return m
		}
		m.Tool = &retold.ToolCall{Name: names.Draw(t, "tool"), Kind: kinds.Draw(t, "kind"), CallID: "call " + text.Draw(t, "call"), Status: states.Draw(t, "status"), Params: document.Draw(t, "params"), Result: document.Draw(t, "result")}
		if rapid.Bool().Draw(t, "edited") {
			m.Tool.Diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-" + text.Draw(t, "old") + "\n+" + text.Draw(t, "new") + "\n"
			m.Tool.Files = []string{text.Draw(t, "file")}
		}
		if rapid.Bool().Draw(t, "ended") {
			n := rapid.IntRange(-1, 255).Draw(t, "exit")
			m.Tool.ExitCode = &n
		}
		if _, why := cursor.CheckWritten(m.Tool); why != "" {
			t.Fatalf("%+v: %s", m.Tool, why)
		}
		return m
	})
	rapid.Check(t, func(rt *rapid.T) {
		d := &retold.SessionDetail{Session: retold.Session{ID: "x", Agent: "codex", Title: "t"}, Messages: rapid.SliceOfN(message, 1, 8).Draw(rt, "messages")}
		for i := range d.Messages {
			d.Messages[i].ID = "m" + strconv.Itoa(i)
		}
		sort.SliceStable(d.Messages, func(i, j int) bool { return !d.Messages[i].Orphan && d.Messages[j].Orphan })
		r.take(d, id, to)
		now := r.session(id)
		r.undo()
		// What is aside has no order but that of its times.
		want, got := sayings(d), sayings(now)
		for _, list := range [][]saying{want, got} {
			slices.SortStableFunc(list, func(a, b saying) int {
				if !a.Aside || !b.Aside {
					return 0
				}
				return strings.Compare(a.String(), b.String())
			})
		}
		if diff := cmp.Diff(want, got, sameSession); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func (s saying) String() string {
	text, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// TestLostChatComesBack removes all rows of a conversation, as a reset of Cursor
// does, and imports what was kept of it: it has its id and those of its messages.
func TestLostChatComesBack(t *testing.T) {
	r := newRelocation(t)
	back := 0
	for id, h := range r.headers() {
		if h.Empty || !slices.Contains(h.Sources, "composer") || strings.Contains(id, "task-") {
			continue
		}
		kept := r.session(id)
		to := r.folder("home")
		r.forget(id)
		if left, there := r.headers()[id]; there && !left.Empty {
			continue // of 2024: it lies in its workspace's own list
		}
		r.take(kept, id, to)
		now := r.session(id)
		if diff := cmp.Diff(sayings(kept), sayings(now), sameSession); diff != "" {
			t.Errorf("%s:\n%s", id, diff)
		}
		for i, m := range now.Messages {
			if len(kept.Messages) == len(now.Messages) && uuidLike(kept.Messages[i].ID) && m.ID != kept.Messages[i].ID {
				t.Errorf("%s: message %d is %s, was %s", id, i, m.ID, kept.Messages[i].ID)
			}
		}
		back++
	}
	if back < 10 {
		t.Errorf("only %d came back", back)
	}
}

func uuidLike(id string) bool { return len(id) >= 36 && strings.Count(id[:36], "-") == 4 }

// forget removes every row that names a conversation.
func (r *relocation) forget(id string) {
	r.t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(r.home.CursorUser, "globalStorage", "state.vscdb"), sqlite.OpenReadWrite)
	r.check(err)
	for _, sql := range []string{
		"DELETE FROM cursorDiskKV WHERE key LIKE '%" + id + "%'", "DELETE FROM composerHeaders WHERE composerId = '" + id + "'",
		"DELETE FROM ItemTable WHERE key = 'composer.composerHeaders'",
	} {
		r.check(sqlitex.ExecuteTransient(conn, sql, nil))
	}
	r.check(conn.Close())
}
