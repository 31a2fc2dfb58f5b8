package cursor_test

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/source/sourcetest"
)

// TestMain also plays Cursor: with CURSOR_WRITER or CURSOR_SCRIBE set the binary
// writes to that database until its input ends.
func TestMain(m *testing.M) {
	for env, play := range map[string]func(string) error{"CURSOR_WRITER": write, "CURSOR_SCRIBE": takeDown} {
		if path := os.Getenv(env); path != "" {
			if err := play(path); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	os.Exit(m.Run())
}

// write adds one message to conversation c for each line of input and answers
// with how many there are. Nothing leaves the log.
func write(path string) error {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	for _, sql := range []string{"PRAGMA journal_mode=wal", "PRAGMA wal_autocheckpoint=0"} {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			return err
		}
	}
	headers := ""
	in := bufio.NewScanner(os.Stdin)
	for n := 1; in.Scan(); n++ {
		if in.Text() == "crash" {
			os.Exit(0)
		}
		if n > 1 {
			headers += ","
		}
		headers += fmt.Sprintf(`{"bubbleId":"b%d","type":1}`, n)
		rows := map[string]string{
			fmt.Sprintf("bubbleId:c:b%d", n): fmt.Sprintf(`{"_v":3,"type":1,"text":"Message %d","createdAt":%d}`, n, 1764583200000+n),
			"composerData:c":                 `{"_v":10,"name":"Live","createdAt":1764583200000,"fullConversationHeadersOnly":[` + headers + `]}`,
		}
		for key, value := range rows {
			if err := sqlitex.Execute(conn, "INSERT INTO cursorDiskKV VALUES (?, ?)", &sqlitex.ExecOptions{Args: []any{key, value}}); err != nil {
				return err
			}
		}
		fmt.Println(n)
	}
	return conn.Close()
}

type writer struct {
	t   *testing.T
	in  *os.File
	out *bufio.Scanner
	cmd *exec.Cmd
}

func startWriter(t *testing.T, path string) *writer {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "CURSOR_WRITER="+path)
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

func (w *writer) add() {
	w.t.Helper()
	fmt.Fprintln(w.in, "add")
	if !w.out.Scan() {
		w.t.Fatal("the writer ended")
	}
}

func (w *writer) stop(how string) {
	w.t.Helper()
	fmt.Fprintln(w.in, how)
	w.in.Close()
	if err := w.cmd.Wait(); err != nil {
		w.t.Fatal(err)
	}
}

// everything does all that the source can do, and returns how many messages
// conversation c has.
func everything(t *testing.T, user string) int {
	t.Helper()
	s := source(user)
	headers, errs := listed(t, user)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	n := -1
	for _, head := range headers {
		d, err := s.Session(t.Context(), head.Ref)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Complete(t.Context(), &head); err != nil {
			t.Fatal(err)
		}
		if head.ID == "c" {
			n = len(d.Messages)
		}
	}
	if _, err := s.Inspect(t.Context(), retold.Place{Path: user}); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestHandsOff reads while another process writes, with a log that a crash left,
// and in a folder nobody may write to. No byte, file, time or mode changes.
func TestHandsOff(t *testing.T) {
	h := newHome(t)
	h.withChat()
	h.withSessions(3)
	h.close()
	w := startWriter(t, filepath.Join(h.dir, "globalStorage", "state.vscdb"))
	untouched := func(what string, want int) {
		t.Helper()
		before := sourcetest.Tree(t, h.dir)
		if got := everything(t, h.dir); got != want {
			t.Errorf("%s: %d messages of %d", what, got, want)
		}
		if diff := gocmp.Diff(before, sourcetest.Tree(t, h.dir)); diff != "" {
			t.Errorf("%s: reading changed the folder\n%s", what, diff)
		}
	}
	for n := 1; n <= 5; n++ {
		w.add()
		untouched("a live writer", n)
	}
	w.stop("crash")
	untouched("a log left by a crash", 5)
	h.check(filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, info.Mode()&0o555)
	}))
	t.Cleanup(func() {
		for _, dir := range []string{"", "globalStorage", "workspaceStorage", "workspaceStorage/aaaa"} {
			_ = os.Chmod(filepath.Join(h.dir, dir), 0o755) // for the test's own cleaning up
		}
	})
	untouched("a read-only folder", 5)
}
