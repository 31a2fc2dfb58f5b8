package index_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
)

// TestSearchAgreesWithMatcher holds every answer to that of looking at every
// message, before and after segments are merged and the dead dropped.
func TestSearchAgreesWithMatcher(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := genLibrary().Draw(t, "library")
		queries := rapid.SliceOfN(genQuery(), 1, 4).Draw(t, "queries")
		queries = append(queries, retold.Query{Match: genExcerpt(l).Draw(t, "excerpt")}, retold.Query{Match: genExcerpt(l).Draw(t, "excerpt")})
		var before [][]index.Hit
		for _, q := range queries {
			before = append(before, checkQuery(t, l, q))
		}
		from := rapid.IntRange(0, len(l.segs)-1).Draw(t, "from")
		l.merge(t, from, rapid.IntRange(from+1, len(l.segs)).Draw(t, "to"))
		for i, q := range queries {
			if diff := cmp.Diff(before[i], checkQuery(t, l, q), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
				t.Fatalf("merging changed the answer to %#v: %s", q, diff)
			}
		}
	})
}

func checkQuery(t *rapid.T, l *library, q retold.Query) []index.Hit {
	want := l.find(t, q)
	r, err := index.Search(context.Background(), l.segs, q, l.env(), -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := all(r); !slices.Equal(got, want) || r.Total != len(want) || r.Estimated {
		t.Fatalf("%#v: found %v (total %d), want %v", q, got, r.Total, want)
	}
	if diff := cmp.Diff(countsOf(r), r.Counts(), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%#v: counted otherwise than one by one: %s", q, diff)
	}
	got := docs(r.Hits)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatalf("%#v: hits %v, want %v", q, got, want)
	}
	var paged []index.Hit
	for offset := 0; offset <= len(want); offset += 3 {
		p, err := index.Search(context.Background(), l.segs, q, l.env(), 3, offset)
		if err != nil {
			t.Fatal(err)
		}
		if p.Total != len(want) {
			t.Fatalf("%#v from %d: total %d, want %d", q, offset, p.Total, len(want))
		}
		paged = append(paged, p.Hits...)
	}
	if diff := cmp.Diff(r.Hits, paged); diff != "" {
		t.Fatalf("%#v: pages differ from the whole: %s", q, diff)
	}
	return r.Hits
}

func countsOf(r *index.Result) index.Counts {
	c := index.Counts{Sessions: map[uint32]int{}, Roles: map[retold.Role]int{}, Tools: map[string]int{}, Months: map[int]int{}}
	r.Each(func(_, session uint32, role retold.Role, tool string, when time.Time) bool {
		c.Sessions[session]++
		if role != "" {
			c.Roles[role]++
		}
		if tool != "" {
			c.Tools[tool]++
		}
		if !when.IsZero() {
			c.Months[when.Year()*12+int(when.Month())-1]++
		}
		return true
	})
	return c
}

func TestSessionsAgreesWithFilter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := genLibrary().Draw(t, "library")
		a, b := genFilter().Draw(t, "filter"), genFilter().Draw(t, "and")
		f := retold.Filter{
			Roles: slices.Concat(a.Roles, b.Roles), Tools: slices.Concat(a.Tools, b.Tools), Files: slices.Concat(a.Files, b.Files),
			HasError: a.HasError || b.HasError, HasEdit: a.HasEdit || b.HasEdit,
		}
		got, err := index.Sessions(context.Background(), l.segs, f, l.isDead)
		if err != nil {
			t.Fatal(err)
		}
		if !f.NeedsMessages() {
			if got != nil {
				t.Fatal("a filter that asks nothing has an answer")
			}
			return
		}
		by := map[uint32][]retold.Message{}
		for d, s := range l.sessions {
			if !l.dead[d] && !l.titles[d] {
				by[s] = append(by[s], *l.messages[d])
			}
		}
		want := map[uint32]bool{}
		for s, messages := range by {
			if f.MatchMessages(messages) {
				want[s] = true
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%#v: %s", f, diff)
		}
	})
}

// genExcerpt asks for a piece of a text that is there.
func genExcerpt(l *library) *rapid.Generator[*retold.Term] {
	var texts [][]rune
	for _, doc := range slices.Sorted(maps.Keys(l.messages)) {
		for s := range index.Texts(l.messages[doc]) {
			texts = append(texts, []rune(s))
		}
	}
	return rapid.Custom(func(t *rapid.T) *retold.Term {
		if len(texts) == 0 {
			return genTerm().Draw(t, "term")
		}
		text := rapid.SampledFrom(texts).Draw(t, "of")
		from := rapid.IntRange(0, len(text)-1).Draw(t, "start")
		to := rapid.IntRange(from+1, len(text)).Draw(t, "end")
		return &retold.Term{Text: string(text[from:to]), Kind: retold.TermKind(rapid.IntRange(0, 2).Draw(t, "kind"))}
	})
}

// TestExpressionsFindWhatFoldingChanges: what an index holds of a text is folded,
// what an expression sees is not.
func TestExpressionsFindWhatFoldingChanges(t *testing.T) {
	for _, c := range []struct{ expr, text string }{
		{"мои", "мои\u0306"},
		{"(?-i)мои", "мои\u0306"},
		{"і", "і\u0308"},
		{"к и", "к и\u0306"},
		{"カ", "カ\u3099"},
		{"k", "\u212a"},
		{"ſs", "SS"},
		{"ΟΔΟΣ", "οδος"},
		{"\u1112\u1161", "\u1112\u1161\u11ab"},
		{"하", "하\u11ab"},
		{"ι", "\u0345"},
		{"éa", "ÉA"},
		{"foo.bar", "xfoo_BAR"},
		{"seE", "useEffect"},
		{"ß", "ẞ"},
		{"据库", "数据库连"},
		{"(foo|bar)+x", "barfoox"},
		{"a{2}b", "aab"},
		{"^b", "a\nb"},
		{"i", "İ i"},
	} {
		if !matches(t, regex(c.expr), c.text) {
			t.Errorf("%s does not match %q", c.expr, c.text)
			continue
		}
		l := shelf(t, said("user", c.text, 0), said("user", "zz", 0))
		if got := all(search(t, l, retold.Query{Match: regex(c.expr)}, 10, 0)); !slices.Contains(got, 1) {
			t.Errorf("%s is not found in %q", c.expr, c.text)
		}
	}
}

func TestTimesBetweenMilliseconds(t *testing.T) {
	l := shelf(t, said("user", "alpha", 0))
	for name, c := range map[string]struct {
		f    retold.Filter
		want int
	}{
		"since just before": {retold.Filter{Since: epoch.Add(-1)}, 1}, "since then": {retold.Filter{Since: epoch}, 1}, "since just after": {retold.Filter{Since: epoch.Add(1)}, 0},
		"until just before": {retold.Filter{Until: epoch.Add(-1)}, 0}, "until then": {retold.Filter{Until: epoch}, 0}, "until just after": {retold.Filter{Until: epoch.Add(1)}, 1},
	} {
		if r := search(t, l, retold.Query{Filter: c.f}, 10, 0); r.Total != c.want {
			t.Errorf("%s: %d", name, r.Total)
		}
	}
}
