package cursor_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// takeDown runs each line of input, a list of SQL statements, as one transaction
// and answers "ok" or with the error. One that begins with PRAGMA or VACUUM runs
// outside of one.
func takeDown(path string) error {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return conn.Close()
		}
		if err != nil {
			return err
		}
		var list []string
		if err = json.Unmarshal(line, &list); err == nil {
			err = transact(conn, list)
		}
		if err != nil {
			fmt.Printf("%q\n", err.Error())
		} else {
			fmt.Println("ok")
		}
	}
}

func transact(conn *sqlite.Conn, list []string) (err error) {
	if first := list[0]; strings.HasPrefix(first, "PRAGMA") || first == "VACUUM" {
		for _, sql := range list {
			if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}
		return nil
	}
	defer sqlitex.Transaction(conn)(&err)
	for _, sql := range list {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// A scribe is another process that has a database open and writes what it is
// told.
type scribe struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startScribe(t testing.TB, user, mode string) *scribe {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "CURSOR_SCRIBE="+filepath.Join(user, "globalStorage", "state.vscdb"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &scribe{t, cmd, in, bufio.NewReader(out)}
	s.do("PRAGMA journal_mode="+mode, "PRAGMA wal_autocheckpoint=0", "PRAGMA busy_timeout=5000")
	return s
}

func (s *scribe) do(statements ...string) {
	s.t.Helper()
	line, err := json.Marshal(statements)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		s.t.Fatal(err)
	}
	if answer, err := s.out.ReadString('\n'); err != nil || answer != "ok\n" {
		s.t.Fatalf("the scribe says %s, %v", answer, err)
	}
}

// stop closes the database as a program does that ends in peace.
func (s *scribe) stop() {
	s.t.Helper()
	if err := s.in.Close(); err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Fatal(err)
	}
}

// quoted is a text as SQL writes it.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// replace writes a record as Cursor does: the old row goes, the new one has a new
// rowid.
func replace(key, value string) string {
	return "INSERT INTO cursorDiskKV (key, value) VALUES (" + quoted(key) + ", " + quoted(value) + ")"
}

// overwrite replaces a value where it lies.
func overwrite(key, value string) string {
	return "UPDATE cursorDiskKV SET value = " + quoted(value) + " WHERE key = " + quoted(key)
}

func remove(key string) string { return "DELETE FROM cursorDiskKV WHERE key = " + quoted(key) }
