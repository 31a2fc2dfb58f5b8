package index

import (
	"fmt"
	"iter"
	"regexp"
	"regexp/syntax"
	"slices"

	"github.com/retold-history/retold"
)

// A Matcher decides whether one message is what an expression asks for, from its
// texts. Of a word longer than 4,096 bytes (folded) only that much is searched;
// regular expressions see everything. It is safe for concurrent use.
type Matcher struct {
	root  node
	terms []*term // every term of the expression, those under Not too
}

// A term is a retold.Term ready to be looked for: a needle or an expression.
type term struct {
	needle
	re       *regexp.Regexp // nil for a needle
	literals literal        // that re cannot be met without
	wanted   bool           // not under a Not
}

// A node is an expression with its terms and filters numbered.
type node struct {
	op    nodeOp
	kids  []node
	index int // of the term or filter
	where retold.Filter
}

type nodeOp int

const (
	opAll nodeOp = iota // holds always
	opAnd
	opOr
	opNot
	opTerm
	opWhere
)

// NewMatcher prepares an expression; nil holds for every message. The only error
// is about a regular expression that is none, which ParseQuery does not let pass.
func NewMatcher(e retold.Expr) (*Matcher, error) {
	c := &compiler{}
	root, err := c.compile(e, true)
	if err != nil {
		return nil, err
	}
	return &Matcher{root: root, terms: c.terms}, nil
}

type compiler struct {
	terms  []*term
	wheres []retold.Filter
}

func (c *compiler) compile(e retold.Expr, wanted bool) (node, error) {
	switch e := e.(type) {
	case nil:
		return node{op: opAll}, nil
	case *retold.Term:
		t, err := newTerm(e)
		if err != nil {
			return node{}, err
		}
		t.wanted = wanted
		c.terms = append(c.terms, t)
		return node{op: opTerm, index: len(c.terms) - 1}, nil
	case retold.And:
		return c.all(opAnd, e, wanted)
	case retold.Or:
		return c.all(opOr, e, wanted)
	case retold.Not:
		kid, err := c.compile(e.Expr, false)
		return node{op: opNot, kids: []node{kid}}, err
	case retold.Where:
		c.wheres = append(c.wheres, e.Filter)
		return node{op: opWhere, index: len(c.wheres) - 1, where: e.Filter}, nil
	}
	return node{}, fmt.Errorf("expression of unknown type %T", e)
}

func (c *compiler) all(op nodeOp, list []retold.Expr, wanted bool) (node, error) {
	n := node{op: op}
	for _, e := range list {
		kid, err := c.compile(e, wanted)
		if err != nil {
			return node{}, err
		}
		n.kids = append(n.kids, kid)
	}
	return n, nil
}

// badRegexp is the error of a query that was not made by ParseQuery, which would
// have refused it.
func badRegexp(t *retold.Term, err error) error {
	return &retold.Error{Code: retold.CodeUsage, Op: "read the query", Err: fmt.Errorf("regular expression %q: %w", t.Text, err), Hint: "see https://github.com/google/re2/wiki/Syntax"}
}

func newTerm(t *retold.Term) (*term, error) {
	if t.Kind == retold.TermRegexp {
		re, err := regexp.Compile("(?im)" + t.Text)
		if err != nil {
			return nil, badRegexp(t, err)
		}
		parsed, err := syntax.Parse("(?im)"+t.Text, syntax.Perl)
		if err != nil {
			return nil, badRegexp(t, err)
		}
		return &term{re: re, literals: literalsOf(parsed.Simplify())}, nil
	}
	folded := Fold(nil, t.Text)
	n := needle{}
	switch t.Kind {
	case retold.TermPhrase:
		n.parts, n.start, n.end = spaced(folded), true, true
	case retold.TermPrefix:
		n.start = true
	default:
		n.start = short(folded)
	}
	if t.Kind != retold.TermPhrase && len(folded) > 0 {
		n.parts = [][]byte{folded}
	}
	return &term{needle: n}, nil
}

// Match reports whether a message with these texts is what the expression asks
// for. where answers for its filters; nil answers yes.
func (m *Matcher) Match(texts iter.Seq[string], where func(retold.Filter) bool) bool {
	l := newLooker(m.terms)
	for i := range l.open {
		l.open[i] = true
	}
	l.begin()
	for s := range texts {
		if !addLook(l, s) {
			break
		}
	}
	return m.root.eval(l.met, func(n *node) bool { return where == nil || where(n.where) })
}

// eval decides a node from what is known of its terms and filters.
func (n *node) eval(met []bool, where func(*node) bool) bool {
	switch n.op {
	case opTerm:
		return met[n.index]
	case opWhere:
		return where(n)
	case opAnd:
		return !slices.ContainsFunc(n.kids, func(k node) bool { return !k.eval(met, where) })
	case opOr:
		return slices.ContainsFunc(n.kids, func(k node) bool { return k.eval(met, where) })
	case opNot:
		return !n.kids[0].eval(met, where)
	}
	return true
}

// A looker looks for terms in one message's texts, one text after the other.
type looker struct {
	terms []*term
	met   []bool
	open  []bool // terms that may still be met
	left  int    // how many these are
	folds bool
	fold  []byte
	json  []byte
}

func newLooker(terms []*term) *looker {
	return &looker{terms: terms, met: make([]bool, len(terms)), open: make([]bool, len(terms))}
}

// begin starts a message, for which open and met have been set.
func (l *looker) begin() {
	l.left, l.folds = 0, false
	for i, t := range l.terms {
		if l.open[i] && t.re == nil && len(t.parts) == 0 {
			l.met[i], l.open[i] = true, false
		}
		if l.open[i] {
			l.left++
			l.folds = l.folds || t.re == nil || t.literals.op != needNothing
		}
	}
	if cap(l.fold) > maxScratch {
		l.fold = nil
	}
}

// addLook looks at one text; false when there is nothing left to look for.
// Regular expressions come first: they see all of the text, needles only what is
// left when the ends of long words are off.
func addLook[T string | []byte](l *looker, s T) bool {
	if l.left == 0 {
		return false
	}
	if l.folds {
		l.fold = foldText(l.fold[:0], s)
	}
	for i, t := range l.terms {
		if l.open[i] && t.re != nil && (!l.folds || t.literals.in(l.fold)) {
			l.meet(i, matchRegexp(t.re, s))
		}
	}
	if l.left == 0 || !l.folds {
		return l.left > 0
	}
	text := clip(l.fold)
	for i, t := range l.terms {
		if l.open[i] && t.re == nil {
			start, _ := t.find(text, 0)
			l.meet(i, start >= 0)
		}
	}
	return l.left > 0
}

func (l *looker) meet(i int, met bool) {
	if met {
		l.met[i], l.open[i] = true, false
		l.left--
	}
}

func matchRegexp[T string | []byte](re *regexp.Regexp, s T) bool {
	switch s := any(s).(type) {
	case string:
		return re.MatchString(s)
	case []byte:
		return re.Match(s)
	}
	return false
}
