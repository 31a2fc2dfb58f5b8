package sqlite_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/store/sqlite"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put puts a session whole and commits.
func put(t *testing.T, s *sqlite.Store, k *retold.Kept, messages []retold.Message) {
	t.Helper()
	w, err := s.Writer(t.Context())
	must(t, err)
	putFrom(t, w, k, 0, messages)
	must(t, w.Close())
}

func putFrom(t *testing.T, w retold.StoreWriter, k *retold.Kept, from int, messages []retold.Message) {
	t.Helper()
	sheet, err := w.Sheet(t.Context(), k.Key, from)
	must(t, err)
	for _, m := range messages {
		must(t, sheet.Add(t.Context(), m))
	}
	must(t, w.Put(t.Context(), k, sheet))
	must(t, w.Commit(t.Context()))
}

func kept(id string) *retold.Kept {
	return &retold.Kept{Session: retold.Session{ID: id, Agent: "cursor", Title: "title of " + id}, Key: retold.KeyOf("cursor", id)}
}

func numbered(n int) []retold.Message {
	out := make([]retold.Message, n)
	for i := range out {
		out[i] = retold.Message{ID: fmt.Sprint(i), Index: i, Role: retold.RoleUser, Content: fmt.Sprintf("number %d %0400d", i, i)}
	}
	return out
}

func TestNewLibraryIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "library.db")
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	must(t, err)
	defer s.Close()
	put(t, s, kept("s"), numbered(3))
	if runtime.GOOS == "windows" {
		return // modes say nothing there
	}
	for name, want := range map[string]fs.FileMode{filepath.Dir(path): 0o700 | fs.ModeDir, path: 0o600, path + "-wal": 0o600, path + ".lock": 0o600} {
		info, err := os.Stat(name)
		must(t, err)
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", name, info.Mode(), want)
		}
	}
}

func TestMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "library.db")
	if _, err := sqlite.Open(t.Context(), path, sqlite.Options{ReadOnly: true}); !errors.Is(err, retold.ErrDatabaseNotFound) {
		t.Errorf("a missing library: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opening for reading made a file: %v", err)
	}
	must(t, os.WriteFile(path, nil, 0o600))
	if _, err := sqlite.Open(t.Context(), path, sqlite.Options{ReadOnly: true}); !errors.Is(err, retold.ErrDatabaseNotFound) {
		t.Errorf("an empty file: %v", err)
	}
	must(t, os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600))
	for _, o := range []sqlite.Options{{}, {ReadOnly: true}} {
		if _, err := sqlite.Open(t.Context(), path, o); !errors.Is(err, retold.ErrDatabaseCorrupt) {
			t.Errorf("not a database: %v", err)
		}
	}
	if _, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{}); !errors.Is(err, retold.ErrDatabaseCorrupt) {
		t.Errorf("a folder: %v", err)
	}
}

// TestReadOnlyOption: reading a library that another process has open for
// writing, and one that nobody has.
func TestReadOnlyOption(t *testing.T) {
	s := empty(t)
	put(t, s, kept("s"), numbered(3))
	check := func() {
		t.Helper()
		r, err := sqlite.Open(t.Context(), s.Path(), sqlite.Options{ReadOnly: true})
		must(t, err)
		defer r.Close()
		if k, err := r.At(t.Context(), 1); err != nil || k.MessageCount != 3 || find(t, r, "number").Pagination.Total != 3 {
			t.Errorf("read %v, %v", k, err)
		}
		if _, err := r.Writer(t.Context()); !errors.Is(err, retold.ErrLibraryReadOnly) {
			t.Errorf("a writer: %v", err)
		}
	}
	check()
	must(t, s.Close())
	check()
}

