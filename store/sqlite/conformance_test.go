package sqlite_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/store/sqlite"
	"github.com/retold-history/retold/store/storetest"
)

// TestMain also plays the process that is killed while it writes (kill_test.go)
// and the one that may not write (readonly_test.go).
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "40"); err != nil { // the flag given wins
		panic(err)
	}
	flag.Parse()
	if part := os.Getenv("RETOLD_TEST_PART"); part != "" {
		if err := play(part, os.Getenv("RETOLD_TEST_PATH")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) retold.Store { return empty(t) })
}

// TestStoreInPieces runs the suite with pages of a message or two and segments
// of a few, where every seam is met: segments full in the middle of a session,
// pages of every shape, merges all the time.
func TestStoreInPieces(t *testing.T) {
	storetest.Run(t, func(t *testing.T) retold.Store {
		s := empty(t)
		s.SetSmallLimits()
		return audited{s, t}
	})
}

// audited checks the rows of a library when it is closed.
type audited struct {
	*sqlite.Store
	t *testing.T
}

func (a audited) Close() error {
	a.Audit(a.t)
	return a.Store.Close()
}

// empty opens a new library.
func empty(t *testing.T) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "data", "library.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
