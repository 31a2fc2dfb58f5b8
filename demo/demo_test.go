package demo_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold/demo"
)

func made(t *testing.T) (demo.Home, string) {
	t.Helper()
	dir := t.TempDir()
	home, err := demo.Make(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return home, dir
}

func rows(t *testing.T, path, sql string, args ...any) (all []string) {
	t.Helper()
	conn, err := sqlite.OpenConn("file:"+path+"?immutable=1", sqlite.OpenReadOnly, sqlite.OpenURI)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteTransient(conn, sql, &sqlitex.ExecOptions{Args: args, ResultFunc: func(stmt *sqlite.Stmt) error {
		all = append(all, stmt.ColumnText(0))
		return nil
	}})
	if cerr := conn.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		t.Fatalf("%s: %s: %v", path, sql, err)
	}
	return all
}

// files lists a home; the content of a database is all its rows.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if ext := filepath.Ext(path); ext != ".db" && ext != ".vscdb" {
			data, err := os.ReadFile(path)
			all[rel] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range databases(t, dir) {
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range rows(t, path, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1") {
			columns := rows(t, path, "SELECT group_concat('quote(' || name || ')', '||') FROM pragma_table_info(?)", table)
			all[rel+"/"+table] = strings.Join(rows(t, path, "SELECT "+columns[0]+" FROM "+table+" ORDER BY rowid"), "\n")
		}
	}
	return all
}

func databases(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); ext == ".db" || ext == ".vscdb" {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestSameEveryTime(t *testing.T) {
	_, one := made(t)
	_, two := made(t)
	if diff := cmp.Diff(files(t, one), files(t, two)); diff != "" {
		t.Error(diff)
	}
}

func TestDatabasesAreSound(t *testing.T) {
	_, dir := made(t)
	all := databases(t, dir)
	if len(all) < 15 {
		t.Errorf("%d databases, want at least 15", len(all))
	}
	for _, path := range all {
		if got := rows(t, path, "PRAGMA integrity_check"); len(got) != 1 || got[0] != "ok" {
			t.Errorf("%s: %v", path, got)
		}
		head := make([]byte, 20)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Read(head); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if head[18] != 2 || head[19] != 2 {
			t.Errorf("%s is not in write-ahead-log mode", path)
		}
	}
	for name := range files(t, dir) {
		if strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm") {
			t.Errorf("%s was left behind", name)
		}
	}
}

