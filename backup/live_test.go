package backup_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold/backup"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("RETOLD_TEST_WRITER"); path != "" {
		if err := writeOn(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// writeOn commits row after row into a database until its input ends, and says
// after every 100 how many there are. Each transaction writes a message, the
// number of messages, and a record long enough to need pages of its own.
func writeOn(path string) error {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	filler := noise(7, 20_000)
	for n := 1; ; n++ {
		select {
		case <-ended:
			return conn.Close()
		default:
		}
		for _, sql := range []string{"BEGIN IMMEDIATE", "INSERT INTO cursorDiskKV VALUES ('bubbleId:" + strconv.Itoa(n) + "', 'x')", "INSERT INTO ItemTable VALUES ('count', " + strconv.Itoa(n) + ")"} {
			if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
				return err
			}
		}
		if err := sqlitex.Execute(conn, "INSERT INTO cursorDiskKV VALUES (?, ?)", &sqlitex.ExecOptions{Args: []any{"long:" + strconv.Itoa(n%50), filler[:n*37%20_000]}}); err != nil {
			return err
		}
		if err := sqlitex.ExecuteTransient(conn, "COMMIT", nil); err != nil {
			return err
		}
		if n%100 == 0 {
			fmt.Println(n)
		}
	}
}

// A snapshot of a database that another program writes to as fast as it can is
// what one transaction left.
func TestSnapshotBesideAWriter(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "state.vscdb")
	conn := database(t, src, "PRAGMA journal_mode=WAL", state)
	for i := range 3000 { // so that there is something to copy while the other writes
		run(t, conn, "INSERT INTO cursorDiskKV VALUES (?, ?)", fmt.Sprint("old:", i), noise(uint64(i+1), 4000))
	}
	run(t, conn, "INSERT INTO ItemTable VALUES ('count', 0)")
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	writer := exec.Command(os.Args[0])
	writer.Env = append(os.Environ(), "RETOLD_TEST_WRITER="+src)
	in, err := writer.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	writer.Stderr = os.Stderr
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	last := int64(-1)
	for i := range 8 {
		for range 5 { // 500 rows later
			if !lines.Scan() {
				t.Fatal("the writer ended")
			}
		}
		dst := filepath.Join(dir, fmt.Sprint(i))
		if _, err := backup.Snapshot(t.Context(), src, dst, credentials, nil); err != nil {
			t.Fatal(err)
		}
		integrity(t, dst)
		copied := database(t, dst)
		count, rows := int64(-1), int64(-1)
		for sql, into := range map[string]*int64{
			"SELECT value FROM ItemTable WHERE key = 'count'":                                  &count,
			"SELECT count(*) FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;'": &rows,
		} {
			err := sqlitex.ExecuteTransient(copied, sql, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
				*into = s.ColumnInt64(0)
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := copied.Close(); err != nil {
			t.Fatal(err)
		}
		if count != rows || count <= last {
			t.Errorf("snapshot %d: the writer counted %d, there are %d, the one before had %d", i, count, rows, last)
		}
		last = count
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { //nolint:revive // until it ends
	}
	if err := writer.Wait(); err != nil {
		t.Fatal(err)
	}
}
