package index_test

import (
	"context"
	"encoding/gob"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"testing"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
)

func loadReal(t testing.TB) (out [][]retold.Message, bytes int64) {
	f, err := os.Open("/tmp/idxgen/msgs.gob")
	if err != nil {
		t.Fatal(err)
	}
	d := gob.NewDecoder(f)
	fmt.Println(d.Decode(&bytes), d.Decode(&out))
	return out, bytes
}

func TestReal(t *testing.T) {
	if os.Getenv("REAL") == "" {
		t.Skip("scratch")
	}
	sessions, bytes := loadReal(t)
	n := 0
	for _, s := range sessions {
		n += len(s)
	}
	fmt.Println("sessions", len(sessions), "messages", n, "MB", bytes>>20)
	limit := 32 << 20
	f, _ := os.Create("/tmp/idxgen/cpu.prof")
	var segs []*index.Segment
	var tb, ta time.Duration
	for round := range 2 {
		segs = nil
		if round == 1 {
			pprof.StartCPUProfile(f)
		}
		b := index.NewBuilder()
		doc := uint32(0)
		tb, ta = 0, 0
		peak := 0
		start := time.Now()
		flush := func() {
			peak = max(peak, b.Bytes())
			s := time.Now()
			segs = append(segs, b.Build())
			tb += time.Since(s)
		}
		for si, s := range sessions {
			doc++
			b.AddTitle(doc, uint32(si), "session title "+s[0].ID, epoch)
			for i := range s {
				doc++
				b.Add(doc, uint32(si), &s[i])
			}
			if b.Bytes() > limit {
				flush()
			}
		}
		flush()
		ta = time.Since(start)
		fmt.Printf("build %v (of it Build %v) %d MB/s, segs %d, peak %d MB\n", ta, tb, int(float64(bytes>>20)/ta.Seconds()), len(segs), peak>>20)
	}
	pprof.StopCPUProfile()
	size, head := 0, 0
	tokens := int64(0)
	for _, s := range segs {
		for _, r := range s.Rows {
			size += len(r)
		}
		head += len(s.Head)
		tokens += s.Tokens
		fmt.Println("  docs", s.Docs, "rows", len(s.Rows), "head", len(s.Head))
	}
	fmt.Printf("index %d MB (%.1f%%) head %d KB tokens %d M\n", size>>20, 100*float64(size)/float64(bytes), head>>10, tokens/1e6)
	l := newLibrary()
	doc := uint32(0)
	for si, s := range sessions {
		doc++
		l.messages[doc] = &retold.Message{Content: "session title " + s[0].ID}
		for i := range s {
			doc++
			l.messages[doc] = &s[i]
			l.sessions[doc] = uint32(si)
		}
	}
	for _, s := range segs {
		l.segs = append(l.segs, open(t, s))
	}
	mstart := time.Now()
	var rows [][]byte
	info, err := index.Merge(context.Background(), l.segs, nil, func(n int, row []byte) error { rows = append(rows, row); return nil })
	if err != nil {
		t.Fatal(err)
	}
	size = 0
	for _, r := range rows {
		size += len(r)
	}
	fmt.Printf("merge all %v -> %d MB rows %d head %d KB\n", time.Since(mstart), size>>20, len(rows), len(info.Head)>>10)
	merged := open(t, &index.Segment{Info: info, Rows: rows})
	runtime.GC()
	for _, segsNow := range [][]*index.Reader{l.segs, {merged}} {
		l.segs = segsNow
		fmt.Println("--- segments", len(segsNow))
		timeQueries(t, l)
	}
}

func timeQueries(t *testing.T, l *library) {
	w := func(s string) retold.Expr { return &retold.Term{Text: s} }
	p := func(s string) retold.Expr { return &retold.Term{Text: s, Kind: retold.TermPrefix} }
	ph := func(s string) retold.Expr { return &retold.Term{Text: s, Kind: retold.TermPhrase} }
	re := func(s string) retold.Expr { return &retold.Term{Text: s, Kind: retold.TermRegexp} }
	f := func(f retold.Filter) retold.Expr { return retold.Where{Filter: f} }
	for _, q := range []struct {
		name string
		e    retold.Expr
	}{
		{"error", w("error")}, {"file", w("file")}, {"the", w("the")}, {"e", w("e")}, {"s", w("s")}, {"co*", p("co")}, {"re", w("re")}, {"con", p("con")}, {"timeout", w("timeout")},
		{"json.Unmarshal(", w("json.Unmarshal(")}, {"useEffect", w("useEffect")}, {"nmarsh", w("nmarsh")}, {"fect", w("fect")}, {"ing", w("ing")}, {"数据", w("数据")}, {"数", w("数")}, {"数据库连接", w("数据库连接")}, {"错误", w("错误")},
		{"timeout AND mig", retold.And{w("timeout"), w("mig")}}, {"the error", retold.And{w("the"), w("error")}}, {"phrase", ph("connection pool")}, {"phrase2", ph("the error")}, {"-not", retold.And{w("error"), retold.Not{Expr: w("file")}}},
		{"regex", re(`func \w+Handler\(`)}, {"role:user", f(retold.Filter{Roles: []retold.Role{"user"}})}, {"file:.go", f(retold.Filter{Files: []string{".go"}})}, {"tool:edit", f(retold.Filter{Tools: []string{"edit"}})}, {"has:error", f(retold.Filter{HasError: true})},
		{"->", w("->")}, {"nosuchwordatall", w("nosuchwordatall")}, {"err != nil", ph("err != nil")}, {"foo_", w("r_")},
	} {
		var times []time.Duration
		var r *index.Result
		for range 15 {
			s := time.Now()
			r = search(t, l, retold.Query{Match: q.e}, 20, 0)
			n := 0
			r.Each(func(uint32, uint32, retold.Role, string, time.Time) bool { n++; return true })
			times = append(times, time.Since(s))
		}
		first := times[0]
		sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
		fmt.Printf("%-18s first %8s  p50 %8s  max %8s  total %d est %v\n", q.name, first.Round(10*time.Microsecond), times[7].Round(10*time.Microsecond), times[14].Round(10*time.Microsecond), r.Total, r.Estimated)
	}
}
