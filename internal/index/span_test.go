package index_test

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
)

func TestSpans(t *testing.T) {
	for _, c := range []struct {
		name string
		term retold.Expr
		text string
		want []string
	}{
		{"every place", word("err"), "err, ERR and stderr", []string{"err", "ERR", "err"}},
		{"accents", word("ecole"), "à l’École e\u0301cole\u0301s", []string{"École", "e\u0301cole\u0301"}},
		{"й in two", word("мой"), "мои\u0306 дом", []string{"мои\u0306"}},
		{"part of a ligature", word("ile"), "a ﬁle", []string{"ﬁle"}},
		{"phrase", phrase("two words"), "two \n words", []string{"two \n words"}},
		{"several terms", retold.And{word("foo"), word("oba"), prefix("z")}, "foobar zoo", []string{"fooba", "z"}},
		{"nothing under not", retold.And{word("foo"), retold.Not{Expr: word("bar")}}, "foo bar", []string{"foo"}},
		{"expression", regex("b+"), "abba", []string{"bb"}},
		{"Hangul", word("한국"), "x \u1112\u1161\u11ab\u1100\u116e\u11a8 y", []string{"\u1112\u1161\u11ab\u1100\u116e\u11a8"}},
	} {
		m, err := index.NewMatcher(c.term)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range m.Spans(c.text) {
			got = append(got, c.text[s[0]:s[1]])
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// checkSpans fails for spans that are not what Spans promises.
func checkSpans(t *testing.T, s string, spans [][2]int) {
	t.Helper()
	last := 0
	for _, span := range spans {
		if span[0] < last || span[1] <= span[0] || span[1] > len(s) {
			t.Fatalf("span %v of %q behind %d", span, s, last)
		}
		for _, at := range span {
			if at < len(s) && !utf8.RuneStart(s[at]) && utf8.ValidString(s) {
				t.Fatalf("span %v cuts a character of %q", span, s)
			}
		}
		last = span[1]
	}
}
