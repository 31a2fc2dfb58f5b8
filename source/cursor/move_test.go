package cursor_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/demo"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/source/cursor"
)

type idle struct{}

func (idle) Check(context.Context, []string) error { return nil }

// A relocation is a demo home whose conversations are moved about.
type relocation struct {
	t    testing.TB
	dir  string
	home demo.Home
	src  *cursor.Source
	desk *change.Desk
}

func newRelocation(t testing.TB) *relocation {
	t.Helper()
	r := &relocation{t: t, dir: t.TempDir()}
	var err error
	r.home, err = demo.Make(t.Context(), r.dir)
	r.check(err)
	r.src = cursor.New(cursor.Options{User: []string{r.home.CursorUser}})
	r.desk = &change.Desk{Home: filepath.Join(r.dir, "retold"), Guard: idle{}}
	return r
}

func (r *relocation) check(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *relocation) folder(name string) string {
	r.t.Helper()
	dir := filepath.Join(r.dir, "projects", name)
	r.check(os.MkdirAll(dir, 0o755))
	return dir
}

func (r *relocation) headers() map[string]retold.Header {
	r.t.Helper()
	all := map[string]retold.Header{}
	for h, err := range r.src.Headers(r.t.Context(), retold.Place{Path: r.home.CursorUser}) {
		if err == nil {
			all[h.ID] = h
		}
	}
	return all
}

func (r *relocation) session(id string) *retold.SessionDetail {
	r.t.Helper()
	d, err := r.src.Session(r.t.Context(), retold.Ref{Agent: "cursor", Place: r.home.CursorUser, ID: id})
	r.check(err)
	return d
}

func (r *relocation) move(m retold.Move) *change.Outcome {
	r.t.Helper()
	m.Place = r.home.CursorUser
	dir, err := r.desk.DraftDir()
	r.check(err)
	p, err := change.Draft(r.t.Context(), dir, "move", r.src.PlanMove(r.t.Context(), m))
	r.check(err)
	again, err := change.Draft(r.t.Context(), dir, "move", r.src.PlanMove(r.t.Context(), m))
	r.check(err)
	if p.Fingerprint() != again.Fingerprint() {
		r.t.Error("the same move has two plans")
	}
	out, err := r.desk.Apply(r.t.Context(), p, p.Fingerprint())
	r.check(err)
	r.check(p.Close())
	r.check(again.Close())
	return out
}

// content is every row of every database below User, and every other file.
func (r *relocation) content() map[string]string {
	r.t.Helper()
	all := map[string]string{}
	r.check(filepath.WalkDir(r.home.CursorUser, func(p string, d fs.DirEntry, err error) error {
		if err != nil || strings.HasSuffix(p, "-wal") || strings.HasSuffix(p, "-shm") {
			return err
		}
		name, err := filepath.Rel(r.home.CursorUser, p)
		switch {
		case err != nil || d.IsDir():
			all[name] = "folder"
		case strings.HasSuffix(p, ".vscdb"):
			r.rows(p, name, all)
		default:
			text, readErr := os.ReadFile(p)
			all[name], err = string(text), readErr
		}
		return err
	}))
	return all
}

func (r *relocation) rows(path, name string, all map[string]string) {
	r.t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	r.check(err)
	for _, table := range []string{"ItemTable", "cursorDiskKV", "composerHeaders"} {
		_ = sqlitex.ExecuteTransient(conn, "SELECT rowid, * FROM "+table, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			var b strings.Builder
			for i := range s.ColumnCount() {
				buf := make([]byte, s.ColumnLen(i))
				s.ColumnBytes(i, buf)
				text := string(buf)
				if s.ColumnType(i) == sqlite.TypeBlob {
					text = hex.EncodeToString(buf)
				}
				fmt.Fprintf(&b, "%v:%s|", s.ColumnType(i), text)
			}
			all[name+"/"+table+"/"+s.ColumnText(1)] = b.String()
			return nil
		}})
	}
	r.check(conn.Close())
}

// TestMoveAndBack moves every conversation of the demo to a new folder, each by
// itself, and undoes that; and moves it back, which leaves what is said as it was.
func TestMoveAndBack(t *testing.T) {
	r := newRelocation(t)
	before := r.content()
	moved := 0
	headers := r.headers()
	for id, h := range headers {
		if h.Empty && !h.Draft || len(h.Sources) > 0 && h.Sources[0] == "prompts" {
			continue
		}
		to := r.folder("new " + id[:8])
		first := r.session(id)
		out := r.move(retold.Move{Sessions: []string{id}, To: to})
		if out.Rows == 0 {
			t.Logf("%s %q (%v): nothing to move", id, h.Title, h.Sources)
			continue
		}
		moved++
		now := r.headers()[id]
		if now.WorkspacePath != to {
			t.Errorf("%s %q (%v) is about %q, want %q", id, h.Title, h.Sources, now.WorkspacePath, to)
		}
		second := r.session(id)
		if len(first.Messages) != len(second.Messages) {
			t.Errorf("%s: %d messages, had %d", id, len(second.Messages), len(first.Messages))
		}
		if diff := cmp.Diff(texts(first), texts(second)); diff != "" {
			t.Errorf("%s: what was said changed:\n%s", id, diff)
		}
		plan, err := r.desk.PlanUndo("")
		r.check(err)
		_, err = r.desk.Apply(t.Context(), plan, "")
		r.check(err)
		r.check(plan.Close())
		if diff := cmp.Diff(before, r.content()); diff != "" {
			t.Fatalf("%s: undone (-before +now)\n%s", id, diff)
		}
	}
	t.Logf("%d of %d moved", moved, len(headers))
	if moved < 10 {
		t.Error("too few")
	}
}

