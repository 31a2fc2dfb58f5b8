package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/retold-history/retold"
)

// oneWriter: a second writer is refused at once, and let in when the first is
// closed.
func oneWriter(t *testing.T, s retold.Store) {
	w, err := s.Writer(t.Context())
	must(t, err)
	if _, err := s.Writer(t.Context()); !errors.Is(err, retold.ErrLibraryBusy) {
		t.Errorf("a second writer: %v", err)
	}
	must(t, w.Close())
	must(t, w.Close())
	k := session("late")
	if err := w.Put(t.Context(), &k, nil); err == nil {
		t.Error("a closed writer took a session")
	}
	w, err = s.Writer(t.Context())
	must(t, err)
	must(t, w.Close())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Writer(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a writer after the end: %v", err)
	}
	if _, _, err := s.List(ctx, retold.Filter{}, 1, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("a listing after the end: %v", err)
	}
}

// uncommitted: nothing of what a writer did is seen before Commit, and nothing
// ever when it is closed without.
func uncommitted(t *testing.T, s retold.Store) {
	k := session("kept")
	k.Title = "kept title"
	putAll(t, s, []told{{k, plain(3)}})
	check := func(when string) {
		t.Helper()
		same(t, plain(3), messagesOf(t, s, k.Key, 0))
		if _, total, err := s.List(t.Context(), retold.Filter{Empty: true}, -1, 0); err != nil || total != 1 {
			t.Errorf("%s: %d sessions, %v", when, total, err)
		}
		for q, want := range map[string]int{"secret": 0, "number": 3, "kept": 1, "unkept": 0} {
			if got := search(t, s, q, 10, 0); got.Pagination.Total != want {
				t.Errorf("%s: %d hits of %q, want %d", when, got.Pagination.Total, q, want)
			}
		}
		if places, err := s.Places(t.Context()); err != nil || len(places) != 0 {
			t.Errorf("%s: %d places, %v", when, len(places), err)
		}
	}
	w, err := s.Writer(t.Context())
	must(t, err)
	changed := k
	changed.Title = "unkept title"
	put(t, w, changed, 1, []retold.Message{{ID: "s", Content: "a secret"}})
	put(t, w, session("new"), 0, []retold.Message{{ID: "s", Content: "a secret"}})
	must(t, w.PutPlace(t.Context(), retold.KeptPlace{Place: retold.Place{Agent: "cursor", Path: "/home/ada"}}))
	must(t, w.Forget(t.Context(), session("never").Key))
	check("before the commit")
	must(t, w.Close())
	check("after closing")
	writing(t, s, func(w retold.StoreWriter) {
		if w.Forgotten(session("never").Key) {
			t.Error("a Forget without a commit was kept")
		}
		must(t, w.Commit(t.Context()))
	})
	check("after an empty commit")
}

// forget: a session leaves no trace but its tombstone.
func forget(t *testing.T, s retold.Store) {
	k, other := session("gone"), session("stays")
	k.Title = "confidential title"
	k.Parts = []retold.Part{{Header: retold.Header{Ref: retold.Ref{Agent: "cursor", Place: "/home/ada", ID: "gone"}}}}
	putAll(t, s, []told{{k, []retold.Message{{ID: "1", Role: retold.RoleUser, Content: "confidential words"}}}, {other, plain(2)}})
	writing(t, s, func(w retold.StoreWriter) {
		if w.Forgotten(k.Key) {
			t.Error("forgotten before")
		}
		must(t, w.Forget(t.Context(), k.Key))
		if !w.Forgotten(k.Key) || w.Forgotten(other.Key) {
			t.Error("the tombstone is not seen by the writer itself")
		}
		must(t, w.Commit(t.Context()))
	})
	if _, err := s.Get(t.Context(), k.Key); !errors.Is(err, retold.ErrSessionNotFound) {
		t.Errorf("still there: %v", err)
	}
	if n := search(t, s, "confidential", 10, 0).Pagination.Total; n != 0 {
		t.Errorf("still found %d times", n)
	}
	if parts, err := s.Parts(t.Context(), "cursor", "/home/ada"); err != nil || len(parts) != 0 {
		t.Errorf("its parts are still known: %v, %v", parts, err)
	}
	if n := search(t, s, "number", 10, 0).Pagination.Total; n != 2 {
		t.Errorf("of the other session %d messages are found", n)
	}
	writing(t, s, func(w retold.StoreWriter) {
		if !w.Forgotten(k.Key) {
			t.Error("the tombstone did not last")
		}
		if err := w.Put(t.Context(), &k, nil); err == nil {
			t.Error("a forgotten session could be put")
		}
	})
}
