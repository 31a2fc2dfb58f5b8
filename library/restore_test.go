package library_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/migrate"
)

// TestRestoreSessions brings sessions that Cursor lost back out of a real backup,
// with their sub-agents, and takes that back.
func TestRestoreSessions(t *testing.T) {
	r := newRemoval(t)
	l := r.open(r.options)
	path := filepath.Join(t.TempDir(), "b.retold")
	makeBackup(t, l, library.BackupOptions{Path: path})
	inside := openAt(t, library.Options{Backup: &library.BackupSource{Path: path}})
	headers, err := l.Headers(t.Context(), retold.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	parent := headers[slices.IndexFunc(headers, func(h retold.Header) bool { return h.ParentID != "" && h.Agent == "cursor" })].ParentID
	global := filepath.Join(r.options.CursorUser[0], "globalStorage", "state.vscdb")
	conn, err := sqlite.OpenConn(global, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, `DELETE FROM cursorDiskKV; DELETE FROM composerHeaders;`, nil)
	if err = errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	lost := r.fresh()
	o := library.RestoreSessionsOptions{From: library.BackupSource{Path: path}, Sessions: []string{parent}, Guard: quiet{}}
	plan, err := l.PlanRestore(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(plan.Sessions()); n < 2 || len(plan.Failures()) > 0 {
		t.Errorf("%d sessions, %v", n, plan.Failures())
	}
	ids := plan.Sessions()
	result := r.apply(plan, nil)
	if result.Rows == 0 || result.UndoID == nil {
		t.Errorf("%+v", result)
	}
	again := r.options
	again.Home = t.TempDir()
	now := r.open(again)
	for _, id := range ids {
		a, err := inside.Show(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		b, err := now.Show(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a.Messages, b.Messages); diff != "" || len(a.Messages) == 0 {
			t.Errorf("%s (%d messages): %s", id, len(a.Messages), diff)
		}
	}
	r.apply(undo(t, r, *result.UndoID))
	if diff := cmp.Diff(lost, r.fresh()); diff != "" {
		t.Error(diff)
	}
	running := o
	running.Guard = quiet{&retold.Error{Code: retold.CodeCursorRunning, Err: errors.New("it runs")}}
	if plan, err = l.PlanRestore(t.Context(), running); err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	if _, err := plan.Apply(t.Context(), ""); retold.CodeOf(err) != retold.CodeCursorRunning {
		t.Error(err)
	}
	o.Sessions = []string{"no such"}
	if _, err := l.PlanRestore(t.Context(), o); retold.CodeOf(err) != retold.CodeSessionNotFound {
		t.Error(err)
	}
}

func undo(t *testing.T, r *removal, id string) (*migrate.Change, error) {
	t.Helper()
	return migrate.PlanUndo(&change.Desk{Home: r.options.Home, Guard: quiet{}}, id)
}
