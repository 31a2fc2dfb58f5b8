package storetest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/retold-history/retold"
)

var now = time.UnixMilli(1_760_000_000_000).UTC()

// search runs a query as a person types it.
func search(t tester, s retold.Store, q string, limit, offset int) *retold.SearchResult {
	t.Helper()
	parsed, err := retold.ParseQuery(q, now)
	must(t, err)
	r, err := s.Search(t.Context(), parsed, now, limit, offset)
	must(t, err)
	return r
}

// searches: random queries find in random corpora what the oracle finds.
func searches(t *testing.T, newStore func(t *testing.T) retold.Store) {
	rapid.Check(t, func(r *rapid.T) {
		s := newStore(t)
		defer closing(r, s)
		all := conversations(r, "s", 5)
		putAll(r, s, all)
		for range 8 {
			compare(r, s, all, retold.Query{Filter: optional(r), Match: expr(r, 2)})
		}
	})
}

// optional is a filter that mostly asks nothing.
func optional(t *rapid.T) retold.Filter {
	if rapid.IntRange(0, 2).Draw(t, "filtered") > 0 {
		return retold.Filter{}
	}
	return messageFilter(t)
}

// conversations are sessions in which something was said.
func conversations(t *rapid.T, name string, most int) []told {
	all := sessions(t, name, most)
	for i := range all {
		all[i].Empty = false
		all[i].Title = sentence(t, "title")
	}
	return all
}

// changes: what is found follows what is put, replaced and forgotten over many
// commits.
func changes(t *testing.T, newStore func(t *testing.T) retold.Store) {
	rapid.Check(t, func(r *rapid.T) {
		s := newStore(t)
		defer closing(r, s)
		all := map[retold.Key]told{}
		n := 0
		for range rapid.IntRange(2, 12).Draw(r, "commits") {
			writing(r, s, func(w retold.StoreWriter) {
				for range rapid.IntRange(1, 3).Draw(r, "changes") {
					n++
					change(r, w, all, n)
				}
				must(r, w.Commit(r.Context()))
			})
			list := slices.SortedFunc(maps.Values(all), func(a, b told) int { return cmp.Compare(a.ID, b.ID) })
			compare(r, s, list, retold.Query{Match: expr(r, 1)})
		}
	})
}

// change adds a session, changes some messages of one, or forgets one.
func change(t *rapid.T, w retold.StoreWriter, all map[retold.Key]told, n int) {
	keys := slices.SortedFunc(maps.Keys(all), func(a, b retold.Key) int { return cmp.Compare(a.ID, b.ID) })
	if len(keys) == 0 || rapid.IntRange(0, 3).Draw(t, "new") == 0 {
		for _, one := range conversations(t, fmt.Sprint(n, "-"), 1) {
			put(t, w, one.Kept, 0, one.messages)
			all[one.Key] = one
		}
		return
	}
	one := all[rapid.SampledFrom(keys).Draw(t, "session")]
	if rapid.IntRange(0, 7).Draw(t, "forget") == 0 {
		must(t, w.Forget(t.Context(), one.Key))
		delete(all, one.Key)
		return
	}
	if rapid.Bool().Draw(t, "retitle") {
		one.Title = sentence(t, "title")
	}
	from := rapid.IntRange(0, len(one.messages)).Draw(t, "from")
	old := one.messages
	one.messages = slices.Clone(old[:from])
	for i := range rapid.IntRange(0, 4).Draw(t, "messages") {
		if at := from + i; at < len(old) && rapid.Bool().Draw(t, "same") {
			one.messages = append(one.messages, old[at])
			continue
		}
		one.messages = append(one.messages, corpusMessage(t, from+i))
	}
	put(t, w, one.Kept, from, one.messages[from:])
	all[one.Key] = one
}

