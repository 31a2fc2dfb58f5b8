package cursor_test

import (
	"errors"
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
	"github.com/retold-history/retold/internal/change"
)

// A rescue is a demo home, and a copy of it as a backup would hold it.
type rescue struct {
	*relocation
	files fs.FS
	names []string
}

func newRescue(t testing.TB) *rescue {
	t.Helper()
	r := &rescue{relocation: newRelocation(t)}
	dir := t.TempDir()
	r.check(os.CopyFS(dir, os.DirFS(r.home.CursorUser)))
	r.hold(dir)
	return r
}

// hold takes a folder for the backup.
func (r *rescue) hold(dir string) {
	r.files = os.DirFS(dir)
	r.check(fs.WalkDir(r.files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			r.names = append(r.names, name)
		}
		return err
	}))
}

// forget takes every conversation out of the home, as if Cursor had been
// installed anew, and one workspace with it.
func (r *rescue) forget() {
	r.t.Helper()
	r.run("globalStorage/state.vscdb", `DELETE FROM cursorDiskKV; DELETE FROM composerHeaders;
		UPDATE ItemTable SET value = '{"allComposers":[]}' WHERE key = 'composer.composerHeaders';
		UPDATE ItemTable SET value = '{}' WHERE key LIKE 'glass.localAgentProjectMembership%';
		UPDATE ItemTable SET value = '[]' WHERE key LIKE 'glass.localAgentProjects%';`)
	dirs, err := filepath.Glob(filepath.Join(r.home.CursorUser, "workspaceStorage", "*"))
	r.check(err)
	for i, dir := range dirs {
		if i == 0 {
			r.check(os.RemoveAll(dir))
			continue
		}
		r.check(os.RemoveAll(filepath.Join(dir, "images")))
		if _, err := os.Stat(filepath.Join(dir, "state.vscdb")); err == nil {
			r.run("workspaceStorage/"+filepath.Base(dir)+"/state.vscdb", `DELETE FROM ItemTable WHERE key = 'workbench.panel.aichat.view.aichat.chatdata';
				UPDATE ItemTable SET value = '{"allComposers":[]}' WHERE key = 'composer.composerData';
				DELETE FROM ItemTable WHERE key LIKE 'aiService.%'`)
		}
	}
}

func (r *rescue) run(name, sql string) {
	r.t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(r.home.CursorUser, filepath.FromSlash(name)), sqlite.OpenReadWrite)
	r.check(err)
	r.check(sqlitex.ExecuteScript(conn, sql, nil))
	r.check(conn.Close())
}

func (r *rescue) plan(overwrite bool, ids ...string) (*change.Plan, error) {
	r.t.Helper()
	dir, err := r.desk.DraftDir()
	r.check(err)
	return change.Draft(r.t.Context(), dir, "restore", r.src.PlanRestore(r.t.Context(), retold.Restore{
		Place: r.home.CursorUser, Sessions: ids, Files: r.files, Names: r.names, Overwrite: overwrite,
	}))
}

func (r *rescue) restore(overwrite bool, ids ...string) *change.Outcome {
	r.t.Helper()
	p, err := r.plan(overwrite, ids...)
	r.check(err)
	again, err := r.plan(overwrite, ids...)
	r.check(err)
	if p.Fingerprint() != again.Fingerprint() {
		r.t.Error("the same restore has two plans")
	}
	out, err := r.desk.Apply(r.t.Context(), p, p.Fingerprint())
	r.check(errors.Join(err, p.Close(), again.Close()))
	return out
}

func (r *rescue) undo() {
	r.t.Helper()
	plan, err := r.desk.PlanUndo("")
	r.check(err)
	_, err = r.desk.Apply(r.t.Context(), plan, "")
	r.check(errors.Join(err, plan.Close()))
}

// whole are the conversations that can be restored one by one.
func (r *rescue) whole() (ids []string) {
	r.t.Helper()
	for id, h := range r.headers() {
		if len(h.Sources) > 0 && h.Sources[0] != "prompts" {
			ids = append(ids, id)
		}
	}
	return ids
}

