package cursorcli_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/encoding/protowire"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/source/cursorcli"
)

const importedID = "2f9e8f0c-8f2e-4d0f-8a54-000000000001"

// An arrivals is an empty ~/.cursor that conversations are written to.
type arrivals struct {
	t    testing.TB
	dir  string // a folder that they are about
	home string
	src  *cursorcli.Source
	desk *change.Desk
}

func newArrivals(t testing.TB) *arrivals {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	a := &arrivals{t: t, dir: filepath.Join(root, "projects", "harbor"), home: filepath.Join(root, ".cursor")}
	a.check(err)
	a.check(os.MkdirAll(a.dir, 0o755))
	a.check(os.MkdirAll(filepath.Join(a.home, "chats"), 0o755))
	a.src = cursorcli.New(cursorcli.Options{Home: []string{a.home}})
	a.desk = &change.Desk{Home: filepath.Join(root, "retold"), Guard: idle{}}
	return a
}

func (a *arrivals) check(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *arrivals) plan(d *retold.SessionDetail, id string) (*change.Plan, error) {
	a.t.Helper()
	dir, err := a.desk.DraftDir()
	a.check(err)
	return change.Draft(a.t.Context(), dir, "import", a.src.PlanImport(a.t.Context(), retold.Import{Place: a.home, To: a.dir, Sessions: []retold.Arrival{{Session: d, ID: id}}}))
}

// take imports a session and reads it back.
func (a *arrivals) take(d *retold.SessionDetail, id string) *retold.SessionDetail {
	a.t.Helper()
	p, err := a.plan(d, id)
	a.check(err)
	_, err = a.desk.Apply(a.t.Context(), p, p.Fingerprint())
	a.check(errors.Join(err, p.Close()))
	return a.read(id)
}

// put writes what an import makes without the care that a change takes.
func (a *arrivals) put(d *retold.SessionDetail, id string) *retold.SessionDetail {
	a.t.Helper()
	for s, err := range a.src.PlanImport(a.t.Context(), retold.Import{Place: a.home, To: a.dir, Sessions: []retold.Arrival{{Session: d, ID: id}}}) {
		a.check(err)
		switch {
		case s.File == nil:
		case s.File.After.Dir:
			a.check(os.Mkdir(s.File.Path, s.File.After.Mode))
		default:
			a.check(os.WriteFile(s.File.Path, s.File.After.Data, s.File.After.Mode))
		}
	}
	return a.read(id)
}

func (a *arrivals) read(id string) *retold.SessionDetail {
	a.t.Helper()
	d, err := a.src.Session(a.t.Context(), retold.Ref{Agent: "cursor-cli", Place: a.home, ID: id})
	a.check(err)
	return d
}

func (a *arrivals) store(id string) string {
	return filepath.Join(a.home, "chats", paths.MD5(a.dir), id, "store.db")
}

// kept is what docs/migrate.md promises to keep of a session's messages.
func kept(d *retold.SessionDetail) (all []retold.Message) {
	alone := true
	for _, m := range d.Messages {
		step := m.Role != retold.RoleUser && m.Role != retold.RoleSystem && m.Tool == nil
		if m.Content == "" && m.Tool == nil && len(m.Attachments) == 0 || step && strings.TrimSpace(m.Content) == "" {
			continue
		}
		m.ID, m.Index, m.Gone, m.Stub = "", 0, false, false
		alone = alone && (m.Orphan || m.Recovered)
		switch m.TimestampSource {
		case retold.TimeStored, retold.TimeTiming:
		default:
			m.Timestamp, m.TimestampSource = time.Time{}, ""
		}
		if m.Tool != nil {
			call := *m.Tool
			call.Params, call.Result = squeezed(call.Params), squeezed(call.Result)
			m.Tool = &call
		}
		all = append(all, m)
	}
	for i := range all {
		if alone { // then it is the conversation again
			all[i].Orphan, all[i].Recovered = false, false
		}
	}
	slices.SortStableFunc(all, func(a, b retold.Message) int { return asideRank(a) - asideRank(b) })
	return all
}

func asideRank(m retold.Message) int {
	if m.Orphan || m.Recovered {
		return 1
	}
	return 0
}

func squeezed(doc json.RawMessage) json.RawMessage {
	if doc == nil {
		return nil
	}
	var v any
	if json.Unmarshal(doc, &v) != nil {
		return doc
	}
	out, err := json.Marshal(v)
	if err != nil {
		return doc
	}
	return out
}

