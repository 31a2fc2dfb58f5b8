package vscdb_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold/demo/vscdb"
)

// Rows have the storage classes that Cursor gives them, and a rewritten row a
// new rowid.
func TestRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "state.vscdb")
	db, err := vscdb.Create(t.Context(), path, vscdb.Headers)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		db.Item("list", []byte("{}")),
		db.KV("first", []byte("one")),
		db.KV("second", []byte("")),
		db.KV("first", []byte("once more")),
		db.KVBlob("gone", nil),
		db.Head(vscdb.Head{ComposerID: "c", WorkspaceID: "w", CreatedAt: 5, LastUpdatedAt: 7, Archived: true, JSON: []byte("{}")}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.AgentBlob([]byte("state")); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]string{
		`SELECT group_concat(key || ':' || typeof(value), ' ') FROM (SELECT * FROM cursorDiskKV ORDER BY rowid)`: "second:text first:text gone:null " +
			"agentKv:blob:4ba69735ca53765ed6a709edb56c6ea236b7193a3b29a6b390c346f0f4340e4e:blob",
		`SELECT value FROM cursorDiskKV WHERE key = 'first'`:                                         "once more",
		`SELECT typeof(value) FROM ItemTable`:                                                        "text",
		`SELECT createdAt || ' ' || recency || ' ' || isArchived || isSubagent FROM composerHeaders`: "5 7 10",
		`PRAGMA journal_mode`: "wal",
		`PRAGMA user_version`: "1",
	} {
		got := ""
		err := sqlitex.ExecuteTransient(conn, sql, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
			got = stmt.ColumnText(0)
			return nil
		}})
		if err != nil || got != want {
			t.Errorf("%s\n got %s\nwant %s (%v)", sql, got, want, err)
		}
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := vscdb.Create(t.Context(), path, vscdb.Old); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second Create: %v", err)
	}
}
