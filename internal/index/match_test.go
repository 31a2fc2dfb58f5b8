package index_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
)

func word(s string) *retold.Term   { return &retold.Term{Text: s} }
func prefix(s string) *retold.Term { return &retold.Term{Text: s, Kind: retold.TermPrefix} }
func phrase(s string) *retold.Term { return &retold.Term{Text: s, Kind: retold.TermPhrase} }
func regex(s string) *retold.Term  { return &retold.Term{Text: s, Kind: retold.TermRegexp} }

func matches(t rapid.TB, e retold.Expr, texts ...string) bool {
	t.Helper()
	m, err := index.NewMatcher(e)
	if err != nil {
		t.Fatal(err)
	}
	return m.Match(slices.Values(texts), nil)
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		name  string
		term  retold.Expr
		texts []string
		want  bool
	}{
		{"inside a word", word("fect"), []string{"useEffect"}, true},
		{"across the parts of a word", word("seef"), []string{"useEffect"}, true},
		{"code", word("json.Unm"), []string{"x := json.Unmarshal(b)"}, true},
		{"code with its bracket", word("foo_bar("), []string{"foo_bar (x)"}, false},
		{"two letters begin a word", word("go"), []string{"cargo"}, false},
		{"two letters begin a word here", word("go"), []string{"a gopher"}, true},
		{"a letter and a sign stand anywhere", word("o("), []string{"foo()"}, true},
		{"an underscore is no letter", word("_b"), []string{"foo_bar"}, true},
		{"two letters behind an underscore", word("ba"), []string{"foo_bar"}, false},
		{"prefix", prefix("eff"), []string{"useEffect"}, false},
		{"prefix of a word", prefix("eff"), []string{"an effect"}, true},
		{"phrase over any white space", phrase("two  words"), []string{"of two\n\twords."}, true},
		{"phrase ends where a word does", phrase("two word"), []string{"two words"}, false},
		{"phrase begins where a word does", phrase("wo words"), []string{"two words"}, false},
		{"phrase with an ideograph at its end", phrase("数据"), []string{"连数据库"}, true},
		{"a phrase stands in one text", phrase("two words"), []string{"two", "words"}, false},
		{"words stand in any", retold.And{word("two"), word("words")}, []string{"two", "words"}, true},
		{"letter case and accents", word("ECOLE"), []string{"l’école"}, true},
		{"accents typed and not there", word("école"), []string{"ecole"}, true},
		{"accent as a mark of its own", word("école"), []string{"e\u0301cole"}, true},
		{"ё is е", word("елка"), []string{"Ёлка"}, true},
		{"й is not и", word("мои"), []string{"мой"}, false},
		{"й in two characters", word("мой"), []string{"мои\u0306"}, true},
		{"width", word("ab1"), []string{"ＡＢ１"}, true},
		{"kana voicing", word("カキ"), []string{"ガギ"}, false},
		{"kana of half width", word("ガ"), []string{"ｶﾞ"}, true},
		{"Hangul from letters", word("한국"), []string{"\u1112\u1161\u11ab\u1100\u116e\u11a8"}, true},
		{"one ideograph", word("据"), []string{"数据库"}, true},
		{"ideographs in another order", word("据数"), []string{"数据库"}, false},
		{"final sigma", word("οδος"), []string{"ΟΔΟΣ"}, true},
		{"expression on lines", regex(`^second$`), []string{"first\nSecond\nthird"}, true},
		{"accents count in expressions", regex(`ecole`), []string{"école"}, false},
		{"not", retold.Not{Expr: word("foo")}, []string{"bar"}, true},
		{"or", retold.Or{word("foo"), word("bar")}, []string{"bar"}, true},
		{"an empty and holds", retold.And{}, []string{"x"}, true},
		{"an empty or does not", retold.Or{}, []string{"x"}, false},
		{"nothing asked", nil, nil, true},
	} {
		if got := matches(t, c.term, c.texts...); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
	if _, err := index.NewMatcher(regex(`a(`)); err == nil {
		t.Error("a bad expression is no error")
	}
}

