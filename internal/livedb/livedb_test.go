package livedb_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/livedb"
)

// TestMain also plays the other program: with LIVEDB_WRITER set the binary
// writes to that database until its input ends.
func TestMain(m *testing.M) {
	if path := os.Getenv("LIVEDB_WRITER"); path != "" {
		if err := write(path, os.Getenv("LIVEDB_JOURNAL")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// write adds ten rows for each line of input and answers with the row count.
func write(path, journal string) error {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return err
	}
	for _, sql := range []string{
		"PRAGMA journal_mode=" + journal, "PRAGMA wal_autocheckpoint=0",
		"CREATE TABLE IF NOT EXISTS kv (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
	} {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			return err
		}
	}
	n := 0
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		if in.Text() == "crash" {
			os.Exit(0)
		}
		for range 10 {
			n++
			if err := sqlitex.Execute(conn, "INSERT INTO kv VALUES (?, randomblob(400))", &sqlitex.ExecOptions{Args: []any{n}}); err != nil {
				return err
			}
		}
		fmt.Println(n)
	}
	return conn.Close()
}

// writer is the other program.
type writer struct {
	t   *testing.T
	in  *os.File
	out *bufio.Scanner
	cmd *exec.Cmd
}

func startWriter(t *testing.T, path, journal string) *writer {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "LIVEDB_WRITER="+path, "LIVEDB_JOURNAL="+journal)
	cmd.Stdin, cmd.Stderr = r, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &writer{t: t, in: w, out: bufio.NewScanner(out), cmd: cmd}
}

// add writes ten rows and returns how many there are now.
func (w *writer) add() (n int) {
	w.t.Helper()
	fmt.Fprintln(w.in, "add")
	if !w.out.Scan() {
		w.t.Fatal("the writer ended")
	}
	if _, err := fmt.Sscan(w.out.Text(), &n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

func (w *writer) stop(how string) {
	w.t.Helper()
	if how != "" {
		fmt.Fprintln(w.in, how)
	}
	w.in.Close()
	if err := w.cmd.Wait(); err != nil {
		w.t.Fatal(err)
	}
}

func count(t *testing.T, db *livedb.DB) (n int) {
	t.Helper()
	err := db.Read(t.Context(), func(c *sqlite.Conn) error {
		return sqlitex.Execute(c, "SELECT count(*) FROM kv", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			n = s.ColumnInt(0)
			return nil
		}})
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// tree is every file below dir with its hash, time and mode.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	seen := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		info, err := d.Info()
		sum := sha256.Sum256(b)
		seen[p] = fmt.Sprint(hex.EncodeToString(sum[:]), info.ModTime(), info.Mode())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func open(t *testing.T, path string) *livedb.DB {
	t.Helper()
	db, err := livedb.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestLeavesNoTrace(t *testing.T) {
	for _, c := range []struct{ name, journal, end, access string }{
		{"closed", "wal", "", livedb.Immutable},
		{"closed rollback journal", "delete", "", livedb.Immutable},
		{"log left by a crash", "wal", "crash", livedb.WAL},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "state & 100% #1.vscdb")
			w := startWriter(t, path, c.journal)
			want := w.add()
			w.stop(c.end)
			before := tree(t, dir)
			db := open(t, path)
			if got := count(t, db); got != want {
				t.Errorf("read %d rows of %d", got, want)
			}
			if db.Access() != c.access {
				t.Errorf("access %q, want %q", db.Access(), c.access)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Errorf("the folder changed:\n%s", diff)
			}
		})
	}
}

func TestLiveWriter(t *testing.T) {
	for _, journal := range []string{"wal", "delete"} {
		t.Run(journal, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "state.vscdb")
			w := startWriter(t, path, journal)
			w.add()
			db := open(t, path)
			for range 20 {
				want := w.add()
				before := tree(t, dir)
				if got := count(t, db); got != want {
					t.Fatalf("read %d rows, the writer has committed %d", got, want)
				}
				if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
					t.Fatalf("reading changed the folder:\n%s", diff)
				}
			}
			w.stop("")
			before := tree(t, dir)
			if got := count(t, db); got != 210 {
				t.Errorf("after the writer closed: %d rows", got)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Errorf("closing changed the folder:\n%s", diff)
			}
		})
	}
}

