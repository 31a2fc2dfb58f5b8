package index_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
)

// formerSegment is testdata/format1.json.gz: what Build made of formerLibrary
// when the format of segments was 1.
func formerSegment(t testing.TB) *index.Segment {
	t.Helper()
	f, err := os.Open("testdata/format1.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	seg := &index.Segment{}
	if err := json.NewDecoder(z).Decode(seg); err != nil {
		t.Fatal(err)
	}
	return seg
}

// formerLibrary has enough words for a segment to have filters, and enough
// messages for two rows of columns.
func formerLibrary() (*library, *index.Builder) {
	l, b := newLibrary(), index.NewBuilder()
	for i := range uint32(700) {
		text := fmt.Sprintf("the tide of day %d comes back; poolSize%d = tide.Level(day%d) and the_tide again", i, i%11, i)
		if i%50 == 0 {
			text += " the tide comes again" + pieces[int(i/50)%len(pieces)]
		}
		role := retold.Roles[int(i)%len(retold.Roles)]
		m := &retold.Message{Role: role, Content: text}
		if role == retold.RoleTool {
			m.Tool = &retold.ToolCall{Name: "Shell", Kind: retold.ToolShell, Result: []byte(fmt.Sprintf(`{"out":"comes %d\n back"}`, i))}
		}
		l.add(b, 3*i+1, i/30, m)
	}
	l.title(b, 9000, 3, "The tide comes back", epoch)
	return l, b
}

// TestFormerFormat: a segment of the format before answers like one of today's,
// alone, beside one, and merged with one.
func TestFormerFormat(t *testing.T) {
	l, b := formerLibrary()
	seg := formerSegment(t)
	more := index.NewBuilder()
	for i := range uint32(40) {
		l.add(more, 3*i+2, i%4, said("user", fmt.Sprintf("the tide comes back to day%d, tide.Level(back)", i), 0))
	}
	today, added := open(t, b.Build()), open(t, more.Build())
	check := func(name string, segs ...*index.Reader) {
		l.segs = segs
		for _, e := range []retold.Expr{
			word("tide"), word("ide.Lev"), word("level(d"), word("oolSiz"), prefix("comes"), phrase("the tide comes"), phrase("comes back"), phrase("back to"),
			word("day69"), word("the_ti"), regex(`tide\.Level\(b`),
			retold.And{word("tide"), retold.Not{Expr: phrase("day 7")}},
			retold.Where{Filter: retold.Filter{Tools: []string{"shell"}}},
		} {
			q := retold.Query{Match: e}
			r := search(t, l, q, 0, 0)
			if got, want := all(r), l.find(t, q); !slices.Equal(got, want) || r.Total != len(want) || len(want) == 0 {
				t.Errorf("%s, %#v: found %d, want %d", name, e, len(got), len(want))
			}
		}
	}
	check("as of today", today, added)
	check("as before", open(t, seg), added)
	l.merge(t, 0, 2)
	check("merged", l.segs...)
	l.merge(t, 0, 1)
	check("merged once more", l.segs...)
}