func TestMatchAsksForFilters(t *testing.T) {
	m, err := index.NewMatcher(retold.And{word("foo"), retold.Where{Filter: retold.Filter{Tools: []string{"edit"}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range []bool{true, false} {
		got := m.Match(slices.Values([]string{"foo"}), func(f retold.Filter) bool { return answer && f.Tools[0] == "edit" })
		if got != answer {
			t.Errorf("where said %v, Match %v", answer, got)
		}
	}
}

// TestMatchAgreesWithSpelling holds Match to a search letter by letter over texts
// folded from a list.
func TestMatchAgreesWithSpelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		term := genTerm().Filter(func(t *retold.Term) bool { return t.Kind != retold.TermRegexp }).Draw(t, "term")
		text := genText(8).Draw(t, "text")
		want := spelled(term, text)
		if got := matches(t, term, text); got != want {
			t.Fatalf("%+v in %q: got %v, want %v", *term, text, got, want)
		}
		m, err := index.NewMatcher(term)
		if err != nil {
			t.Fatal(err)
		}
		spans := m.Spans(text)
		if folded := slowFold(term.Text); len(strings.TrimSpace(string(folded))) > 0 && (len(spans) > 0) != want {
			t.Fatalf("%+v in %q: spans %v, but met: %v", *term, text, spans, want)
		}
		for _, s := range spans {
			if alone := (&retold.Term{Text: term.Text, Kind: term.Kind}); !spelled(alone, text[s[0]:s[1]]) {
				t.Fatalf("%+v in %q: span %q does not hold it", *term, text, text[s[0]:s[1]])
			}
		}
	})
}

var slowFoldings = strings.NewReplacer(
	"e\u0301", "e", "é", "e", "É", "e", "Ё", "е", "ё", "е", "и\u0306", "й", "і\u0308", "ї", "カ\u3099", "ガ", "ｶﾞ", "ガ",
	"\u1112\u1161\u11ab", "한", "ﬁ", "fi", "Ａ", "a", "ｂ", "b", "²", "2", "x\u0308", "x", "\u0301", "", "ς", "σ", "Σ", "σ",
	"K", "k", "ſ", "s", "İ", "i", "\u00a0", " ", "\xff", "\ufffd",
)

func slowFold(s string) []rune {
	return []rune(strings.Map(unicode.ToLower, slowFoldings.Replace(s)))
}

func isWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.Nd, unicode.M) || r == '_'
}

func isIdeograph(r rune) bool {
	return r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// bound reports whether i is not in the middle of a word.
func bound(text []rune, i int) bool {
	return i == 0 || i == len(text) || !isWord(text[i-1]) || !isWord(text[i]) || isIdeograph(text[i-1]) || isIdeograph(text[i])
}

func spelled(t *retold.Term, text string) bool {
	have, want := slowFold(text), slowFold(t.Text)
	begins, ends := t.Kind != retold.TermWord, t.Kind == retold.TermPhrase
	if t.Kind == retold.TermPhrase {
		want = []rune(strings.TrimSpace(string(want)))
	}
	if t.Kind == retold.TermWord && len(want) > 0 && len(want) <= 2 {
		begins = true
		for _, r := range want {
			begins = begins && isWord(r) && r != '_' && !isIdeograph(r)
		}
	}
	if len(want) == 0 {
		return true
	}
	for i := range have {
		if end := spelledAt(have, want, i, ends); end >= 0 && (!begins || bound(have, i)) && (!ends || bound(have, end)) {
			return true
		}
	}
	return false
}

// spelledAt compares letter by letter; with spaces set any run of white space is
// like any other.
func spelledAt(have, want []rune, i int, spaces bool) int {
	for k := 0; k < len(want); {
		if i >= len(have) {
			return -1
		}
		if spaces && unicode.IsSpace(want[k]) {
			if !unicode.IsSpace(have[i]) {
				return -1
			}
			for k < len(want) && unicode.IsSpace(want[k]) {
				k++
			}
			for i < len(have) && unicode.IsSpace(have[i]) {
				i++
			}
			continue
		}
		if have[i] != want[k] {
			return -1
		}
		i++
		k++
	}
	return i
}

func TestLongWords(t *testing.T) {
	long := strings.Repeat("a", 4096)
	if !matches(t, word("xaaaa"), "x"+long) || matches(t, word("az"), long+"z") || matches(t, word("aaz"), long+"z") {
		t.Error("a word is searched in its first 4,096 bytes")
	}
	if !matches(t, word("foo"), long+"zz foo") || !matches(t, phrase("foo"), strings.Repeat("long ", 3000)+long+long+" foo") {
		t.Error("what follows a long word is found")
	}
	if !matches(t, regex("az$"), long+"z") {
		t.Error("expressions see all of a word")
	}
	l := newLibrary()
	b := index.NewBuilder()
	l.add(b, 1, 1, &retold.Message{Content: long + "needle"})
	l.add(b, 2, 1, &retold.Message{Content: strings.Repeat("é", 3000) + "needle Straw"})
	l.segs = append(l.segs, open(t, b.Build()))
	for _, c := range []struct {
		e    retold.Expr
		want []uint32
	}{
		{word("needle"), []uint32{2}}, {regex("needle"), []uint32{1, 2}}, {word("straw"), []uint32{2}}, {word(long), []uint32{1}}, {prefix(long + "n"), []uint32{}},
	} {
		if got := all(search(t, l, retold.Query{Match: c.e}, 10, 0)); !slices.Equal(got, c.want) {
			t.Errorf("%.40v: got %v, want %v", c.e, got, c.want)
		}
	}
}