// TestWriterIsNotHeldUp keeps a read open while the other program writes.
func TestWriterIsNotHeldUp(t *testing.T) {
	for _, journal := range []string{"wal", "delete"} {
		t.Run(journal, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.vscdb")
			w := startWriter(t, path, journal)
			w.add()
			db := open(t, path)
			tries := 0
			err := db.Read(t.Context(), func(c *sqlite.Conn) error {
				if tries++; tries == 1 {
					w.add() // returns only when the writer could commit
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if journal == "delete" && tries < 2 {
				t.Error("a read that raced with a write was not repeated")
			}
			w.stop("")
		})
	}
}

func TestLogWithoutSharedMemory(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.vscdb")
	w := startWriter(t, path, "wal")
	want := w.add()
	w.stop("crash")
	if err := os.Remove(path + "-shm"); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	db := open(t, path)
	if got := count(t, db); got != want || db.Access() != livedb.Copy {
		t.Errorf("read %d rows of %d by %s", got, want, db.Access())
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("the folder changed:\n%s", diff)
	}
}

// TestLargeLogWithoutSharedMemory makes the database look large with a hole at
// its end, which costs no disk.
func TestLargeLogWithoutSharedMemory(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.vscdb")
	w := startWriter(t, path, "wal")
	w.add()
	w.stop("")
	w = startWriter(t, path, "wal")
	w.add()
	w.stop("crash")
	if err := errors.Join(os.Remove(path+"-shm"), os.Truncate(path, livedb.CopyLimit+1<<20)); err != nil {
		t.Fatal(err)
	}
	db := open(t, path)
	if got := count(t, db); got != 10 || db.Access() != livedb.Immutable || db.Note() == "" {
		t.Errorf("read %d rows by %s, note %q", got, db.Access(), db.Note())
	}
}

// TestJournal reads beside the two kinds of rollback journal that a stranger
// finds: one in force, whose writer has changed pages and then died, and one that
// a finished transaction left behind.
func TestJournal(t *testing.T) {
	const refill = "INSERT INTO kv WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 400) SELECT i, randomblob(900) FROM n"
	for _, c := range []struct {
		name, access string
		writer       []string
	}{
		{"died", livedb.Copy, []string{"PRAGMA journal_mode=delete", "PRAGMA cache_size=5", "BEGIN IMMEDIATE", "DELETE FROM kv", refill}},
		{"finished", livedb.Immutable, []string{"PRAGMA journal_mode=persist", "UPDATE kv SET value = 'x' WHERE key = 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.vscdb")
			w := startWriter(t, path, "delete")
			want := w.add()
			w.stop("")
			conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			for _, sql := range c.writer {
				if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
					t.Fatalf("%s: %v", sql, err)
				}
			}
			dir := asLeft(t, path)
			before := tree(t, dir)
			db := open(t, filepath.Join(dir, "state.vscdb"))
			if got := count(t, db); got != want || db.Access() != c.access {
				t.Errorf("read %d rows of %d by %s, want %s", got, want, db.Access(), c.access)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Errorf("the folder changed:\n%s", diff)
			}
		})
	}
}

// asLeft copies a database and its journal as they lie, as a crash leaves them.
func asLeft(t *testing.T, path string) string {
	t.Helper()
	dir := t.TempDir()
	for _, suffix := range []string{"", "-journal"} {
		b, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "state.vscdb"+suffix), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadOnlyFolder(t *testing.T) {
	for _, end := range []string{"", "crash"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "state.vscdb")
		w := startWriter(t, path, "wal")
		want := w.add()
		w.stop(end)
		for p := range tree(t, dir) {
			if err := os.Chmod(p, 0o444); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
		if got := count(t, open(t, path)); got != want {
			t.Errorf("ended by %q: read %d rows of %d", end, got, want)
		}
	}
}

func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.db")
	w := startWriter(t, good, "delete")
	for range 40 {
		w.add()
	}
	w.stop("")
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		bytes []byte
		code  retold.Code
	}{
		"empty":     {[]byte{}, retold.CodeDatabaseCorrupt},
		"text":      {[]byte(strings.Repeat("hello world ", 1000)), retold.CodeDatabaseCorrupt},
		"random":    {[]byte("\x93\x8f\x00\xff" + strings.Repeat("\x81\x17\xe2", 4000)), retold.CodeDatabaseCorrupt},
		"cut":       {whole[:len(whole)/2], retold.CodeDatabaseCorrupt},
		"header":    {whole[:50], retold.CodeDatabaseCorrupt},
		"scrambled": {append(append([]byte{}, whole[:100]...), make([]byte, len(whole)-100)...), retold.CodeDatabaseCorrupt},
	} {
		path := filepath.Join(dir, name+".db")
		if err := os.WriteFile(path, c.bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := readAll(t.Context(), path); retold.CodeOf(got) != c.code {
			t.Errorf("%s: %v", name, got)
		} else if e, _ := errors.AsType[*retold.Error](got); e.Path != path || e.Hint == "" {
			t.Errorf("%s: the error does not name the file or a next step: %+v", name, e)
		}
	}
	if got := readAll(t.Context(), dir); retold.CodeOf(got) != retold.CodeDatabaseCorrupt {
		t.Errorf("folder: %v", got)
	}
	if got := readAll(t.Context(), filepath.Join(dir, "none.db")); !errors.Is(got, retold.ErrDatabaseNotFound) {
		t.Errorf("missing: %v", got)
	}
	loop := filepath.Join(dir, "loop.db")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	if got := readAll(t.Context(), loop); got == nil {
		t.Error("a link to itself was read")
	}
}

func readAll(ctx context.Context, path string) error {
	db, err := livedb.Open(ctx, path)
	if err != nil {
		return err
	}
	err = db.Read(ctx, func(c *sqlite.Conn) error {
		return sqlitex.Execute(c, "SELECT max(octet_length(value)) FROM kv WHERE value <> ''", nil)
	})
	return errors.Join(err, db.Close())
}

func TestCancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.vscdb")
	w := startWriter(t, path, "wal")
	w.add()
	w.stop("")
	db := open(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Read(ctx, func(c *sqlite.Conn) error {
		cancel()
		return sqlitex.Execute(c, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT sum(i) FROM n", nil)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
