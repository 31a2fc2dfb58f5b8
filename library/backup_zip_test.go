package library_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
)

// zipEntry is a file of a backup in cursor-history's form.
type zipEntry struct {
	name   string
	data   []byte
	method uint16
	kind   string
}

// editorFiles are the files that cursor-history would back up.
func editorFiles(t *testing.T, l *library.Library) (list []zipEntry) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "b.retold")
	makeBackup(t, l, library.BackupOptions{Path: path})
	a, err := backup.Open(t.Context(), path, backup.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, f := range a.Manifest.Files {
		name, ok := strings.CutPrefix(f.Path, "cursor/user/")
		kind := map[string]string{"state.vscdb": "workspace-db", "workspace.json": "workspace-json"}[filepath.Base(name)]
		if strings.HasPrefix(name, "globalStorage") && kind != "" {
			kind = "global-db"
		}
		if !ok || kind == "" {
			continue
		}
		data, err := fs.ReadFile(a, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, zipEntry{name: name, data: data, kind: kind})
	}
	if len(list) < 5 {
		t.Fatal(len(list), "files")
	}
	return list
}

// writeZip writes entries and the manifest of cursor-history 0.18 for them, which
// change may spoil.
func writeZip(t *testing.T, path string, entries []zipEntry, change func(files []map[string]any)) {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	var files []map[string]any
	for _, e := range entries {
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: e.method})
		if err == nil {
			_, err = f.Write(e.data)
		}
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, map[string]any{"path": e.name, "size": len(e.data), "checksum": fmt.Sprintf("sha256:%x", sha256.Sum256(e.data)), "type": e.kind})
	}
	if change != nil {
		change(files)
	}
	text, err := json.Marshal(map[string]any{
		"version": "1.0.0", "createdAt": "2026-05-04T10:00:00.000Z", "sourcePlatform": "linux", "producer": "0.18.0", "cursorHistoryVersion": "0.18.0",
		"files": files, "stats": map[string]any{"totalSize": 1, "sessionCount": 12, "workspaceCount": 3},
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := w.CreateHeader(&zip.FileHeader{Name: "manifest.json", Method: zip.Store})
	if err == nil {
		_, err = f.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = os.WriteFile(path, out.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What cursor-history backed up can be verified, read and restored.
func TestBackupOfCursorHistory(t *testing.T) {
	l, home := demoLibrary(t)
	path := filepath.Join(t.TempDir(), "theirs.zip")
	writeZip(t, path, editorFiles(t, l), nil)
	v := verify(t, path)
	if len(v.Faults) > 0 || v.Databases < 3 || v.Manifest.Producer != "cursor-history 0.18.0" || v.Manifest.Stats.SessionCount != 12 {
		t.Errorf("%+v", v)
	}
	editor := openAt(t, library.Options{CursorUser: []string{home.CursorUser}, CursorHome: []string{t.TempDir()}, Home: t.TempDir()})
	inside := openAt(t, library.Options{Backup: &library.BackupSource{Path: path}})
	same(t, editor, inside)
	to := t.TempDir()
	r, err := restoreTo(t, path, to, nil)
	if err != nil || r.FilesRestored < 5 {
		t.Fatal(r, err)
	}
	restored, err := library.Open(t.Context(), library.Options{Env: paths.Env{GOOS: "linux", Home: to}})
	if err != nil {
		t.Fatal(err)
	}
	defer restored.Close()
	same(t, editor, restored)
}

// A large database is read where it lies: what stands in for it takes no room.
func TestLargeDatabaseInAZip(t *testing.T) {
	l, home := demoLibrary(t)
	entries := editorFiles(t, l)
	for i := range entries {
		if entries[i].kind == "global-db" {
			entries[i].data = enlarged(t, entries[i].data)
		}
	}
	path := filepath.Join(t.TempDir(), "theirs.zip")
	writeZip(t, path, entries, nil)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	editor := openAt(t, library.Options{CursorUser: []string{home.CursorUser}, CursorHome: []string{t.TempDir()}, Home: t.TempDir()})
	all, err := editor.Headers(t.Context(), retold.Filter{Empty: true})
	if err != nil {
		t.Fatal(err)
	}
	if v := verify(t, path); len(v.Faults) > 0 || v.Sessions != len(all) || v.Sessions < 12 {
		t.Errorf("%d sessions: %+v", len(all), v)
	}
	inside, err := library.Open(t.Context(), library.Options{Env: paths.Env{GOOS: "linux", Home: t.TempDir()}, Backup: &library.BackupSource{Path: path}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, editor, inside)
	found := false
	for _, name := range files(t, temp) {
		if strings.HasSuffix(filepath.ToSlash(name), "cursor/user/globalStorage/state.vscdb") {
			found = true
			if data, err := os.ReadFile(name); err != nil || len(data) < 1<<20 || len(bytes.Trim(data, "\x00")) > 0 {
				t.Error("it was unpacked", err)
			}
		}
	}
	if !found {
		t.Error("nothing stands in for it")
	}
	if err := inside.Close(); err != nil {
		t.Error(err)
	}
	if left := files(t, temp); len(left) > 0 {
		t.Errorf("left behind: %d files", len(left))
	}
}

// enlarged is a database with 2 MB more in it.
func enlarged(t *testing.T, image []byte) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "large.db")
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteTransient(conn, "INSERT INTO cursorDiskKV VALUES ('other:1', randomblob(2000000))", nil); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if image, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return image
}

// What a stranger may have put into a zip is refused, with nothing changed.
func TestHostileZips(t *testing.T) {
	good := []zipEntry{{name: "globalStorage/storage.json", data: []byte("{}"), kind: "x"}, {name: "workspaceStorage/a/workspace.json", data: []byte(`{"folder":"file:///home/ada"}`), kind: "workspace-json"}}
	for name, c := range map[string]struct {
		entries []zipEntry
		change  func([]map[string]any)
		faults  bool // found by reading it, not by opening it
	}{
		"traversal":       {entries: []zipEntry{{name: "../../../etc/cron.d/x", data: []byte("x")}}},
		"absolute":        {entries: []zipEntry{{name: "/etc/x", data: []byte("x")}}},
		"windows":         {entries: []zipEntry{{name: `C:\x`, data: []byte("x")}}},
		"device":          {entries: []zipEntry{{name: "globalStorage/NUL.json", data: []byte("x")}}},
		"backslash":       {entries: []zipEntry{{name: `globalStorage\..\..\x`, data: []byte("x")}}},
		"twice":           {entries: []zipEntry{good[0], good[0]}},
		"twice by case":   {entries: []zipEntry{good[0], {name: "globalStorage/STORAGE.json", data: []byte("y")}}},
		"file and folder": {entries: []zipEntry{{name: "a", data: []byte("x")}, {name: "a/b", data: []byte("x")}}},
		"packed":          {entries: []zipEntry{{name: "globalStorage/state.vscdb", data: make([]byte, 1<<20), method: zip.Deflate}}},
		"size":            {entries: good, change: func(f []map[string]any) { f[0]["size"] = 1 << 40 }},
		"negative":        {entries: good, change: func(f []map[string]any) { f[0]["size"] = -1 }},
		"missing":         {entries: good, change: func(f []map[string]any) { f[0]["path"] = "globalStorage/other.json" }},
		"no checksum":     {entries: good, change: func(f []map[string]any) { f[0]["checksum"] = "md5:1" }},
		"another hash":    {entries: good, change: func(f []map[string]any) { f[0]["checksum"] = fmt.Sprintf("sha256:%064d", 1) }, faults: true},
	} {
		path := filepath.Join(t.TempDir(), "b.zip")
		writeZip(t, path, c.entries, c.change)
		v, err := library.VerifyBackup(t.Context(), path, library.VerifyOptions{})
		if c.faults && (err != nil || len(v.Faults) != 1) || !c.faults && retold.CodeOf(err) != retold.CodeInvalidBackup {
			t.Errorf("%s: verify: %+v, %v", name, v, err)
		}
		home := t.TempDir()
		if _, err := restoreTo(t, path, home, nil); retold.CodeOf(err) != retold.CodeInvalidBackup {
			t.Errorf("%s: restore: %v", name, err)
		}
		if left := files(t, home); len(left) > 0 {
			t.Errorf("%s left %v", name, left)
		}
		if _, err := library.Open(t.Context(), library.Options{Env: paths.Env{GOOS: "linux", Home: home}, Backup: &library.BackupSource{Path: path}}); retold.CodeOf(err) != retold.CodeInvalidBackup {
			t.Errorf("%s: open: %v", name, err)
		}
	}
}
