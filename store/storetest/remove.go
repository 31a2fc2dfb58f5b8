package storetest

import (
	"errors"
	"testing"

	"github.com/retold-history/retold"
)

// remove: a session leaves no trace, and comes back when it is put again.
func remove(t *testing.T, s retold.Store) {
	k, other := session("gone"), session("stays")
	k.Parts = []retold.Part{{Header: retold.Header{Ref: retold.Ref{Agent: "cursor", Place: "/home/ada", ID: "gone"}}}}
	said := []told{{k, []retold.Message{{ID: "1", Role: retold.RoleUser, Content: "confidential words"}}}, {other, plain(2)}}
	putAll(t, s, said)
	writing(t, s, func(w retold.StoreWriter) {
		must(t, w.Remove(t.Context(), k.Key))
		must(t, w.Remove(t.Context(), session("never").Key))
		if w.Forgotten(k.Key) || w.Forgotten(session("never").Key) {
			t.Error("it has a tombstone")
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
	putAll(t, s, said[:1])
	if n := search(t, s, "confidential", 10, 0).Pagination.Total; n != 1 {
		t.Errorf("put again it is found %d times", n)
	}
}
