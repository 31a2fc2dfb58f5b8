package hook_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold/journal/hook"
	_ "github.com/retold-history/retold/journal/hook/early" // makes this test's binary enqueue, as retold does
	"github.com/retold-history/retold/journal/hook/spool"
)

// The test's binary is the retold that hooks start: package early takes the
// command that notes, and this the one that empties the queue, telling whoever
// listens of each commit.
func TestMain(m *testing.M) {
	if len(os.Args) < 3 || os.Args[1] != "journal" || os.Args[2] != "drain" {
		os.Exit(m.Run())
	}
	listener := os.Getenv("RETOLD_TEST_LISTENER")
	if listener == "" {
		return
	}
	dir := spool.Folder(os.Getenv("RETOLD_HOME"))
	_, err := hook.Drain(context.Background(), hook.DrainOptions{Dir: dir}, func(_ context.Context, e hook.Event) error {
		c, err := net.Dial("tcp", listener)
		if err != nil {
			return err
		}
		// The end of this process closes the connection, and tells the test of it.
		_, err = fmt.Fprintf(c, "%s %s %s\n", e.Commit, gitVariables(), strings.Join(os.Args[3:], " "))
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// gitVariables are what git set for the hook and the process still has.
func gitVariables() string {
	n := 0
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "GIT_DIR=") || strings.HasPrefix(v, "GIT_INDEX_FILE=") {
			n++
		}
	}
	return fmt.Sprint(n)
}

// A repo is a real repository in a folder of its own, and the home of the retold
// that its hooks start.
type repo struct {
	t    *testing.T
	dir  string
	home string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	base := t.TempDir()
	if real, err := filepath.EvalSymlinks(base); err == nil {
		base = real
	}
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(base, "gitconfig"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	r := &repo{t, filepath.Join(base, "it's mine"), filepath.Join(base, "retold home")}
	write(t, filepath.Join(base, "gitconfig"), "[user]\nname = Ada\nemail = ada@example.com\n[init]\ndefaultBranch = main\n[protocol \"file\"]\nallow = always\n[commit]\ngpgSign = false\n", 0o600)
	if err := os.Mkdir(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.git("init", "-q")
	return r
}

func (r *repo) git(args ...string) string { r.t.Helper(); return r.gitIn(r.dir, args...) }

func (r *repo) gitIn(dir string, args ...string) string {
	r.t.Helper()
	out, err := r.try(dir, args...)
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

func (r *repo) try(dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(r.t.Context(), "git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// commit makes a commit that changes a file and returns its id.
func (r *repo) commit(name, text string) string { r.t.Helper(); return r.commitIn(r.dir, name, text) }

func (r *repo) commitIn(dir, name, text string) string {
	r.t.Helper()
	write(r.t, filepath.Join(dir, name), text, 0o644)
	r.gitIn(dir, "add", "-A")
	r.gitIn(dir, "commit", "-q", "-m", name+": "+text)
	return r.gitIn(dir, "rev-parse", "HEAD")
}

func (r *repo) program() hook.Program {
	r.t.Helper()
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	return hook.Program{Path: self, Env: []string{"RETOLD_HOME=" + r.home}}
}

func (r *repo) install() *hook.Hooks { r.t.Helper(); return r.installWith(r.dir, false) }

func (r *repo) installWith(dir string, manage bool) *hook.Hooks {
	r.t.Helper()
	h, err := hook.PlanInstall(r.t.Context(), dir, hook.InstallOptions{Program: r.program(), Manage: manage})
	if err == nil {
		err = h.Apply(r.t.Context())
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return h
}

func (r *repo) uninstall() *hook.Hooks {
	r.t.Helper()
	h, err := hook.PlanUninstall(r.t.Context(), r.dir, false)
	if err == nil {
		err = h.Apply(r.t.Context())
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return h
}

// events empties the queue.
func (r *repo) events() (list []hook.Event) {
	r.t.Helper()
	_, err := hook.Drain(r.t.Context(), hook.DrainOptions{Dir: spool.Folder(r.home)}, func(_ context.Context, e hook.Event) error {
		list = append(list, e)
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(spool.Folder(r.home), spool.LogFile)); err == nil {
		r.t.Errorf("the hooks complain: %s", text)
	}
	return list
}

// commits are those of events.
func commits(list []hook.Event) (ids []string) {
	for _, e := range list {
		ids = append(ids, e.Kind+" "+e.Commit)
	}
	return ids
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The process that a hook starts outlives it, knows nothing of the hook's
// repository but what was noted, and deals with the commit.
func TestWake(t *testing.T) {
	r := newRepo(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Setenv("RETOLD_TEST_LISTENER", l.Addr().String())
	r.install()
	id := r.commit("a.txt", "one")
	if err := l.(*net.TCPListener).SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var got, variables, flag string
	if _, err := fmt.Fscan(c, &got, &variables, &flag); err != nil {
		t.Fatal(err)
	}
	if got != id || variables != "0" || flag != "--detached" {
		t.Errorf("told of %s, %s variables of git, %s; want %s", got, variables, flag, id)
	}
	if _, err := io.Copy(io.Discard, c); err != nil { // it is still writing in the folder
		t.Error(err)
	}
}
