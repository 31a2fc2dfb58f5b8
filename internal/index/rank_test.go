package index_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
)

// shelf builds a library of one segment from messages, by doc from 1.
func shelf(t testing.TB, messages ...*retold.Message) *library {
	t.Helper()
	l, b := newLibrary(), index.NewBuilder()
	for i, m := range messages {
		l.add(b, uint32(i+1), 1, m)
	}
	l.segs = []*index.Reader{open(t, b.Build())}
	return l
}

func said(role retold.Role, text string, age time.Duration) *retold.Message {
	return &retold.Message{Role: role, Content: text, Timestamp: epoch.Add(-age)}
}

type ranking struct {
	name     string
	match    retold.Expr
	messages []*retold.Message
	want     []uint32
}

func rankings(filler string) []ranking {
	const year = 365 * 24 * time.Hour
	return []ranking{
		{
			"whole word, start, inside", word("pool"),
			[]*retold.Message{said("user", "whirlpools "+filler, 0), said("user", "pooling "+filler, 0), said("user", "pool "+filler, 0)},
			[]uint32{3, 2, 1},
		},
		{
			"who said it", word("pool"),
			[]*retold.Message{said("tool", "pool "+filler, 0), said("system", "pool "+filler, 0), said("thinking", "pool "+filler, 0), said("user", "pool "+filler, 0)},
			[]uint32{4, 3, 2, 1},
		},
		{
			"newer", word("pool"),
			[]*retold.Message{said("user", "pool "+filler, 3*year), said("user", "pool "+filler, 0), said("user", "pool "+filler, year)},
			[]uint32{2, 3, 1},
		},
		{
			"age matters less than what was said", word("pool"),
			[]*retold.Message{said("user", "pool pool pool "+filler, 5*year), said("user", "pool "+filler, 0)},
			[]uint32{1, 2},
		},
		{
			"short before long", word("pool"),
			[]*retold.Message{said("user", "pool "+strings.Repeat(filler, 20), 0), said("user", "pool "+filler, 0)},
			[]uint32{2, 1},
		},
		{
			"rare words weigh more",
			retold.Or{word("words"), word("quux")},
			[]*retold.Message{said("user", "words", 0), said("user", "quux", 0), said("user", "words too", 0), said("user", "more words", 0)},
			[]uint32{2, 1},
		},
		{
			"an orphan", word("pool"),
			[]*retold.Message{{Role: "user", Content: "pool", Orphan: true}, {Role: "user", Content: "pool"}},
			[]uint32{2, 1},
		},
		{
			"the phrase",
			retold.And{word("connection"), word("pool")},
			[]*retold.Message{said("user", "the pool, its connection, its pool", 0), said("tool", "a Connection\n pool "+filler, 0)},
			[]uint32{2, 1},
		},
		{"nothing asked", nil, []*retold.Message{said("user", "a", year), said("tool", "b", 0), {Content: "c"}}, []uint32{2, 1, 3}},
	}
}

