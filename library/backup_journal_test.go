package library_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/library"
)

// TestBackupOfTheJournal: what was written down is in a backup and comes back into
// another library, without touching what that holds.
func TestBackupOfTheJournal(t *testing.T) {
	l, _ := demoLibrary(t)
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-q", "--allow-empty", "-m", "Begin"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	repo, err := journal.OpenRepo(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	reflect := func(l *library.Library, text string) *journal.Journal {
		t.Helper()
		j, err := l.Journal(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j.Reflect(t.Context(), repo, "", "", text); err != nil {
			t.Fatal(err)
		}
		return j
	}
	j := reflect(l, "Begin small.")
	if _, err := j.Write(t.Context(), repo, "HEAD", journal.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	made := makeBackup(t, l, library.BackupOptions{Path: filepath.Join(t.TempDir(), "a.retold")})
	if v := verify(t, made.BackupPath); len(v.Faults) > 0 {
		t.Error(v.Faults)
	}
	found := false
	for _, f := range made.Manifest.Files {
		found = found || f.Path == "retold/journal.db"
		if strings.Contains(f.Path, "journal-cache") {
			t.Error(f.Path)
		}
	}
	if !found {
		t.Errorf("%+v", made.Manifest.Files)
	}

	other, _ := demoLibrary(t)
	mine := reflect(other, "Mine.")
	from := library.BackupSource{Path: made.BackupPath}
	for i, want := range []int{2, 2, 0} { // dry, then really, then again
		r, err := other.MergeBackup(t.Context(), from, nil, i == 0)
		if err != nil || r.JournalRestored != want {
			t.Errorf("%d: %+v %v", i, r, err)
		}
	}
	id, err := mine.RepoID(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := mine.Reflections(t.Context(), id, "", ""); err != nil || len(list) != 2 {
		t.Error(list, err)
	}
	n := 0
	for _, err := range mine.Entries(t.Context(), id, time.Time{}, time.Time{}) {
		if n++; err != nil {
			t.Error(err)
		}
	}
	if n != 1 {
		t.Errorf("%d entries", n)
	}

	some := makeBackup(t, l, library.BackupOptions{Path: filepath.Join(t.TempDir(), "b.retold"), Sessions: []string{made.Manifest.Sessions[0].ID}})
	for _, f := range some.Manifest.Files {
		if f.Path == "retold/journal.db" {
			t.Error("the journal is in a backup of one session")
		}
	}
	if !strings.Contains(some.Manifest.Skipped[0].Reason, "more than the sessions") {
		t.Errorf("%+v", some.Manifest.Skipped)
	}
}
