package cursorcli_test

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
)

// TestRestoreMoved moves every session of the demo to another folder and brings it
// back out of a backup that was made before: there is nothing to do where it lives
// now, no second copy at the old place, and what was lost there comes back there.
func TestRestoreMoved(t *testing.T) {
	r := newRescue(t)
	to := filepath.Join(r.dir, "projects", "moved")
	r.check(os.MkdirAll(to, 0o755))
	moved := 0
	for id := range r.headers() {
		was := r.session(id)
		r.move(retold.Move{Sessions: []string{id}, To: to})
		before := r.tree()
		p, err := r.plan(false, id)
		r.check(err)
		if n := p.Len(); n > 0 && before[filepath.Join(r.home, "chats")] != "" {
			d, err := p.Describe()
			r.check(err)
			for _, s := range d.Steps {
				if s.Do != "replace" || filepath.Ext(s.Path) != ".jsonl" { // a transcript alone does not say where it was
					t.Errorf("%s: %s %s", id, s.Do, s.Path)
				}
			}
		}
		r.check(p.Close())
		lost := 0
		for at := range before {
			if strings.Contains(at, id) && (filepath.Ext(at) == ".jsonl" || filepath.Base(at) == "store.db") {
				r.check(os.Remove(at))
				lost++
			}
		}
		if lost == 0 {
			continue
		}
		moved++
		r.apply(r.plan(true, id))
		after := r.tree()
		for at := range after {
			if before[at] == "" {
				t.Errorf("%s: %s is a second copy", id, at)
			}
		}
		for at := range before {
			if after[at] == "" {
				t.Errorf("%s: %s did not come back", id, at)
			}
		}
		if diff := cmp.Diff(said(was), said(r.session(id))); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
	if moved < 5 {
		t.Errorf("%d sessions", moved)
	}
}

// Of a session that lies under several folders now, the one is taken that the
// backup does not know.
func TestRestoreMovedAmongSeveral(t *testing.T) {
	r := newRescue(t)
	stores, err := filepath.Glob(filepath.Join(r.home, "chats", "*", "*", "meta.json"))
	r.check(err)
	dir := filepath.Dir(stores[0])
	id := filepath.Base(dir)
	first, second := filepath.Join(r.home, "chats", "0a"), filepath.Join(r.home, "chats", "0b")
	r.check(os.MkdirAll(second, 0o755))
	r.check(os.CopyFS(filepath.Join(first, id), os.DirFS(dir)))
	r.check(os.Rename(dir, filepath.Join(second, id)))
	later := time.Now().Add(time.Hour)
	r.check(os.Chtimes(filepath.Join(first, id), later, later))
	r.check(os.Remove(filepath.Join(first, id, "meta.json")))
	r.check(os.Remove(filepath.Join(second, id, "meta.json")))
	r.apply(r.plan(false, id))
	if _, err := os.Stat(filepath.Join(first, id, "meta.json")); err != nil {
		t.Error("the one that was written to last did not get it back", err)
	}
	for _, at := range []string{dir, filepath.Join(second, id, "meta.json")} {
		if _, err := os.Stat(at); err == nil {
			t.Errorf("%s was made", at)
		}
	}
}

// TestRestorePlans brings back the plans that a session names, in a store, in a
// transcript or elsewhere, and no other; one that is there stays.
func TestRestorePlans(t *testing.T) {
	r := newRelocation(t)
	stores, err := filepath.Glob(filepath.Join(r.home, "chats", "*", "*", "store.db"))
	r.check(err)
	id := filepath.Base(filepath.Dir(stores[0]))
	conn, err := sqlite.OpenConn(stores[0], sqlite.OpenReadWrite)
	r.check(err)
	r.check(sqlitex.Execute(conn, "INSERT INTO blobs VALUES ('x', ?)", &sqlitex.ExecOptions{Args: []any{[]byte("\x0a\x10/plans/in-blob-00000001.plan.md\x12")}}))
	r.check(sqlitex.Execute(conn, "INSERT INTO meta VALUES ('1', ?)", &sqlitex.ExecOptions{
		Args: []any{hex.EncodeToString([]byte(`{"currentPlanUri":"file:///h/.cursor/plans/in-meta-00000002.plan.md"}`))},
	}))
	r.check(conn.Close())
	r.check(os.MkdirAll(filepath.Join(r.home, "plans"), 0o755))
	plan := func(name string) string { return filepath.Join(r.home, "plans", name+".plan.md") }
	for _, name := range []string{"in-blob-00000001", "in-meta-00000002", "elsewhere-00000003", "nobody-00000004", "edited-00000005"} {
		r.check(os.WriteFile(plan(name), []byte(name), 0o644))
	}
	rescued := rescueOf(t, r)
	r.check(os.RemoveAll(filepath.Join(r.home, "plans")))
	r.check(os.MkdirAll(filepath.Join(r.home, "plans"), 0o755))
	r.check(os.WriteFile(plan("edited-00000005"), []byte("by hand"), 0o644))
	rescued.plans = map[string][]string{id: {"elsewhere-00000003.plan.md", "edited-00000005.plan.md", "../../never-00000006.plan.md"}}
	r.apply(rescued.plan(true, id))
	for name, want := range map[string]string{
		"in-blob-00000001": "in-blob-00000001", "in-meta-00000002": "in-meta-00000002", "elsewhere-00000003": "elsewhere-00000003",
		"nobody-00000004": "", "edited-00000005": "by hand",
	} {
		if text, _ := os.ReadFile(plan(name)); string(text) != want {
			t.Errorf("%s: %q, want %q", name, text, want)
		}
	}
}