func TestRanking(t *testing.T) {
	filler := strings.Repeat("other words of no matter ", 10)
	for _, c := range rankings(filler) {
		l := shelf(t, c.messages...)
		r := search(t, l, retold.Query{Match: c.match}, len(c.want), 0)
		if diff := cmp.Diff(c.want, docs(r.Hits)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		for i, h := range r.Hits[1:] {
			if h.Score > r.Hits[i].Score {
				t.Errorf("%s: score %v behind %v", c.name, h.Score, r.Hits[i].Score)
			}
		}
	}
}

func TestTitlesComeFirst(t *testing.T) {
	l, b := newLibrary(), index.NewBuilder()
	l.add(b, 1, 7, said("user", "fix the pool", 0))
	l.title(b, 2, 7, "Fix the pool", epoch)
	l.segs = []*index.Reader{open(t, b.Build())}
	r := search(t, l, retold.Query{Match: word("pool")}, 10, 0)
	if diff := cmp.Diff([]uint32{2, 1}, docs(r.Hits)); diff != "" {
		t.Error(diff)
	}
	var roles []retold.Role
	r.Each(func(_, session uint32, role retold.Role, tool string, when time.Time) bool {
		if session != 7 || tool != "" || !when.Equal(epoch) {
			t.Errorf("session %d, tool %q, at %v", session, tool, when)
		}
		roles = append(roles, role)
		return true
	})
	slices.Sort(roles)
	if diff := cmp.Diff([]retold.Role{"", "user"}, roles); diff != "" {
		t.Error(diff)
	}
}

// TestEstimate: when the candidates are more than are looked at, what is counted
// is near what there is, the page is right, and asking again gives the same.
func TestEstimate(t *testing.T) {
	l, b := newLibrary(), index.NewBuilder()
	for i := range uint32(4000) { // numbers have no joints
		text := fmt.Sprint("alpha1 beta2 ", strings.Repeat("gamma delta ", 200))
		if i%4 == 0 {
			text = fmt.Sprint("beta2 alpha1 ", strings.Repeat("gamma delta ", 200))
		}
		l.add(b, i+1, i/100, said("user", text, time.Duration(i)*time.Minute))
	}
	l.segs = []*index.Reader{open(t, b.Build())}
	q := retold.Query{Match: phrase("beta2 alpha1")}
	r := search(t, l, q, 20, 0)
	if !r.Estimated || r.Total < 800 || r.Total > 1200 || len(r.Hits) != 20 {
		t.Fatalf("total %d, estimated %v, %d hits", r.Total, r.Estimated, len(r.Hits))
	}
	for _, h := range r.Hits {
		if (h.Doc-1)%4 != 0 {
			t.Errorf("doc %d is no hit", h.Doc)
		}
	}
	again := search(t, l, q, 20, 0)
	if diff := cmp.Diff(r.Hits, again.Hits); diff != "" || again.Total != r.Total {
		t.Errorf("the second time %d: %s", again.Total, diff)
	}
	if deep := search(t, l, q, 10, 995); len(deep.Hits) != 5 {
		t.Errorf("%d hits on the last page", len(deep.Hits))
	}
}

// TestJunk: what no person reads does not make the index larger than itself by
// much.
func TestJunk(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	var hashes, minified strings.Builder
	for range 10_000 {
		fmt.Fprintf(&hashes, "%016x%016x ", r.Uint64(), r.Uint64())
		fmt.Fprintf(&minified, "function %c%c(%c,%c){return %c.%c%d?%c:!%d}", 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26), 'A'+r.IntN(26), 'a'+r.IntN(26), 'A'+r.IntN(26), r.IntN(99), 'a'+r.IntN(26), r.IntN(2))
	}
	for name, c := range map[string]struct {
		text string
		most float64
	}{
		"base64": {base64.StdEncoding.EncodeToString(noise), 1.6}, "hashes": {hashes.String(), 1.4}, "minified": {minified.String(), 0.2},
		"one letter": {strings.Repeat("x", 1<<20), 0.1}, "control characters": {string(noise), 1.6},
	} {
		b := index.NewBuilder()
		b.Add(1, 1, &retold.Message{Content: c.text})
		held := b.Bytes()
		seg, size := b.Build(), 0
		for _, row := range seg.Rows {
			size += len(row)
		}
		t.Logf("%s: index %.2f, held %.2f of the text", name, float64(size)/float64(len(c.text)), float64(held)/float64(len(c.text)))
		if float64(size) > c.most*float64(len(c.text))+2000 {
			t.Errorf("%s: %d bytes of index for %d of text", name, size, len(c.text))
		}
	}
}

func TestReadersTogether(t *testing.T) {
	l := newLibrary()
	b := index.NewBuilder()
	for i := range uint32(5000) {
		l.add(b, i, i%9, said("user", fmt.Sprintf("alpha number%d %s", i, pieces[int(i)%len(pieces)]), 0))
	}
	l.segs = []*index.Reader{open(t, b.Build())}
	var wg sync.WaitGroup
	for _, e := range []retold.Expr{word("alpha"), word("mber7"), prefix("numb"), phrase("alpha number77"), retold.Where{Filter: retold.Filter{Agents: []string{"cursor"}}}} {
		for range 2 {
			wg.Go(func() {
				if r := search(t, l, retold.Query{Match: e}, 10, 0); r.Total == 0 {
					t.Errorf("%v finds nothing", e)
				}
			})
		}
	}
	wg.Wait()
}

func TestDocsInAnyOrder(t *testing.T) {
	l, b := newLibrary(), index.NewBuilder()
	for _, d := range []uint32{7, 3, 9, 1} {
		l.add(b, d, d, said("user", fmt.Sprint("alpha doc", d), 0))
	}
	seg := b.Build()
	if seg.First != 1 || seg.Last != 9 || seg.Docs != 4 || b.Len() != 0 {
		t.Errorf("%d to %d, %d docs, %d left", seg.First, seg.Last, seg.Docs, b.Len())
	}
	l.segs = []*index.Reader{open(t, seg)}
	for _, d := range []uint32{7, 3, 9, 1} {
		if got := all(search(t, l, retold.Query{Match: word(fmt.Sprint("doc", d))}, 10, 0)); !slices.Equal(got, []uint32{d}) {
			t.Errorf("doc %d: found %v", d, got)
		}
	}
}

func TestMergeEndsWithItsContext(t *testing.T) {
	l := shelf(t, said("user", "alpha", 0))
	ctx, cancel := contextOf(t)
	cancel()
	if _, err := index.Merge(ctx, l.segs, nil, func(int, []byte, bool) error { return nil }); err == nil {
		t.Error("merged all the same")
	}
	if _, err := index.Search(ctx, l.segs, retold.Query{Match: word("alpha")}, l.env(), 10, 0); err == nil {
		t.Error("searched all the same")
	}
}
