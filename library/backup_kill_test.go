//go:build unix

package library_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
)

// TestKilled is the other process of TestKillInBackup and TestKillInOverwritingRestore: it
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
		o := library.RestoreOptions{Home: dirs[1], Env: paths.Env{GOOS: "linux", Home: dirs[1]}, Guard: quiet{}, Overwrite: true, Progress: tell}
		o.SetHook(func(string) error { tell(library.BackupProgress{}); return nil })
		_, err = library.Restore(context.Background(), dirs[0], o)
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
		for range points(t) {
			n := 1 + rand.IntN(60)
			if !killed(t, n, what, t.TempDir(), home.CursorUser, home.CursorHome, filepath.Join(t.TempDir(), "retold"), target) {
				makeRoom(t, dir)
				continue
			}
			kills++
			if found, err := filepath.Glob(filepath.Join(dir, "*.retold")); err != nil || len(found) > 0 {
				t.Fatalf("killed at %d: %v, %v", n, found, err)
			}
		}
		if kills < points(t)/2 {
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

// makeRoom removes the backups that came to their end.
func makeRoom(t *testing.T, dir string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*.retold"))
	for _, f := range found {
		err = errors.Join(err, os.Remove(f))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// points is how many random points are tried: a dozen, or what
// RETOLD_TEST_KILLS says.
func points(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv("RETOLD_TEST_KILLS"), "12"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A restore over another history that is killed at any point is, when the next
// run has settled it, the old history or the new one, to the byte; and nothing of
// a killed restore is left behind by the one after.
func TestKillInOverwritingRestore(t *testing.T) {
	l, _ := demoLibrary(t)
	path := filepath.Join(t.TempDir(), "b.retold")
	makeBackup(t, l, library.BackupOptions{Path: path})
	other := filepath.Join(t.TempDir(), "other") // the home that is restored over
	if _, err := restoreTo(t, path, other, nil); err != nil {
		t.Fatal(err)
	}
	older := paths.Env{GOOS: "linux", Home: other}
	for name, text := range map[string]string{
		"globalStorage/state.vscdb": "another history", "globalStorage/state.vscdb-wal": "its log", "globalStorage/storage.json": "{}",
	} {
		if err := os.WriteFile(filepath.Join(older.ConfigRoot(), "Cursor", "User", filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(older.RetoldHome(), "undo")), removeKept(t, other)); err != nil {
		t.Fatal(err)
	}
	copyTo := func(home string) {
		if err := os.CopyFS(home, os.DirFS(other)); err != nil {
			t.Fatal(err)
		}
	}
	before := history(t, other)
	whole := filepath.Join(t.TempDir(), "whole")
	copyTo(whole)
	total := 1
	if _, err := restoreTo(t, path, whole, func(o *library.RestoreOptions) {
		o.Overwrite = true
		o.Progress = func(library.BackupProgress) { total++ }
		o.SetHook(func(string) error { total++; return nil })
	}); err != nil {
		t.Fatal(err)
	}
	after := history(t, whole)
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	kills, olds, news := 0, 0, 0
	for range points(t) {
		n := 1 + random.IntN(total)
		home := filepath.Join(t.TempDir(), "home")
		copyTo(home)
		if !killed(t, n, "restore", path, home) {
			continue
		}
		kills++
		desk := &change.Desk{Home: paths.Env{GOOS: "linux", Home: home}.RetoldHome(), Guard: quiet{}}
		if _, err := desk.Settle(t.Context(), change.Way(random.IntN(2))); err != nil {
			t.Fatalf("seed %d, killed at %d: %v", seed, n, err)
		}
		switch now := history(t, home); {
		case maps.Equal(now, before):
			olds++
		case maps.Equal(now, after):
			news++
		default:
			t.Errorf("seed %d, killed at %d: neither old nor new", seed, n)
		}
		if _, err := restoreTo(t, path, home, func(o *library.RestoreOptions) { o.Overwrite = true }); err != nil {
			t.Errorf("seed %d, after a kill at %d: %v", seed, n, err)
		}
		if !maps.Equal(history(t, home), after) {
			t.Errorf("seed %d, after a kill at %d: the restore after it is not whole", seed, n)
		}
		for _, f := range files(t, home) {
			if filepath.Base(f) == "unfinished" || strings.Contains(f, string(filepath.Separator)+"new"+string(filepath.Separator)) {
				t.Errorf("seed %d, killed at %d: %s is left", seed, n, f)
			}
		}
		if err := os.RemoveAll(home); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d points, %d kills: %d old, %d new", total, kills, olds, news)
	if kills < points(t)*3/4 {
		t.Errorf("only %d kills", kills)
	}
}

// history is every file of a home but retold's records and what restores keep.
func history(t *testing.T, home string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, f := range files(t, home) {
		if strings.Contains(f, ".retold-restore-") || strings.Contains(f, string(filepath.Separator)+"undo"+string(filepath.Separator)) {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimPrefix(f, home)] = string(text)
	}
	return all
}

// removeKept removes the folders in which restores keep what they put aside.
func removeKept(t *testing.T, home string) error {
	t.Helper()
	return filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".retold-restore-") {
			if err := os.RemoveAll(path); err != nil {
				return err
			}
			return fs.SkipDir
		}
		return err
	})
}
