package library_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

// exec changes Cursor's global database as Cursor itself would.
func (r *removal) exec(sql ...string) {
	r.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(r.options.CursorUser[0], "globalStorage", "state.vscdb"), sqlite.OpenReadWrite)
	if err != nil {
		r.Fatal(err)
	}
	for _, s := range sql {
		err = errors.Join(err, sqlitex.ExecuteTransient(conn, s, nil))
	}
	if err = errors.Join(err, conn.Close()); err != nil {
		r.Fatal(err)
	}
}

// spoken is what is said in a session, in order.
func (r *removal) spoken(l *library.Library, id string) (all []string) {
	r.Helper()
	d, err := l.Show(r.Context(), id)
	if err != nil {
		r.Fatal(err)
	}
	for _, m := range d.Messages {
		if !m.Orphan {
			all = append(all, string(m.Role)+" "+m.Content)
		}
	}
	return all
}

// TestLostSessionComesBack loses a session in Cursor that the library kept, and
// gives it back to Cursor; there is one of it then, not two.
func TestLostSessionComesBack(t *testing.T) {
	r := newRemoval(t)
	l := r.open(r.options)
	page, err := l.List(t.Context(), retold.Filter{Workspaces: []string{"tidepool"}, Agents: []string{"cursor"}}, 1, 0)
	if err != nil || len(page.Data) == 0 {
		t.Fatal(page, err)
	}
	id := page.Data[0].ID
	before := r.spoken(l, id)
	if _, err := l.PlanImport(t.Context(), library.ImportOptions{Sessions: []string{id}, To: "cursor", Workspace: r.to}); !errors.Is(err, retold.ErrUsage) {
		t.Errorf("one that is there: %v", err)
	}
	r.exec("DELETE FROM cursorDiskKV WHERE key LIKE '%"+id+"%'", "DELETE FROM composerHeaders WHERE composerId = '"+id+"'",
		`UPDATE ItemTable SET value = '{"allComposers":[]}' WHERE key = 'composer.composerHeaders'`)
	r.apply(l.PlanImport(t.Context(), library.ImportOptions{Sessions: []string{id}, To: "cursor", Workspace: r.to}))
	h, err := l.Find(t.Context(), id)
	if err != nil || h.Gone || h.WorkspacePath != r.to {
		t.Errorf("%+v, %v", h, err)
	}
	if diff := cmp.Diff(before, r.spoken(l, id)); diff != "" {
		t.Error(diff)
	}
}

// TestUndoAfterCursorWasUsed imports, lets Cursor write its lists anew, and undoes.
func TestUndoAfterCursorWasUsed(t *testing.T) {
	r := newRemoval(t)
	l := r.open(r.options)
	d := &retold.SessionDetail{Session: retold.Session{ID: "talk", Agent: "codex", Title: "Tides"}, Messages: []retold.Message{{ID: "1", Role: retold.RoleUser, Content: "high?"}}}
	o := library.ImportOptions{Details: []*retold.SessionDetail{d}, To: "cursor", Workspace: r.to}
	result := r.apply(l.PlanImport(t.Context(), o))
	if _, err := l.PlanImport(t.Context(), o); !errors.Is(err, retold.ErrUsage) || !strings.Contains(err.Error(), "imported already") {
		t.Errorf("twice: %v", err)
	}
	r.exec(`INSERT OR REPLACE INTO ItemTable SELECT key, json_insert(value, '$.allComposers[#]', json('{"composerId":"since"}')) FROM ItemTable WHERE key = 'composer.composerHeaders'`,
		`INSERT OR REPLACE INTO ItemTable SELECT key, json_insert(value, '$.since', 'p') FROM ItemTable WHERE key = 'glass.localAgentProjectMembership.v1'`)
	r.apply(l.PlanUndo(t.Context(), *result.UndoID))
	for id, workspace := range r.fresh() {
		if workspace == r.to {
			t.Errorf("%s is still there", id)
		}
	}
	if _, known := r.fresh()["since"]; !known {
		t.Error("what Cursor added since is gone")
	}
}