// tidesTalk is a conversation of another agent with one call of every kind.
func tidesTalk() *retold.SessionDetail {
	at := time.Date(2026, 3, 4, 5, 6, 7, 8e6, time.UTC)
	d := &retold.SessionDetail{Session: retold.Session{ID: "talk-of-ada", Agent: "codex", Title: "Tides", Mode: "plan", Branch: "main", WorkspacePath: "/home/ada/tidepool", CreatedAt: at, UpdatedAt: at.Add(time.Hour)}}
	say := func(m retold.Message) {
		at = at.Add(time.Second)
		m.Timestamp, m.TimestampSource, m.RequestID = at, retold.TimeStored, "turn-1"
		d.Messages = append(d.Messages, m)
	}
	say(retold.Message{Role: retold.RoleUser, Content: "How high is <b>the</b> tide — “now”? 🌊", Attachments: []retold.Attachment{{Kind: "file", Name: "harbor.txt", Path: "/home/ada/tidepool/harbor.txt", Text: "low"}, {Kind: "image", Name: "moon.png", Path: "/home/ada/moon.png"}}})
	say(retold.Message{Role: retold.RoleThinking, Content: "It depends on the moon.", Model: "gpt-5.2"})
	say(retold.Message{Role: retold.RoleAssistant, Content: "Let me look.", Model: "gpt-5.2", Tokens: &retold.Tokens{Input: 7, Output: 11}})
	zero, three := 0, 3
	for i, call := range []retold.ToolCall{
		{Name: "exec_command", Kind: retold.ToolShell, Params: json.RawMessage(`{"cmd":"tide --now","workdir":"/home/ada/tidepool"}`), Result: json.RawMessage(`"high\n"`), ExitCode: &zero},
		{Name: "exec_command", Kind: retold.ToolShell, Params: json.RawMessage(`{"cmd":"false"}`), Result: json.RawMessage(`"no"`), ExitCode: &three, Status: retold.StatusFailed},
		{Name: "exec_command", Kind: retold.ToolShell, Params: json.RawMessage(`{"cmd":"sleep 9"}`), Status: retold.StatusPending},
		{Name: "Read", Kind: retold.ToolRead, Params: json.RawMessage(`{"file_path":"harbor.txt","offset":2}`), Result: json.RawMessage(`"2\tlow"`), Files: []string{"harbor.txt"}},
		{Name: "apply_patch", Kind: retold.ToolEdit, Params: json.RawMessage(`{"input":"*** Begin Patch"}`), Result: json.RawMessage(`"Done"`), Files: []string{"harbor.txt"}, Diff: "--- a/harbor.txt\n+++ b/harbor.txt\n@@ -1 +1 @@\n-low\n+high\n"},
		{Name: "delete_file", Kind: retold.ToolEdit, Params: json.RawMessage(`{"path":"old.txt"}`), Files: []string{"old.txt"}},
		{Name: "Grep", Kind: retold.ToolSearch, Params: json.RawMessage(`{"pattern":"tide","path":"src"}`), Result: json.RawMessage(`"src/a.go:3:tide\nsrc/a.go:9:tides"`)},
		{Name: "Glob", Kind: retold.ToolSearch, Params: json.RawMessage(`{"pattern":"**/*.go"}`), Result: json.RawMessage(`"a.go\nb.go"`)},
		{Name: "codebase_search", Kind: retold.ToolSearch, Params: json.RawMessage(`{"query":"where is the tide"}`), Result: json.RawMessage(`"here"`)},
		{Name: "LS", Kind: retold.ToolList, Params: json.RawMessage(`{"path":"."}`), Result: json.RawMessage(`"a\nb"`)},
		{Name: "WebFetch", Kind: retold.ToolWeb, Params: json.RawMessage(`{"url":"https://tides.example"}`), Result: json.RawMessage(`"# Tides"`)},
		{Name: "web_search", Kind: retold.ToolWeb, Params: json.RawMessage(`{"query":"tides"}`), Result: json.RawMessage(`"found"`)},
		{Name: "Task", Kind: retold.ToolTask, Params: json.RawMessage(`{"description":"look","prompt":"look at the moon","subagent_type":"astronomer"}`), Result: json.RawMessage(`"full"`)},
		{Name: "update_plan", Kind: retold.ToolTodo, Params: json.RawMessage(`{"plan":[{"step":"measure","status":"in_progress"}]}`), Result: json.RawMessage(`"ok"`)},
		{Name: "ExitPlanMode", Kind: retold.ToolPlan, Params: json.RawMessage(`{"plan":"1. wait"}`), Status: retold.StatusCancelled},
		{Name: "mcp__harbor__depth", Kind: retold.ToolMCP, Params: json.RawMessage(`{"at":{"pier":[1,null,true,"x"]}}`), Result: json.RawMessage(`[{"type":"text","text":"4 m"}]`), Status: retold.StatusFailed},
		{Name: "strange tool/ü", Kind: retold.ToolOther, Params: json.RawMessage(`{}`), Result: json.RawMessage(`{"any":1}`)},
	} {
		if call.Status == "" {
			call.Status = retold.StatusCompleted
		}
		call.CallID = "call_" + string(rune('a'+i))
		say(retold.Message{Role: retold.RoleTool, Tool: &call, Model: "gpt-5.2"})
	}
	say(retold.Message{Role: retold.RoleError, Content: "overloaded"})
	say(retold.Message{Role: retold.RoleSystem, Content: "context was compacted"})
	say(retold.Message{Role: retold.RoleUser, Content: "thanks"})
	say(retold.Message{Role: retold.RoleAssistant, Content: "High.", Model: "gpt-5.2"})
	for i := range d.Messages {
		d.Messages[i].ID, d.Messages[i].Index = "m"+string(rune('A'+i)), i
	}
	return d
}

