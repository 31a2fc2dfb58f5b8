package cursorcli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/source/cursorcli"
)

const (
	sdkSession = "agent-11111111-2222-4333-8444-555555555555"
	sdkFolder  = "/home/dev/projects/sdk-demo"
)

// sdkRelocation is a home with a store of @cursor/sdk, and its folder.
func sdkRelocation(t *testing.T) (r *relocation, dir string) {
	r = &relocation{t: t, dir: t.TempDir(), home: copyOf(t, sdkHome)}
	r.src = cursorcli.New(cursorcli.Options{Home: []string{r.home}})
	r.desk = &change.Desk{Home: filepath.Join(r.dir, "retold"), Guard: idle{}}
	dir = filepath.Join(r.home, "projects", paths.Slug(sdkFolder), "sdk-agent-store", paths.MD5(sdkFolder))
	r.sdkSQL(dir, "PRAGMA wal_checkpoint(TRUNCATE)")
	return r, dir
}

func (r *relocation) sdkSQL(dir, script string) {
	r.t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(dir, "index.db"), sqlite.OpenReadWrite)
	r.check(err)
	r.check(sqlitex.ExecuteScript(conn, script, nil))
	r.check(conn.Close())
}

// left says why a move leaves sessions.
func (r *relocation) left(m retold.Move) map[string]string {
	r.t.Helper()
	m.Place = r.home
	all := map[string]string{}
	for s, err := range r.src.PlanMove(r.t.Context(), m) {
		r.check(err)
		if s.Left != "" {
			all[s.Session] = s.Left
		} else if s.Row != nil || s.File != nil {
			r.t.Errorf("a session that stays is touched: %+v", s)
		}
	}
	return all
}

// TestMoveSDK moves a store of @cursor/sdk with all of its sessions, and back.
func TestMoveSDK(t *testing.T) {
	r, dir := sdkRelocation(t)
	to := filepath.Join(r.dir, "projects", "new")
	r.check(os.MkdirAll(to, 0o755))
	was, before := r.session(sdkSession), r.tree()
	r.move(retold.Move{Sessions: []string{sdkSession}, From: sdkFolder, To: to})
	now := r.session(sdkSession)
	if diff := cmp.Diff(said(was), said(now)); diff != "" || len(now.Messages) == 0 {
		t.Error(diff)
	}
	if now.WorkspacePath != to || was.WorkspacePath != sdkFolder {
		t.Errorf("it was about %q and is about %q", was.WorkspacePath, now.WorkspacePath)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	moved := filepath.Join(r.home, "projects", paths.Slug(to), "sdk-agent-store", paths.MD5(to))
	for _, name := range []string{"index.db", "agents"} {
		if _, err := os.Stat(filepath.Join(moved, name)); err != nil {
			t.Error(err)
		}
	}
	r.apply(r.desk.PlanUndo(""))
	if diff := cmp.Diff(before, r.tree()); diff != "" {
		t.Errorf("undone (-before +now)\n%s", diff)
	}
}

// TestMoveSDKLeaves names the sessions of a store that cannot go, and why.
func TestMoveSDKLeaves(t *testing.T) {
	r, dir := sdkRelocation(t)
	to := filepath.Join(r.dir, "projects", "new")
	r.check(os.MkdirAll(to, 0o755))
	m := retold.Move{Sessions: []string{sdkSession}, From: sdkFolder, To: to}
	says := func(m retold.Move, want string) {
		t.Helper()
		if why := r.left(m)[sdkSession]; !strings.Contains(why, want) {
			t.Errorf("%q does not say %q", why, want)
		}
	}
	copied := m
	copied.Copies = map[string]string{sdkSession: "agent-22222222-2222-4333-8444-555555555555"}
	says(copied, "not copied")
	r.check(os.WriteFile(filepath.Join(dir, "index.db-wal"), []byte("a log"), 0o644))
	says(m, "did not close")
	r.check(os.Remove(filepath.Join(dir, "index.db-wal")))
	taken := filepath.Join(r.home, "projects", paths.Slug(to), "sdk-agent-store", paths.MD5(to))
	r.check(os.MkdirAll(taken, 0o755))
	says(m, "has a store")
	r.check(os.Remove(taken))
	r.sdkSQL(dir, "INSERT INTO agents SELECT 'agent-x', workspace_ref, status, NULL, NULL, NULL, '{}', created_at, updated_at FROM agents")
	says(m, "1 sessions that stay")
}
