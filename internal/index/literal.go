package index

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"unicode"
)

// A need is what words a message must have so that looking at it is worthwhile.
type need struct {
	op   needOp
	kids []need
	want want
}

type needOp int

const (
	needNothing needOp = iota // any message will do
	needWant
	needAll
	needAny
)

// needsOf returns what a term needs. exact says that what the term needs is all
// there is to it.
func (t *term) needsOf() (n need, exact bool) {
	if t.re == nil {
		if len(t.parts) == 0 {
			return need{}, true
		}
		wants, exact := t.wants()
		return needAllOf(wants), exact
	}
	if n = t.literals.need(); n.op == needNothing {
		return n, false
	}
	// Expressions see the ends of long words too, which no list holds.
	long := need{op: needWant, want: want{field: string([]byte{fieldMark, fieldLong}), kind: wantExact}}
	return need{op: needAny, kids: []need{n, long}}, false
}

func needAllOf(wants []want) need {
	n := need{op: needAll}
	for _, w := range wants {
		n.kids = append(n.kids, need{op: needWant, want: w})
	}
	if len(n.kids) == 0 {
		return need{}
	}
	return n
}

// A literal is folded text that a regular expression cannot be met without, or
// several of which all or any have to be there.
type literal struct {
	op   needOp // needWant: text
	kids []literal
	text []byte
}

// need returns the words that literals need.
func (l *literal) need() need {
	n := need{op: l.op}
	switch l.op {
	case needWant:
		wants, _ := (&needle{parts: [][]byte{l.text}}).wants()
		return needAllOf(wants)
	case needAll, needAny:
		for i := range l.kids {
			k := l.kids[i].need()
			switch {
			case k.op != needNothing:
				n.kids = append(n.kids, k)
			case l.op == needAny:
				return need{}
			}
		}
	}
	if len(n.kids) == 0 {
		return need{}
	}
	return n
}

// in reports whether folded text has the literals.
func (l *literal) in(folded []byte) bool {
	switch l.op {
	case needWant:
		return bytes.Contains(folded, l.text)
	case needAll:
		return !slices.ContainsFunc(l.kids, func(k literal) bool { return !k.in(folded) })
	case needAny:
		return slices.ContainsFunc(l.kids, func(k literal) bool { return k.in(folded) })
	}
	return true
}

// literalsOf returns what an expression cannot be met without.
func literalsOf(re *syntax.Regexp) literal {
	switch re.Op {
	case syntax.OpLiteral:
		return literalOf(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return literalsOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return literalsOf(re.Sub[0])
		}
	case syntax.OpConcat:
		l := literal{op: needAll}
		for _, sub := range re.Sub {
			if k := literalsOf(sub); k.op != needNothing {
				l.kids = append(l.kids, k)
			}
		}
		if len(l.kids) > 0 {
			return l
		}
	case syntax.OpAlternate:
		l := literal{op: needAny}
		for _, sub := range re.Sub {
			k := literalsOf(sub)
			if k.op == needNothing {
				return literal{}
			}
			l.kids = append(l.kids, k)
		}
		return l
	}
	return literal{}
}

// literalOf splits a literal where folding looks at more than one character or
// the expression's idea of letter case is not that of Fold.
func literalOf(runes []rune) literal {
	l := literal{op: needAll}
	for i := 0; i < len(runes); {
		start := i
		for i < len(runes) && foldsAlike(runes[i]) {
			i++
		}
		if folded := Fold(nil, string(runes[start:i])); len(folded) > 1 {
			l.kids = append(l.kids, literal{op: needWant, text: folded})
		}
		i = max(i, start+1)
	}
	if len(l.kids) == 0 {
		return literal{}
	}
	return l
}

// foldsAlike reports whether every character that an expression takes for r
// folds to the same, wherever it stands.
func foldsAlike(r rune) bool {
	if composes(r) || r >= 0x1100 && r <= 0x11ff || compose(r, 0x306) != 0 || compose(r, 0x308) != 0 ||
		compose(r, 0x3099) != 0 || compose(r, 0x309a) != 0 || r == 'И' || r == 'І' || r >= 0xff66 && r <= 0xff9f ||
		r >= 0xac00 && r <= 0xd7a3 {
		return false
	}
	want := string(Fold(nil, string(r)))
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		if string(Fold(nil, string(other))) != want {
			return false
		}
	}
	return true
}