// TestRestoreEach brings every conversation of the demo back, each by itself into
// a home that lost all: it is then what it was, and undoing leaves the home as it
// was. At the end all are brought back at once.
func TestRestoreEach(t *testing.T) {
	r := newRescue(t)
	ids := r.whole()
	was, heads := map[string]*retold.SessionDetail{}, r.headers()
	for _, id := range ids {
		was[id] = r.session(id)
	}
	r.forget()
	before := r.content()
	for _, id := range ids {
		if out := r.restore(false, id); out.Rows == 0 && len(was[id].Messages) > 0 {
			t.Errorf("%s %q: nothing was written", id, heads[id].Title)
			continue
		}
		if diff := cmp.Diff(was[id], r.session(id)); diff != "" {
			t.Errorf("%s %q (-was +is)\n%s", id, heads[id].Title, diff)
		}
		r.undo()
		if diff := cmp.Diff(before, r.content()); diff != "" {
			t.Fatalf("%s: undone (-before +now)\n%s", id, diff)
		}
	}
	r.restore(false, ids...)
	now := r.headers()
	for _, id := range ids {
		if diff := cmp.Diff(was[id], r.session(id)); diff != "" {
			t.Errorf("with all, %s (-was +is)\n%s", id, diff)
		}
		if now[id].WorkspacePath != heads[id].WorkspacePath || now[id].Title != heads[id].Title {
			t.Errorf("%s is about %q, was %q", id, now[id].WorkspacePath, heads[id].WorkspacePath)
		}
	}
	if len(ids) < 20 {
		t.Errorf("%d conversations", len(ids))
	}
}

// TestRestoreOfWhatIsThere changes nothing.
func TestRestoreOfWhatIsThere(t *testing.T) {
	r := newRescue(t)
	p, err := r.plan(false, r.whole()...)
	r.check(err)
	defer p.Close()
	d, err := p.Describe()
	r.check(err)
	for _, s := range d.Steps {
		t.Errorf("%s %s %s: %s", s.Do, s.Path, s.Key, cmp.Diff(s.Before, s.After))
	}
}

// TestRestoreNewer leaves a conversation alone that has gone on, until it is told
// to: then what came since is gone, and undoing brings it back.
func TestRestoreNewer(t *testing.T) {
	for name, c := range map[string]string{
		"message": `INSERT INTO cursorDiskKV SELECT key || 'x', value FROM cursorDiskKV WHERE key LIKE 'bubbleId:ID:%' LIMIT 1`,
		"time":    `UPDATE cursorDiskKV SET value = json_set(value, '$.lastUpdatedAt', 4000000000000) WHERE key = 'composerData:ID'`,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRescue(t)
			id := r.about(tidepool)[0]
			r.run("globalStorage/state.vscdb", strings.ReplaceAll(c, "ID", id))
			before := r.content()
			if _, err := r.plan(false, id); retold.CodeOf(err) != retold.CodeRestoreFailed {
				t.Fatal(err)
			}
			was := r.session(id)
			if out := r.restore(true, id); out.Rows == 0 {
				t.Fatal("nothing was written")
			}
			if name == "message" && cmp.Equal(was, r.session(id)) {
				t.Error("the message is still there")
			}
			r.undo()
			if diff := cmp.Diff(before, r.content()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRestoreIntoAnotherId restores a conversation whose workspace is gone, and
// whose folder would get another id today: its folder is made under that.
func TestRestoreIntoAnotherId(t *testing.T) {
	r := newRescue(t)
	ids := r.about(tidepool)
	id := ids[slices.IndexFunc(ids, func(id string) bool {
		return r.content()["globalStorage/state.vscdb/composerHeaders/"+id] != ""
	})]
	folder := r.folder("tidepool")
	dirs, err := filepath.Glob(filepath.Join(r.home.CursorUser, "workspaceStorage", "*"))
	r.check(err)
	old := ""
	for _, dir := range dirs {
		text, err := os.ReadFile(filepath.Join(dir, "workspace.json"))
		if err == nil && strings.Contains(string(text), tidepool+`"`) {
			old = filepath.Base(dir)
		}
	}
	held := filepath.Join(r.dir, "held")
	r.check(os.CopyFS(held, r.files))
	r.check(os.WriteFile(filepath.Join(held, "workspaceStorage", old, "workspace.json"), []byte(`{"folder":"file://`+folder+`"}`), 0o644))
	r.files = os.DirFS(held)
	r.forget()
	r.check(os.RemoveAll(filepath.Join(r.home.CursorUser, "workspaceStorage", old)))
	before := r.content()
	r.restore(false, id)
	made := ""
	for name, text := range r.content() {
		if strings.HasSuffix(name, "workspace.json") && strings.Contains(text, folder) {
			made = strings.Split(filepath.ToSlash(name), "/")[1]
		}
	}
	if made == "" || made == old {
		t.Fatalf("the workspace was made as %q", made)
	}
	for _, row := range []string{"cursorDiskKV/composerData:", "composerHeaders/"} {
		text := r.content()["globalStorage/state.vscdb/"+row+id]
		if strings.Contains(text, old) || !strings.Contains(text, made) {
			t.Errorf("%s names the workspace that is gone: %.300s", row, text)
		}
	}
	r.undo()
	if diff := cmp.Diff(before, r.content()); diff != "" {
		t.Error(diff)
	}
}
