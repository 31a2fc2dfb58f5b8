package index_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
)

// Pieces of which texts are made where words meet words and signs.
var jointPieces = []string{
	"the", "tide", "a", "A", "Tide", "x1", "the_tide", "_", "é", "ж", "漢", "字", "ﬁn", "И\u0306", "\u0301", "e\u0301", "İ", "ｔｈｅ",
	" ", " ", " ", "\n", "\t ", "\u00a0", "\u3000", "\u2028", "\u200b", "\x85", "\xff", ".", ".", "(", "(", "..", "-", "\\", "\"",
	strings.Repeat("q", 5000), strings.Repeat("w", 70), strings.Repeat("ab ", 6000),
}

// TestJointsNeverHide: what stands in a text is found, whatever stands around it
// and however it is cut out.
func TestJointsNeverHide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, b := newLibrary(), index.NewBuilder()
		var texts []string
		for i := range uint32(rapid.IntRange(1, 4).Draw(t, "messages")) {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(jointPieces), 1, 12).Draw(t, "text"), "")
			texts = append(texts, text)
			l.add(b, i+1, 1, &retold.Message{Role: retold.RoleUser, Content: text})
		}
		l.segs = []*index.Reader{open(t, b.Build())}
		for range 4 {
			text := []rune(rapid.SampledFrom(texts).Draw(t, "from"))
			from := rapid.IntRange(0, len(text)-1).Draw(t, "start")
			end := rapid.IntRange(from+1, min(len(text), from+40)).Draw(t, "end")
			kind := rapid.SampledFrom([]retold.TermKind{retold.TermWord, retold.TermPhrase, retold.TermPrefix}).Draw(t, "kind")
			checkQuery(t, l, retold.Query{Match: &retold.Term{Text: string(text[from:end]), Kind: kind}})
		}
	})
}

// TestJointsSpareLooking: phrases and code made of words that every message holds
// are looked for in the messages that hold them joined, and few others; after a
// merge, too.
func TestJointsSpareLooking(t *testing.T) {
	words := strings.Fields("the tide of rain comes back again with wind and sand here")
	l := newLibrary()
	for part := range uint32(3) {
		b := index.NewBuilder()
		for i := range uint32(1000) {
			at := int(i*7+part) % len(words)
			mixed := slices.Concat(words[at:], words[:at])
			if i%2 == 0 {
				slices.Reverse(mixed)
			}
			mixed = slices.Insert(mixed, int(i)%len(mixed), strings.Repeat("filler ", int(i%90)))
			l.add(b, 3*i+part, i%9, said("tool", fmt.Sprintf("%s; conn.Load(addr) rate.Limit(load) %s.Addr(%s)", strings.Join(mixed, " "), mixed[3], mixed[4]), 0))
		}
		l.add(b, 9000+part, 1, said("tool", "here rain and tide of sand. addr conn.Addr(wind) comes back with the again", 0))
		l.segs = append(l.segs, open(t, b.Build()))
	}
	check := func() {
		for _, e := range []retold.Expr{phrase("rain and tide"), phrase("with the again"), word("onn.Add"), word("ddr(wi")} {
			var looked atomic.Int64
			env := l.env()
			inner := env.Messages
			env.Messages = func(ctx context.Context, docs []uint32, visit func(int, *retold.Message) error) error {
				looked.Add(int64(len(docs)))
				return inner(ctx, docs, visit)
			}
			q := retold.Query{Match: e}
			r, err := index.Search(t.Context(), l.segs, q, env, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			want := l.find(t, q)
			if got := all(r); !slices.Equal(got, want) || len(want) < 3 {
				t.Errorf("%#v: found %v, want %v", e, got, want)
			}
			if n := int(looked.Load()) - len(want); n > 1200 {
				t.Errorf("%#v: %d of 3,000 messages were looked at in vain", e, n)
			}
		}
	}
	check()
	l.merge(t, 0, 3)
	check()
}
