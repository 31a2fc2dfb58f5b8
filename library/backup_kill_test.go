//go:build unix

package library_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
)

// TestKilled is the other process of TestKillInBackup and TestKillInRestore: it
// kills itself when it is told for the nth time how far it is.
func TestKilled(t *testing.T) {
	what, arg, ok := strings.Cut(os.Getenv("RETOLD_TEST_KILLED"), "\n")
	if !ok {
		t.Skip("only as a child")
	}
	n, err := strconv.Atoi(os.Getenv("RETOLD_TEST_KILLED_AT"))
	if err != nil {
		t.Fatal(err)
	}
	tell := func(library.BackupProgress) {
		if n--; n == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	}
	dirs := strings.Split(arg, "\n")
	if what == "restore" {
		_, err = library.Restore(context.Background(), dirs[0], library.RestoreOptions{Home: dirs[1], Env: paths.Env{GOOS: "linux", Home: dirs[1]}, Guard: quiet{}, Progress: tell})
	} else {
		var l *library.Library
		l, err = library.Open(context.Background(), library.Options{Env: paths.Env{GOOS: "linux", Home: dirs[0]}, CursorUser: []string{dirs[1]}, CursorHome: []string{dirs[2]}, Home: dirs[3]})
		if err == nil {
			_, err = l.Backup(context.Background(), library.BackupOptions{Path: dirs[4], Folder: what == "folder", Progress: tell})
			err = errors.Join(err, l.Close())
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// killed runs a child that kills itself at n; false when it came to its end.
func killed(t *testing.T, n int, what string, dirs ...string) bool {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	child.Env = append(os.Environ(), "RETOLD_TEST_KILLED="+what+"\n"+strings.Join(dirs, "\n"), fmt.Sprint("RETOLD_TEST_KILLED_AT=", n))
	out, err := child.CombinedOutput()
	if err == nil {
		return false
	}
	status, ok := child.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("%v: %s", err, out)
	}
	return true
}

// A backup that is killed at any point leaves nothing under a name, and does not
// keep the next from being made; nothing of it is left after that.
func TestKillInBackup(t *testing.T) {
	l, home := demoLibrary(t)
	if _, err := l.Sync(t.Context(), library.SyncOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"file", "folder"} {
		dir := t.TempDir()
		target := dir
		if what == "file" {
			target = filepath.Join(dir, "b.retold")
		}
		kills := 0
		for n := 1; n < 60; n += 4 {
			if !killed(t, n, what, t.TempDir(), home.CursorUser, home.CursorHome, filepath.Join(t.TempDir(), "retold"), target) {
				break
			}
			kills++
			if found, err := filepath.Glob(filepath.Join(dir, "*.retold")); err != nil || len(found) > 0 {
				t.Fatalf("killed at %d: %v, %v", n, found, err)
			}
		}
		if kills < 8 {
			t.Errorf("%s: only %d kills", what, kills)
		}
		r := makeBackup(t, l, library.BackupOptions{Path: target, Folder: what == "folder"})
		if v := verify(t, r.BackupPath); len(v.Faults) > 0 {
			t.Errorf("%s: %+v", what, v.Faults)
		}
		if left, err := filepath.Glob(filepath.Join(dir, ".retold-*")); err != nil || len(left) > 0 {
			t.Errorf("%s: %v, %v", what, left, err)
		}
	}
}

// A restore that is killed while it unpacks has changed nothing that anybody
// reads.
func TestKillInRestore(t *testing.T) {
	l, _ := demoLibrary(t)
	path := filepath.Join(t.TempDir(), "b.retold")
	makeBackup(t, l, library.BackupOptions{Path: path})
	kills := 0
	for n := 1; n < 200; n += 12 {
		home := t.TempDir()
		if !killed(t, n, "restore", path, home) {
			break
		}
		kills++
		for _, f := range files(t, home) {
			if !strings.Contains(f, ".retold-restore-") {
				t.Errorf("killed at %d: %s is there", n, f)
			}
		}
		if _, err := restoreTo(t, path, home, nil); err != nil {
			t.Errorf("after a kill at %d: %v", n, err)
		}
	}
	if kills < 4 {
		t.Errorf("only %d kills", kills)
	}
}