// texts are what people and models wrote.
func texts(d *retold.SessionDetail) (all []string) {
	for _, m := range d.Messages {
		if m.Tool == nil {
			all = append(all, string(m.Role)+" "+m.Content)
		}
	}
	return all
}

// about are the conversations about one folder of the demo.
func (r *relocation) about(path string) (ids []string) {
	r.t.Helper()
	for id, h := range r.headers() {
		if h.WorkspacePath == path && len(h.Sources) > 0 && h.Sources[0] != "prompts" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

const tidepool = "/home/ada/projects/tidepool"

// TestMoveFolder moves all that is about one folder at once: every structured
// path follows, and no word that somebody wrote changes.
func TestMoveFolder(t *testing.T) {
	r := newRelocation(t)
	ids := r.about(tidepool)
	before := r.content()
	was := map[string]*retold.SessionDetail{}
	for _, id := range ids {
		was[id] = r.session(id)
	}
	to := r.folder("café & pool")
	r.move(retold.Move{Sessions: ids, From: tidepool, To: to})
	if diff := cmp.Diff(ids, r.about(to)); diff != "" {
		t.Error(diff)
	}
	files := 0
	for _, id := range ids {
		now := r.session(id)
		if diff := cmp.Diff(texts(was[id]), texts(now)); diff != "" {
			t.Errorf("%s:\n%s", id, diff)
		}
		for i, m := range now.Messages {
			old := was[id].Messages[i]
			if m.ID != old.ID || m.Tool == nil != (old.Tool == nil) {
				t.Errorf("%s: message %d is another", id, i)
			}
			if m.Tool == nil {
				continue
			}
			for n, f := range m.Tool.Files {
				if want := strings.Replace(old.Tool.Files[n], tidepool, to, 1); f != want {
					t.Errorf("%s: file %q, want %q", id, f, want)
				} else if f != old.Tool.Files[n] {
					files++
				}
			}
		}
	}
	if files == 0 {
		t.Error("no file was moved")
	}
	after := r.content()
	for key, value := range after {
		if name, ok := strings.CutPrefix(key, "globalStorage/state.vscdb/"); ok && before[key] == value && strings.Contains(value, `"relativeWorkspacePath":"`+tidepool) {
			t.Errorf("%s still lies in the old folder", name)
		}
	}
	// Back again: what differs from the beginning are lists, whose order and
	// members a move may add to.
	r.move(retold.Move{Sessions: ids, From: to, To: tidepoolAgain(r)})
	same, changed := 0, 0
	for key, value := range r.content() {
		if strings.Contains(key, "/cursorDiskKV/") {
			if strings.ReplaceAll(value, tidepoolAgain(r), tidepool) == before[key] {
				same++
			} else if !strings.Contains(key, "composerData:") && before[key] != "" {
				changed++
				t.Errorf("%s:\n%s", key, cmp.Diff(before[key], value))
			}
		}
	}
	if same < 100 || changed > 0 {
		t.Errorf("%d rows as before, %d not", same, changed)
	}
}

// tidepoolAgain is a folder that exists here, for the way back.
func tidepoolAgain(r *relocation) string { return r.folder("tidepool") }

// TestCopy makes a copy beside an untouched original.
func TestCopy(t *testing.T) {
	r := newRelocation(t)
	before := r.content()
	ids := r.about(tidepool)
	was := map[string]*retold.SessionDetail{}
	copies := map[string]string{}
	for i, id := range ids {
		was[id] = r.session(id)
		copies[id] = fmt.Sprintf("00000000-0000-4000-8000-%012d", i)
	}
	to := r.folder("copy")
	r.move(retold.Move{Sessions: ids, To: to, Copies: copies})
	shared := map[string]bool{"composer.composerData": true, "composer.composerHeaders": true, "glass.localAgentProjects.v1": true, "glass.localAgentProjectMembership.v1": true}
	after := r.content()
	for key, value := range before {
		if after[key] != value && !shared[filepath.Base(key)] {
			t.Errorf("the original's %s changed:\n%s", key, cmp.Diff(value, after[key]))
		}
	}
	for _, id := range ids {
		original, twin := r.session(id), r.session(copies[id])
		if diff := cmp.Diff(was[id], original); diff != "" {
			t.Errorf("%s: the original changed:\n%s", id, diff)
		}
		if diff := cmp.Diff(texts(original), texts(twin)); diff != "" {
			t.Errorf("%s:\n%s", id, diff)
		}
		if twin.WorkspacePath != to || original.WorkspacePath != tidepool {
			t.Errorf("%s: %q and %q", id, original.WorkspacePath, twin.WorkspacePath)
		}
		used := map[string]bool{}
		for _, m := range original.Messages {
			used[m.ID] = true
		}
		for _, m := range twin.Messages {
			if used[m.ID] && m.ID != "draft" && original.Sources[0] == "composer" && !strings.HasPrefix(m.ID, "state:") {
				t.Errorf("%s: message %s has the id of the original's", id, m.ID)
			}
		}
	}
	p, err := r.desk.PlanUndo("")
	r.check(err)
	_, err = r.desk.Apply(t.Context(), p, "")
	r.check(err)
	r.check(p.Close())
	if diff := cmp.Diff(before, r.content()); diff != "" {
		t.Errorf("undone:\n%s", diff)
	}
}

// TestMembersOfLists compares what a move writes with what Cursor writes: the
// members of a row of composerHeaders, of a head and of a project.
func TestMembersOfLists(t *testing.T) {
	r := newRelocation(t)
	var made string
	for id, h := range r.headers() { // one that the table does not know yet
		if len(h.Sources) > 0 && h.Sources[0] == "composer" && !r.inTable(id) && h.MessageCount != 0 && !h.Empty {
			made = max(made, id)
		}
	}
	to := r.folder("listed")
	r.move(retold.Move{Sessions: []string{made}, To: to})
	members := func(doc string, skip ...string) (names []string) {
		var m map[string]any
		if err := json.Unmarshal([]byte(doc), &m); err != nil {
			t.Fatal(err)
		}
		for k := range m {
			if !slices.Contains(skip, k) {
				names = append(names, k)
			}
		}
		slices.Sort(names)
		return names
	}
	conn, err := sqlite.OpenConn(filepath.Join(r.home.CursorUser, "globalStorage", "state.vscdb"), sqlite.OpenReadOnly)
	r.check(err)
	var ours, theirs, known []string
	r.check(sqlitex.ExecuteTransient(conn, "SELECT composerId, value, typeof(createdAt) || typeof(isArchived) || typeof(recency) || typeof(value), isSubagent FROM composerHeaders", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		if s.ColumnText(0) == made {
			ours = append(members(s.ColumnText(1)), s.ColumnText(2))
		} else if s.ColumnInt(3) == 0 {
			theirs = append(members(s.ColumnText(1)), s.ColumnText(2))
			known = append(known, theirs...)
		}
		return nil
	}}))
	for _, name := range []string{"type", "composerId", "createdAt", "lastUpdatedAt", "unifiedMode", "forceMode", "isArchived", "workspaceIdentifier", "hasBlockingPendingActions", "integerintegerintegertext"} {
		if !slices.Contains(ours, name) || !slices.Contains(known, name) {
			t.Errorf("%s: ours %v, Cursor's %v", name, ours, theirs)
		}
	}
	for _, name := range ours {
		if !slices.Contains(known, name) {
			t.Errorf("Cursor writes no member %q", name)
		}
	}
	var projects, membership string
	r.check(sqlitex.ExecuteTransient(conn, "SELECT key, value FROM ItemTable WHERE key LIKE 'glass.%'", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		if strings.HasSuffix(s.ColumnText(0), "Projects.v1") {
			projects = s.ColumnText(1)
		} else {
			membership = s.ColumnText(1)
		}
		return nil
	}}))
	r.check(conn.Close())
	var list []json.RawMessage
	r.check(json.Unmarshal([]byte(projects), &list))
	if diff := cmp.Diff(members(string(list[0])), members(string(list[len(list)-1]))); diff != "" {
		t.Errorf("projects: %s", diff)
	}
	var first, last struct {
		ID        string
		Workspace struct{ URI json.RawMessage }
	}
	r.check(json.Unmarshal(list[0], &first))
	r.check(json.Unmarshal(list[len(list)-1], &last))
	if diff := cmp.Diff(members(string(first.Workspace.URI)), members(string(last.Workspace.URI))); diff != "" {
		t.Errorf("uri: %s", diff)
	}
	if !strings.Contains(membership, `"`+made+`":"`+last.ID+`"`) {
		t.Errorf("not a member: %s", membership)
	}
}

func (r *relocation) inTable(id string) (found bool) {
	r.t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(r.home.CursorUser, "globalStorage", "state.vscdb"), sqlite.OpenReadOnly)
	r.check(err)
	r.check(sqlitex.Execute(conn, "SELECT 1 FROM composerHeaders WHERE composerId = ?", &sqlitex.ExecOptions{Args: []any{id}, ResultFunc: func(*sqlite.Stmt) error { found = true; return nil }}))
	r.check(conn.Close())
	return found
}

func TestMoveToNowhere(t *testing.T) {
	r := newRelocation(t)
	for _, err := range r.src.PlanMove(t.Context(), retold.Move{Place: r.home.CursorUser, Sessions: r.about(tidepool), To: filepath.Join(r.dir, "none")}) {
		if retold.CodeOf(err) != retold.CodeWorkspaceNotFound {
			t.Errorf("%v", err)
		}
		return
	}
	t.Error("no error")
}
