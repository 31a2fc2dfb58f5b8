package retold

import (
	"strings"
	"time"
	"unicode"
)

// String writes a query in the language of [ParseQuery]. Reading it again gives
// the same query, if ParseQuery made this one; only [Filter.Empty],
// [Filter.Sessions] and [Filter.Except] have no word in the language.
func (q Query) String() string {
	parts := fieldsOf(q.Filter)
	if q.Match != nil {
		parts = append(parts, side(q.Match))
	}
	return strings.Join(parts, " ")
}

// side writes an expression as it stands beside others.
func side(e Expr) string {
	switch e := e.(type) {
	case *Term:
		return e.String()
	case Where:
		return strings.Join(fieldsOf(e.Filter), " ")
	case Not:
		text := side(e.Expr)
		if p := (&queryParser{s: "-" + text}); compound(e.Expr) || !p.negates(0) {
			text = parens(text)
		}
		return "-" + text
	case Or:
		return strings.Join(each(e, " OR "), " OR ")
	case And:
		return strings.Join(each(e, " "), " ")
	}
	return ""
}

// each writes the parts of a list; those that would fall apart in it get
// parentheses.
func each(list []Expr, between string) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = side(e)
		if _, isOr := e.(Or); compound(e) && (!isOr || between != " ") {
			out[i] = parens(out[i])
		}
	}
	return out
}

// compound reports whether an expression is written as several words.
func compound(e Expr) bool {
	switch e := e.(type) {
	case Where:
		return len(fieldsOf(e.Filter)) > 1
	case And, Or:
		return true
	}
	return false
}

// parens makes a group. The space keeps a word that opens a parenthesis, or is a
// backslash, from taking the one that closes the group.
func parens(text string) string {
	if strings.ContainsAny(text, `(\`) {
		text += " "
	}
	return "(" + text + ")"
}

// String writes a term in the language of [ParseQuery].
func (t *Term) String() string {
	switch t.Kind {
	case TermPhrase:
		return quote(t.Text)
	case TermRegexp:
		return "/" + slashes(t.Text) + "/"
	case TermPrefix:
		return word(t.Text) + "*"
	}
	return word(t.Text)
}

// word takes away the meaning that the first character may have.
func word(text string) string {
	if strings.ContainsRune(`"()/-|`, rune(text[0])) || text == "*" || escapes(text) {
		return `\` + text
	}
	return text
}

// slashes puts a backslash before every slash that has none.
func slashes(expr string) string {
	var b strings.Builder
	for i := 0; i < len(expr); i++ {
		switch {
		case expr[i] == '/':
			b.WriteByte('\\')
		case expr[i] == '\\' && i+1 < len(expr):
			b.WriteByte('\\')
			i++
		}
		b.WriteByte(expr[i])
	}
	return b.String()
}

// fieldsOf writes what a filter asks as fields.
func fieldsOf(f Filter) []string {
	var has []string
	if f.HasError {
		has = append(has, "error")
	}
	if f.HasEdit {
		has = append(has, "edit")
	}
	var out []string
	for i, values := range [][]string{
		f.Agents, f.Workspaces, texts(f.Roles), f.Tools, f.Files, f.Models, f.Branches, instants(f.Since), instants(f.Until), has, f.Titles,
	} {
		var list []string
		for _, v := range values {
			if !plainValue(v) {
				v = quote(v)
			}
			list = append(list, v)
		}
		if len(list) > 0 {
			out = append(out, fields[i]+":"+strings.Join(list, ","))
		}
	}
	return out
}

func texts[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

func instants(t time.Time) []string {
	if t.IsZero() {
		return nil
	}
	return []string{t.UTC().Format(time.RFC3339Nano)}
}

// plainValue reports whether a value needs no quotes.
func plainValue(v string) bool {
	odd := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`",()`, r) }
	return v != "" && v[0] != ':' && !strings.HasPrefix(v, "//") && !strings.ContainsFunc(v, odd)
}

func quote(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }
