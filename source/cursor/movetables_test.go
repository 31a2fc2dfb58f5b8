package cursor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
)

const headTable = `CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, workspaceId TEXT, createdAt INTEGER, lastUpdatedAt INTEGER,
	isArchived INTEGER, isSubagent INTEGER, recency INTEGER, checkpointAt INTEGER, value TEXT, whatever TEXT);`

// sql executes SQL on a database below User, which is made when it is not there.
func (r *relocation) sql(name, script string, args ...any) {
	r.t.Helper()
	path := filepath.Join(r.home.CursorUser, filepath.FromSlash(name))
	r.check(os.MkdirAll(filepath.Dir(path), 0o755))
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	r.check(err)
	if len(args) == 0 {
		r.check(sqlitex.ExecuteScript(conn, script, nil))
	} else {
		r.check(sqlitex.Execute(conn, script, &sqlitex.ExecOptions{Args: args}))
	}
	r.check(conn.Close())
}

// listed is a home in which the table of a workspace and the lists of a profile
// name a conversation too.
func (r *relocation) listed(t *testing.T) (id, workspace, profile string) {
	ids := r.about(tidepool)
	for _, id = range ids {
		if r.headers()[id].Sources[0] == "composer" {
			break
		}
	}
	dirs, err := filepath.Glob(filepath.Join(r.home.CursorUser, "workspaceStorage", "*", "workspace.json"))
	r.check(err)
	for _, name := range dirs {
		text, err := os.ReadFile(name)
		r.check(err)
		if strings.Contains(string(text), tidepool+`"`) {
			workspace = filepath.Base(filepath.Dir(name))
		}
	}
	if workspace == "" {
		t.Fatal("no workspace")
	}
	db := "workspaceStorage/" + workspace + "/state.vscdb"
	r.sql(db, "DROP TABLE IF EXISTS composerHeaders;"+headTable)
	head := `{"type":"head","composerId":"` + id + `","name":"x","workspaceIdentifier":{"id":"` + workspace + `"}}`
	const row = "INSERT INTO composerHeaders VALUES (?, ?, 1, 2, 0, 0, 2, NULL, ?, 'kept')"
	r.sql(db, row, id, workspace, head)
	profile = "profiles/-1a2b/globalStorage/state.vscdb"
	r.sql(profile, "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB); PRAGMA user_version = 1;"+headTable)
	r.sql(profile, row, id, workspace, head)
	for key, value := range map[string]string{
		"composer.composerHeaders":              `{"allComposers":[` + head + `,{"composerId":"other"}]}`,
		"glass.localAgentProjects.v1":           `[{"id":"p","name":"t","workspace":{"id":"` + workspace + `"}}]`,
		"glass.localAgentProjectMembership.v1":  `{"` + id + `":"p","other":"p"}`,
		"workbench.something.else.of.a.profile": `{"` + id + `":"p"}`,
	} {
		r.sql(profile, "INSERT INTO ItemTable VALUES (?, ?)", key, value)
	}
	return id, workspace, profile
}

// rowOf is what a table says of a conversation, one column behind the other.
func (r *relocation) rowOf(db, id string) string {
	return r.content()[filepath.FromSlash(db)+"/composerHeaders/"+id]
}

// TestMoveTables lets the lists follow that lie in databases of workspaces and
// profiles; a workspace that has such a table gets the row.
func TestMoveTables(t *testing.T) {
	r := newRelocation(t)
	id, workspace, profile := r.listed(t)
	to := r.folder("new")
	old := "workspaceStorage/" + workspace + "/state.vscdb"
	was := r.rowOf(old, id)
	before := r.content()
	r.move(retold.Move{Sessions: []string{id}, To: to})
	now := r.content()
	if r.headers()[id].WorkspacePath != to {
		t.Errorf("it is about %s", r.headers()[id].WorkspacePath)
	}
	if r.rowOf(old, id) != "" {
		t.Error("the old workspace's table still has it")
	}
	if row := r.rowOf(profile, id); strings.Contains(row, workspace) || !strings.Contains(row, "kept") || !strings.Contains(row, to) {
		t.Errorf("the profile's row is %s", row)
	}
	items := filepath.FromSlash(profile) + "/ItemTable/"
	if list := now[items+"composer.composerHeaders"]; strings.Contains(list, workspace) || !strings.Contains(list, `{"composerId":"other"}`) {
		t.Errorf("the profile's list is %s", list)
	}
	if members := now[items+"glass.localAgentProjectMembership.v1"]; strings.Contains(members, id+`":"p"`) || !strings.Contains(members, `"other":"p"`) {
		t.Errorf("the profile's members are %s", members)
	}
	if key := items + "workbench.something.else.of.a.profile"; now[key] != before[key] {
		t.Error("another key of the profile changed")
	}
	plan, err := r.desk.PlanUndo("")
	r.check(err)
	_, err = r.desk.Apply(t.Context(), plan, "")
	r.check(err)
	r.check(plan.Close())
	if diff := cmp.Diff(before, r.content()); diff != "" {
		t.Fatalf("undone (-before +now)\n%s", diff)
	}

	// A workspace that has a table of its own takes the row; a copy leaves the first.
	r.move(retold.Move{Sessions: r.about("/home/ada/projects/lantern")[:1], To: to}) // makes the workspace
	fresh, err := filepath.Glob(filepath.Join(r.home.CursorUser, "workspaceStorage", "*", "workspace.json"))
	r.check(err)
	target := ""
	for _, name := range fresh {
		if text, err := os.ReadFile(name); err == nil && strings.Contains(string(text), to) {
			target = "workspaceStorage/" + filepath.Base(filepath.Dir(name)) + "/state.vscdb"
		}
	}
	r.sql(target, headTable)
	const twin = "00000000-0000-4000-8000-000000000001"
	r.move(retold.Move{Sessions: []string{id}, To: to, Copies: map[string]string{id: twin}})
	if r.rowOf(old, id) != was || r.rowOf(target, twin) == "" || r.rowOf(profile, twin) == "" {
		t.Errorf("the original's row is %s, the copy's %s", r.rowOf(old, id), r.rowOf(target, twin))
	}
	r.move(retold.Move{Sessions: []string{id}, To: to})
	if row := r.rowOf(target, id); !strings.Contains(row, "kept") || strings.Contains(row, workspace) {
		t.Errorf("the new workspace's row is %q", row)
	}
}

// A conversation that nothing but the table of a workspace names is named
// afterwards too.
func TestMoveOutOfOnlyTable(t *testing.T) {
	r := newRelocation(t)
	id, workspace, _ := r.listed(t)
	r.sql("globalStorage/state.vscdb", `DROP TABLE composerHeaders; DELETE FROM ItemTable WHERE key IN ('composer.composerHeaders', 'glass.localAgentProjectMembership.v1')`)
	r.check(os.RemoveAll(filepath.Join(r.home.CursorUser, "profiles")))
	r.sql("workspaceStorage/"+workspace+"/state.vscdb", `DELETE FROM ItemTable WHERE key LIKE 'composer.%' OR key LIKE 'workbench.panel.%'`)
	to := r.folder("new")
	r.move(retold.Move{Sessions: []string{id}, To: to})
	found := false
	for key, value := range r.content() {
		found = found || strings.HasSuffix(key, "ItemTable/composer.composerData") && strings.Contains(value, `"composerId":"`+id)
	}
	if !found {
		t.Error("no list names it")
	}
}
