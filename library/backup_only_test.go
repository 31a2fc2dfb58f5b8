package library_test

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
)

// A backup of single sessions says all of them, restores to the same, and holds no
// word of any other.
func TestBackupOfSessions(t *testing.T) {
	l, _ := demoLibrary(t)
	headers, err := l.Headers(t.Context(), retold.Filter{Empty: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		path := filepath.Join(t.TempDir(), "one.retold")
		made := makeBackup(t, l, library.BackupOptions{Path: path, Sessions: []string{h.ID}})
		if !slices.Contains(made.Manifest.Only, h.ID) || made.Manifest.Stats.SessionCount > len(made.Manifest.Only) {
			t.Errorf("%+v", made.Manifest.Only)
		}
		if v := verify(t, path); len(v.Faults) > 0 {
			t.Errorf("%s: %+v", h.ID, v.Faults)
		}
		home := t.TempDir()
		if _, err := restoreTo(t, path, home, nil); err != nil {
			t.Errorf("%s: %v", h.ID, err)
		}
		want, err := l.Show(t.Context(), h.ID)
		if err != nil {
			t.Fatal(err)
		}
		again, err := library.Open(t.Context(), library.Options{Env: paths.Env{GOOS: "linux", Home: home}, Home: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		got, err := again.Show(t.Context(), h.ID)
		if len(made.Manifest.Skipped) > 0 { // prompts alone, which no file of Cursor's calls a session
			continue
		}
		if err != nil {
			t.Errorf("%s %q: %v", h.ID, h.Title, err)
			continue
		}
		if diff := cmp.Diff(messages(want), messages(got)); diff != "" {
			t.Errorf("%s %q: %s", h.ID, h.Title, diff)
		}
		for _, other := range headers {
			if other.ID != h.ID && !slices.Contains(made.Manifest.Only, other.ID) && mentions(t, path, "composerData:"+other.ID) {
				t.Errorf("the backup of %s holds the record of %s", h.ID, other.ID)
			}
		}
	}
	if _, err := l.Backup(t.Context(), library.BackupOptions{Path: filepath.Join(t.TempDir(), "b"), Workspaces: []string{"nowhere"}}); retold.CodeOf(err) != retold.CodeWorkspaceNotFound {
		t.Error(err)
	}
}

// mentions looks for a text in all files of a backup.
func mentions(t *testing.T, path, text string) bool {
	t.Helper()
	a, err := backup.Open(t.Context(), path, backup.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for i := range a.Manifest.Files {
		f := &a.Manifest.Files[i]
		if filepath.Ext(f.Path) != ".vscdb" {
			continue
		}
		all, err := io.ReadAll(io.NewSectionReader(a.Content(f), 0, f.Size))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(all, []byte(text)) {
			return true
		}
	}
	return false
}