func TestImportReadsBack(t *testing.T) {
	a := newArrivals(t)
	want := tidesTalk()
	got := a.take(want, importedID)
	if diff := cmp.Diff(kept(want), kept(got)); diff != "" {
		t.Errorf("messages (-want +got)\n%s", diff)
	}
	type session struct {
		Title, Workspace, Mode, Branch, Model string
		Created, Updated                      time.Time
		Problems                              int
	}
	about := func(s *retold.Session) session {
		return session{s.Title, s.WorkspacePath, s.Mode, s.Branch, s.Model, s.CreatedAt, s.UpdatedAt, s.Problems}
	}
	same := want.Session
	same.WorkspacePath, same.Model = a.dir, "gpt-5.2"
	if diff := cmp.Diff(about(&same), about(&got.Session)); diff != "" {
		t.Errorf("session (-want +got)\n%s", diff)
	}
	again, err := a.plan(want, importedID)
	if retold.CodeOf(err) != retold.CodeUsage {
		t.Errorf("imported over itself: %v %v", again, err)
	}
}

func TestImportIsTakenBack(t *testing.T) {
	a := newArrivals(t)
	a.take(tidesTalk(), importedID)
	p, err := a.desk.PlanUndo("")
	a.check(err)
	_, err = a.desk.Apply(t.Context(), p, "")
	a.check(errors.Join(err, p.Close()))
	left, err := os.ReadDir(filepath.Join(a.home, "chats"))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

func TestImportIsThePlanOfTheSameFiles(t *testing.T) {
	a := newArrivals(t)
	var prints []string
	for range 2 {
		p, err := a.plan(tidesTalk(), importedID)
		a.check(err)
		prints = append(prints, p.Fingerprint())
		a.check(p.Close())
	}
	if prints[0] != prints[1] {
		t.Errorf("two plans: %v", prints)
	}
}

// rowsOf reads a store without any of our reading.
func rowsOf(t testing.TB, path string) (blobs map[string][]byte, meta map[string]string) {
	t.Helper()
	blobs, meta = map[string][]byte{}, map[string]string{}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.Execute(conn, "SELECT id, data FROM blobs", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		b := make([]byte, s.ColumnLen(1))
		s.ColumnBytes(1, b)
		blobs[s.ColumnText(0)] = b
		return nil
	}})
	err = errors.Join(err, sqlitex.Execute(conn, "SELECT key, value FROM meta", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		meta[s.ColumnText(0)] = s.ColumnText(1)
		return nil
	}}))
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	return blobs, meta
}

func TestImportedBlobsAreTheirIDs(t *testing.T) {
	a := newArrivals(t)
	a.take(tidesTalk(), importedID)
	blobs, meta := rowsOf(t, a.store(importedID))
	for id, b := range blobs {
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != id {
			t.Errorf("blob %s has another sum", id)
		}
	}
	self, err := hex.DecodeString(meta["0"])
	a.check(err)
	var m struct{ AgentID, LatestRootBlobID, Name, Mode string }
	a.check(json.Unmarshal(self, &m))
	if m.AgentID != importedID || blobs[m.LatestRootBlobID] == nil || m.Name != "Tides" || m.Mode != "plan" {
		t.Errorf("meta: %s", self)
	}
}