// compare holds a search to the oracle: the same hits and total, and hits that
// say of themselves what is true.
func compare(t *rapid.T, s retold.Store, all []told, q retold.Query) {
	t.Helper()
	want := found(all, q)
	r, err := s.Search(t.Context(), q, now, 1000, 0)
	must(t, err)
	got := map[place]bool{}
	for i := range r.Data {
		h := &r.Data[i]
		got[place{h.Key, h.MessageIndex}] = true
		checkHit(t, all, h)
	}
	if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(place{})); diff != "" {
		t.Fatalf("query %s finds otherwise (-want +got):\n%s", written(q), diff)
	}
	if r.Pagination.Total != len(want) || len(r.Data) != len(want) || r.Estimated {
		t.Fatalf("query %s: total %d, %d shown, estimated %v; want %d", written(q), r.Pagination.Total, len(r.Data), r.Estimated, len(want))
	}
	roles := 0
	for _, c := range r.Facets.Roles {
		roles += c.Count
	}
	titles := 0
	for p := range want {
		if p.index < 0 {
			titles++
		}
	}
	if roles != len(want)-titles {
		t.Fatalf("query %s: the facet of roles counts %d of %d messages", written(q), roles, len(want)-titles)
	}
}

// written makes a query readable.
func written(q retold.Query) string { return fmt.Sprintf("%+v of %s", q.Filter, expression(q.Match)) }

func expression(e retold.Expr) string {
	list := func(op string, kids []retold.Expr) string {
		var out []string
		for _, k := range kids {
			out = append(out, expression(k))
		}
		return op + "(" + strings.Join(out, ", ") + ")"
	}
	switch e := e.(type) {
	case *retold.Term:
		return fmt.Sprintf("%q/%d", e.Text, e.Kind)
	case retold.And:
		return list("and", e)
	case retold.Or:
		return list("or", e)
	case retold.Not:
		return "not(" + expression(e.Expr) + ")"
	case retold.Where:
		return fmt.Sprintf("where(%+v)", e.Filter)
	}
	return "all"
}

// checkHit holds a hit to its session, and its snippet to its promises.
func checkHit(t tester, all []told, h *retold.Hit) {
	t.Helper()
	for _, one := range inOrder(all) {
		if one.Key != h.Key {
			continue
		}
		if h.SessionID != one.ID || h.SessionIndex != one.Index || h.Agent != one.Agent || h.Title != one.Title || h.WorkspaceName != one.WorkspaceName {
			t.Errorf("hit %+v of session %+v", h, one.Session)
		}
		if h.MessageIndex >= 0 {
			m := one.messages[h.MessageIndex]
			if h.MessageID != m.ID || h.Role != m.Role || !h.Timestamp.Equal(m.Timestamp) || m.Tool != nil && h.ToolName != m.Tool.Name {
				t.Errorf("hit %+v of message %+v", h, m)
			}
		} else if h.MessageID != "" || h.Role != "" {
			t.Errorf("the hit of a title names a message: %+v", h)
		}
	}
	if !utf8.ValidString(h.Match) || utf8.RuneCountInString(h.Match) > 200 || strings.ContainsFunc(h.Match, unicode.IsControl) || strings.Contains(h.Match, "  ") {
		t.Errorf("snippet %q", h.Match)
	}
	last := 0
	for _, r := range h.Highlights {
		if r[0] < last || r[1] <= r[0] || r[1] > len(h.Match) || !utf8.ValidString(h.Match[:r[0]]) || !utf8.ValidString(h.Match[:r[1]]) {
			t.Errorf("highlights %v in %q", h.Highlights, h.Match)
		}
		last = r[1]
	}
}

// hits: what a person sees of a hit.
func hits(t *testing.T, s retold.Store) {
	k := session("s")
	k.Title, k.WorkspaceName, k.UpdatedAt = "The deadlock", "lantern", time.UnixMilli(1_750_000_000_000).UTC()
	long := strings.Repeat("words before ", 100) + "here is the deadlock we looked for" + strings.Repeat(" words after", 100)
	putAll(t, s, []told{{k, []retold.Message{
		{ID: "1", Role: retold.RoleUser, Content: long},
		{ID: "2", Role: retold.RoleTool, Content: "", Tool: &retold.ToolCall{Name: "run", Kind: retold.ToolShell, Result: []byte(`"panic:\n\tall goroutines are asleep - deadlock!"`)}},
	}}})
	r := search(t, s, "deadlock", 10, 0)
	if len(r.Data) != 3 || r.Data[0].MessageIndex != -1 || r.Data[0].MessageID != "" || !r.Data[0].Timestamp.Equal(k.UpdatedAt) {
		t.Fatalf("the title is not the first of three: %+v", r.Data)
	}
	for _, h := range r.Data {
		if len(h.Highlights) != 1 || !strings.EqualFold(h.Match[h.Highlights[0][0]:h.Highlights[0][1]], "deadlock") {
			t.Errorf("highlights %v in %q", h.Highlights, h.Match)
		}
		checkHit(t, []told{{k, messagesOf(t, s, k.Key, 0)}}, &h)
	}
	if m := r.Data[1].Match; !strings.HasPrefix(m, "…words") && !strings.HasPrefix(m, "…before") || !strings.HasSuffix(m, "…") || strings.HasSuffix(m, " …") {
		t.Errorf("a long text is not cut at words: %q", m)
	}
	if m := r.Data[2].Match; m != "panic: all goroutines are asleep - deadlock!" {
		t.Errorf("the result of a tool is shown as %q", m)
	}
}

