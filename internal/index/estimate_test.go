package index_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
)

// TestExactCounts: the total of a page is exact while reading what is left takes
// few pages, and where it would not matter nothing is read for it.
func TestExactCounts(t *testing.T) {
	hit, miss := retold.Message{Role: "user", Content: "beta2 alpha1"}, retold.Message{Role: "user", Content: "alpha1 beta2"}
	sure, other := retold.Message{Role: "user", Content: "sure"}, retold.Message{Role: "user", Content: "gamma"}
	late := retold.Message{Role: "tool", Orphan: true, Content: "alpha1 beta2 " + strings.Repeat("gamma delta ", 1000)}
	late.Content += "beta2 alpha1"
	match := retold.Or{phrase("beta2 alpha1"), word("sure")}
	mostly := func(i int) *retold.Message { // five of eight are sure, one in a hundred is read late
		if i%8 >= 5 {
			return &other
		}
		return every(100, &late, &late, &sure)(i)
	}
	for _, c := range []struct {
		name      string
		docs      int
		message   func(i int) *retold.Message
		exact     int
		estimated bool
		read      int // at most
	}{
		{"few", 4000, every(50, &hit, &miss, &other), 40, false, 80},
		{"many side by side", 4000, func(i int) *retold.Message {
			if i < 400 {
				return every(1, &hit, &miss, &other)(i)
			}
			return &other
		}, 200, false, 400},
		{"many apart", 8000, every(20, &hit, &miss, &other), 200, true, 150},
		{"thousands that are sure", 4000, mostly, 2500, true, 0},
		{"not so many that are sure", 1900, mostly, 1189, false, 19},
	} {
		l, b := newLibrary(), index.NewBuilder()
		for i := range c.docs {
			l.add(b, uint32(i)+1, 1, c.message(i))
		}
		l.segs = []*index.Reader{open(t, b.Build())}
		for _, limit := range []int{10, 0} {
			read := 0
			env := l.env()
			load := env.Messages
			env.Workers = 1
			env.Messages = func(ctx context.Context, docs []uint32, visit func(int, *retold.Message) error) error {
				read += len(docs)
				return load(ctx, docs, visit)
			}
			r, err := index.Search(t.Context(), l.segs, retold.Query{Match: match}, env, limit, 0)
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%s, limit %d: total %d, estimated %v, %d read", c.name, limit, r.Total, r.Estimated, read)
			estimated := c.estimated && limit > 0
			switch {
			case r.Estimated != estimated, !estimated && r.Total != c.exact:
				t.Errorf("%s; %d are there", what, c.exact)
			case estimated && (r.Total < c.exact*3/4 || r.Total > c.exact*5/4):
				t.Errorf("%s; that is far from %d", what, c.exact)
			case limit > 0 && read > c.read:
				t.Errorf("%s; no more than %d should be", what, c.read)
			}
		}
	}
}

// every gives one of two messages in turn at every nth place, and others elsewhere.
func every(n int, first, second, others *retold.Message) func(int) *retold.Message {
	return func(i int) *retold.Message {
		switch {
		case i%n != 0:
			return others
		case i/n%2 == 0:
			return first
		}
		return second
	}
}
