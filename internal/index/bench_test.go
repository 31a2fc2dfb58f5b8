package index_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
)

// The benchmarks' history: prose and code over a vocabulary of which few words
// are common, identifiers made of two or three words, some Chinese. Message n is
// always the same.
var vocabulary = sync.OnceValue(func() (words []string) {
	r := rand.New(rand.NewPCG(3, 4))
	words = append(words, "error", "file", "the", "timeout", "handler", "use", "effect", "connection", "pool", "test")
	for len(words) < 30_000 {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			b.WriteByte("bcdfghjklmnprstvw"[r.IntN(17)])
			b.WriteByte("aeiou"[r.IntN(5)])
			if r.IntN(3) == 0 {
				b.WriteByte("nrstlmk"[r.IntN(7)])
			}
		}
		words = append(words, b.String())
	}
	return words
})

func benchWord(r *rand.Rand) string {
	v := vocabulary()
	f := r.Float64()
	return v[int(f*f*f*f*float64(len(v)))]
}

func benchText(r *rand.Rand, size int) string {
	var b strings.Builder
	for b.Len() < size {
		switch r.IntN(8) {
		case 0:
			w := benchWord(r)
			fmt.Fprintf(&b, "\n\t%s%s%s := ", benchWord(r), strings.ToUpper(w[:1]), w[1:])
		case 1:
			fmt.Fprintf(&b, "%s.%s(ctx, %d) ", benchWord(r), benchWord(r), r.IntN(5000))
		default:
			b.WriteString(benchWord(r) + " ")
		}
	}
	if r.IntN(100) == 0 {
		b.WriteString("数据库连接错误")
	}
	return b.String()
}

func benchMessage(n uint32) *retold.Message {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	m := &retold.Message{Role: retold.RoleAssistant, Timestamp: epoch.Add(-time.Duration(n) * time.Minute)}
	if n%3 != 0 {
		m.Content = benchText(r, 200+r.IntN(800))
		return m
	}
	result, err := json.Marshal(map[string]any{"contents": benchText(r, r.IntN(36_000)), "lines": 7})
	if err != nil {
		panic(err)
	}
	m.Role = retold.RoleTool
	m.Tool = &retold.ToolCall{Name: "read_file", Kind: retold.ToolRead, Result: result, Files: []string{fmt.Sprintf("/home/ada/%s/%s.go", benchWord(r), benchWord(r))}}
	return m
}

func textBytes(m *retold.Message) (n int64) {
	for s := range index.Texts(m) {
		n += int64(len(s))
	}
	return n
}

func BenchmarkBuild(b *testing.B) {
	var messages []*retold.Message
	size := int64(0)
	for n := range uint32(3000) {
		messages = append(messages, benchMessage(n))
		size += textBytes(messages[n])
	}
	b.SetBytes(size)
	b.ReportAllocs()
	builder := index.NewBuilder()
	for b.Loop() {
		for n, m := range messages {
			builder.Add(uint32(n), 1, m)
		}
		b.ReportMetric(float64(builder.Bytes())/float64(size), "held/text")
		rows := 0
		for _, row := range builder.Build().Rows {
			rows += len(row)
		}
		b.ReportMetric(float64(rows)/float64(size), "index/text")
	}
}

// benchLibrary has 45,000 messages, some 300 MB of text, in a few segments, and
// makes messages again when they are looked at.
var benchLibrary = sync.OnceValue(func() (segs []*index.Reader) {
	b := index.NewBuilder()
	flush := func() {
		seg := b.Build()
		r, err := index.Open(seg.Info, func(n int) ([]byte, error) { return seg.Rows[n], nil })
		if err != nil {
			panic(err)
		}
		segs = append(segs, r)
	}
	for n := range uint32(45_000) {
		if b.Add(n, n/200, benchMessage(n)); b.Bytes() > 32<<20 {
			flush()
		}
	}
	flush()
	return segs
})

func BenchmarkSearch(b *testing.B) {
	env := index.Env{Now: epoch, Workers: 2, Messages: func(_ context.Context, docs []uint32, visit func(int, *retold.Message) error) error {
		for i, d := range docs {
			if err := visit(i, benchMessage(d)); err != nil {
				return err
			}
		}
		return nil
	}}
	where := func(f retold.Filter) retold.Expr { return retold.Where{Filter: f} }
	for _, c := range []struct {
		name string
		e    retold.Expr
	}{
		{"rare", word(vocabulary()[29_000])},
		{"common", word("error")},
		{"very_common", word("the")},
		{"one_letter", word("s")},
		{"prefix2", prefix("co")},
		{"substring", word("onnec")},
		{"identifier", word("useEffect")},
		{"code", word("error.file(")},
		{"ideographs2", word("数据")},
		{"ideographs5", word("数据库连接")},
		{"two_words", retold.And{word("connection"), word("pool")}},
		{"not", retold.And{word("error"), retold.Not{Expr: word("file")}}},
		{"role", where(retold.Filter{Roles: []retold.Role{retold.RoleTool}})},
		{"file", where(retold.Filter{Files: []string{"pool"}})},
		{"nothing", word("nosuchwordatall")},
	} {
		b.Run(c.name, func(b *testing.B) {
			segs := benchLibrary()
			var times []time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := index.Search(b.Context(), segs, retold.Query{Match: c.e}, env, 20, 0); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}

func BenchmarkMerge(b *testing.B) {
	segs := benchLibrary()
	for b.Loop() {
		if _, err := index.Merge(b.Context(), segs, nil, func(int, []byte, bool) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFold(b *testing.B) {
	for name, s := range map[string]string{
		"ascii": benchText(rand.New(rand.NewPCG(1, 1)), 1<<16), "cyrillic": strings.Repeat("Ошибка Подключения к базе ёлок ", 2000), "han": strings.Repeat("数据库连接错误，", 3000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			var dst []byte
			for b.Loop() {
				dst = index.Fold(dst[:0], s)
			}
		})
	}
}
