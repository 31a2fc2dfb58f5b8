package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/testscript"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// spoolOf is the queue of a script.
func spoolOf(ts *testscript.TestScript) string {
	dir := filepath.Join(ts.Getenv("RETOLD_HOME"), "spool")
	ts.Check(os.MkdirAll(dir, 0o700))
	return dir
}

// noted HH:MM COMMAND… runs a command of git at a time of March 4, 2026, and then
// empties the queue that its hooks filled. No hook empties it meanwhile.
func noted(ts *testscript.TestScript, neg bool, args []string) {
	queued(ts, neg, args)
	ts.Check(ts.Exec("retold", "journal", "drain", "--json"))
	var r struct{ Done, Waiting, Failed int }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &r))
	if r.Done == 0 != neg || r.Waiting+r.Failed > 0 {
		ts.Fatalf("after %s: %+v", strings.Join(args, " "), r)
	}
}

// queued HH:MM COMMAND… is noted without emptying the queue. With ! the command
// is to fail.
func queued(ts *testscript.TestScript, neg bool, args []string) {
	lock := flock.New(filepath.Join(spoolOf(ts), "lock"))
	got, err := lock.TryLock()
	ts.Check(err)
	if !got {
		ts.Fatalf("the queue is being emptied")
	}
	at := "2026-03-04T" + args[0] + ":00Z"
	ts.Setenv("GIT_COMMITTER_DATE", at)
	if !strings.Contains(ts.Getenv("SKEW"), "author") {
		ts.Setenv("GIT_AUTHOR_DATE", at)
	}
	err = ts.Exec(args[1], args[2:]...)
	ts.Check(lock.Close())
	if err == nil == neg {
		ts.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
}

// emptied empties the queue, together with whoever is at it, until nothing waits.
func emptied(ts *testscript.TestScript, _ bool, _ []string) {
	for range 1000 {
		ts.Check(ts.Exec("retold", "journal", "drain", "--json"))
		var r struct {
			Busy            bool
			Waiting, Failed int
		}
		ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &r))
		left, err := filepath.Glob(filepath.Join(spoolOf(ts), "*.json"))
		ts.Check(err)
		if r.Failed > 0 {
			ts.Fatalf("%+v", r)
		}
		if !r.Busy && len(left) == 0 {
			return
		}
	}
	ts.Fatalf("the queue never was empty")
}

// killdrains N empties the queue in processes that are killed, the first at once
// and each after it a little later, until N were.
func killDrains(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	program, err := exec.LookPath("retold")
	ts.Check(err)
	killed := 0
	for i := range n {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(5+i*12)*time.Millisecond)
		c := exec.CommandContext(ctx, program, "journal", "drain")
		c.Dir, c.Env = ts.MkAbs("."), environ(ts)
		out, err := c.CombinedOutput()
		cancel()
		switch exit, ok := errors.AsType[*exec.ExitError](err); {
		case ok && exit.ExitCode() == -1:
			killed++
		case err != nil && !errors.Is(err, context.DeadlineExceeded):
			ts.Fatalf("not killed, but %v: %s", err, out)
		}
		events, err := filepath.Glob(filepath.Join(spoolOf(ts), "*.json"))
		ts.Check(err)
		for _, path := range events {
			data, err := os.ReadFile(path)
			ts.Check(err)
			if !json.Valid(data) {
				ts.Fatalf("killed %d times: %s is half a file", i+1, path)
			}
		}
	}
	ts.Logf("%d of %d were killed", killed, n)
	if killed < 2 {
		ts.Fatalf("only %d of %d were killed in time", killed, n)
	}
}

// environ is the environment of a script, for a process that it waits for itself.
func environ(ts *testscript.TestScript) (env []string) {
	for _, name := range []string{
		"PATH", "HOME", "TZ", "WORK", "RETOLD_HOME", "RETOLD_CURSOR_USER", "RETOLD_CURSOR_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM",
		"GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE", "SYSTEMROOT", "TMPDIR",
	} {
		if v := ts.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// sidebyside COMMAND… -- COMMAND… [-- …] runs commands at once; all have to succeed.
func sideBySide(ts *testscript.TestScript, _ bool, args []string) {
	done, n := make(chan error), 0
	for command := range strings.SplitSeq(strings.Join(args, "\n"), "\n--\n") {
		words := strings.Split(command, "\n")
		program, err := exec.LookPath(words[0])
		ts.Check(err)
		c := exec.Command(program, words[1:]...)
		c.Dir, c.Env = ts.MkAbs("."), environ(ts)
		n++
		go func() {
			out, err := c.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%s: %w: %s", strings.Join(words, " "), err, out)
			}
			done <- err
		}()
	}
	for range n {
		ts.Check(<-done)
	}
}

// held are the connections by which scripts keep Cursor's database open, by path.
var held sync.Map

// holdcursor locked|hot keeps Cursor's database open until "holdcursor free": in
// the middle of a transaction during which nobody else may read, or with all that
// was said in its log alone.
func holdCursor(ts *testscript.TestScript, _ bool, args []string) {
	path := filepath.Join(ts.Getenv("RETOLD_CURSOR_USER"), "globalStorage", "state.vscdb")
	if conn, ok := held.LoadAndDelete(path); ok {
		ts.Check(conn.(*sqlite.Conn).Close())
	}
	script := ""
	switch args[0] {
	case "free":
		return
	case "hot":
		script = "PRAGMA wal_autocheckpoint=0; UPDATE cursorDiskKV SET value = value; UPDATE composerHeaders SET value = value"
	case "locked":
		script = "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE cursorDiskKV SET value = 'half written'"
	default:
		ts.Fatalf("usage: holdcursor locked|hot|free")
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	ts.Check(err)
	held.Store(path, conn)
	ts.Defer(func() {
		if conn, ok := held.LoadAndDelete(path); ok {
			ts.Check(conn.(*sqlite.Conn).Close())
		}
	})
	for statement := range strings.SplitSeq(script, ";") {
		ts.Check(sqlitex.ExecuteTransient(conn, statement, nil))
	}
}
