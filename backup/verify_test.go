package backup_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
)

// rows makes a database like Cursor's, with keys in no order, and returns its
// bytes.
func rows(t *testing.T, n, size int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.vscdb")
	conn := database(t, path, "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)", "BEGIN")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		run(t, conn, "INSERT INTO cursorDiskKV VALUES (?, ?)", fmt.Sprintf("bubbleId:%016x:%d", r.Uint64(), i), noise(uint64(i), 1+r.IntN(2*size)))
	}
	run(t, conn, "COMMIT")
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// packDatabases writes a backup of databases called "a.db", "b.db", …
func packDatabases(t *testing.T, images ...[]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "b.retold")
	w, err := backup.Create(path, backup.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, image := range images {
		f := filepath.Join(t.TempDir(), "image.db")
		if err := os.WriteFile(f, image, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := os.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Add(t.Context(), backup.File{Path: string(rune('a'+i)) + ".db", Kind: retold.PieceDatabase}, r); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(t.Context(), &backup.Manifest{Producer: "a test"}); err != nil {
		t.Fatal(err)
	}
	return path
}

func verdict(t *testing.T, path string, o backup.VerifyOptions) (v *backup.Verdict, unpacked int64) {
	t.Helper()
	a := open(t, path, backup.OpenOptions{})
	count := backup.CountUnpacked(a)
	v, err := a.Verify(t.Context(), o)
	if err := errors.Join(err, a.Close()); err != nil {
		t.Fatal(err)
	}
	return v, count.Load()
}

// SQLite goes through a table twice, and the sums take one of these readings: to
// unpack a chunk three times would cost half as much again. Without room for the
// pages of indexes each of its rows would cost a chunk.
func TestVerifyUnpacksAChunkTwice(t *testing.T) {
	path := packDatabases(t, rows(t, 4000, 8<<10))
	for name, memory := range map[string]int64{"in memory": 0, "in a file": 1} {
		v, n := verdict(t, path, backup.WithPageMemory(backup.VerifyOptions{}, memory))
		if len(v.Faults) > 0 || v.Databases != 1 || v.Chunks < 100 {
			t.Errorf("%s: %+v", name, v)
		}
		if most := int64(v.Chunks) * 26 / 10; n > most {
			t.Errorf("%s: %d chunks were unpacked %d times, more than %d", name, v.Chunks, n, most)
		}
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "retold-verify-*"))
	if err != nil || len(left) > 0 {
		t.Error("left behind:", left, err)
	}
}

// What SQLite finds in a file it finds in the backup of that file, and nothing
// else, wherever the damage lies.
func TestVerifyFindsWhatSQLiteFinds(t *testing.T) {
	whole := rows(t, 120, 2<<10)
	r := rand.New(rand.NewPCG(3, 4))
	var trees []int // pages of tables and indexes, but the first
	for page := 4096; page < len(whole); page += 4096 {
		if kind := whole[page]; kind == 0x02 || kind == 0x05 || kind == 0x0a || kind == 0x0d {
			trees = append(trees, page)
		}
	}
	bad := 0
	for range 60 {
		image := append([]byte{}, whole...)
		page := trees[r.IntN(len(trees))]
		at := page + r.IntN(40)
		if image[page] == 0x0a { // a key, perhaps
			at = page + r.IntN(4096)
		}
		image[at] ^= 1 << r.IntN(8)
		plain := complaints(t, image)
		for name, memory := range map[string]int64{"in memory": 0, "in a file": 1} {
			v, _ := verdict(t, packDatabases(t, image, whole), backup.WithPageMemory(backup.VerifyOptions{}, memory))
			found := 0
			for _, f := range v.Faults {
				if found++; f.Path != "a.db" {
					t.Errorf("byte %d, %s: %+v", at, name, f)
				}
			}
			if (plain > 0) != (found > 0) || plain < 20 && found < plain {
				t.Errorf("byte %d, %s: SQLite complains %d times of the file, %d times in the backup", at, name, plain, found)
			}
		}
		if plain > 0 {
			bad++
		}
	}
	if bad < 10 || bad == 60 {
		t.Errorf("%d of 60 changes were damage", bad)
	}
}

// complaints is how many things SQLite says of a database file.
func complaints(t *testing.T, image []byte) (n int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plain.db")
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteTransient(conn, "PRAGMA integrity_check(20)", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		if s.ColumnText(0) != "ok" {
			n++
		}
		return nil
	}})
	if err != nil {
		n++
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}

// A flipped bit anywhere is found by the whole verification as by the quick one.
func TestVerifyFindsFlippedBits(t *testing.T) {
	path := packDatabases(t, rows(t, 300, 4<<10), rows(t, 50, 200))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "bad.retold")
	for at := 0; at < len(whole); at += 1 + len(whole)/60 {
		b := append([]byte{}, whole...)
		b[at] ^= 1
		if err := os.WriteFile(bad, b, 0o600); err != nil {
			t.Fatal(err)
		}
		var faults [2]int
		for i, quick := range []bool{true, false} {
			a, err := backup.Open(t.Context(), bad, backup.OpenOptions{})
			if err != nil {
				faults[i] = -1
				continue
			}
			v, err := a.Verify(t.Context(), backup.VerifyOptions{Quick: quick})
			if err := errors.Join(err, a.Close()); err != nil {
				t.Fatal(err)
			}
			faults[i] = len(v.Faults)
		}
		if faults[0] != faults[1] || faults[0] == 0 {
			t.Errorf("byte %d: %d faults, quickly %d", at, faults[1], faults[0])
		}
	}
}

// Verifying ends when it is told to, wherever it is.
func TestVerifyEndsWithItsContext(t *testing.T) {
	path := packDatabases(t, rows(t, 1500, 8<<10), rows(t, 1500, 8<<10))
	for _, after := range []int{1, 20, 60, 120} {
		ctx, cancel := context.WithCancel(t.Context())
		a := open(t, path, backup.OpenOptions{})
		told := 0
		_, err := a.Verify(ctx, backup.VerifyOptions{Progress: func(int64) {
			if told++; told == after {
				cancel()
			}
		}})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after %d: %v", after, err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}