// TestUndoOfWhatWentOn undoes an import of which one conversation went on: that is
// said before, and it can be left.
func TestUndoOfWhatWentOn(t *testing.T) {
	r := newRemoval(t)
	l := r.open(r.options)
	talk := func(id string) *retold.SessionDetail {
		return &retold.SessionDetail{Session: retold.Session{ID: id, Agent: "codex", Title: "Tides"}, Messages: []retold.Message{{ID: "1", Role: retold.RoleUser, Content: "high?"}}}
	}
	c, err := l.PlanImport(t.Context(), library.ImportOptions{Details: []*retold.SessionDetail{talk("one"), talk("two")}, To: "cursor", Workspace: r.to})
	if err != nil {
		t.Fatal(err)
	}
	ids := c.Sessions()
	r.apply(c, nil)
	r.exec("UPDATE cursorDiskKV SET value = json_set(value, '$.name', 'Ebb') WHERE key = 'composerData:" + ids[0] + "'")
	undo, err := l.PlanUndo(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := undo.Unchanged(t.Context()); !errors.Is(err, retold.ErrChanged) || !strings.Contains(err.Error(), "composerData:"+ids[0]) {
		t.Errorf("it is not said before: %v", err)
	}
	if _, err := undo.SkipChanged(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.apply(undo, nil)
	h, err := l.Find(t.Context(), ids[0])
	if err != nil || h.Gone || h.Title != "Ebb" {
		t.Errorf("%+v, %v", h, err)
	}
	if _, err := l.Find(t.Context(), ids[1]); !errors.Is(err, retold.ErrSessionNotFound) {
		t.Errorf("the other one is still known: %v", err)
	}
}

// TestReadExport reads back what was exported, and refuses what is no export.
func TestReadExport(t *testing.T) {
	d := &retold.SessionDetail{Session: retold.Session{ID: "a", Agent: "cursor", MessageCount: 1}, Messages: []retold.Message{{ID: "1", Role: retold.RoleUser, Content: "x", Tool: nil}}}
	one, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		string(one): 1, "\ufeff " + string(one): 1, "[" + string(one) + ",\n" + string(one) + "]\n": 2,
		"": 0, "[]": 0, "{}": 0, "[null]": 0, `{"id":"a"}`: 0, `{"id":"a","agent":"b"}`: 0, string(one) + "{": 0, "<html>": 0, `{"id":1,"agent":"x"}`: 0,
	} {
		all, unknown, err := library.ReadExport(strings.NewReader(text))
		if len(all) != want || (want == 0) != errors.Is(err, retold.ErrInvalidExport) || len(unknown) > 0 {
			t.Errorf("%.30q: %d, %v, %v", text, len(all), unknown, err)
		}
	}
}

// FuzzReadExport holds whatever is read to having an id and an agent.
func FuzzReadExport(f *testing.F) {
	f.Add([]byte(`{"id":"a","agent":"b","messages":[{"role":"tool","toolParams":{}}]}`))
	f.Add([]byte(`[{"id":"a","agent":"b"}]`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		all, _, err := library.ReadExport(bytes.NewReader(doc))
		if (err == nil) == (len(all) == 0) {
			t.Fatalf("%d sessions, %v", len(all), err)
		}
		for _, d := range all {
			if d.ID == "" || d.Agent == "" {
				t.Fatalf("%+v", d)
			}
		}
	})
}

// TestRecoverFindsAndMoves finds the sessions of a folder that was renamed, and
// takes all of them along.
func TestRecoverFindsAndMoves(t *testing.T) {
	r := newRemoval(t)
	l := r.open(r.options)
	r.apply(l.PlanMigrate(t.Context(), library.MigrateOptions{From: "tidepool", To: r.to}))
	here := func(folder string) (n int) {
		all, err := l.Lost(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range all {
			if x.Folder != nil && *x.Folder == folder {
				n++
			}
		}
		return n
	}
	before := here(r.to)
	moved := filepath.Join(filepath.Dir(r.to), "TIDE POOL 2")
	if err := os.Rename(r.to, moved); err != nil {
		t.Fatal(err)
	}
	all, err := l.Lost(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, x := range all {
		if x.Folder != nil && *x.Folder == moved {
			ids = append(ids, x.Session.ID)
		}
	}
	if len(ids) < 2 {
		t.Fatalf("%d lost sessions (%d before)", len(ids), before)
	}
	result := r.apply(l.PlanRecover(t.Context(), ids, moved))
	if result.SuccessCount != len(ids) || here(moved) != 0 {
		t.Errorf("%+v, %d are lost", result, here(moved))
	}
	if _, err := l.PlanRecover(t.Context(), ids, filepath.Join(moved, "none")); !errors.Is(err, retold.ErrWorkspaceNotFound) {
		t.Error(err)
	}
}
