package sqlite_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/store/sqlite"
)

// TestFormerLibrary: a library of the format before is read as it is where it is not
// to be written, and otherwise carried over, with what it
// holds and what is found in it, and goes on from there.
func TestFormerLibrary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "library.db")
	in, err := os.Open("testdata/format1.db.gz")
	must(t, err)
	defer in.Close()
	z, err := gzip.NewReader(in)
	must(t, err)
	data, err := io.ReadAll(z)
	must(t, err)
	must(t, os.WriteFile(path, data, 0o600))

	s, err := sqlite.Open(t.Context(), path, sqlite.Options{ReadOnly: true})
	must(t, err)
	check := func(sessions int) {
		t.Helper()
		for i := range sessions {
			var got []retold.Message
			for m, err := range s.Messages(t.Context(), kept(fmt.Sprint("former", i)).Key, 0) {
				must(t, err)
				got = append(got, m)
			}
			if diff := cmp.Diff(numbered(30), got); diff != "" {
				t.Error(diff)
			}
		}
		for q, want := range map[string]int{"number": 30 * sessions, "umbe": 30 * sessions, `"number 7"`: sessions, "title": sessions, "former2": 1} {
			if n := find(t, s, q).Pagination.Total; n != want {
				t.Errorf("%s: %d found, want %d", q, n, want)
			}
		}
		s.Audit(t)
	}
	check(3) // as it is
	if n, err := s.Number("PRAGMA user_version"); n != 1 || err != nil {
		t.Errorf("reading brought the library to format %d: %v", n, err)
	}
	must(t, s.Close())
	after, err := os.ReadFile(path)
	must(t, err)
	if !bytes.Equal(after, data) {
		t.Error("reading changed the library")
	}
	s, err = sqlite.Open(t.Context(), path, sqlite.Options{})
	must(t, err)
	defer s.Close()
	check(3)
	for i := 3; i < 14; i++ { // enough for a merge of segments of both formats
		put(t, s, kept(fmt.Sprint("former", i)), numbered(30))
		check(i + 1)
	}
	if s.Work().Merged < 90 {
		t.Errorf("%d documents were merged", s.Work().Merged)
	}
}