// TestReadOnlyDisk reads a library in a folder that cannot be written, both one
// that was closed well and one that a killed process left with its log. It runs
// as another user where this one may write everywhere.
func TestReadOnlyDisk(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a folder's mode keeps nobody from writing there")
	}
	for _, left := range []string{"closed", "log", "log without its index"} {
		t.Run(left, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "retold-readonly-") //nolint:usetesting // another user has to get there
			must(t, err)
			t.Cleanup(func() {
				must(t, os.Chmod(dir, 0o700))
				must(t, os.RemoveAll(dir))
			})
			from, path := empty(t), filepath.Join(dir, "library.db")
			put(t, from, kept("s"), numbered(3))
			binary, err := os.ReadFile(os.Args[0])
			must(t, err)
			must(t, os.WriteFile(filepath.Join(dir, "reader"), binary, 0o755))
			if left == "closed" {
				must(t, from.Close())
			}
			for _, suffix := range []string{"", "-wal", "-shm"} {
				b, err := os.ReadFile(from.Path() + suffix)
				if errors.Is(err, fs.ErrNotExist) || suffix == "-shm" && left == "log without its index" {
					continue
				}
				must(t, err)
				must(t, os.WriteFile(path+suffix, b, 0o644))
			}
			must(t, os.Chmod(dir, 0o555))
			out := runAsNobody(t, filepath.Join(dir, "reader"), path)
			if want := "3 3 true true\n"; out != want {
				t.Errorf("read %q, want %q", out, want)
			}
			files, err := os.ReadDir(dir)
			must(t, err)
			if left == "closed" && len(files) != 2 {
				t.Errorf("files beside the library: %v", files)
			}
		})
	}
}

func runAsNobody(t *testing.T, binary, path string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = append(os.Environ(), "RETOLD_TEST_PART=read", "RETOLD_TEST_PATH="+path)
	cmd.Stderr = os.Stderr
	asNobody(cmd)
	out, err := cmd.Output()
	must(t, err)
	return string(out)
}

func TestNewerLibrary(t *testing.T) {
	s := empty(t)
	must(t, s.Pragma("PRAGMA user_version = 99"))
	must(t, s.Close())
	for _, o := range []sqlite.Options{{}, {ReadOnly: true}} {
		_, err := sqlite.Open(t.Context(), s.Path(), o)
		e, ok := errors.AsType[*retold.Error](err)
		if !ok || !strings.Contains(err.Error(), "99") || !strings.Contains(e.Hint, "upgrade") {
			t.Errorf("a newer library: %v", err)
		}
	}
}

// TestMigration opens a library of the first format with a retold that knows a
// second one.
func TestMigration(t *testing.T) {
	s := empty(t)
	put(t, s, kept("s"), numbered(3))
	must(t, s.Close())
	for range 2 {
		s, err := sqlite.OpenWithSchema(t.Context(), s.Path(), "CREATE TABLE added (x INTEGER) STRICT; INSERT INTO added VALUES (7);")
		must(t, err)
		if n, err := s.Number("SELECT sum(x) FROM added"); err != nil || n != 7 {
			t.Errorf("the second schema ran to %d: %v", n, err)
		}
		if n := find(t, s, "number").Pagination.Total; n != 3 {
			t.Errorf("%d messages are left", n)
		}
		must(t, s.Close())
	}
	if _, err := sqlite.OpenWithSchema(t.Context(), s.Path(), "CREATE TABLE added (x INTEGER) STRICT;", "no SQL"); err == nil {
		t.Error("a broken schema was taken")
	}
	s, err := sqlite.OpenWithSchema(t.Context(), s.Path(), "", "CREATE TABLE more (x INTEGER) STRICT;")
	must(t, err)
	must(t, s.Close())
}

// TestLockFile: what a dead process wrote is no obstacle, who is alive is named.
func TestLockFile(t *testing.T) {
	s := empty(t)
	must(t, os.WriteFile(s.Path()+".lock", []byte(` {"pid":999999,"started":"2026-01-01T00:00:00Z"}`), 0o600))
	w, err := s.Writer(t.Context())
	must(t, err)
	var owner struct {
		PID     int
		Started time.Time
	}
	text, err := os.ReadFile(s.Path() + ".lock")
	must(t, err)
	if err := json.Unmarshal(text, &owner); err != nil || owner.PID != os.Getpid() || time.Since(owner.Started) > time.Hour {
		t.Errorf("the lock file says %q: %v", text, err)
	}
	other, err := sqlite.Open(t.Context(), s.Path(), sqlite.Options{})
	must(t, err)
	_, err = other.Writer(t.Context())
	if !errors.Is(err, retold.ErrLibraryBusy) || !strings.Contains(err.Error(), fmt.Sprint("process ", os.Getpid())) {
		t.Errorf("a second writer: %v", err)
	}
	must(t, w.Close())
	w, err = other.Writer(t.Context())
	must(t, err)
	must(t, errors.Join(w.Close(), other.Close(), s.Close()))
}

