package livedb_test

import (
	"os"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold/internal/livedb"
)

func mustLook(t *testing.T, path string) livedb.Stamp {
	t.Helper()
	s, err := livedb.Look(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStamp looks from outside at a database that is written to: each commit
// shows, and what is none is not taken for one.
func TestStamp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.vscdb")
	if s := mustLook(t, path); s != (livedb.Stamp{}) {
		t.Errorf("a file that is not there: %+v", s)
	}
	var conn *sqlite.Conn
	open := func() {
		var err error
		if conn, err = sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate); err != nil {
			t.Fatal(err)
		}
	}
	exec := func(sql string) {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	open()
	exec("PRAGMA journal_mode=delete")
	exec("CREATE TABLE kv (key TEXT, value BLOB)")
	exec("INSERT INTO kv VALUES ('a', 'value')")
	const update = "UPDATE kv SET value = randomblob(10)"
	for _, c := range []struct {
		do   string
		want livedb.Evidence
	}{
		{"SELECT * FROM kv", livedb.Unchanged},
		{update, livedb.Committed},
		{update, livedb.Committed},
		{"PRAGMA journal_mode=wal", livedb.Committed},
		{update, livedb.Committed},
		{update, livedb.Committed},
		{"SELECT * FROM kv", livedb.Unchanged},
		{"PRAGMA wal_checkpoint(PASSIVE)", livedb.Unchanged},
		{update, livedb.Committed},
		{"PRAGMA wal_checkpoint(RESTART)", livedb.Unchanged},
		{update, livedb.Committed},
		{"PRAGMA wal_checkpoint(TRUNCATE)", livedb.Unchanged},
		{update, livedb.Committed},
		{"VACUUM", livedb.Committed},
	} {
		before := mustLook(t, path)
		exec(c.do)
		after := mustLook(t, path)
		if got := after.Since(before); got != c.want {
			t.Errorf("%s: %v, want %v\n%+v\n%+v", c.do, got, c.want, before, after)
		}
		var again livedb.Stamp
		b, err := after.AppendBinary(nil)
		if err != nil || again.UnmarshalBinary(b) != nil || again != after {
			t.Errorf("%+v comes back as %+v", after, again)
		}
	}
	before := mustLook(t, path)
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	closed := mustLook(t, path)
	if got := closed.Since(before); got != livedb.Perhaps {
		t.Errorf("the log folded in and removed: %v", got)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if got := mustLook(t, path).Since(closed); got != livedb.Committed {
		t.Errorf("another file: %v", got)
	}
}

// TestLookKeepsLocks looks at a database that this process reads: closing a
// descriptor of its own would let a writer end the log under the reader.
func TestLookKeepsLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.vscdb")
	w := startWriter(t, path, "wal")
	w.add()
	db, err := livedb.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // read only
	err = db.Read(t.Context(), func(conn *sqlite.Conn) error {
		count := func() (n int) {
			err := sqlitex.ExecuteTransient(conn, "SELECT count(*) FROM kv", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error { n = s.ColumnInt(0); return nil }})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		before := count()
		mustLook(t, path)
		w.add()
		mustLook(t, path)
		w.stop("")
		mustLook(t, path)
		if after := count(); after != before {
			t.Errorf("one transaction sees %d rows, then %d", before, after)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
