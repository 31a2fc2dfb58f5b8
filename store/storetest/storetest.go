// Package storetest holds what every store of a library must pass: that what is
// put comes back exactly, that listings and filters are those of the root
// package, that a search finds what a plain look at every text finds, that
// commits are all or nothing and that there is one writer. The oracles are
// written for themselves and share no code with any store.
package storetest

import (
	"context"
	"testing"

	"github.com/retold-history/retold"
)

// Run runs the suite. newStore returns an empty store that can be written; the
// suite closes it.
func Run(t *testing.T, newStore func(t *testing.T) retold.Store) {
	for _, c := range []struct {
		name string
		test func(*testing.T, retold.Store)
	}{
		{"OddMessages", oddMessages},
		{"OddSessions", oddSessions},
		{"SessionFields", sessionFields},
		{"Replace", replace},
		{"SheetRules", sheetRules},
		{"Listing", listing},
		{"Filters", filters},
		{"FindAndAt", findAndAt},
		{"PendingPartsChanged", pendingPartsChanged},
		{"Places", places},
		{"OneWriter", oneWriter},
		{"UncommittedIsInvisible", uncommitted},
		{"Forget", forget},
		{"Remove", remove},
		{"Stats", stats},
		{"Hits", hits},
		{"SearchPages", searchPages},
		{"Facets", facets},
		{"ParallelSheets", parallelSheets},
		{"Concurrent", concurrent},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			defer closing(t, s)
			c.test(t, s)
		})
	}
	t.Run("Search", func(t *testing.T) { searches(t, newStore) })
	t.Run("SearchAfterChanges", func(t *testing.T) { changes(t, newStore) })
}

// tester is what *testing.T and *rapid.T have in common.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Context() context.Context
}

func must(t tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}

func closing(t tester, c interface{ Close() error }) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// writing calls fn with a writer and closes that afterwards.
func writing(t tester, s retold.Store, fn func(retold.StoreWriter)) {
	t.Helper()
	w, err := s.Writer(t.Context())
	must(t, err)
	defer closing(t, w)
	fn(w)
}

// put puts a session with messages that replace those from index from on.
func put(t tester, w retold.StoreWriter, k retold.Kept, from int, messages []retold.Message) {
	t.Helper()
	sheet, err := w.Sheet(t.Context(), k.Key, from)
	must(t, err)
	for _, m := range messages {
		must(t, sheet.Add(t.Context(), m))
	}
	must(t, w.Put(t.Context(), &k, sheet))
}

// putAll puts sessions whole and commits.
func putAll(t tester, s retold.Store, all []told) {
	t.Helper()
	writing(t, s, func(w retold.StoreWriter) {
		for _, one := range all {
			put(t, w, one.Kept, 0, one.messages)
		}
		must(t, w.Commit(t.Context()))
	})
}

// told is a session with its messages, as the oracles see it.
type told struct {
	retold.Kept
	messages []retold.Message
}

// session makes a plain session.
func session(id string) retold.Kept {
	return retold.Kept{Session: retold.Session{ID: id, Agent: "cursor"}, Key: retold.KeyOf("cursor", id)}
}

// messagesOf reads the messages of a session from an index on.
func messagesOf(t tester, s retold.Store, key retold.Key, from int) []retold.Message {
	t.Helper()
	var out []retold.Message
	for m, err := range s.Messages(t.Context(), key, from) {
		must(t, err)
		out = append(out, m)
	}
	return out
}
