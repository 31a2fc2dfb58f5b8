package livedb_test

import (
	"os"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold/internal/livedb"
)

// What is served is read, the file that stands in for it is not, and no longer
// than it is served.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	there, here := filepath.Join(dir, "there.db"), filepath.Join(dir, "here.db")
	conn, err := sqlite.OpenConn(there, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteScript(conn, "CREATE TABLE t (a); INSERT INTO t VALUES (7)", nil); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(there)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(here, make([]byte, info.Size()), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func() (n int, err error) {
		db, err := livedb.Open(t.Context(), here)
		if err != nil {
			return 0, err
		}
		defer db.Close()
		err = db.Read(t.Context(), func(c *sqlite.Conn) error {
			n, err = sqlitex.ResultInt(c.Prep("SELECT a FROM t"))
			return err
		})
		return n, err
	}
	stop, err := livedb.Serve(here, "file:"+filepath.ToSlash(there)+"?mode=ro&immutable=1")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := read(); n != 7 || err != nil {
		t.Error(n, err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if n, err := read(); err == nil {
		t.Error("read", n, "from a file of zeros")
	}
}
