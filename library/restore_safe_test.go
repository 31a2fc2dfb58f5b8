package library_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/store/sqlite"
)

// folders of a restore that are left.
func kept(t *testing.T, home string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".retold-restore-") {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// damagedCopy is a backup of the demo with a wrong byte in one file of it, whose name it
// returns.
func damagedCopy(t *testing.T) (path, name string) {
	t.Helper()
	l, _ := demoLibrary(t)
	path = filepath.Join(t.TempDir(), "b.retold")
	made := makeBackup(t, l, library.BackupOptions{Path: path})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(text, []byte("library.db"))
	for i := len(text) / 2; at < 0 && i < len(text); i++ { // somewhere in a chunk
		at = i
	}
	text[at] ^= 0xff
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range verify(t, path).Faults {
		if slices.ContainsFunc(made.Manifest.Files, func(x backup.File) bool { return x.Path == f.Path }) {
			return path, f.Path
		}
	}
	t.Fatal("no file is damaged")
	return "", ""
}

// A restore leaves nothing behind that nobody needs, whether it succeeds or not.
func TestRestoreLeavesNoEmptyFolders(t *testing.T) {
	damaged, _ := damagedCopy(t)
	home := filepath.Join(t.TempDir(), "new", "ada")
	if _, err := restoreTo(t, damaged, home, nil); retold.CodeOf(err) != retold.CodeInvalidBackup {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(home)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the failed one left %q (%v)", files(t, filepath.Dir(home)), err)
	}
	l, _ := demoLibrary(t)
	path := filepath.Join(t.TempDir(), "b.retold")
	makeBackup(t, l, library.BackupOptions{Path: path})
	r, err := restoreTo(t, path, home, nil)
	if err != nil {
		t.Fatal(err)
	}
	if left := kept(t, home); len(left) > 0 || len(r.Aside) > 0 {
		t.Errorf("left %q, told of %q", left, r.Aside)
	}
	if want := (paths.Env{GOOS: "linux", Home: home}).RetoldHome(); r.UndoHome != want {
		t.Errorf("the record lies in %q, said to be in %q", want, r.UndoHome)
	}
}

// Of a damaged backup what is whole can be restored, and the rest is named; looking
// finds the damage, too.
func TestRestoreSkipsDamaged(t *testing.T) {
	path, name := damagedCopy(t)
	home := filepath.Join(t.TempDir(), "ada")
	for _, dry := range []bool{true, false} {
		_, err := restoreTo(t, path, home, func(o *library.RestoreOptions) { o.DryRun = dry })
		if retold.CodeOf(err) != retold.CodeInvalidBackup || !strings.Contains(err.Error(), name) {
			t.Errorf("dry run %v: %v", dry, err)
		}
	}
	all := 0
	for _, dry := range []bool{true, false} {
		r, err := restoreTo(t, path, home, func(o *library.RestoreOptions) { o.DryRun, o.SkipDamaged = dry, true })
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Skipped) != 1 || r.Skipped[0].Path != name || r.Skipped[0].Reason == "" {
			t.Errorf("dry run %v: %+v", dry, r.Skipped)
		}
		all = r.FilesRestored
	}
	n := 0
	for _, f := range files(t, home) {
		if !strings.Contains(f, string(filepath.Separator)+"undo"+string(filepath.Separator)) {
			n++
		}
		if strings.HasSuffix(filepath.ToSlash(f), strings.TrimPrefix(name, "retold")) && name == "retold/library.db" {
			t.Errorf("%s is there", f)
		}
	}
	if n != all || n < 20 {
		t.Errorf("%d files, said to be %d", n, all)
	}
}

