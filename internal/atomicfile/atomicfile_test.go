package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/retold-history/retold/internal/atomicfile"
)

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.json")
	for i, text := range []string{"first", "second and longer", ""} {
		perm := fs.FileMode([]fs.FileMode{0o600, 0o644, 0o640}[i])
		if err := atomicfile.Replace(path, []byte(text), perm); err != nil {
			t.Fatal(err)
		}
		check(t, path, text, perm)
	}
}

func TestCreateKeepsWhatIsThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.json")
	if err := atomicfile.Create(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Create(path, []byte("other"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	check(t, path, "mine", 0o600)
	if runtime.GOOS == "windows" {
		return
	}
	dangling := filepath.Join(filepath.Dir(path), "link")
	target := filepath.Join(t.TempDir(), "victim")
	if err := os.Symlink(target, dangling); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Create(dangling, []byte("other"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a link that leads nowhere: %v", err)
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the link was followed")
	}
	if err := os.Remove(dangling); err != nil {
		t.Fatal(err)
	}
	check(t, path, "mine", 0o600)
}

func TestMissingFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "notes.json")
	for name, write := range map[string]func(string, []byte, fs.FileMode) error{"replace": atomicfile.Replace, "create": atomicfile.Create} {
		if err := write(path, nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A name that cannot be taken leaves nothing behind.
func TestReplaceOfAFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "full")
	if err := os.MkdirAll(filepath.Join(path, "inside"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Replace(path, []byte("x"), 0o600); err == nil {
		t.Fatal("a folder was replaced")
	}
	only(t, filepath.Dir(path), "full")
}

// check wants a file with this text and these permissions alone in its folder.
func check(t *testing.T, path, text string, perm fs.FileMode) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != text {
		t.Errorf("%q, %v; want %q", got, err, text)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != perm {
		t.Errorf("mode %v, want %v", info.Mode().Perm(), perm)
	}
	only(t, filepath.Dir(path), filepath.Base(path))
}

func only(t *testing.T, dir, name string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != name {
		t.Errorf("in the folder: %v, %v; want only %s", entries, err, name)
	}
}
