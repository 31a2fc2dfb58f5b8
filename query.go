package retold

// A Query says which messages are wanted. It is what [ParseQuery] makes of what
// a person typed, and the same for every surface.
//
// Case, accents and the width of characters never matter. A message is searched
// in all it holds: what was said, titles (a session's title is a hit of its
// own), names of tools, the values of their parameters and results, paths,
// the lines that an edit adds or removes, attachments. Each of these texts is looked at by itself; the words of
// a query may stand in different ones of the same message.
type Query struct {
	Filter Filter // what fields like agent: and role: ask
	Match  Expr   // nil: every message that passes Filter
}

// Within is q for those messages alone that pass f too. It asks nothing twice: a filter beside none takes its place.
func (q Query) Within(f Filter) Query {
	switch {
	case !asks(f):
	case !asks(q.Filter):
		q.Filter = f
	case q.Match == nil:
		q.Match = Where{Filter: f}
	default:
		q.Match = And{Where{Filter: f}, q.Match}
	}
	return q
}

// An Expr is a condition on one message: *Term, And, Or, Not or Where.
type Expr interface{ expr() }

// And holds when all of its conditions do.
type And []Expr

// Or holds when one of its conditions does.
type Or []Expr

// Not holds when its condition does not.
type Not struct{ Expr Expr }

// Where holds for what passes its Filter.
type Where struct{ Filter Filter }

// A Term is text that has to be in a message.
type Term struct {
	Text string // as typed, without quotes, star or slashes; never empty
	Kind TermKind
}

// TermKind says how a Term is met.
type TermKind int

const (
	// TermWord is met anywhere, inside words too: "fect" by useEffect, "json.Unm"
	// by json.Unmarshal. Only a word of one or two letters or digits (and no
	// ideographs) has to stand at the start of a word, like a TermPrefix.
	TermWord TermKind = iota
	// TermPrefix is met at the start of a word: written word*.
	TermPrefix
	// TermPhrase is met as it stands, beginning and ending where words do; any
	// white space meets any other: written "two words".
	TermPhrase
	// TermRegexp is an RE2 expression, met without regard to case and with ^ and $
	// meaning lines: written /expr/. Accents count here.
	TermRegexp
)

func (*Term) expr() {}
func (And) expr()   {}
func (Or) expr()    {}
func (Not) expr()   {}
func (Where) expr() {}

// A QueryError is a mistake in a query, always inside an *Error of CodeUsage.
type QueryError struct {
	Query  string
	Offset int // byte of Query at which it shows
	Reason string
}

// Error says what is wrong, without the query.
func (e *QueryError) Error() string { return e.Reason }

// Terms returns the terms of an expression that have to be there, or may be (not
// those under a Not), in the order in which they were typed.
func Terms(e Expr) []*Term {
	switch e := e.(type) {
	case *Term:
		return []*Term{e}
	case And:
		return termsOf(e)
	case Or:
		return termsOf(e)
	}
	return nil
}

func termsOf(list []Expr) (out []*Term) {
	for _, e := range list {
		out = append(out, Terms(e)...)
	}
	return out
}
