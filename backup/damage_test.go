package backup_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
)

// unpackAll takes everything out of a backup; the error is the first one.
func unpackAll(ctx context.Context, t *testing.T, path string, o backup.OpenOptions) error {
	t.Helper()
	a, err := backup.Open(ctx, path, o)
	if err != nil {
		return err
	}
	defer a.Close()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for i := range a.Manifest.Files {
		f := &a.Manifest.Files[i]
		if err := a.Unpack(ctx, f, root, f.Path, nil); err != nil {
			return err
		}
	}
	return nil
}

// Wherever an encrypted backup is damaged, it is said to be.
func TestEncryptedAndDamaged(t *testing.T) {
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "b.retold")
	files := map[string][]byte{"x/a": noise(1, 300_000), "x/b": noise(2, 1000)}
	pack(t, path, backup.Options{Recipients: []age.Recipient{key.Recipient()}}, []string{"x/a", "x/b"}, files)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	o := backup.OpenOptions{Identities: func() ([]age.Identity, error) { return []age.Identity{key}, nil }}
	if err := unpackAll(t.Context(), t, path, o); err != nil {
		t.Fatal(err)
	}
	for at := 250; at < len(whole); at += len(whole) / 23 {
		text := bytes.Clone(whole)
		text[at] ^= 1
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		err := unpackAll(t.Context(), t, path, o)
		if retold.CodeOf(err) != retold.CodeInvalidBackup || !strings.Contains(err.Error(), path) {
			t.Errorf("at %d of %d: %v", at, len(whole), err)
		}
	}
}

// A manifest without its packs says what is missing.
func TestMissingPack(t *testing.T) {
	dir := t.TempDir()
	w, err := backup.OpenRepository(t.Context(), dir, time.Now(), backup.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, w, []string{"x/a"}, map[string][]byte{"x/a": noise(1, 1000)})
	found, err := filepath.Glob(filepath.Join(dir, "*.retold"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "packs")); err != nil {
		t.Fatal(err)
	}
	err = unpackAll(t.Context(), t, found[0], backup.OpenOptions{})
	if retold.CodeOf(err) != retold.CodeInvalidBackup || !strings.Contains(err.Error(), "packs/") || !strings.Contains(err.Error(), "it is not there") {
		t.Error(err)
	}
}

// What cannot be opened is told apart: a folder, a newer backup, something else.
func TestNotOpened(t *testing.T) {
	dir := t.TempDir()
	newer, other := filepath.Join(dir, "newer.retold"), filepath.Join(dir, "other")
	manifest, err := json.Marshal(backup.Manifest{Version: "3.0.0"})
	if err == nil {
		err = errors.Join(os.WriteFile(newer, containing(manifest), 0o600), os.WriteFile(other, bytes.Repeat([]byte("root:x:0:0\n"), 40), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][2]string{
		dir:   {"it is a folder", "retold backups " + dir},
		newer: {`a newer retold made it: its manifest is of version "3.0.0"`, "newest retold"},
		other: {"does not begin as a backup does", "retold backups " + dir},
	} {
		_, err := backup.Open(t.Context(), path, backup.OpenOptions{})
		e, ok := errors.AsType[*retold.Error](err)
		if !ok || e.Code != retold.CodeInvalidBackup || !strings.Contains(e.Error(), want[0]) || !strings.Contains(e.Hint, want[1]) || strings.Contains(e.Hint, "verify") {
			t.Errorf("%s: %v, %+v", path, err, e)
		}
	}
}

// containing is a container of a manifest alone, as FORMAT.md has it.
func containing(manifest []byte) []byte {
	frame := func(kind byte, payload []byte) []byte {
		b := append([]byte("RTLF"), kind, 0, 0, 0)
		b = binary.LittleEndian.AppendUint64(b, uint64(len(payload)))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(payload)))
		sum := sha256.Sum256(payload)
		return append(append(b, sum[:]...), payload...)
	}
	b := append([]byte("RETOLD\x1a\n"), 1, 0, 0, 0, 0, 0, 0, 0)
	at := len(b)
	b = append(b, frame(2, manifest)...)
	index := len(b)
	b = append(b, frame(3, nil)...)
	var ends []byte
	for _, n := range []int{index, at, len(b) + 64} {
		ends = binary.LittleEndian.AppendUint64(ends, uint64(n))
	}
	one, two := sha256.Sum256(manifest), sha256.Sum256(nil)
	seal := sha256.Sum256(append(append(bytes.Clone(ends), one[:]...), two[:]...))
	return append(append(append(b, "RETOLD\x04\n"...), ends...), seal[:]...)
}
