package sqlite_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/store/sqlite"
)

// spent is the work that fn makes a store do.
func spent(s *sqlite.Store, fn func()) sqlite.Work {
	before := s.Work()
	fn()
	after := s.Work()
	return sqlite.Work{
		Sessions: after.Sessions - before.Sessions, Pages: after.Pages - before.Pages, Heads: after.Heads - before.Heads,
		Bundles: after.Bundles - before.Bundles, Packed: after.Packed - before.Packed, Indexed: after.Indexed - before.Indexed, Merged: after.Merged - before.Merged,
	}
}

// filled is a library of many sessions of 500 messages, about 200 KB each.
func filled(t *testing.T, sessions int) *sqlite.Store {
	t.Helper()
	s := empty(t)
	w, err := s.Writer(t.Context())
	must(t, err)
	for i := range sessions {
		k := kept(fmt.Sprintf("s%03d", i))
		k.UpdatedAt = time.UnixMilli(1_750_000_000_000 + int64(i)).UTC()
		sheet, err := w.Sheet(t.Context(), k.Key, 0)
		must(t, err)
		for _, m := range numbered(500) {
			m.Content += fmt.Sprintf(" word%d of %s", m.Index, k.ID)
			must(t, sheet.Add(t.Context(), m))
		}
		must(t, w.Put(t.Context(), k, sheet))
	}
	must(t, w.Commit(t.Context()))
	must(t, w.Close())
	return s
}

// TestWork holds what things cost to counts: none depends on how large the
// library is.
func TestWork(t *testing.T) {
	s := filled(t, 40)
	defer s.Close()

	got := spent(s, func() {
		list, total, err := s.List(t.Context(), retold.Filter{}, 20, 0)
		if err != nil || total != 40 || len(list) != 20 {
			t.Error(total, len(list), err)
		}
	})
	if want := (sqlite.Work{Sessions: 20}); got != want {
		t.Errorf("a listing of 20: %+v", got)
	}
	got = spent(s, func() {
		_, err := s.At(t.Context(), 30)
		must(t, err)
		list, err := s.Find(t.Context(), "s01", false, 2)
		must(t, err)
		if len(list) != 2 {
			t.Error(len(list))
		}
	})
	if want := (sqlite.Work{Sessions: 3}); got != want {
		t.Errorf("one session by number, two by id: %+v", got)
	}
	got = spent(s, func() {
		for m, err := range s.Messages(t.Context(), kept("s007").Key, 400) {
			if err != nil || m.Index != 400 {
				t.Error(m.Index, err)
			}
			break
		}
	})
	if want := (sqlite.Work{Pages: 1}); got != want {
		t.Errorf("one message of 500: %+v", got)
	}
	got = spent(s, func() {
		st, err := s.Stats(t.Context(), retold.Filter{}, time.UTC)
		if err != nil || st.Messages != 40*500 {
			t.Error(err)
		}
	})
	if got.Pages != 0 || got.Bundles != 0 {
		t.Errorf("statistics read text: %+v", got)
	}
	if r := find(t, s, "word499 s005"); r.Pagination.Total != 1 {
		t.Errorf("found %d", r.Pagination.Total)
	}
	got = spent(s, func() { find(t, s, "word499 s005") })
	if got != (sqlite.Work{}) {
		t.Errorf("the same search again: %+v", got)
	}
}

// TestLittleWork: what changes little costs little to write.
func TestLittleWork(t *testing.T) {
	s := filled(t, 40)
	defer s.Close()
	w, err := s.Writer(t.Context())
	must(t, err)
	defer w.Close()
	k := kept("s020")
	k.UpdatedAt = time.UnixMilli(1_750_000_000_020).UTC()
	same := numbered(500)
	for i := range same {
		same[i].Content += fmt.Sprintf(" word%d of %s", i, k.ID)
	}

	got := spent(s, func() { putFrom(t, w, k, 0, same) })
	if got.Packed != 0 || got.Indexed != 0 || got.Pages != 0 {
		t.Errorf("the same 500 messages again: %+v", got)
	}
	more := same
	for i := range 5 {
		more = append(more, retold.Message{ID: fmt.Sprint("new", i), Index: 500 + i, Role: retold.RoleUser, Content: "freshly said"})
	}
	got = spent(s, func() { putFrom(t, w, k, 500, more[500:]) })
	if got.Packed > 1 || got.Indexed != 5 || got.Pages > 1 || got.Heads > 1 || got.Merged > 0 {
		t.Errorf("5 messages more: %+v", got)
	}
	if n := find(t, s, "freshly").Pagination.Total; n != 5 {
		t.Errorf("%d of 5 are found", n)
	}
	more[502].Content = "freshly changed"
	got = spent(s, func() { putFrom(t, w, k, 0, more) })
	if got.Packed > 1 || got.Indexed != 1 || got.Pages > 1 {
		t.Errorf("one of 505 messages changed: %+v", got)
	}
	got = spent(s, func() { putFrom(t, w, k, 504, nil) })
	if got.Indexed != 0 || got.Packed > 1 {
		t.Errorf("the last message went: %+v", got)
	}
	if n := find(t, s, "freshly").Pagination.Total; n != 4 {
		t.Errorf("%d of 4 are left", n)
	}
	var revision int64
	_, revision, err = s.Changed(t.Context(), 0)
	must(t, err)
	got = spent(s, func() {
		must(t, w.Put(t.Context(), k, nil))
		must(t, w.Commit(t.Context()))
		list, _, err := s.Changed(t.Context(), revision)
		if err != nil || len(list) != 1 {
			t.Errorf("%d changed: %v", len(list), err)
		}
	})
	if want := (sqlite.Work{Sessions: 1}); got != want {
		t.Errorf("a put without messages: %+v", got)
	}
	s.Audit(t)
}

// TestStreaming writes one growing message a thousand times, as a session is
// that is followed while an agent speaks: what it leaves behind stays bounded.
func TestStreaming(t *testing.T) {
	s := empty(t)
	defer s.Close()
	w, err := s.Writer(t.Context())
	must(t, err)
	k := kept("streamed")
	messages := numbered(50)
	putFrom(t, w, k, 0, messages)
	for i := range 1000 {
		k.UpdatedAt = time.UnixMilli(1_750_000_000_000 + int64(i)).UTC()
		messages[49].Content = "speaking " + strings.Repeat("on and ", i)
		putFrom(t, w, k, 49, messages[49:])
	}
	must(t, w.Close())
	s.Audit(t)
	for what, most := range map[string]int64{
		"SELECT count(*) FROM page": 2, "SELECT count(*) FROM docs": 8, "SELECT count(*) FROM segment": 40,
		"SELECT sum(docs) FROM segment": 300, "SELECT count(*) FROM bundle": 50, "PRAGMA page_count": 200,
	} {
		if n, err := s.Number(what); err != nil || n > most {
			t.Errorf("%s: %d, more than %d: %v", what, n, most, err)
		}
	}
}