// What no backup takes, no restore writes: a stranger's file cannot plant settings,
// servers or records.
func TestRestorePlantsNothing(t *testing.T) {
	places := []backup.Place{{Name: "cursor/user", Agent: "cursor", Kind: "user"}, {Name: "cursor-cli/home", Agent: "cursor-cli", Kind: "home"}}
	for name, kind := range map[string]retold.PieceKind{
		"":                                          retold.PieceFile,
		"cursor/user/settings.json":                 retold.PieceFile,
		"cursor-cli/home/mcp.json":                  retold.PieceFile,
		"cursor-cli/home/hooks.json":                retold.PieceFile,
		"retold/config.toml":                        retold.PieceFile,
		"retold/undo/x/journal":                     retold.PieceFile,
		"retold/library.db":                         retold.PieceFile, // then no log would be looked for
		"cursor/user/globalStorage/state.vscdb":     retold.PieceFile,
		"cursor/user/globalStorage/state.vscdb-wal": retold.PieceFile,
	} {
		path := filepath.Join(t.TempDir(), "evil.retold")
		w, err := backup.Create(path, backup.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if name != "" {
			if _, err := w.Add(t.Context(), backup.File{Path: name, Kind: kind}, strings.NewReader("planted\n")); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Finish(t.Context(), &backup.Manifest{Places: places}); err != nil {
			t.Fatal(err)
		}
		home := filepath.Join(t.TempDir(), "ada")
		if _, err := restoreTo(t, path, home, nil); retold.CodeOf(err) != retold.CodeInvalidBackup || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(home); err == nil {
			t.Errorf("%s: %q", name, files(t, home))
		}
	}
}

// A restore that is refused while another is under way takes nothing from it.
func TestTwoRestoresAtOnce(t *testing.T) {
	l, _ := demoLibrary(t)
	path := filepath.Join(t.TempDir(), "b.retold")
	makeBackup(t, l, library.BackupOptions{Path: path})
	damaged, _ := damagedCopy(t)
	home := filepath.Join(t.TempDir(), "ada")
	others := 0
	_, err := restoreTo(t, path, home, func(o *library.RestoreOptions) {
		o.Progress = func(library.BackupProgress) {
			if others++; others%9 == 5 {
				if _, err := restoreTo(t, damaged, home, nil); retold.CodeOf(err) != retold.CodeInvalidBackup {
					t.Error(err)
				}
			}
		}
	})
	if err != nil || others < 9 {
		t.Fatal(others, err)
	}
	again, err := library.Open(t.Context(), library.Options{Env: paths.Env{GOOS: "linux", Home: home}})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	same(t, l, again)
}

// A backup waits for another process that is at the library; it does not say that
// it holds what the library in it lacks.
func TestBackupWaitsForTheLibrary(t *testing.T) {
	dir := t.TempDir()
	_, home := demoLibrary(t)
	o := library.Options{CursorUser: []string{home.CursorUser}, CursorHome: []string{home.CursorHome}, Home: filepath.Join(dir, "retold")}
	release := holdLibrary(t, filepath.Join(o.Home, "library.db"))
	l := openAt(t, o)
	path := filepath.Join(dir, "b.retold")
	waited := 0
	r := makeBackup(t, l, library.BackupOptions{Path: path, Progress: func(p library.BackupProgress) {
		if p.Stage == "waiting" {
			if waited++; waited == 2 {
				release()
			}
		}
	}})
	if v := verify(t, path); len(v.Faults) > 0 || r.Manifest.Stats.SessionCount < 20 || waited < 2 {
		t.Errorf("%+v, %+v, waited %d", v.Faults, r.Manifest.Stats, waited)
	}
	o.Home = filepath.Join(dir, "another")
	release = holdLibrary(t, filepath.Join(o.Home, "library.db"))
	defer release()
	now := time.Now()
	o.Now = func() time.Time { now = now.Add(time.Minute); return now }
	_, err := openAt(t, o).Backup(t.Context(), library.BackupOptions{Path: filepath.Join(dir, "c.retold")})
	if retold.CodeOf(err) != retold.CodeLibraryBusy {
		t.Error(err)
	}
}

// holdLibrary is another process that writes to a library.
func holdLibrary(t *testing.T, path string) (release func()) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := store.Writer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(w.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	}
}
