//go:build unix

package cursor_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/source/cursor"
)

// TestKilledRestore is the other process of TestKillInSessionRestore: it kills
// itself before the nth write.
func TestKilledRestore(t *testing.T) {
	args := strings.Split(os.Getenv("RETOLD_TEST_KILLED"), "\n")
	if len(args) != 5 {
		t.Skip("only as a child")
	}
	n, err := strconv.Atoi(args[4])
	if err != nil {
		t.Fatal(err)
	}
	r := rescueAt(t, args[0], args[1], args[2])
	r.desk.Hook = func(string) error {
		if n--; n == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return nil
	}
	r.restore(false, args[3])
}

// rescueAt is a rescue over folders that another process made.
func rescueAt(t *testing.T, user, files, desk string) *rescue {
	r := &rescue{relocation: &relocation{t: t, dir: t.TempDir()}}
	r.home.CursorUser = user
	r.src = cursor.New(cursor.Options{User: []string{user}})
	r.desk = &change.Desk{Home: desk, Guard: idle{}}
	r.hold(files)
	return r
}

// A restore of a conversation that is killed before any of its writes is, after
// the next run, whole or not there at all; undoing it leaves no trace.
func TestKillInSessionRestore(t *testing.T) {
	r := newRescue(t)
	held := filepath.Join(r.dir, "held")
	if err := os.CopyFS(held, r.files); err != nil {
		t.Fatal(err)
	}
	id := r.about(tidepool)[0]
	r.forget()
	before := r.content()
	first := filepath.Join(r.dir, "first")
	if err := os.CopyFS(first, os.DirFS(r.home.CursorUser)); err != nil {
		t.Fatal(err)
	}
	r.restore(false, id)
	after := r.content()
	kills := 0
	for n := 1; ; n++ {
		dir := t.TempDir()
		user, desk := filepath.Join(dir, "User"), filepath.Join(dir, "retold")
		if err := os.CopyFS(user, os.DirFS(first)); err != nil {
			t.Fatal(err)
		}
		child := exec.Command(os.Args[0], "-test.run=^TestKilledRestore$")
		child.Env = append(os.Environ(), "RETOLD_TEST_KILLED="+strings.Join([]string{user, held, desk, id, strconv.Itoa(n)}, "\n"))
		out, err := child.CombinedOutput()
		if err == nil {
			break
		}
		if status, ok := child.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
			t.Fatalf("%v: %s", err, out)
		}
		kills++
		now := rescueAt(t, user, held, desk)
		way := change.Finish
		if n%2 == 0 {
			way = change.RollBack
		}
		settled, err := now.desk.Settle(t.Context(), way)
		if err != nil {
			t.Fatalf("killed at %d: %v", n, err)
		}
		want := before
		if len(settled) > 0 && settled[0].State == change.Done {
			want = after
		}
		if list, err := now.desk.List(); err == nil && len(list) > 0 && list[0].State == change.Done {
			want = after // killed when all was done
		}
		if diff := cmp.Diff(want, now.content()); diff != "" {
			t.Fatalf("killed at %d, %+v: %s", n, settled, diff)
		}
	}
	if kills < 20 {
		t.Errorf("only %d kills", kills)
	}
	t.Logf("%d kills", kills)
}
