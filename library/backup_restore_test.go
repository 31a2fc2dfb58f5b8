package library_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
)

// quiet is a system on which nothing runs.
type quiet struct{ err error }

func (q quiet) Check(context.Context, []string) error { return q.err }

func restoreTo(t *testing.T, path, home string, change func(*library.RestoreOptions)) (*library.RestoreResult, error) {
	t.Helper()
	o := library.RestoreOptions{
		Home: home, Env: paths.Env{GOOS: "linux", Home: home}, Guard: quiet{},
		Now: func() time.Time { return time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC) },
	}
	if change != nil {
		change(&o)
	}
	return library.Restore(t.Context(), path, o)
}

// A restored home says what the one that was backed up says.
func TestRestoreIntoAnEmptyHome(t *testing.T) {
	l, _ := demoLibrary(t)
	path := filepath.Join(t.TempDir(), "b.retold")
	made := makeBackup(t, l, library.BackupOptions{Path: path})
	home := filepath.Join(t.TempDir(), "new", "ada")
	r, err := restoreTo(t, path, home, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.FilesRestored != len(made.Manifest.Files) || r.SessionsRestored != made.Manifest.Stats.SessionCount || len(r.Replaced) > 0 {
		t.Errorf("%+v", r)
	}
	env := paths.Env{GOOS: "linux", Home: home}
	again, err := library.Open(t.Context(), library.Options{Env: env, Home: t.TempDir()}) // reads it anew
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	same(t, l, again)
	kept, err := library.Open(t.Context(), library.Options{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	same(t, l, kept)
}

// What could not be read is a problem once, not once for every place where the files
// ever lay.
func TestRestoreElsewhereTellsProblemsOnce(t *testing.T) {
	l, _ := demoLibrary(t)
	path := filepath.Join(t.TempDir(), "b.retold")
	makeBackup(t, l, library.BackupOptions{Path: path})
	home := filepath.Join(t.TempDir(), "ada")
	if _, err := restoreTo(t, path, home, nil); err != nil {
		t.Fatal(err)
	}
	moved, err := library.Open(t.Context(), library.Options{Env: paths.Env{GOOS: "linux", Home: home}})
	if err != nil {
		t.Fatal(err)
	}
	defer moved.Close()
	problems := func(l *library.Library) map[string]int {
		t.Helper()
		if _, err := l.Sync(t.Context(), library.SyncOptions{}); err != nil {
			t.Fatal(err)
		}
		all, err := l.Headers(t.Context(), retold.Filter{Empty: true})
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int{}
		for _, h := range all {
			counts[h.ID] = h.Problems
		}
		return counts
	}
	if diff := cmp.Diff(problems(l), problems(moved)); diff != "" {
		t.Error(diff)
	}
}

func same(t *testing.T, a, b *library.Library) {
	t.Helper()
	want, err := a.Headers(t.Context(), retold.Filter{Empty: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range want {
		x, err := a.Show(t.Context(), h.ID)
		if err != nil {
			t.Fatal(err)
		}
		y, err := b.Show(t.Context(), h.ID)
		if err != nil {
			t.Fatal(h.ID, err)
		}
		if diff := cmp.Diff(messages(x), messages(y)); diff != "" {
			t.Errorf("%s: %s", h.ID, diff)
		}
	}
	if len(want) < 20 {
		t.Error(len(want), "sessions")
	}
}

func messages(d *retold.SessionDetail) []string {
	var out []string
	for _, m := range d.Messages {
		out = append(out, m.ID+" "+string(m.Role)+" "+m.Content)
	}
	return out
}

// Restoring over a history puts it aside, logs and all, and undoing brings it
// back.
func TestRestoreOverAHistory(t *testing.T) {
	l, _ := demoLibrary(t)
	path := filepath.Join(t.TempDir(), "b.retold")
	makeBackup(t, l, library.BackupOptions{Path: path})
	home := t.TempDir()
	global := filepath.Join(home, ".config", "Cursor", "User", "globalStorage", "state.vscdb")
	if err := os.MkdirAll(filepath.Dir(global), 0o700); err != nil {
		t.Fatal(err)
	}
	before := map[string]string{"": "another history", "-wal": "its log", "-shm": "and memory"}
	for suffix, text := range before {
		if err := os.WriteFile(global+suffix, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := restoreTo(t, path, home, nil); retold.CodeOf(err) != retold.CodeRestoreFailed {
		t.Fatal(err)
	}
	for suffix, text := range before {
		if got, err := os.ReadFile(global + suffix); err != nil || string(got) != text {
			t.Fatalf("%q: %q, %v", suffix, got, err)
		}
	}
	r, err := restoreTo(t, path, home, func(o *library.RestoreOptions) { o.Overwrite = true })
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(global); err != nil || !bytes.HasPrefix(got, []byte("SQLite format 3\x00")) {
		t.Errorf("%.20q, %v", got, err)
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if _, err := os.Lstat(global + suffix); err == nil {
			t.Errorf("a stale %s lies beside the restored database", suffix)
		}
	}
	if len(r.Replaced) != 3 || len(r.UndoIDs) != 1 {
		t.Errorf("%+v", r)
	}
	desk := &change.Desk{Home: paths.Env{GOOS: "linux", Home: home}.RetoldHome(), Guard: quiet{}}
	for _, id := range r.UndoIDs {
		plan, err := desk.PlanUndo(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := desk.Apply(t.Context(), plan, ""); err != nil {
			t.Fatal(err)
		}
		if err := plan.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for suffix, text := range before {
		if got, err := os.ReadFile(global + suffix); err != nil || string(got) != text {
			t.Errorf("undone, %q: %q, %v", suffix, got, err)
		}
	}
}

// What speaks against a restore is found before anything is changed.
func TestRestoreChangesNothing(t *testing.T) {
	l, _ := demoLibrary(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "b.retold")
	makeBackup(t, l, library.BackupOptions{Path: path})
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken.retold")
	half := bytes.Clone(whole)
	half[len(half)/2] ^= 0xff
	if err := os.WriteFile(broken, half, 0o600); err != nil {
		t.Fatal(err)
	}
	running := &retold.Error{Code: retold.CodeCursorRunning, Err: errors.New("it runs")}
	for name, c := range map[string]struct {
		path string
		set  func(*library.RestoreOptions)
		code retold.Code
	}{
		"damaged": {broken, nil, retold.CodeInvalidBackup},
		"running": {path, func(o *library.RestoreOptions) { o.Guard = quiet{running} }, retold.CodeCursorRunning},
		"dry run": {path, func(o *library.RestoreOptions) { o.DryRun = true }, ""},
	} {
		home := t.TempDir()
		r, err := restoreTo(t, c.path, home, c.set)
		if retold.CodeOf(err) != c.code || (err == nil) != (c.code == "") {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && r.FilesRestored == 0 {
			t.Errorf("%s: %+v", name, r)
		}
		for _, f := range files(t, home) {
			t.Errorf("%s left %s", name, f)
		}
	}
}

func files(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A link in the home cannot lead a restore elsewhere.
func TestRestoreDoesNotFollowLinks(t *testing.T) {
	l, _ := demoLibrary(t)
	path := filepath.Join(t.TempDir(), "b.retold")
	r := makeBackup(t, l, library.BackupOptions{Path: path})
	home, victim := t.TempDir(), t.TempDir()
	var name string
	for _, f := range r.Manifest.Files {
		if rest, ok := strings.CutPrefix(f.Path, "cursor-cli/home/"); ok {
			name = filepath.FromSlash(rest)
		}
	}
	at := filepath.Join(home, ".cursor", name)
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(victim, "file"), at); err != nil {
		t.Skip(err)
	}
	if _, err := restoreTo(t, path, home, nil); retold.CodeOf(err) != retold.CodeRestoreFailed {
		t.Error(err)
	}
	if _, err := restoreTo(t, path, home, func(o *library.RestoreOptions) { o.Overwrite = true }); err != nil {
		t.Error(err)
	}
	if left := files(t, victim); len(left) > 0 {
		t.Error(left)
	}
	if info, err := os.Lstat(at); err != nil || !info.Mode().IsRegular() {
		t.Error(info, err)
	}
}
