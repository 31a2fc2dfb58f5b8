package library_test

import (
	"path/filepath"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
)

// Sessions of a backup come into another library whole, once, and never over
// what is there or was forgotten.
func TestMergeBackup(t *testing.T) {
	l, _ := demoLibrary(t)
	from := library.BackupSource{Path: filepath.Join(t.TempDir(), "b.retold")}
	made := makeBackup(t, l, library.BackupOptions{Path: from.Path})
	other, err := library.Open(t.Context(), library.Options{Env: paths.Env{GOOS: "linux", Home: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	one := made.Manifest.Sessions[0].ID
	merge := func(ids []string, dry bool) *library.MergeResult {
		t.Helper()
		r, err := other.MergeBackup(t.Context(), from, ids, dry)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := merge(nil, true); r.SessionsRestored-r.Empty != made.Manifest.Stats.SessionCount || !r.DryRun {
		t.Errorf("dry: %+v", r)
	}
	if r := merge([]string{one}, false); r.SessionsRestored != 1 || r.IDs[0] != one {
		t.Errorf("one: %+v", r)
	}
	if _, err := other.Forget(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	if r := merge(nil, false); r.Forgotten != 1 || r.Known != 0 || r.SessionsRestored < made.Manifest.Stats.SessionCount-1 {
		t.Errorf("all: %+v", r)
	}
	if r := merge(nil, false); r.SessionsRestored != 0 || r.Known < made.Manifest.Stats.SessionCount-1 {
		t.Errorf("again: %+v", r)
	}
	if _, err := other.MergeBackup(t.Context(), from, []string{"no-such-session"}, false); retold.CodeOf(err) != retold.CodeSessionNotFound {
		t.Error(err)
	}
	if _, err := other.Sync(t.Context(), library.SyncOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, s := range made.Manifest.Sessions[1:] {
		want, err := l.Show(t.Context(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		got, err := other.Show(t.Context(), s.ID)
		if err != nil {
			t.Fatal(s.ID, err)
		}
		if len(want.Messages) != len(got.Messages) || !got.Gone || got.Title != want.Title {
			t.Errorf("%s: %d messages of %d, gone %v", s.ID, len(got.Messages), len(want.Messages), got.Gone)
		}
	}
}
