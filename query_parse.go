package retold

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// mostNested is how deep groups may stand in each other; a parenthesis beyond
// that is text.
const mostNested = 100

// ParseQuery reads a query as a person types it; see docs/query.md for the
// language. Times like 7d are relative to now. The only error is an *Error of
// CodeUsage with a *QueryError in it: a /regexp/ that is none, a role: or has:
// that nobody knows, a since: or until: that is no time. Whatever else looks
// wrong is text: an unknown field, a parenthesis too many. A quote or a group
// that is never closed ends where the query does, so that a query means
// something at every key while it is typed.
func ParseQuery(s string, now time.Time) (Query, error) {
	p := queryParser{s: s, now: now}
	e, err := p.group(0)
	if err != nil {
		return Query{}, err
	}
	switch e := e.(type) {
	case Where:
		return Query{Filter: e.Filter}, nil
	case And:
		if w, ok := e[0].(Where); ok {
			return Query{Filter: w.Filter, Match: all(e[1:])}, nil
		}
	}
	return Query{Match: e}, nil
}

// A queryParser stands at a place in a query.
type queryParser struct {
	s   string
	pos int
	now time.Time
}

// fail is the error for what stands at a place.
func (p *queryParser) fail(at int, hint, reason string, args ...any) error {
	return &Error{Code: CodeUsage, Err: &QueryError{Query: p.s, Offset: at, Reason: fmt.Sprintf(reason, args...)}, Hint: hint}
}

// group reads up to the parenthesis that closes it, or to the end of the query;
// depth is 0 for the query itself. OR binds more tightly than standing side by
// side, as in search engines: fields beside "a OR b" go for both.
func (p *queryParser) group(depth int) (Expr, error) {
	var list []Expr
	either := false
	for {
		p.pos += len(p.s[p.pos:]) - len(trimSpace(p.s[p.pos:]))
		switch {
		case p.pos == len(p.s):
			return join(list), nil
		case depth > 0 && p.s[p.pos] == ')':
			p.pos++
			return join(list), nil
		}
		if n := p.operator(depth); n > 0 {
			p.pos += n
			either = len(list) > 0
			continue
		}
		e, err := p.item(depth)
		switch {
		case err != nil:
			return nil, err
		case e == nil:
		case either:
			list[len(list)-1] = or(list[len(list)-1], e)
			either = false
		default:
			list = append(list, e)
		}
	}
}

// item reads one term, field or group, negated or not; nil for what asks
// nothing, like empty quotes.
func (p *queryParser) item(depth int) (Expr, error) {
	if !p.negates(depth) {
		return p.plainItem(depth)
	}
	p.pos++
	e, err := p.plainItem(depth)
	if e == nil || err != nil {
		return nil, err
	}
	return Not{Expr: e}, nil
}

func (p *queryParser) plainItem(depth int) (Expr, error) {
	switch p.s[p.pos] {
	case '"':
		text, n := quoted(p.s[p.pos:])
		p.pos += n
		return term(strings.TrimSpace(text), TermPhrase), nil
	case '(':
		if p.opens(p.pos, depth) {
			p.pos++
			return p.group(depth + 1)
		}
	case '/':
		if expr, n, ok := expression(p.s[p.pos:], depth > 0); ok {
			return p.regexp(expr, n)
		}
	}
	if e, err := p.field(depth); e != nil || err != nil {
		return e, err
	}
	return p.word(depth), nil
}

// regexp takes the next n bytes as a regular expression.
func (p *queryParser) regexp(expr string, n int) (Expr, error) {
	if err := compiles(expr); err != nil {
		return nil, p.fail(p.pos, "write RE2 syntax between the slashes, or quotes around text that is none", "not a regular expression: %v", err)
	}
	p.pos += n
	return term(expr, TermRegexp), nil
}

// compiles says what is wrong with a regular expression, in its own terms.
func compiles(expr string) error {
	const flags = "(?im)"
	_, err := regexp.Compile(flags + expr)
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		bad := e.Expr
		if bad == flags+expr {
			bad = expr
		}
		return fmt.Errorf("%s in %q", e.Code, bad)
	}
	return err
}

// word reads up to the next white space. Parentheses are part of it as long as
// they do not close the group it stands in.
func (p *queryParser) word(depth int) Expr {
	escaped := escapes(p.s[p.pos:])
	if escaped {
		p.pos++
	}
	text := p.s[p.pos : p.pos+wordEnd(p.s[p.pos:], depth > 0)]
	p.pos += len(text)
	if text == "*" && !escaped {
		return nil // anything, which every message holds
	}
	if prefix, ok := strings.CutSuffix(text, "*"); ok {
		if r, _ := utf8.DecodeLastRuneInString(prefix); wordy(r) {
			return term(prefix, TermPrefix)
		}
	}
	return term(text, TermWord)
}

func term(text string, kind TermKind) Expr {
	if text == "" {
		return nil
	}
	return &Term{Text: text, Kind: kind}
}

// join makes one condition of those that stand side by side: groups in it that
// ask the same way are taken apart, and all its fields become one Where, the
// first.
func join(list []Expr) Expr {
	var where Filter
	var rest And
	var add func(Expr)
	add = func(e Expr) {
		switch e := e.(type) {
		case And:
			for _, e := range e {
				add(e)
			}
		case Where:
			where = both(where, e.Filter)
		default:
			rest = append(rest, e)
		}
	}
	for _, e := range list {
		add(e)
	}
	if asks(where) {
		rest = slices.Insert(rest, 0, Expr(Where{Filter: where}))
	}
	return all(rest)
}

// all is And without needless shell.
func all(list And) Expr {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return list
}

func or(a, b Expr) Expr {
	list, ok := a.(Or)
	if !ok {
		list = Or{a}
	}
	if more, ok := b.(Or); ok {
		return append(list, more...)
	}
	return append(list, b)
}
