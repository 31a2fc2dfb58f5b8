package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	engine "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/store/sqlite"
)

func openNotebook(t *testing.T, path string) *sqlite.Notebook {
	t.Helper()
	n, err := sqlite.OpenNotebook(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

func keysOf(t *testing.T, n *sqlite.Notebook, kind, from, to string) (keys []string) {
	t.Helper()
	for note, err := range n.Notes(t.Context(), kind, from, to) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, note.Key)
	}
	return keys
}

func TestNotebook(t *testing.T) {
	for _, path := range []string{"", filepath.Join(t.TempDir(), "new", "journal.db")} {
		n := openNotebook(t, path)
		if _, err := n.Note(t.Context(), "entry", "a"); !errors.Is(err, retold.ErrNoNote) {
			t.Errorf("no note: %v", err)
		}
		long := bytes.Repeat([]byte("a long note. "), 1000)
		err := n.PutNotes(t.Context(), retold.Note{Kind: "entry", Key: "b", Value: long}, retold.Note{Kind: "entry", Key: "a", Value: []byte("first")},
			retold.Note{Kind: "entry", Key: "a", Value: []byte("second")}, retold.Note{Kind: "other", Key: "a"})
		if err != nil {
			t.Fatal(err)
		}
		note, err := n.Note(t.Context(), "entry", "a")
		if err != nil || string(note.Value) != "second" || note.Written.IsZero() {
			t.Errorf("%+v, %v", note, err)
		}
		if note, err = n.Note(t.Context(), "entry", "b"); err != nil || !bytes.Equal(note.Value, long) {
			t.Errorf("%d bytes, %v", len(note.Value), err)
		}
		if note, err = n.Note(t.Context(), "other", "a"); err != nil || len(note.Value) != 0 {
			t.Errorf("%+v, %v", note, err)
		}
		if err := n.DropNotes(t.Context(), "entry", "a", "none"); err != nil {
			t.Error(err)
		}
		if got := keysOf(t, n, "entry", "", ""); !cmp.Equal(got, []string{"b"}) {
			t.Errorf("keys %q", got)
		}
	}
}

// Notes are read in pages, and others may write in between.
func TestNotesInPages(t *testing.T) {
	n := openNotebook(t, filepath.Join(t.TempDir(), "journal.db"))
	var notes []retold.Note
	var want []string
	for i := range 200 {
		notes = append(notes, retold.Note{Kind: "k", Key: fmt.Sprintf("%03d", i), Value: []byte(strings.Repeat("x", 40_000))})
		if i >= 10 && i < 190 {
			want = append(want, notes[i].Key)
		}
	}
	if err := n.PutNotes(t.Context(), notes...); err != nil {
		t.Fatal(err)
	}
	var got []string
	for note, err := range n.Notes(t.Context(), "k", "010", "190") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, note.Key)
		if err := n.PutNotes(t.Context(), note); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNotebookOfSeveral(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	var wait sync.WaitGroup
	for i := range 4 {
		n := openNotebook(t, path)
		wait.Go(func() {
			for j := range 25 {
				if err := n.PutNotes(context.Background(), retold.Note{Kind: "k", Key: fmt.Sprint(i, j)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if got := keysOf(t, openNotebook(t, path), "k", "", ""); len(got) != 100 {
		t.Errorf("%d notes, want 100", len(got))
	}
}

func TestNotebookBad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.OpenNotebook(t.Context(), path); !errors.Is(err, retold.ErrDatabaseCorrupt) {
		t.Errorf("garbage: %v", err)
	}
	path = filepath.Join(t.TempDir(), "newer.db")
	if err := openNotebook(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	c, err := engine.OpenConn(path, engine.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteTransient(c, "PRAGMA user_version = 9", nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.OpenNotebook(t.Context(), path); !errors.Is(err, retold.ErrDatabaseCorrupt) {
		t.Errorf("newer: %v", err)
	}
	n := openNotebook(t, "")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := n.Note(ctx, "k", "k"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
