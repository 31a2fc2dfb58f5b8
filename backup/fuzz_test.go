package backup_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
)

// FuzzOpen reads whatever there is as a backup: it is refused with the code for
// that, or read with bounded memory.
func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	for i, files := range []map[string][]byte{{}, {"a": []byte("short")}, {"a": noise(5, 300_000), "b/c": make([]byte, 900_000)}} {
		path := filepath.Join(dir, string(rune('a'+i)))
		var names []string
		for _, n := range []string{"a", "b/c"} {
			if files[n] != nil {
				names = append(names, n)
			}
		}
		pack(f, path, backup.Options{}, names, files)
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "b")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		check(t, path)
	})
}

func check(t *testing.T, path string) {
	a, err := backup.Open(context.Background(), path, backup.OpenOptions{})
	if err != nil {
		if code := retold.CodeOf(err); code != retold.CodeInvalidBackup && code != retold.CodeUsage {
			t.Fatalf("%v", err)
		}
		return
	}
	if a.Manifest.Stats.FileSize > 1<<30 { // many files of the same chunks
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		return
	}
	if _, err := a.Verify(context.Background(), backup.VerifyOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}