// TestDiskFull: a writer that runs out of room leaves the last commit, and the
// next one goes on from there.
func TestDiskFull(t *testing.T) {
	for _, pages := range []int64{1, 2, 3, 4, 5, 6, 7, 8} {
		s := empty(t)
		h := &history{}
		n := 0
		w, err := s.Writer(t.Context())
		must(t, err)
		sqlite.LimitPages(t, w, pages)
		for err == nil && n < 300 {
			n++
			err = writeStep(t, w, h, n)
		}
		if err == nil {
			t.Fatalf("%d pages were enough", pages)
		}
		if again := w.Commit(t.Context()); again == nil {
			t.Error("a broken writer committed")
		}
		must(t, w.Close())
		checkHistory(t, s, n-1)
		if w, err = s.Writer(t.Context()); err != nil {
			t.Fatal(err)
		}
		h = historyAt(n - 1)
		must(t, writeStep(t, w, h, n))
		must(t, w.Close())
		checkHistory(t, s, n)
		s.Audit(t)
		must(t, s.Close())
	}
}

func writeStep(t *testing.T, w retold.StoreWriter, h *history, n int) error {
	t.Helper()
	session, from := h.step(n)
	sheet, err := w.Sheet(t.Context(), keptSession(session, n).Key, from)
	if err != nil {
		return err
	}
	for _, m := range h[session][from:] {
		if err := sheet.Add(t.Context(), m); err != nil {
			sheet.Drop()
			return err
		}
	}
	return cmpErrors(w.Put(t.Context(), keptSession(session, n), sheet), func() error { return w.Commit(t.Context()) })
}

func cmpErrors(err error, next func() error) error {
	if err != nil {
		return err
	}
	return next()
}

// TestForgottenBytesLeave looks for what was said in the bytes of the file.
func TestForgottenBytesLeave(t *testing.T) {
	s := empty(t)
	secret := kept("secret")
	secret.Title, secret.ProblemList = "xylophonequartz title", []retold.Problem{{Reason: "zyzzyvajukebox"}}
	put(t, s, kept("other"), numbered(40))
	// What is kept twice is overwritten twice: first this, then a newer text.
	put(t, s, secret, []retold.Message{{ID: "1", Content: "kumquatvexing"}, {ID: "2", Content: "ploughmanwaltz"}})
	put(t, s, secret, []retold.Message{{ID: "1", Content: "fjordbanknymph"}, {ID: "2", Content: "ploughmanwaltz"}})
	marks := []string{"xylophonequartz", "zyzzyvajukebox", "fjordbanknymph", "ploughmanwaltz", "kumquatvexing"}
	holds := func() (seen []string) {
		var all string
		for _, suffix := range []string{"", "-wal"} {
			b, err := os.ReadFile(s.Path() + suffix)
			must(t, err)
			all += string(b)
		}
		for _, m := range marks {
			if strings.Contains(all, m) {
				seen = append(seen, m)
			}
		}
		return seen
	}
	if diff := cmp.Diff(marks[:4], holds()[:4]); diff != "" {
		t.Fatalf("this test can see only (-want +got):\n%s", diff)
	}
	w, err := s.Writer(t.Context())
	must(t, err)
	must(t, w.Forget(t.Context(), secret.Key))
	must(t, w.Commit(t.Context()))
	if seen := holds(); seen != nil {
		t.Errorf("the file still holds %v", seen)
	}
	must(t, w.Close())
	if n := find(t, s, "number").Pagination.Total; n != 40 {
		t.Errorf("of the other session %d messages are found", n)
	}
	s.Audit(t)
	must(t, s.Close())
}
