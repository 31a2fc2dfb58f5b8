package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/retold-history/retold"
)

// oddMessages: whatever messages hold comes back as it was, nil apart from
// empty, bytes that are no UTF-8 included.
func oddMessages(t *testing.T, s retold.Store) {
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		k := session(fmt.Sprint("odd", n))
		var want []retold.Message
		for i := range rapid.IntRange(0, 6).Draw(t, "messages") {
			want = append(want, oddMessage(t, i))
		}
		putAll(t, s, []told{{k, want}})
		if diff := cmp.Diff(want, messagesOf(t, s, k.Key, 0)); diff != "" {
			t.Fatalf("messages changed (-put +got):\n%s", diff)
		}
	})
	long := session("long")
	noise := make([]byte, 3<<20)
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same every time
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	want := []retold.Message{
		{ID: "before", Index: 0, Role: retold.RoleUser, Content: "small"},
		{ID: "huge", Index: 1, Role: retold.RoleAssistant, Content: string(noise)},
		{ID: "words", Index: 2, Role: retold.RoleAssistant, Content: strings.Repeat("a long story ", 1<<18)},
		{ID: "after", Index: 3, Role: retold.RoleUser, Content: "small again"},
	}
	putAll(t, s, []told{{long, want}})
	got := messagesOf(t, s, long.Key, 0)
	if !slices.EqualFunc(want, got, func(a, b retold.Message) bool { return a.ID == b.ID && a.Content == b.Content && a.Index == b.Index }) {
		t.Error("huge messages changed")
	}
}

// oddSessions: all that is kept of a session comes back but its Index, which is
// the listing's, and its Revision, which is the store's.
func oddSessions(t *testing.T, s retold.Store) {
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		want := oddKept(t, fmt.Sprint("odd", n))
		writing(t, s, func(w retold.StoreWriter) {
			must(t, w.Put(t.Context(), &want, nil))
			must(t, w.Commit(t.Context()))
		})
		got, err := s.Get(t.Context(), want.Key)
		must(t, err)
		got.Revision, want.Revision = 0, 0
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Fatalf("session changed (-put +got):\n%s", diff)
		}
		list, _, err := s.List(t.Context(), retold.Filter{Empty: true}, -1, 0)
		must(t, err)
		i := slices.IndexFunc(list, func(k retold.Kept) bool { return k.Key == want.Key })
		if i < 0 {
			t.Fatalf("not in the listing")
		}
		for j := range want.Parts {
			want.Parts[j].Memory = nil
		}
		want.ProblemList, want.Index, list[i].Revision = nil, i+1, 0
		if diff := cmp.Diff(want, list[i]); diff != "" {
			t.Fatalf("listed otherwise (-want +got):\n%s", diff)
		}
	})
	if _, err := s.Get(t.Context(), retold.Key{Family: "cursor", ID: "nobody"}); !errors.Is(err, retold.ErrSessionNotFound) {
		t.Errorf("a session nobody put: %v", err)
	}
	for _, err := range s.Messages(t.Context(), retold.Key{Family: "cursor", ID: "nobody"}, 0) {
		if !errors.Is(err, retold.ErrSessionNotFound) {
			t.Errorf("messages of a session nobody put: %v", err)
		}
	}
}

// sessionFields: what Put does to MessageCount.
func sessionFields(t *testing.T, s retold.Store) {
	k := session("counted")
	k.MessageCount = -1
	count := func() int {
		t.Helper()
		got, err := s.Get(t.Context(), k.Key)
		must(t, err)
		return got.MessageCount
	}
	writing(t, s, func(w retold.StoreWriter) {
		must(t, w.Put(t.Context(), &k, nil))
		must(t, w.Commit(t.Context()))
		if n := count(); n != -1 {
			t.Errorf("before its messages were read: %d", n)
		}
		put(t, w, k, 0, plain(3))
		must(t, w.Commit(t.Context()))
		if n := count(); n != 3 {
			t.Errorf("with messages: %d", n)
		}
		k.Title = "new title"
		must(t, w.Put(t.Context(), &k, nil))
		must(t, w.Commit(t.Context()))
		if n := count(); n != 3 {
			t.Errorf("after a put without a sheet: %d", n)
		}
		if got := messagesOf(t, s, k.Key, 0); len(got) != 3 {
			t.Errorf("a put without a sheet left %d messages", len(got))
		}
		put(t, w, k, 0, nil)
		must(t, w.Commit(t.Context()))
		if n := count(); n != 0 {
			t.Errorf("after its messages were taken away: %d", n)
		}
	})
}

