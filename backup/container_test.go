package backup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
)

type failer interface {
	Helper()
	Fatal(args ...any)
	Context() context.Context
}

// pack writes a backup of files by name, in the order of names.
func pack(t failer, path string, o backup.Options, names []string, files map[string][]byte) *backup.Manifest {
	t.Helper()
	w, err := backup.Create(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return fill(t, w, names, files)
}

func fill(t failer, w *backup.Writer, names []string, files map[string][]byte) *backup.Manifest {
	t.Helper()
	for _, name := range names {
		if _, err := w.Add(t.Context(), backup.File{Path: name, Kind: retold.PieceFile}, bytes.NewReader(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	m := &backup.Manifest{Producer: "a test"}
	if _, err := w.Finish(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	return m
}

func open(t failer, path string, o backup.OpenOptions) *backup.Archive {
	t.Helper()
	a, err := backup.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// What is packed is what comes out, whole or from any place.
func TestPackedIsUnpacked(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		files := map[string][]byte{}
		var names []string
		for i := range rapid.IntRange(0, 6).Draw(t, "files") {
			name := fmt.Sprintf("place/%d.txt", i)
			size := rapid.SampledFrom([]int{0, 1, 255, 256, 1000, 256<<10 - 1, 256 << 10, 256<<10 + 1, 600_000}).Draw(t, "size")
			unit := rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "unit")
			names, files[name] = append(names, name), bytes.Repeat(unit, size/len(unit)+1)[:size]
		}
		path := filepath.Join(dir, fmt.Sprint(n, ".retold"))
		m := pack(t, path, backup.Options{}, names, files)
		a := open(t, path, backup.OpenOptions{})
		defer a.Close()
		if diff := cmp.Diff(m, a.Manifest); diff != "" && len(m.Files) > 0 {
			t.Fatal(diff)
		}
		for name, want := range files {
			got, err := fs.ReadFile(a, name)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatal(name, len(got), len(want), err)
			}
			f, err := a.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			from := rapid.IntRange(0, len(want)).Draw(t, "from")
			part := make([]byte, rapid.IntRange(0, len(want)-from).Draw(t, "length"))
			if _, err := a.Content(f).ReadAt(part, int64(from)); err != nil || !bytes.Equal(part, want[from:from+len(part)]) {
				t.Fatal(name, from, err)
			}
		}
		v, err := a.Verify(t.Context(), backup.VerifyOptions{})
		if err != nil || len(v.Faults) > 0 {
			t.Fatal(v, err)
		}
	})
}

// Chunks that are equal are stored once, and lengths above 32 bits hold.
func TestLargerThanFourGigabytes(t *testing.T) {
	const size = 4<<30 + 12345
	path := filepath.Join(t.TempDir(), "b.retold")
	w, err := backup.Create(path, backup.Options{})
	if err != nil {
		t.Fatal(err)
	}
	zeros := io.LimitReader(zero{}, size)
	if _, err := w.Add(t.Context(), backup.File{Path: "hole", Kind: retold.PieceFile}, io.MultiReader(zeros, strings.NewReader("the end"))); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Finish(t.Context(), &backup.Manifest{}); err != nil {
		t.Fatal(err)
	}
	if w.Written() > 1<<20 {
		t.Errorf("%d bytes for one chunk of zeros", w.Written())
	}
	a := open(t, path, backup.OpenOptions{})
	defer a.Close()
	f, err := a.Lookup("hole")
	if err != nil || f.Size != size+7 || a.Manifest.Stats.FileSize != size+7 {
		t.Fatal(f.Size, err)
	}
	got := make([]byte, 7)
	if _, err := a.Content(f).ReadAt(got, size); err != nil || string(got) != "the end" {
		t.Errorf("%q, %v", got, err)
	}
}

type zero struct{}

func (zero) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func TestEncrypted(t *testing.T) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "b.retold")
	text := bytes.Repeat([]byte("what Ada said "), 50_000)
	pack(t, path, backup.Options{Recipients: []age.Recipient{id.Recipient()}}, []string{"a/b"}, map[string][]byte{"a/b": text})
	whole, err := os.ReadFile(path)
	if err != nil || bytes.Contains(whole, []byte("a/b")) || !bytes.HasPrefix(whole, []byte("age-encryption.org/v1\n")) {
		t.Fatal("not encrypted", err)
	}
	mine := func() ([]age.Identity, error) { return []age.Identity{id}, nil }
	a := open(t, path, backup.OpenOptions{Identities: mine})
	defer a.Close()
	if got, err := fs.ReadFile(a, "a/b"); err != nil || !bytes.Equal(got, text) || !a.Encrypted {
		t.Error(len(got), err)
	}
	if v, err := a.Verify(t.Context(), backup.VerifyOptions{}); err != nil || len(v.Faults) > 0 {
		t.Error(v, err)
	}
	other, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	for name, ids := range map[string]func() ([]age.Identity, error){
		"none": nil, "another": func() ([]age.Identity, error) { return []age.Identity{other}, nil },
	} {
		if _, err := backup.Open(t.Context(), path, backup.OpenOptions{Identities: ids}); retold.CodeOf(err) != retold.CodeUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile(path, whole[:len(whole)-1000], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Open(t.Context(), path, backup.OpenOptions{Identities: mine}); retold.CodeOf(err) != retold.CodeInvalidBackup {
		t.Errorf("cut: %v", err)
	}
}

func TestNames(t *testing.T) {
	for _, bad := range []string{
		"", ".", "..", "/etc/passwd", "a/../../b", "../a", "a//b", "a/", "./a", `a\b`, `C:\a`, "C:a", "a:stream", "a/NUL", "nul.txt", "com1", "LPT9.log",
		"a. ", "a.", "a /b", "a\x00b", "a\nb", "\xff", "con", "COM¹", "a?b", "a*", strings.Repeat("a/", 2100) + "b",
	} {
		if backup.CheckName(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	for _, good := range []string{"a", "cursor/user/globalStorage/state.vscdb", "a/.workspace-trusted", "plans/Ein Plan – größer.plan.md", "console", "a b/c", "com10"} {
		if err := backup.CheckName(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}

// A repository that was interrupted gives its full packs to the next backup, and
// two at once do not hurt each other.
func TestRepository(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	files := map[string][]byte{"a": noise(1, 3<<20), "b": noise(2, 2<<20)}
	begin := func() *backup.Writer {
		w, err := backup.OpenRepository(t.Context(), dir, now, backup.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	w := begin()
	if _, err := w.Add(t.Context(), backup.File{Path: "a", Kind: retold.PieceFile}, bytes.NewReader(files["a"])); err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	if list, err := filepath.Glob(filepath.Join(dir, "*"+backup.Ext)); err != nil || len(list) > 0 {
		t.Fatal(list, err)
	}
	one, two := begin(), begin()
	fill(t, one, []string{"a", "b"}, files)
	fill(t, two, []string{"b", "a"}, files)
	if got := one.Written(); got > 2<<20+64<<10 || got < 2<<20 {
		t.Errorf("the second run wrote %d bytes where 2 MB were missing", got)
	}
	list, err := filepath.Glob(filepath.Join(dir, "*"+backup.Ext))
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	for _, path := range list {
		a := open(t, path, backup.OpenOptions{})
		if v, err := a.Verify(t.Context(), backup.VerifyOptions{}); err != nil || len(v.Faults) > 0 {
			t.Error(v, err)
		}
		for name, want := range files {
			if got, err := fs.ReadFile(a, name); err != nil || !bytes.Equal(got, want) {
				t.Error(name, err)
			}
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*", ".retold-*")); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// noise does not pack, and is the same for the same seed.
func noise(seed uint64, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		b[i] = byte(seed)
	}
	return b
}

// A file that cannot be read to its end is left out, and the rest is whole.
func TestUnreadableFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.retold")
	w, err := backup.Create(path, backup.Options{})
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("a bad sector")
	if _, err := w.Add(t.Context(), backup.File{Path: "bad", Kind: retold.PieceFile}, io.MultiReader(bytes.NewReader(noise(3, 1<<20)), failing{broken})); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	m := fill(t, w, []string{"good"}, map[string][]byte{"good": noise(4, 700_000)})
	if len(m.Files) != 1 || m.Files[0].Path != "good" {
		t.Errorf("%+v", m.Files)
	}
	a := open(t, path, backup.OpenOptions{})
	defer a.Close()
	if v, err := a.Verify(t.Context(), backup.VerifyOptions{}); err != nil || len(v.Faults) > 0 {
		t.Error(v, err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
