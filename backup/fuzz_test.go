package backup_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// FuzzZip is FuzzOpen for what begins as a zip.
func FuzzZip(f *testing.F) {
	for _, names := range [][]string{{"globalStorage/storage.json"}, {"globalStorage/storage.json", "workspaceStorage/a/workspace.json"}} {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		list := ""
		for _, name := range names {
			list += fmt.Sprintf(`,{"path":%q,"size":2,"checksum":"sha256:%x","type":"x"}`, name, sha256.Sum256([]byte("{}")))
		}
		manifest := `{"version":"1.0.0","createdAt":"2026-05-04T10:00:00Z","files":[` + strings.TrimPrefix(list, ",") + `]}`
		for i, name := range append(names, "manifest.json") {
			e, err := w.CreateHeader(&zip.FileHeader{Name: name})
			if err == nil && i == len(names) {
				_, err = e.Write([]byte(manifest))
			} else if err == nil {
				_, err = e.Write([]byte("{}"))
			}
			if err != nil {
				f.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			f.Fatal(err)
		}
		f.Add(out.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "b.zip")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		check(t, path)
	})
}

// FuzzSnapshot copies and scrubs whatever there is as a database: an error, or a
// copy that is no longer than the file.
func FuzzSnapshot(f *testing.F) {
	for i, page := range []int{512, 1024} {
		path := filepath.Join(f.TempDir(), "db")
		conn := database(f, path, fmt.Sprintf("PRAGMA page_size=%d", page), state)
		for n := range 12 * (i + 1) {
			run(f, conn, "INSERT INTO ItemTable VALUES (?, ?)", fmt.Sprint("cursorAuth/", n%5), strings.Repeat("v", n*90))
		}
		run(f, conn, "DELETE FROM ItemTable WHERE key = 'cursorAuth/1'")
		if err := conn.Close(); err != nil {
			f.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
		if err := os.WriteFile(src, b, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := backup.Snapshot(context.Background(), src, dst, credentials, nil)
		info, statErr := os.Stat(dst)
		if err != nil && statErr == nil {
			t.Fatal("a copy was left after", err)
		}
		if err == nil && info.Size() > int64(len(b))+1<<20 {
			t.Fatalf("%d bytes of %d", info.Size(), len(b))
		}
	})
}

// FuzzBlank empties members: the text keeps its length and stays JSON, with the
// same members.
func FuzzBlank(f *testing.F) {
	f.Add([]byte(`{"a":1,"blobEncryptionKey" : "c2VjcmV0", "b":"\"xEncryptionKey\":\"no\""}`))
	f.Add([]byte(hex.EncodeToString([]byte(`{"blobEncryptionKey":"c2VjcmV0"}`))))
	f.Add([]byte(`[{"speculativeSummarizationEncryptionKey":"\\\"x"}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		after := bytes.Clone(b)
		found := backup.Blank(after, "EncryptionKey")
		if len(found) == 0 != bytes.Equal(b, after) || len(b) != len(after) {
			t.Fatalf("%q became %q, found %q", b, after, found)
		}
		if json.Valid(b) != json.Valid(after) && json.Valid(b) {
			t.Fatalf("%q became %q", b, after)
		}
	})
}