func TestImportIsRefused(t *testing.T) {
	a := newArrivals(t)
	for name, c := range map[string]struct {
		to   string
		d    *retold.SessionDetail
		code retold.Code
	}{
		"elsewhere": {"vscode-remote://ssh-remote+pier/home/ada", tidesTalk(), retold.CodeUsage},
		"no folder": {filepath.Join(a.dir, "none"), tidesTalk(), retold.CodeWorkspaceNotFound},
		"nothing":   {a.dir, &retold.SessionDetail{Session: retold.Session{ID: "x", Agent: "codex"}, Messages: []retold.Message{{Role: retold.RoleAssistant, Content: " \n"}}}, retold.CodeUsage},
	} {
		var err error
		for _, e := range a.src.PlanImport(t.Context(), retold.Import{Place: a.home, To: c.to, Sessions: []retold.Arrival{{Session: c.d, ID: importedID}}}) {
			err = errors.Join(err, e)
		}
		if retold.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestImportGoesOn lets the agent add a turn to an imported conversation: what was
// imported is read as before.
func TestImportGoesOn(t *testing.T) {
	a := newArrivals(t)
	before := kept(a.take(tidesTalk(), importedID))
	blobs, meta := rowsOf(t, a.store(importedID))
	self, err := hex.DecodeString(meta["0"])
	a.check(err)
	var m struct{ LatestRootBlobID string }
	a.check(json.Unmarshal(self, &m))
	added := map[string][]byte{}
	k := agentstate.Maker{Put: func(id string, b []byte) error { added[id] = b; return nil }}
	turn, _, err := k.Turn(&agentstate.NewTurn{User: agentstate.User{MessageID: "u", Text: "and tomorrow?"}, Steps: []agentstate.NewStep{{Kind: agentstate.StepAssistant, Text: "Higher."}}})
	a.check(err)
	root := protowire.AppendBytes(protowire.AppendTag(blobs[m.LatestRootBlobID], 8, protowire.BytesType), turn)
	sum := sha256.Sum256(root)
	added[hex.EncodeToString(sum[:])] = root
	now := strings.ReplaceAll(string(self), m.LatestRootBlobID, hex.EncodeToString(sum[:]))
	writeDB(t, a.store(importedID), func(conn *sqlite.Conn) error {
		for id, b := range added {
			if err := sqlitex.Execute(conn, "INSERT INTO blobs VALUES (?, ?)", &sqlitex.ExecOptions{Args: []any{id, b}}); err != nil {
				return err
			}
		}
		return sqlitex.Execute(conn, "INSERT OR REPLACE INTO meta VALUES ('0', ?)", &sqlitex.ExecOptions{Args: []any{hex.EncodeToString([]byte(now))}})
	})
	after := kept(a.read(importedID))
	if diff := cmp.Diff(before, after[:min(len(before), len(after))]); diff != "" {
		t.Errorf("(-before +after)\n%s", diff)
	}
	if len(after) != len(before)+2 || after[len(after)-1].Content != "Higher." {
		t.Errorf("%d messages, then %d", len(before), len(after))
	}
}

// TestDamagedMarks reads a store whose marks are damaged: it is told, and the
// conversation is what the agent reads.
func TestDamagedMarks(t *testing.T) {
	for _, marks := range []string{`{"messages":`, `{"aside":[7]}`, `{"messages":{"x":7},"aside":{}}`, `[]`, `"x"`} {
		a := newArrivals(t)
		a.take(tidesTalk(), importedID)
		writeDB(t, a.store(importedID), func(conn *sqlite.Conn) error {
			return sqlitex.Execute(conn, "UPDATE meta SET value = ? WHERE key = 'retold'", &sqlitex.ExecOptions{Args: []any{marks}})
		})
		d := a.read(importedID)
		if len(d.Messages) != len(tidesTalk().Messages) {
			t.Errorf("%s: %d messages", marks, len(d.Messages))
		}
		if told := strings.HasSuffix(marks, ":") || strings.Contains(marks, "[7]"); told != (len(d.ProblemList) > 0) {
			t.Errorf("%s: %v", marks, d.ProblemList)
		}
	}
}

// TestImportOfDemo imports sessions that the command line had, of the demo and of the
// fixtures.
func TestImportOfDemo(t *testing.T) {
	r := newRelocation(t)
	a := newArrivals(t)
	n := 0
	for id := range r.headers() {
		want, err := r.src.Session(t.Context(), retold.Ref{Agent: "cursor-cli", Place: r.home, ID: id})
		a.check(err)
		if len(kept(want)) == 0 {
			continue
		}
		n++
		got := a.put(want, fmt.Sprintf("2f9e8f0c-8f2e-4d0f-8a54-%012d", n))
		if diff := cmp.Diff(kept(want), kept(got), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", id, diff)
		}
	}
	if n == 0 {
		t.Fatal("nothing was imported")
	}
	for id := range map[string]bool{idB: true, "6dcd4ce2-3d88-42ee-a568-ba546c007c63": true, "32096c2e-0eff-43d8-a4ee-6d675407ace1": true} {
		want := read(t, copyOf(t, sdkHome), id)
		got := a.put(want, id) // lost, and given back
		if diff := cmp.Diff(kept(want), kept(got), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", id, diff)
		}
		for i, m := range kept(got) {
			if i < len(want.Messages) && got.Messages[i].Role == want.Messages[i].Role && !m.Recovered && got.Messages[i].ID != want.Messages[i].ID {
				t.Errorf("%s: message %s has the id %s", id, want.Messages[i].ID, got.Messages[i].ID)
			}
		}
	}
}