// searchPages: pages of any size fit together to one order.
func searchPages(t *testing.T, s retold.Store) {
	var all []told
	for i := range 40 {
		k := session(fmt.Sprintf("s%02d", i))
		one := told{Kept: k}
		for n := range 5 {
			one.messages = append(one.messages, retold.Message{ID: fmt.Sprint(n), Index: n, Role: retold.RoleUser, Content: strings.Repeat("same ", i%3+1) + "two words"})
		}
		all = append(all, one)
	}
	putAll(t, s, all)
	for _, q := range []string{"same", "wor*", `"two words"`, "same words", "w wor", ""} {
		whole := search(t, s, q, -1, 0)
		if len(whole.Data) != 200 || whole.Pagination.Total != 200 {
			t.Errorf("%q: %d hits, total %d", q, len(whole.Data), whole.Pagination.Total)
		}
		for _, size := range []int{1, 7, 30, 100} {
			var got []retold.Hit
			for offset := 0; offset < 210; offset += size {
				p := search(t, s, q, size, offset)
				got = append(got, p.Data...)
				if more := offset+len(p.Data) < 200; p.Pagination.HasMore != more || p.Pagination.Offset != offset || p.Pagination.Limit != size || p.Pagination.Total != 200 {
					t.Fatalf("%q: page %+v", q, p.Pagination)
				}
			}
			if diff := gocmp.Diff(whole.Data, got); diff != "" {
				t.Fatalf("%q in pages of %d is another order:\n%s", q, size, diff)
			}
		}
	}
}

// facets: what the hits are, counted.
func facets(t *testing.T, s retold.Store) {
	a, b := session("a"), session("b")
	a.WorkspaceName, b.WorkspaceName, b.Agent = "lantern", "other", "cursor-cli"
	a.Title = "a needle too"
	at := func(month time.Month) time.Time { return time.Date(2026, month, 3, 0, 0, 0, 0, time.UTC) }
	putAll(t, s, []told{
		{a, []retold.Message{
			{ID: "1", Role: retold.RoleUser, Content: "needle", Timestamp: at(2)},
			{ID: "2", Role: retold.RoleTool, Timestamp: at(3), Tool: &retold.ToolCall{Name: "grep", Kind: retold.ToolSearch, Params: []byte(`{"q":"needle"}`)}},
			{ID: "3", Role: retold.RoleUser, Content: "nothing", Timestamp: at(3)},
		}},
		{b, []retold.Message{{ID: "1", Role: retold.RoleUser, Content: "needles", Timestamp: at(3)}}},
	})
	want := retold.Facets{
		Agents:     []retold.Count{{Name: "cursor", Count: 3}, {Name: "cursor-cli", Count: 1}},
		Workspaces: []retold.Count{{Name: "lantern", Count: 3}, {Name: "other", Count: 1}},
		Roles:      []retold.Count{{Name: "user", Count: 2}, {Name: "tool", Count: 1}},
		Tools:      []retold.Count{{Name: "grep", Count: 1}},
		Months:     []retold.Count{{Name: "2026-02", Count: 1}, {Name: "2026-03", Count: 2}},
	}
	if diff := gocmp.Diff(want, search(t, s, "needle", 1, 0).Facets); diff != "" {
		t.Errorf("facets (-want +got):\n%s", diff)
	}
}
