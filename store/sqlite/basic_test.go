package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/store/sqlite"
)

func open(t *testing.T) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "data", "library.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestBasics(t *testing.T) {
	s := open(t)
	w, err := s.Writer(t.Context())
	must(t, err)
	var want []retold.Message
	for i := range 500 {
		want = append(want, retold.Message{ID: fmt.Sprint("m", i), Index: i, Role: retold.RoleUser, Content: fmt.Sprintf("message %d says hello %0500d", i, i)})
	}
	key := retold.Key{Family: "cursor", ID: "s1"}
	put := func(from int, list []retold.Message) {
		t.Helper()
		sh, err := w.Sheet(t.Context(), key, from)
		must(t, err)
		for _, m := range list {
			must(t, sh.Add(t.Context(), m))
		}
		k := &retold.Kept{Session: retold.Session{ID: "s1", Agent: "cursor", Title: "A title", UpdatedAt: time.UnixMilli(1_700_000_000_000).UTC()}, Key: key}
		must(t, w.Put(t.Context(), k, sh))
		must(t, w.Commit(t.Context()))
	}
	check := func() {
		t.Helper()
		var got []retold.Message
		for m, err := range s.Messages(t.Context(), key, 0) {
			must(t, err)
			got = append(got, m)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		list, total, err := s.List(t.Context(), retold.Filter{}, 20, 0)
		must(t, err)
		if total != 1 || len(list) != 1 || list[0].MessageCount != len(want) || list[0].Index != 1 {
			t.Fatal(total, list)
		}
	}
	put(0, want[:450])
	want2 := want
	want = want[:450]
	check()
	want = want2
	put(450, want[450:])
	check()
	put(0, want)
	check()
	want[100].Content = "changed"
	put(50, want[50:])
	check()
	want = want[:300]
	put(299, want[299:])
	check()
	must(t, w.Close())
}
