package change_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/internal/paths"
)

func TestIsCursor(t *testing.T) {
	for line, want := range map[string]bool{
		"cursor":                   true,
		"Cursor.exe":               true,
		"Cursor Helper (Renderer)": true,
		"Cursor Nightly.exe":       true,
		"cursor.AppImage":          true,
		"node|/home/ada/.local/share/cursor-agent/versions/1/node": true,
		"node|node|/home/ada/.local/bin/cursor-agent":              true,
		"bash|bash|-c|cursor":                                      false,
		"vim|vim|cursor":                                           false,
		"retold|retold|migrate":                                    false,
		"xcursorgen":                                               false,
		"cursord":                                                  false,
		"":                                                         false,
	} {
		parts := strings.Split(line, "|")
		if got := change.IsCursor(parts[0], parts[1:]...); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestParsePS(t *testing.T) {
	for line, want := range map[string]string{
		"/Applications/Cursor.app/Contents/MacOS/Cursor":                                                       "Cursor",
		"/Applications/Cursor.app/Contents/Frameworks/Cursor Helper.app/Contents/MacOS/Cursor Helper --type=x": "Cursor Helper",
		"/usr/sbin/cfprefsd agent": "cfprefsd",
		"-zsh":                     "-zsh",
	} {
		if got, _ := change.ParsePS(line); got != want {
			t.Errorf("%q: %q", line, got)
		}
	}
	_, args := change.ParsePS("/Applications/Cursor.app/Contents/MacOS/Cursor --user-data-dir=/Users/lin/My Data --no-sandbox")
	if joined := strings.Join(args, "|"); !strings.HasSuffix(joined, "--user-data-dir|/Users/lin/My Data") {
		t.Error(joined)
	}
}

// TestRunningCursor starts a program called cursor that keeps its files somewhere.
func TestRunningCursor(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links to programs need rights there")
	}
	dir := t.TempDir()
	link := filepath.Join(dir, "cursor")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	ud := filepath.Join(dir, "My Data")
	home := filepath.Join(dir, "home")
	if runtime.GOOS != "linux" { // what home it has is not told elsewhere
		t.Setenv("HOME", home)
	}
	start(t, exec.CommandContext(t.Context(), link, "--user-data-dir="+ud), "HOME="+home)
	guard := change.System{Env: paths.Env{GOOS: runtime.GOOS, Home: home}}
	inside := filepath.Join(ud, "User", "globalStorage", "state.vscdb")
	err = guard.Check(t.Context(), []string{inside})
	if !errors.Is(err, retold.ErrCursorRunning) || !strings.Contains(err.Error(), "process") {
		t.Error(err)
	}
	if err := guard.Check(t.Context(), []string{filepath.Join(dir, "home", ".cursor", "chats", "x")}); !errors.Is(err, retold.ErrCursorRunning) {
		t.Error(err)
	}
	if err := guard.Check(t.Context(), []string{filepath.Join(dir, "elsewhere", "state.vscdb")}); err != nil {
		t.Error(err)
	}
	// Another home is none of its business.
	guard.Env.Home = filepath.Join(dir, "another")
	for _, name := range []string{".cursor/chats/x", ".config/Cursor/User/globalStorage/state.vscdb"} {
		if err := guard.Check(t.Context(), []string{filepath.Join(guard.Env.Home, filepath.FromSlash(name))}); err != nil {
			t.Error(err)
		}
	}
}

func TestLockOfCursor(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links to programs need rights there")
	}
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "cursor")
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), link, "--user-data-dir="+filepath.Join(dir, "other"))
	start(t, cmd)
	guard := change.System{Env: paths.Env{GOOS: runtime.GOOS, Home: filepath.Join(dir, "home")}}
	files := []string{filepath.Join(dir, "ud", "User", "globalStorage", "state.vscdb")}
	if err := os.MkdirAll(filepath.Join(dir, "ud"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pid     int
		running bool
	}{{cmd.Process.Pid, true}, {os.Getpid(), false}, {1 << 30, false}} {
		lock := filepath.Join(dir, "ud", "code.lock")
		if err := os.WriteFile(lock, []byte(strconv.Itoa(c.pid)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := guard.Check(t.Context(), files); errors.Is(err, retold.ErrCursorRunning) != c.running || err != nil != c.running {
			t.Errorf("lock of %d: %v", c.pid, err)
		}
		if err := os.Remove(lock); err != nil {
			t.Fatal(err)
		}
		single := filepath.Join(dir, "ud", "SingletonLock")
		if err := os.Symlink("host-"+strconv.Itoa(c.pid), single); err != nil {
			t.Fatal(err)
		}
		if err := guard.Check(t.Context(), files); errors.Is(err, retold.ErrCursorRunning) != c.running {
			t.Errorf("link of %d: %v", c.pid, err)
		}
		if err := os.Remove(single); err != nil {
			t.Fatal(err)
		}
	}
}

// start runs this test as another program until the test ends.
func start(t *testing.T, cmd *exec.Cmd, env ...string) {
	t.Helper()
	cmd.Env = append(append(os.Environ(), "CHANGE_PLAY=wait"), env...)
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
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatal(line, err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Log(err) // the context of the test ended it
		}
	})
}

// TestOpenedByAnother finds a program of any name that writes to a database.
func TestOpenedByAnother(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("not told elsewhere")
	}
	b := newBench(t)
	guard := change.System{Env: paths.Env{GOOS: runtime.GOOS, Home: filepath.Join(b.dir, "home")}}
	if err := guard.Check(t.Context(), []string{b.global}); err != nil {
		t.Error(err)
	}
	conn := b.conn(b.global) // this process itself does not count
	b.check(sqlitex.ExecuteTransient(conn, "SELECT * FROM ItemTable", nil))
	if err := guard.Check(t.Context(), []string{b.global}); err != nil {
		t.Error(err)
	}
	b.check(conn.Close())
	stop := b.startWriter(b.global)
	if err := guard.Check(t.Context(), []string{b.global}); !errors.Is(err, retold.ErrCursorRunning) {
		t.Error(err)
	}
	stop()
}