// Each generation's own form is there, and the odd rows with it.
func TestWhatIsThere(t *testing.T) {
	home, _ := made(t)
	global := filepath.Join(home.CursorUser, "globalStorage", "state.vscdb")
	for _, c := range []struct {
		what, sql string
		atLeast   int
	}{
		{"composers", `SELECT key FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NOT NULL`, 22},
		{"deleted composers", `SELECT key FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NULL`, 1},
		{"malformed composers", `SELECT key FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NOT NULL AND NOT json_valid(value)`, 1},
		{"bubbles", `SELECT key FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;'`, 150},
		{"bubble tombstones", `SELECT key FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;' AND value IS NULL`, 1},
		{"malformed bubbles", `SELECT key FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;' AND value IS NOT NULL AND NOT json_valid(value)`, 1},
		{"inline conversations", `SELECT key FROM cursorDiskKV WHERE value LIKE '%"conversation":[{%'`, 1},
		{"conversation maps", `SELECT key FROM cursorDiskKV WHERE value LIKE '%"conversationMap":{"%'`, 1},
		{"tool calls in composers", `SELECT key FROM cursorDiskKV WHERE value LIKE '%"bubbleDataMap":"{\"%'`, 1},
		{"file contents", `SELECT key FROM cursorDiskKV WHERE key >= 'composer.content.' AND key < 'composer.content/'`, 10},
		{"agent blobs", `SELECT key FROM cursorDiskKV WHERE key >= 'agentKv:blob:' AND key < 'agentKv:blob;' AND typeof(value) = 'blob'`, 100},
		{"heads in the table", `SELECT composerId FROM composerHeaders`, 8},
		{"sub-agents in the table", `SELECT composerId FROM composerHeaders WHERE isSubagent = 1`, 2},
		{"heads in JSON", `SELECT j.value FROM ItemTable, json_each(ItemTable.value, '$.allComposers') j WHERE ItemTable.key = 'composer.composerHeaders'`, 4},
	} {
		if got := rows(t, global, c.sql); len(got) < c.atLeast {
			t.Errorf("%s: %d, want at least %d", c.what, len(got), c.atLeast)
		}
	}
	workspaces, tabs, heads := 0, 0, 0
	for _, db := range databases(t, filepath.Join(home.CursorUser, "workspaceStorage")) {
		workspaces++
		tabs += len(rows(t, db, `SELECT j.value FROM ItemTable, json_each(ItemTable.value, '$.tabs') j WHERE ItemTable.key = 'workbench.panel.aichat.view.aichat.chatdata'`))
		heads += len(rows(t, db, `SELECT j.value FROM ItemTable, json_each(ItemTable.value, '$.allComposers') j WHERE ItemTable.key = 'composer.composerData'`))
	}
	stores, err := filepath.Glob(filepath.Join(home.CursorHome, "chats", "*", "*", "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintln(workspaces, tabs, heads, len(stores))
	if want := fmt.Sprintln(9, 3, 12, 4); got != want {
		t.Errorf("workspaces, tabs, heads, stores: %s, want %s", got, want)
	}
	for _, pattern := range []string{
		"acp-sessions/*/store.db", "acp-sessions/*/meta.json", "plans/offline-predictions-*.plan.md",
		"projects/home-ada-projects-tidepool/agent-transcripts/*/*.jsonl", "projects/*/agent-transcripts/*.txt",
	} {
		if found, err := filepath.Glob(filepath.Join(home.CursorHome, pattern)); err != nil || len(found) == 0 {
			t.Errorf("nothing matches %s (%v)", pattern, err)
		}
	}
}

func TestBlobsAreNamedByTheirHash(t *testing.T) {
	home, dir := made(t)
	check := func(id, value string) {
		data, err := hex.DecodeString(value)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != id {
			t.Errorf("blob %s hashes to %x", id, sum)
		}
	}
	for _, row := range rows(t, filepath.Join(home.CursorUser, "globalStorage", "state.vscdb"), `SELECT substr(key, 14) || ' ' || hex(value) FROM cursorDiskKV WHERE key >= 'agentKv:blob:' AND key < 'agentKv:blob;'`) {
		id, value, _ := strings.Cut(row, " ")
		check(id, value)
	}
	for _, db := range databases(t, filepath.Join(dir, "home")) {
		for _, row := range rows(t, db, `SELECT id || ' ' || hex(data) FROM blobs`) {
			id, value, _ := strings.Cut(row, " ")
			check(id, value)
		}
		meta, err := hex.DecodeString(rows(t, db, `SELECT value FROM meta WHERE key = '0'`)[0])
		if err != nil {
			t.Fatal(err)
		}
		var m struct{ AgentID, LatestRootBlobID string }
		if err := json.Unmarshal(meta, &m); err != nil {
			t.Fatal(err)
		}
		if filepath.Base(filepath.Dir(db)) != m.AgentID {
			t.Errorf("%s belongs to agent %s", db, m.AgentID)
		}
		if n := rows(t, db, `SELECT count(*) FROM blobs WHERE id = ?`, m.LatestRootBlobID); n[0] != "1" {
			t.Errorf("%s: root %s is not stored", db, m.LatestRootBlobID)
		}
	}
}

// Nothing of the machine that made it is in a home, and no real secret.
func TestNothingOfThisMachine(t *testing.T) {
	_, dir := made(t)
	for name, content := range files(t, dir) {
		for _, word := range []string{dir, "/root/", "/tmp/"} {
			if strings.Contains(content, word) {
				t.Errorf("%s mentions %s", name, word)
			}
		}
	}
}

func TestRefusesAnExistingHome(t *testing.T) {
	_, dir := made(t)
	before := files(t, dir)
	if _, err := demo.Make(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "file exists") && !strings.Contains(err.Error(), "already exists") {
		t.Errorf("a second Make in the same folder: %v", err)
	}
	if !cmp.Equal(before, files(t, dir)) {
		t.Error("the second Make changed the first home")
	}
}
