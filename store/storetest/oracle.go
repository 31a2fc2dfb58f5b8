package storetest

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode"

	"github.com/retold-history/retold"
)

// oracle answers a query by looking at every text of every message, in the
// simplest way there is. Its fold knows the letters that the corpus uses.

// folds are the letters of the corpus that are not folded by lowering them.
var folds = strings.NewReplacer(
	"é", "e", "è", "e", "ü", "u", "ö", "o", "ä", "a", "ё", "е", "e\u0301", "e",
	"ａ", "a", "ｂ", "b", "ｃ", "c", "ｄ", "d", "ｅ", "e", "ｒ", "r", "ｏ", "o",
)

func fold(s string) string { return folds.Replace(strings.ToLower(s)) }

// textsOf are the texts in which a message is searched.
func textsOf(m *retold.Message) []string {
	out := []string{m.Content}
	if c := m.Tool; c != nil {
		out = append(out, c.Name, c.Diff)
		out = append(out, c.Files...)
		out = append(out, values(c.Params)...)
		out = append(out, values(c.Result)...)
	}
	for _, a := range m.Attachments {
		out = append(out, a.Name, a.Path, a.Text)
	}
	return out
}

// values are the strings and numbers in a JSON document, not its names.
func values(doc []byte) (out []string) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if len(doc) == 0 || d.Decode(&v) != nil {
		return nil
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case json.Number:
			out = append(out, v.String())
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
	return out
}

func ideograph(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

func wordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// border reports whether a word begins or ends at a place in a folded text.
func border(s string, at int) bool {
	before, after := []rune(s[:at]), []rune(s[at:])
	if len(before) == 0 || len(after) == 0 {
		return true
	}
	a, b := before[len(before)-1], after[0]
	return !wordRune(a) || !wordRune(b) || ideograph(a) || ideograph(b)
}

// short reports whether a word has to stand at the start of one: one or two
// letters or digits.
func short(word string) bool {
	n := 0
	for _, r := range word {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) || ideograph(r) {
			return false
		}
		n++
	}
	return n > 0 && n <= 2
}

// met reports whether a term is met in a text.
func met(t *retold.Term, s string) bool {
	if t.Kind == retold.TermRegexp {
		return regexp.MustCompile("(?im)" + t.Text).MatchString(s)
	}
	want, s := fold(t.Text), fold(s)
	if t.Kind == retold.TermPhrase {
		want, s = strings.Join(strings.Fields(want), " "), strings.Join(strings.Fields(s), " ")
	}
	for from := 0; ; {
		i := strings.Index(s[from:], want)
		if i < 0 {
			return false
		}
		i += from
		starts, ends := border(s, i), border(s, i+len(want))
		switch {
		case t.Kind == retold.TermPhrase && starts && ends:
			return true
		case t.Kind == retold.TermPrefix && starts:
			return true
		case t.Kind == retold.TermWord && (starts || !short(want)):
			return true
		}
		from = i + 1
		for from < len(s) && s[from]&0xc0 == 0x80 {
			from++
		}
	}
}

// holds reports whether an expression holds for texts; where answers for its
// filters.
func holds(e retold.Expr, texts []string, where func(retold.Filter) bool) bool {
	switch e := e.(type) {
	case *retold.Term:
		for _, s := range texts {
			if met(e, s) {
				return true
			}
		}
		return false
	case retold.And:
		for _, kid := range e {
			if !holds(kid, texts, where) {
				return false
			}
		}
		return true
	case retold.Or:
		for _, kid := range e {
			if holds(kid, texts, where) {
				return true
			}
		}
		return false
	case retold.Not:
		return !holds(e.Expr, texts, where)
	case retold.Where:
		return where(e.Filter)
	}
	return true // nil
}

// passes decides a filter for one message (nil: the title) of a session.
func passes(f retold.Filter, one *told, m *retold.Message) bool {
	at := one.UpdatedAt
	if at.IsZero() {
		at = one.CreatedAt
	}
	if m == nil {
		m = &retold.Message{}
	} else {
		at = m.Timestamp
	}
	session := f
	session.Roles, session.Tools, session.Files = nil, nil, nil
	if !at.IsZero() {
		if !f.Since.IsZero() && at.Before(f.Since) || !f.Until.IsZero() && !at.Before(f.Until) {
			return false
		}
		session.Since, session.Until = retold.Filter{}.Since, retold.Filter{}.Until
	}
	h := retold.Header{Session: one.Session, Empty: one.Empty, Draft: one.Draft}
	return f.MatchMessage(m) && session.MatchHeader(h) && session.MatchMessages(one.messages)
}

// A place names a hit: a session and the index of a message, -1 for the title.
type place struct {
	key   retold.Key
	index int
}

// found is every hit of a query.
func found(all []told, q retold.Query) map[place]bool {
	out := map[place]bool{}
	for i := range all {
		one := &all[i]
		look := func(index int, m *retold.Message, texts []string) {
			where := func(f retold.Filter) bool { return passes(f, one, m) }
			if where(q.Filter) && holds(q.Match, texts, where) {
				out[place{one.Key, index}] = true
			}
		}
		if one.Title != "" {
			look(-1, nil, []string{one.Title})
		}
		for n := range one.messages {
			look(n, &one.messages[n], textsOf(&one.messages[n]))
		}
	}
	return out
}
