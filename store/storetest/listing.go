package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/retold-history/retold"
)

// inOrder sorts sessions as listings do and numbers them.
func inOrder(all []told) []told {
	last := func(k *told) time.Time {
		if k.UpdatedAt.IsZero() {
			return k.CreatedAt
		}
		return k.UpdatedAt
	}
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b told) int {
		if a.Empty != b.Empty {
			if a.Empty {
				return 1
			}
			return -1
		}
		return cmp.Or(last(&b).Compare(last(&a)), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Agent, b.Agent))
	})
	for i := range all {
		all[i].Index = i + 1
	}
	return all
}

// sessions draws sessions that filters can tell apart.
func sessions(t *rapid.T, name string, most int) []told {
	var all []told
	for i := range rapid.IntRange(0, most).Draw(t, "sessions") {
		agent := rapid.SampledFrom([]string{"cursor", "cursor-cli", "warp"}).Draw(t, "agent")
		id := fmt.Sprint(name, rapid.SampledFrom([]string{"a", "A", "b", "ä", "Ä", "ss", "ß"}).Draw(t, "id"), i)
		one := told{Kept: retold.Kept{Key: retold.KeyOf(agent, id), Empty: rapid.IntRange(0, 3).Draw(t, "empty") == 0}}
		path := rapid.SampledFrom([]string{"", "/home/ada/lantern", "/home/ada/Work/lantern", `C:\Users\lin\Lantern`, "/home/ada/other"}).Draw(t, "path")
		one.Session = retold.Session{
			ID: id, Agent: agent, WorkspacePath: path, WorkspaceName: path[strings.LastIndexAny(path, `/\`)+1:],
			Title:  rapid.SampledFrom([]string{"", "Fix the lantern", "LANTERN again", "Ünder way"}).Draw(t, "title"),
			Model:  rapid.SampledFrom([]string{"", "claude-4.5-opus", "gpt-5"}).Draw(t, "model"),
			Branch: rapid.SampledFrom([]string{"", "main", "feature/x", "fix-1", "[odd"}).Draw(t, "branch"),
		}
		if ms := rapid.Int64Range(0, 6).Draw(t, "updated"); ms > 0 {
			one.UpdatedAt = time.UnixMilli(1_750_000_000_000 + ms*3_600_000).UTC()
		}
		if ms := rapid.Int64Range(0, 6).Draw(t, "created"); ms > 0 {
			one.CreatedAt = time.UnixMilli(1_750_000_000_000 + ms*3_600_000).UTC()
		}
		for n := range rapid.IntRange(0, 4).Draw(t, "messages") {
			one.messages = append(one.messages, corpusMessage(t, n))
		}
		one.MessageCount = len(one.messages)
		all = append(all, one)
	}
	return all
}

func filter(t *rapid.T) (f retold.Filter) {
	some := func(name string, from ...string) []string {
		if rapid.IntRange(0, 3).Draw(t, name+" asked") > 0 {
			return nil
		}
		return rapid.SliceOfN(rapid.SampledFrom(from), 1, 2).Draw(t, name)
	}
	f.Agents = some("agents", "cursor", "warp", "Cursor")
	f.Workspaces = some("workspaces", "lantern", "work/lantern", "/home/ada/LANTERN/", `Users\lin\lantern`, "antern")
	f.Models = some("models", "opus", "Claude Opus", "GPT")
	f.Branches = some("branches", "main", "f*", "feature/*", "[odd", "fix-?")
	f.Titles = some("titles", "lantern", "ünder", "the")
	f.Sessions = some("sessions", "0-a0", "0-b1", "0-ss0", "1-A0", "1-b0", "sa0", "sb1", "nobody")
	f.Except = some("except", "0-a0", "0-b0", "0-ä1", "1-a0", "1-A1", "sa0", "sA1", "nobody")
	f.Tools = some("tools", "shell", "EDIT", "edit_file", "run", "termin")
	f.Files = some("files", ".go", "LANTERN", "main")
	if rapid.IntRange(0, 3).Draw(t, "roles asked") == 0 {
		f.Roles = rapid.SliceOfN(rapid.SampledFrom(retold.Roles), 1, 2).Draw(t, "roles")
	}
	f.HasError = rapid.IntRange(0, 4).Draw(t, "error") == 0
	f.HasEdit = rapid.IntRange(0, 4).Draw(t, "edit") == 0
	f.Empty = rapid.Bool().Draw(t, "empty")
	if rapid.IntRange(0, 3).Draw(t, "since asked") == 0 {
		f.Since = time.UnixMilli(1_750_000_000_000 + rapid.Int64Range(0, 7).Draw(t, "since")*3_600_000)
	}
	if rapid.IntRange(0, 3).Draw(t, "until asked") == 0 {
		f.Until = time.UnixMilli(1_750_000_000_000 + rapid.Int64Range(0, 7).Draw(t, "until")*3_600_000)
	}
	return f
}

// wanted is what a filter wants, by the root package's own words.
func wanted(all []told, f retold.Filter) (out []told) {
	for _, one := range inOrder(all) {
		h := retold.Header{Session: one.Session, Empty: one.Empty, Draft: one.Draft}
		if f.MatchHeader(h) && (!f.NeedsMessages() || f.MatchMessages(one.messages)) {
			out = append(out, one)
		}
	}
	return out
}

func names(list []retold.Kept) []string {
	out := []string{}
	for i := range list {
		out = append(out, fmt.Sprintf("%d %s %s", list[i].Index, list[i].Agent, list[i].ID))
	}
	return out
}

func namesOf(list []told) []string {
	out := []string{}
	for i := range list {
		out = append(out, fmt.Sprintf("%d %s %s", list[i].Index, list[i].Agent, list[i].ID))
	}
	return out
}

// emptied empties the store for the next round of a property
// by forgetting every session; names are never used twice.
func emptied(t tester, s retold.Store) {
	t.Helper()
	list, _, err := s.List(t.Context(), retold.Filter{Empty: true}, -1, 0)
	must(t, err)
	writing(t, s, func(w retold.StoreWriter) {
		for i := range list {
			must(t, w.Forget(t.Context(), list[i].Key))
		}
		must(t, w.Commit(t.Context()))
	})
}

// listing: order, index and paging of the whole listing.
func listing(t *testing.T, s retold.Store) {
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		emptied(t, s)
		all := sessions(t, fmt.Sprint(round, "-"), 8)
		putAll(t, s, all)
		f := retold.Filter{Empty: rapid.Bool().Draw(t, "empty")}
		page(t, s, all, f)
	})
}

// filters: every filter wants what the root package says it wants.
func filters(t *testing.T, s retold.Store) {
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		emptied(t, s)
		all := sessions(t, fmt.Sprint(round, "-"), 8)
		putAll(t, s, all)
		for range 4 {
			page(t, s, all, filter(t))
		}
	})
}

// page compares one page of a listing with what it must be.
func page(t *rapid.T, s retold.Store, all []told, f retold.Filter) {
	t.Helper()
	want := wanted(all, f)
	limit, offset := rapid.IntRange(-1, 5).Draw(t, "limit"), rapid.IntRange(0, 5).Draw(t, "offset")
	list, total, err := s.List(t.Context(), f, limit, offset)
	must(t, err)
	if total != len(want) {
		t.Fatalf("%+v: total %d, want %d", f, total, len(want))
	}
	part := want[min(offset, len(want)):]
	if limit >= 0 {
		part = part[:min(limit, len(part))]
	}
	if diff := gocmp.Diff(namesOf(part), names(list)); diff != "" {
		t.Fatalf("%+v, limit %d offset %d (-want +got):\n%s", f, limit, offset, diff)
	}
}

// findAndAt: sessions by the beginning of their id and by their number.
func findAndAt(t *testing.T, s retold.Store) {
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		emptied(t, s)
		all := sessions(t, fmt.Sprint(round, "-"), 8)
		putAll(t, s, all)
		prefix := fmt.Sprint(round, "-") + rapid.SampledFrom([]string{"", "a", "A", "ä", "S", "b", "zz", "ß", "a1"}).Draw(t, "prefix")
		fold, limit := rapid.Bool().Draw(t, "fold"), rapid.IntRange(-1, 4).Draw(t, "limit")
		var want []told
		ordered := inOrder(all)
		for _, one := range ordered {
			if strings.HasPrefix(one.ID, prefix) || fold && strings.HasPrefix(strings.ToLower(one.ID), strings.ToLower(prefix)) {
				want = append(want, one)
			}
		}
		if limit >= 0 {
			want = want[:min(limit, len(want))]
		}
		list, err := s.Find(t.Context(), prefix, fold, limit)
		must(t, err)
		if diff := gocmp.Diff(namesOf(want), names(list)); diff != "" {
			t.Fatalf("Find(%q, %v, %d) (-want +got):\n%s", prefix, fold, limit, diff)
		}
		at := rapid.IntRange(-1, 9).Draw(t, "at")
		got, err := s.At(t.Context(), at)
		if at < 1 || at > len(ordered) {
			if !errors.Is(err, retold.ErrSessionNotFound) {
				t.Fatalf("At(%d) of %d: %v", at, len(ordered), err)
			}
			return
		}
		must(t, err)
		if got.Key != ordered[at-1].Key || got.Index != at {
			t.Fatalf("At(%d) = %d %s, want %s", at, got.Index, got.ID, ordered[at-1].ID)
		}
	})
}

// pendingPartsChanged: the questions that bringing a library up to date asks.
func pendingPartsChanged(t *testing.T, s retold.Store) {
	part := func(id string, gone bool) retold.Part {
		return retold.Part{Header: retold.Header{Ref: retold.Ref{Agent: "cursor", Place: "/home/ada/User", ID: id}}, Memory: []byte("m"), Gone: gone}
	}
	a, b, c := session("a"), session("b"), session("c")
	a.Pending, a.UpdatedAt, a.Parts = true, time.UnixMilli(1_750_000_000_000), []retold.Part{part("a", false), part("a2", true)}
	b.Parts = []retold.Part{part("b", false)}
	c.Pending, c.UpdatedAt, c.Parts = true, time.UnixMilli(1_760_000_000_000), []retold.Part{part("c", false)}
	c.Parts[0].Ref.Place = "/home/ada/elsewhere"
	_, before, err := s.Changed(t.Context(), 0)
	must(t, err)
	putAll(t, s, []told{{a, nil}, {b, nil}, {c, nil}})
	pending, err := s.Pending(t.Context())
	must(t, err)
	if len(pending) != 2 || pending[0].ID != "c" || pending[1].ID != "a" || pending[0].Parts[0].Memory != nil {
		t.Errorf("pending: %v", names(pending))
	}
	parts, err := s.Parts(t.Context(), "cursor", "/home/ada/User")
	must(t, err)
	if diff := gocmp.Diff(map[string]retold.Key{"a": a.Key, "b": b.Key}, parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	list, first, err := s.Changed(t.Context(), before)
	must(t, err)
	if len(list) != 3 || list[0].ID != "a" || list[2].ID != "c" || list[2].Revision != first {
		t.Errorf("changed: %v, now %d", names(list), first)
	}
	a.Pending, a.Parts = false, nil
	putAll(t, s, []told{{a, plain(1)}})
	list, second, err := s.Changed(t.Context(), first)
	must(t, err)
	if len(list) != 1 || list[0].ID != "a" || second <= first || list[0].Revision != second {
		t.Errorf("changed again: %v, now %d after %d", names(list), second, first)
	}
	if list, now, err := s.Changed(t.Context(), second); err != nil || len(list) != 0 || now != second {
		t.Errorf("nothing changed: %v, %d, %v", names(list), now, err)
	}
	if pending, err = s.Pending(t.Context()); err != nil || len(pending) != 1 || pending[0].ID != "c" {
		t.Errorf("pending in the end: %v, %v", names(pending), err)
	}
	if parts, err = s.Parts(t.Context(), "cursor", "/home/ada/User"); err != nil || len(parts) != 1 {
		t.Errorf("parts in the end: %v, %v", parts, err)
	}
}

// places: what is remembered of a place comes back.
func places(t *testing.T, s retold.Store) {
	rapid.Check(t, func(t *rapid.T) {
		want := retold.KeptPlace{
			Place:   retold.Place{Agent: "cursor", Path: text(t, "path"), Kind: text(t, "kind"), Used: rapid.Bool().Draw(t, "used"), Reason: text(t, "reason")},
			Mapping: rapid.IntRange(0, 9).Draw(t, "mapping"), Memory: []byte(raw(t, "memory")), Synced: moment(t, "synced"),
			Problems: list(t, "problems", func(t *rapid.T) retold.Problem { return retold.Problem{Kind: text(t, "kind")} }),
		}
		writing(t, s, func(w retold.StoreWriter) {
			must(t, w.PutPlace(t.Context(), want))
			must(t, w.Commit(t.Context()))
		})
		all, err := s.Places(t.Context())
		must(t, err)
		i := slices.IndexFunc(all, func(p retold.KeptPlace) bool { return p.Path == want.Path && p.Kind == want.Kind })
		if i < 0 {
			t.Fatalf("the place is not remembered")
		}
		if diff := gocmp.Diff(want, all[i]); diff != "" {
			t.Fatalf("the place changed (-put +got):\n%s", diff)
		}
	})
}
