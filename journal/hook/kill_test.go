//go:build unix

package hook_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/retold-history/retold/journal/hook"
	"github.com/retold-history/retold/journal/hook/spool"
)

// What is handled in the tests of killing: a file is made for each; 2 always fails.
func handle(done string) func(context.Context, hook.Event) error {
	return func(_ context.Context, e hook.Event) error {
		if e.Commit == event(2).Commit {
			return errors.New("fails")
		}
		return os.WriteFile(filepath.Join(done, e.Commit), nil, 0o600)
	}
}

// TestKilled is the other process of TestKill: it kills itself at a step.
func TestKilled(t *testing.T) {
	dir := os.Getenv("RETOLD_TEST_KILLED")
	if dir == "" {
		t.Skip("only as a child")
	}
	at := os.Getenv("RETOLD_TEST_KILLED_AT") // a number, or the name of a step
	n, _ := strconv.Atoi(at)
	o := hook.DrainOptions{Dir: filepath.Join(dir, "spool")}
	o.SetStep(func(step string) {
		if n--; n == 0 || step == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	})
	if _, err := hook.Drain(context.Background(), o, handle(filepath.Join(dir, "done"))); err != nil {
		t.Fatal(err)
	}
}

func kill(t *testing.T, dir string, at any) (killed bool) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	child.Env = append(os.Environ(), "RETOLD_TEST_KILLED="+dir, fmt.Sprint("RETOLD_TEST_KILLED_AT=", at))
	out, err := child.CombinedOutput()
	if err == nil {
		return false
	}
	if status, ok := child.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("%v: %s", err, out)
	}
	return true
}

// Killed at any step, no event is lost: each is done, or queued, or set aside, and
// the next emptying does the rest.
func TestKill(t *testing.T) {
	n := 1
	for ; n < 100; n++ {
		dir := t.TempDir()
		queue, done := filepath.Join(dir, "spool"), filepath.Join(dir, "done")
		if err := os.Mkdir(done, 0o700); err != nil {
			t.Fatal(err)
		}
		enqueue(t, queue, 1, 2, 3)
		write(t, filepath.Join(queue, "9.json"), "damaged", 0o600)
		killed := kill(t, dir, n)
		q := look(t, queue)
		if q.Draining {
			t.Errorf("step %d: the lock is still held", n)
		}
		handled, err := os.ReadDir(done)
		if err != nil || q.Queued+len(q.Failed)+len(handled) < 4 {
			t.Errorf("step %d: %+v and %d done, %v", n, q, len(handled), err)
		}
		o := hook.DrainOptions{Dir: queue}
		if _, err := hook.Drain(t.Context(), o, handle(done)); err != nil {
			t.Errorf("step %d: %v", n, err)
		}
		q = look(t, queue)
		if handled, err = os.ReadDir(done); err != nil || len(handled) != 2 || q.Queued != 1 || len(q.Failed) != 1 || q.Failed[0].Reason == "not recorded" {
			t.Errorf("step %d, and then: %+v and %d done, %v", n, q, len(handled), err)
		}
		if !killed {
			break
		}
	}
	if n < 10 || n == 100 {
		t.Errorf("killed at %d steps only", n)
	}
}

// An event that kills whoever deals with it does not do so for ever.
func TestDeadly(t *testing.T) {
	dir := t.TempDir()
	queue, done := filepath.Join(dir, "spool"), filepath.Join(dir, "done")
	if err := os.Mkdir(done, 0o700); err != nil {
		t.Fatal(err)
	}
	enqueue(t, queue, 1)
	tries := 0
	for kill(t, dir, "handle") {
		if tries++; tries > 20 {
			t.Fatal("it is tried for ever")
		}
		if tries == 6 && look(t, queue).Queued != 1 {
			t.Error("it is gone")
		}
	}
	if q := look(t, queue); len(q.Failed) != 1 || q.Failed[0].Reason != "retold ended each time it was dealt with" {
		t.Errorf("after %d: %+v", tries, q)
	}
}

// Killed while it notes, a process leaves at most a file without its name.
func TestKilledEnqueue(t *testing.T) {
	r := newRepo(t)
	r.commit("a.txt", "zero")
	p := r.program()
	for range 10 {
		cmd := exec.CommandContext(t.Context(), p.Path, "journal", "enqueue", "--no-drain")
		cmd.Dir, cmd.Env = r.dir, append(os.Environ(), p.Env...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	for _, e := range r.events() {
		if e.Commit != r.git("rev-parse", "HEAD") {
			t.Errorf("%+v", e)
		}
	}
	all, err := os.ReadDir(spool.Folder(r.home))
	if err != nil || slices.ContainsFunc(all, func(e os.DirEntry) bool { return filepath.Ext(e.Name()) == ".json" && !spool.Unnamed(e.Name()) }) {
		t.Errorf("left: %v, %v", all, err)
	}
}
