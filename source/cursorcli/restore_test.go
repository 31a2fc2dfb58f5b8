package cursorcli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
)

// A rescue is a demo home, and a copy of it as a backup would hold it.
type rescue struct {
	*relocation
	files fs.FS
	names []string
	plans map[string][]string
}

func newRescue(t testing.TB) *rescue {
	t.Helper()
	return rescueOf(t, newRelocation(t))
}

// rescueOf takes what a home holds now for the backup.
func rescueOf(t testing.TB, home *relocation) *rescue {
	t.Helper()
	r := &rescue{relocation: home}
	dir := t.TempDir()
	r.check(os.CopyFS(dir, os.DirFS(r.home)))
	r.files = os.DirFS(dir)
	r.check(fs.WalkDir(r.files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		r.names = append(r.names, name)
		info, err := os.Stat(filepath.Join(r.home, name))
		if err != nil {
			return err
		}
		return os.Chtimes(filepath.Join(dir, name), info.ModTime(), info.ModTime())
	}))
	return r
}

func (r *rescue) plan(overwrite bool, ids ...string) (*change.Plan, error) {
	r.t.Helper()
	dir, err := r.desk.DraftDir()
	r.check(err)
	return change.Draft(r.t.Context(), dir, "restore", r.src.PlanRestore(r.t.Context(), retold.Restore{
		Place: r.home, Sessions: ids, Files: r.files, Names: r.names, Plans: r.plans, Overwrite: overwrite,
	}))
}

func (r *rescue) undo() {
	r.t.Helper()
	r.apply(r.desk.PlanUndo(""))
}

// TestRestoreEach brings every session back into a home that lost all.
func TestRestoreEach(t *testing.T) {
	r := newRescue(t)
	was := map[string]*retold.SessionDetail{}
	var ids []string
	for id := range r.headers() {
		was[id] = r.session(id)
		ids = append(ids, id)
	}
	p, err := r.plan(false, ids...)
	r.check(err)
	if n := p.Len(); n > 0 {
		t.Errorf("nothing is missing, and %d steps would be taken", n)
	}
	r.check(p.Close())
	for _, dir := range []string{"chats", "acp-sessions", "projects"} {
		r.check(os.RemoveAll(filepath.Join(r.home, dir)))
	}
	r.check(os.MkdirAll(filepath.Join(r.home, "chats"), 0o755))
	before := r.tree()
	for _, id := range ids {
		r.apply(r.plan(false, id))
		if diff := cmp.Diff(was[id].Messages, r.session(id).Messages); diff != "" {
			t.Errorf("%s (-was +is)\n%s", id, diff)
		}
		r.undo()
		if diff := cmp.Diff(before, r.tree()); diff != "" {
			t.Fatalf("%s: undone\n%s", id, diff)
		}
	}
	r.apply(r.plan(false, ids...))
	for _, id := range ids {
		if diff := cmp.Diff(was[id].Messages, r.session(id).Messages); diff != "" {
			t.Errorf("with all, %s (-was +is)\n%s", id, diff)
		}
	}
	if len(ids) < 5 {
		t.Errorf("%d sessions", len(ids))
	}
}

// TestRestoreNewer leaves a session alone whose file was written later, until it
// is told to.
func TestRestoreNewer(t *testing.T) {
	for _, ending := range []string{"store.db", ".jsonl"} {
		r := newRescue(t)
		var id, at string
		for id = range r.headers() {
			for _, name := range r.names {
				if strings.Contains(name, id) && strings.HasSuffix(name, ending) {
					at = filepath.Join(r.home, name)
				}
			}
			if at != "" {
				break
			}
		}
		text, err := os.ReadFile(at)
		r.check(err)
		r.check(os.WriteFile(at, append(text, strings.Repeat("\n", 4096)...), 0o644))
		r.check(os.WriteFile(at+"-wal", []byte("a log"), 0o644))
		later := time.Now().Add(time.Hour)
		r.check(os.Chtimes(at, later, later))
		before := r.tree()
		if _, err := r.plan(false, id); retold.CodeOf(err) != retold.CodeRestoreFailed {
			t.Fatal(ending, err)
		}
		r.apply(r.plan(true, id))
		if now, err := os.ReadFile(at); err != nil || string(now) != string(text) {
			t.Errorf("%s: %d bytes, want %d (%v)", ending, len(now), len(text), err)
		}
		if _, err := os.Stat(at + "-wal"); ending == "store.db" && err == nil {
			t.Error("a log of another database is left beside it")
		}
		r.undo()
		if now, err := os.ReadFile(at); err != nil || string(now) != string(text)+strings.Repeat("\n", 4096) {
			t.Errorf("%s: undone, %d bytes (%v)", ending, len(now), err)
		}
		after := r.tree()
		if len(after) != len(before) {
			t.Errorf("%s: %d files, had %d", ending, len(after), len(before))
		}
	}
}
