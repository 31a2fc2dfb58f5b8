package backup_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
)

// A full disk ends a backup with an error that says so, and leaves nothing under
// a name; what was there before is whole.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skip("a small disk can only be made by root:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	if err := backup.NeedSpace(dir, 3<<20); retold.CodeOf(err) != retold.CodeBackupFailed {
		t.Error(err)
	}
	begin := map[string]func() (*backup.Writer, error){
		"file": func() (*backup.Writer, error) { return backup.Create(filepath.Join(dir, "b.retold"), backup.Options{}) },
		"folder": func() (*backup.Writer, error) {
			return backup.OpenRepository(t.Context(), dir, time.Now(), backup.Options{})
		},
	}
	w, err := begin["folder"]()
	if err != nil {
		t.Fatal(err)
	}
	fill(t, w, []string{"small"}, map[string][]byte{"small": noise(1, 200_000)})
	for name, begin := range begin {
		w, err := begin()
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Add(t.Context(), backup.File{Path: "large", Kind: retold.PieceFile}, bytes.NewReader(noise(2, 8<<20)))
		if err == nil {
			_, err = w.Finish(t.Context(), &backup.Manifest{})
		} else if aborted := w.Abort(); aborted != nil && !backup.DiskFull(aborted) {
			t.Error(aborted)
		}
		if !backup.DiskFull(err) {
			t.Errorf("%s: %v", name, err)
		}
		list, err := filepath.Glob(filepath.Join(dir, "*"+backup.Ext))
		if err != nil || len(list) != 1 {
			t.Fatal(name, list, err)
		}
		a := open(t, list[0], backup.OpenOptions{})
		if v, err := a.Verify(t.Context(), backup.VerifyOptions{}); err != nil || len(v.Faults) > 0 {
			t.Error(name, v, err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 2 {
			t.Error(name, entries, err)
		}
	}
}