// plain makes n short messages.
func plain(n int) []retold.Message {
	out := make([]retold.Message, n)
	for i := range out {
		out[i] = retold.Message{
			ID: fmt.Sprint("m", i), Index: i, Role: retold.RoleUser, Content: fmt.Sprintf("message number %d", i),
			Timestamp: time.UnixMilli(1_750_000_000_000 + int64(i)*60_000).UTC(), TimestampSource: retold.TimeStored,
		}
	}
	return out
}

// replace: a sheet from k on replaces what was there from k on, whatever was put
// before and however messages repeat.
func replace(t *testing.T, s retold.Store) {
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		k := session(fmt.Sprint("s", n))
		var want []retold.Message
		writing(t, s, func(w retold.StoreWriter) {
			for range rapid.IntRange(1, 5).Draw(t, "puts") {
				from := rapid.IntRange(0, len(want)).Draw(t, "from")
				old := slices.Clone(want)
				want = want[:from]
				for range rapid.IntRange(0, 12).Draw(t, "messages") {
					m := retold.Message{ID: fmt.Sprint(len(want)), Role: retold.RoleUser}
					if i := len(want); i < len(old) && rapid.IntRange(0, 3).Draw(t, "same") > 0 {
						m = old[i]
					} else {
						m.Content = strings.Repeat(rapid.StringN(0, 8, -1).Draw(t, "content"), rapid.SampledFrom([]int{1, 1, 1, 2000, 9000}).Draw(t, "times"))
					}
					m.Index = len(want)
					want = append(slices.Clip(want), m)
				}
				put(t, w, k, from, want[from:])
				if rapid.Bool().Draw(t, "commit") {
					must(t, w.Commit(t.Context()))
				}
			}
			must(t, w.Commit(t.Context()))
		})
		same(t, want, messagesOf(t, s, k.Key, 0))
		from := rapid.IntRange(0, len(want)+2).Draw(t, "read from")
		same(t, want[min(from, len(want)):], messagesOf(t, s, k.Key, from))
		got, err := s.Get(t.Context(), k.Key)
		must(t, err)
		if got.MessageCount != len(want) {
			t.Fatalf("MessageCount %d, want %d", got.MessageCount, len(want))
		}
	})
}

func same(t tester, want, got []retold.Message) {
	t.Helper()
	if len(want) == 0 && len(got) == 0 {
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("messages differ (-want +got):\n%s", diff)
	}
}

// sheetRules: what a sheet that is not put leaves behind, and misuse.
func sheetRules(t *testing.T, s retold.Store) {
	k := session("s")
	putAll(t, s, []told{{k, plain(5)}})
	writing(t, s, func(w retold.StoreWriter) {
		sheet, err := w.Sheet(t.Context(), k.Key, 2)
		must(t, err)
		for i := range 300 {
			must(t, sheet.Add(t.Context(), retold.Message{ID: fmt.Sprint("x", i), Content: string(bytes.Repeat([]byte("dropped "), 100))}))
		}
		must(t, w.Commit(t.Context()))
		same(t, plain(5), messagesOf(t, s, k.Key, 0))
		sheet.Drop()
		sheet.Drop()
		if err := w.Put(t.Context(), &k, sheet); err == nil {
			t.Error("a dropped sheet could be put")
		}
		must(t, w.Commit(t.Context()))
		same(t, plain(5), messagesOf(t, s, k.Key, 0))

		if _, err := w.Sheet(t.Context(), k.Key, 6); err == nil {
			t.Error("a sheet began behind the end")
		}
		if sheet, err = w.Sheet(t.Context(), k.Key, 5); err != nil {
			t.Fatal(err)
		}
		other := session("other")
		if err := w.Put(t.Context(), &other, sheet); err == nil {
			t.Error("a sheet was put with another session")
		}
		must(t, w.Commit(t.Context()))
		same(t, plain(5), messagesOf(t, s, k.Key, 0))
	})
	if found := search(t, s, "dropped", 10, 0); found.Pagination.Total != 0 {
		t.Errorf("%d messages of a dropped sheet are found", found.Pagination.Total)
	}
}
