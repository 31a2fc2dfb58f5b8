package library_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

// aside gives a conversation of the demo a plan, a request and the file states of
// that, and another one's beside them.
func (r *removal) aside() (id string, files []string) {
	r.Helper()
	user, home := r.options.CursorUser[0], r.options.CursorHome[0]
	conn, err := sqlite.OpenConn(filepath.Join(user, "globalStorage", "state.vscdb"), sqlite.OpenReadWrite)
	if err != nil {
		r.Fatal(err)
	}
	key := ""
	err = sqlitex.Execute(conn, `SELECT key FROM cursorDiskKV WHERE key >= 'bubbleId:4b41ef44' AND key < 'bubbleId:4b41ef45' AND json_extract(value, '$.type') = 2
		ORDER BY key LIMIT 1`, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error { key = s.ColumnText(0); return nil }})
	if err == nil {
		err = sqlitex.Execute(conn, `UPDATE cursorDiskKV SET value = json_set(value, '$.requestId', 'ab12', '$.planUri', 'file:///h/.cursor/plans/tides-0a1b2c3d.plan.md') WHERE key = ?`,
			&sqlitex.ExecOptions{Args: []any{key}})
	}
	if err = errors.Join(err, conn.Close()); err != nil {
		r.Fatal(err)
	}
	const states = "globalStorage/anysphere.cursor-commits/checkpoints/"
	files = []string{filepath.Join(user, states, "ab12", "metadata.json"), filepath.Join(user, states, "ab12", "diffs", "f1"), filepath.Join(home, "plans", "tides-0a1b2c3d.plan.md")}
	for _, name := range append(slices.Clone(files), filepath.Join(user, states, "cd34", "metadata.json"), filepath.Join(home, "plans", "other-00000000.plan.md")) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte("of "+name), 0o644)); err != nil {
			r.Fatal(err)
		}
	}
	return strings.Split(key, ":")[1], files
}

// A conversation comes back with its plans and with the file states of its
// requests, as far as they are gone; a backup of it alone holds them and no others.
func TestRestoreFilesOfSession(t *testing.T) {
	r := newRemoval(t)
	id, files := r.aside()
	l := r.open(r.options)
	whole, one := filepath.Join(t.TempDir(), "whole.retold"), filepath.Join(t.TempDir(), "one.retold")
	makeBackup(t, l, library.BackupOptions{Path: whole})
	made := makeBackup(t, l, library.BackupOptions{Path: one, Sessions: []string{id}})
	var held []string
	for _, f := range made.Manifest.Files {
		if strings.Contains(f.Path, "checkpoints/") || strings.Contains(f.Path, "/plans/") {
			held = append(held, filepath.Base(f.Path))
		}
	}
	slices.Sort(held)
	if want := []string{"f1", "metadata.json", "tides-0a1b2c3d.plan.md"}; !slices.Equal(held, want) {
		t.Errorf("the backup of one holds %q", held)
	}
	for _, from := range []string{whole, one} {
		for i, name := range files {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
			if i == 2 {
				if err := os.WriteFile(filepath.Join(filepath.Dir(name), "other-00000000.plan.md"), []byte("edited"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		o := library.RestoreSessionsOptions{From: library.BackupSource{Path: from}, Sessions: []string{id[:8]}, Guard: quiet{}}
		result := r.apply(l.PlanRestore(t.Context(), o))
		if result.Files != len(files) || result.Rows != 0 {
			t.Errorf("%s: %d files, %d rows", from, result.Files, result.Rows)
		}
		for _, name := range files {
			if text, err := os.ReadFile(name); string(text) != "of "+name {
				t.Errorf("%s: %q, %v", name, text, err)
			}
		}
		r.apply(undo(t, r, *result.UndoID))
		for _, name := range files {
			if _, err := os.Stat(name); err == nil {
				t.Errorf("undone, %s is there", name)
			}
			if err := os.WriteFile(name, []byte("again"), 0o644); err != nil {
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte("again"), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// What names no session, or several, is told before anything is planned; also of a
// backup that another program made, in which no library is.
func TestRestoreChooses(t *testing.T) {
	r := newRemoval(t)
	l := r.open(r.options)
	path := filepath.Join(t.TempDir(), "b.retold")
	makeBackup(t, l, library.BackupOptions{Path: path})
	foreign := filepath.Join(t.TempDir(), "history.zip")
	writeZip(t, foreign, editorFiles(t, l), nil)
	for _, file := range []string{path, foreign} {
		for selector, want := range map[string]retold.Code{
			"4b41ef44-2b8e-4e59-a2cd-fc9521878c9f": "", "4b41": "", "4B41EF44": "",
			"": retold.CodeSessionNotFound, "1": retold.CodeSessionNotFound, "4b4": retold.CodeSessionNotFound, "4b41ef45": retold.CodeSessionNotFound,
			"task-toolu": retold.CodeSessionAmbiguous,
		} {
			c, err := l.PlanRestore(t.Context(), library.RestoreSessionsOptions{From: library.BackupSource{Path: file}, Sessions: []string{selector}, Overwrite: true, Guard: quiet{}})
			if retold.CodeOf(err) != want || (err == nil) != (want == "") {
				t.Errorf("%s of %s: %v", selector, filepath.Base(file), err)
			}
			if err == nil {
				if ids := c.Sessions(); len(ids) != 1 || !strings.HasPrefix(ids[0], "4b41ef44") {
					t.Errorf("%s of %s: %q", selector, filepath.Base(file), ids)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
