package index_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
	"github.com/retold-history/retold/internal/jscan"
)

func addPieces(f *testing.F, add func(s string)) {
	for i := range pieces {
		add(strings.Join(pieces[i:min(i+7, len(pieces))], ""))
	}
	add("㌄㉠\u1161ﾞガ゙")
	add(strings.Repeat("\u0306и", 900))
	add(strings.Repeat("é", 2000) + "\x80\x80\x80" + strings.Repeat("a", 5000))
}

// FuzzFold: what is folded is UTF-8, folds to itself, is the same in pieces and
// with something before it.
func FuzzFold(f *testing.F) {
	addPieces(f, func(s string) { f.Add(s) })
	f.Fuzz(func(t *testing.T, s string) {
		once := index.Fold(nil, s)
		if !utf8.Valid(once) {
			t.Fatalf("%q folds to %q", s, once)
		}
		if twice := index.Fold(nil, string(once)); !bytes.Equal(once, twice) {
			t.Fatalf("%q folds to %q, that to %q", s, once, twice)
		}
		if got := index.Fold([]byte("И и"), s); string(got) != "И и"+string(once) {
			t.Fatalf("%q folds to %q behind something", s, got)
		}
		if both := index.Fold(nil, s+" "+s); string(both) != string(once)+" "+string(once) {
			t.Fatalf("%q twice folds to %q", s, both)
		}
		if upper := strings.ToUpper(s); utf8.RuneCountInString(s) == len(s) && string(index.Fold(nil, upper)) != string(once) {
			t.Fatalf("%q and %q fold apart", s, upper)
		}
	})
}

// FuzzSpans: spans lie in the text, in order, between characters, and are there
// when the text is a match.
func FuzzSpans(f *testing.F) {
	addPieces(f, func(s string) { f.Add(s, s[:len(s)/2], 0) })
	f.Add("foo\xff bar", "f.*r", 3)
	f.Fuzz(func(t *testing.T, s, text string, kind int) {
		term := &retold.Term{Text: text, Kind: retold.TermKind(kind & 3)}
		m, err := index.NewMatcher(term)
		if err != nil {
			return
		}
		spans := m.Spans(s)
		checkSpans(t, s, spans)
		if term.Kind != retold.TermRegexp && len(spans) > 0 && !m.Match(slices.Values([]string{s}), nil) {
			t.Fatalf("%+v has spans %v in %q and does not match", *term, spans, s)
		}
	})
}

// FuzzTexts: the texts of valid JSON are its strings and numbers that are values.
func FuzzTexts(f *testing.F) {
	for _, s := range []string{`{"a":"b","c":[1,-2.5e3,"\u00e9\ud83d\ude00\n",{"d":"e" , "f" : "g"}]}`, `"x\\"`, `[true,null,"\ud800"]`, `{"a"`, `"\`, "\"a\xffb\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		m := &retold.Message{Tool: &retold.ToolCall{Params: doc}}
		got := slices.Collect(index.Texts(m))
		if !json.Valid(doc) || len(doc) > 1000 {
			return
		}
		var want []string
		var walk func(v jscan.Value)
		walk = func(v jscan.Value) {
			if k := v.Kind(); k == jscan.String || k == jscan.Number {
				if s := v.Text(); s != "" {
					want = append(want, s)
				}
			}
			for _, m := range v.Members() {
				walk(m)
			}
			for i := range v.Items() {
				walk(i)
			}
		}
		v, err := jscan.Parse(doc)
		if err != nil {
			return
		}
		walk(v)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: got %q, want %q", doc, got, want)
		}
	})
}

// damaged builds a segment and spoils a byte of a row, or of the directory when
// row is behind the last.
func damaged(row, at int, with byte) *index.Segment {
	b := index.NewBuilder()
	for i := range uint32(40) {
		b.Add(2*i, i%3, &retold.Message{Role: retold.RoleUser, Content: strings.Join(pieces, string(rune('a'+i%26))) + " common useEffect"})
	}
	seg := b.Build()
	rows := append(slices.Clone(seg.Rows), seg.Head)
	r := rows[row%len(rows)]
	if len(r) > 0 {
		r[at%len(r)] ^= with
	}
	return seg
}

// FuzzDamage: a segment with a spoiled byte gives an answer or ErrDamaged, from
// searching and merging alike.
func FuzzDamage(f *testing.F) {
	for row := range 8 {
		f.Add(uint16(row), uint16(row*31), byte(1), false)
		f.Add(uint16(row), uint16(row*57), byte(0x80), true)
	}
	f.Fuzz(func(t *testing.T, row, at uint16, with byte, cut bool) {
		seg := damaged(int(row), int(at), with)
		if cut {
			r := &seg.Rows[int(row)%len(seg.Rows)]
			*r = (*r)[:int(at)%(len(*r)+1)]
		}
		check := func(err error) {
			if err != nil && !errors.Is(err, index.ErrDamaged) {
				t.Fatal(err)
			}
		}
		r, err := index.Open(seg.Info, func(n int) ([]byte, error) {
			if n >= len(seg.Rows) {
				return nil, index.ErrDamaged
			}
			return seg.Rows[n], nil
		})
		if err != nil {
			check(err)
			return
		}
		env := index.Env{Messages: func(_ context.Context, docs []uint32, visit func(int, *retold.Message) error) error { return nil }}
		for _, e := range []retold.Expr{word("common"), word("fect"), word("seef"), prefix("a"), word("数"), phrase("two words"), retold.Where{Filter: retold.Filter{Roles: retold.Roles}}} {
			res, err := index.Search(t.Context(), []*index.Reader{r}, retold.Query{Match: e}, env, 10, 0)
			check(err)
			if err == nil {
				all(res)
			}
		}
		_, err = index.Merge(t.Context(), []*index.Reader{r}, nil, func(int, []byte, bool) error { return nil })
		check(err)
	})
}
