package library_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/demo"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
)

// demoLibrary is a library over a made-up history of its own.
func demoLibrary(t *testing.T) (*library.Library, demo.Home) {
	t.Helper()
	dir := t.TempDir()
	home, err := demo.Make(t.Context(), filepath.Join(dir, "demo"))
	if err != nil {
		t.Fatal(err)
	}
	return openAt(t, library.Options{CursorUser: []string{home.CursorUser}, CursorHome: []string{home.CursorHome}, Home: filepath.Join(dir, "retold")}), home
}

func openAt(t *testing.T, o library.Options) *library.Library {
	t.Helper()
	o.Env = paths.Env{GOOS: "linux", Home: t.TempDir()}
	l, err := library.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func makeBackup(t *testing.T, l *library.Library, o library.BackupOptions) *library.BackupResult {
	t.Helper()
	r, err := l.Backup(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func verify(t *testing.T, path string) *library.Verification {
	t.Helper()
	v, err := library.VerifyBackup(t.Context(), path, library.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// What is read from a backup is what is read without it, whole, and what is in
// the backup is the files.
func TestBackupOfTheDemo(t *testing.T) {
	l, home := demoLibrary(t)
	path := filepath.Join(t.TempDir(), "demo.retold")
	r := makeBackup(t, l, library.BackupOptions{Path: path, Producer: "retold test"})
	if len(r.Manifest.Skipped) > 0 {
		t.Errorf("skipped: %+v", r.Manifest.Skipped)
	}
	if v := verify(t, path); len(v.Faults) > 0 || v.Sessions != r.Manifest.Stats.SessionCount || v.Sessions < 20 || v.Databases < 10 {
		t.Errorf("%+v", v)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the backup: %v, %v", entries, err)
	}
	inside := openAt(t, library.Options{Backup: &library.BackupSource{Path: path}})
	want, err := l.Headers(t.Context(), retold.Filter{Empty: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range want {
		a, err := l.Show(t.Context(), h.ID)
		if err != nil {
			t.Fatal(err)
		}
		b, err := inside.Show(t.Context(), h.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("%s: %s", h.ID, diff)
		}
	}
	sameFiles(t, path, "cursor/user", home.CursorUser)
	sameFiles(t, path, "cursor-cli/home", home.CursorHome)
}

// sameFiles compares the plain files of a place with those on disk.
func sameFiles(t *testing.T, path, name, dir string) {
	t.Helper()
	a, err := backup.Open(t.Context(), path, backup.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var names []string
	for _, f := range a.Manifest.Files {
		rest, ok := strings.CutPrefix(f.Path, name+"/")
		if !ok {
			continue
		}
		names = append(names, rest)
		if f.Kind == retold.PieceDatabase {
			continue
		}
		want, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(rest)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := fs.ReadFile(a, f.Path)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs: %v", rest, err)
		}
	}
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if rel = filepath.ToSlash(rel); !slices.Contains(names, rel) && !strings.HasSuffix(rel, "-wal") && !strings.HasSuffix(rel, "-shm") {
			t.Logf("not in the backup: %s", rel)
		}
		return err
	})
	if err != nil || len(names) < 5 {
		t.Error(names, err)
	}
}

// A second backup into a folder stores what changed; removing one leaves the
// other whole.
func TestRepositoryStoresWhatChanged(t *testing.T) {
	l, home := demoLibrary(t)
	repo := filepath.Join(t.TempDir(), "backups")
	first := makeBackup(t, l, library.BackupOptions{Path: repo, Folder: true})
	same := makeBackup(t, l, library.BackupOptions{Path: repo, Folder: true})
	if same.BackupPath == first.BackupPath {
		t.Fatal("one backup took the other's name")
	}
	if limit := first.Written / 5; same.Written > limit {
		t.Errorf("nothing changed, and %d bytes were written after %d", same.Written, first.Written)
	}
	plan, err := filepath.Glob(filepath.Join(home.CursorHome, "plans", "*.md"))
	if err != nil || len(plan) == 0 {
		t.Fatal("no plans", err)
	}
	if err := os.WriteFile(plan[0], []byte("# another plan\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	third := makeBackup(t, l, library.BackupOptions{Path: repo, Folder: true})
	if third.Written > first.Written/5 {
		t.Errorf("a plan changed, and %d bytes were written after %d", third.Written, first.Written)
	}
	if err := os.Remove(first.BackupPath); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*library.BackupResult{same, third} {
		if v := verify(t, r.BackupPath); len(v.Faults) > 0 {
			t.Errorf("%+v", v.Faults)
		}
	}
	packs, err := filepath.Glob(filepath.Join(repo, "packs", "*.pack"))
	if err != nil || len(packs) < 2 {
		t.Fatal(packs, err)
	}
	if err := os.Remove(packs[0]); err != nil {
		t.Fatal(err)
	}
	broken := 0
	for _, r := range []*library.BackupResult{same, third} {
		if v := verify(t, r.BackupPath); len(v.Faults) > 0 {
			broken++
		}
	}
	if broken == 0 {
		t.Error("a pack is gone, and nobody noticed")
	}
	again := makeBackup(t, l, library.BackupOptions{Path: repo, Folder: true})
	if v := verify(t, again.BackupPath); len(v.Faults) > 0 {
		t.Errorf("after a pack was lost: %+v", v.Faults)
	}
}

func TestBackupIsNotReplacedUnasked(t *testing.T) {
	l, _ := demoLibrary(t)
	path := filepath.Join(t.TempDir(), "b.retold")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Backup(t.Context(), library.BackupOptions{Path: path}); retold.CodeOf(err) != retold.CodeUsage {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "mine" {
		t.Fatal(got, err)
	}
	makeBackup(t, l, library.BackupOptions{Path: path, Replace: true})
	if v := verify(t, path); len(v.Faults) > 0 {
		t.Error(v.Faults)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
}

// A backup that no longer is what was written is told from one that is, whichever
// byte it is.
func TestVerifyFindsAnyDamage(t *testing.T) {
	l, _ := demoLibrary(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "b.retold")
	r, unnoticed := makeBackup(t, l, library.BackupOptions{Path: path}), 0
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "bad.retold")
	found := func(name string, b []byte) {
		t.Helper()
		if err := os.WriteFile(bad, b, 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := library.VerifyBackup(t.Context(), bad, library.VerifyOptions{Quick: true})
		if err != nil && retold.CodeOf(err) != retold.CodeInvalidBackup {
			t.Errorf("%s: %v", name, err)
		}
		// Some bits of a packed frame mean nothing: what is unpacked is what was
		// packed, to the hash.
		if err == nil && len(v.Faults) == 0 && (name != "a flipped bit" || !cmp.Equal(v.Manifest, r.Manifest)) {
			t.Errorf("%s was not noticed", name)
		} else if err == nil && len(v.Faults) == 0 {
			unnoticed++
		}
	}
	for at := 0; at < len(whole); at += 1 + len(whole)/150 {
		b := bytes.Clone(whole)
		b[at] ^= 1
		found("a flipped bit", b)
	}
	for _, n := range []int{0, 1, 15, 100, len(whole) / 2, len(whole) - 1} {
		found("a cut", whole[:n])
	}
	found("a byte more", append(bytes.Clone(whole), 0))
	if unnoticed > 2 {
		t.Errorf("%d of 150 flipped bits changed nothing", unnoticed)
	}
}

// An interrupted backup leaves nothing.
func TestInterruptedBackup(t *testing.T) {
	l, _ := demoLibrary(t)
	dir := t.TempDir()
	if _, err := l.Sync(t.Context(), library.SyncOptions{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var told atomic.Int64
	_, err := l.Backup(ctx, library.BackupOptions{Path: filepath.Join(dir, "b.retold"), Progress: func(library.BackupProgress) {
		if told.Add(1) == 6 {
			cancel()
		}
	}})
	if retold.CodeOf(err) != retold.CodeInterrupted || told.Load() < 6 {
		t.Errorf("%v after %d", err, told.Load())
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Error(entries, err)
	}
}
