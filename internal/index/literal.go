package index

import (
	"regexp/syntax"
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
	parsed, err := syntax.Parse("(?im)"+t.source, syntax.Perl)
	if err != nil {
		return need{}, false
	}
	n = needOfRegexp(parsed.Simplify())
	if n.op == needNothing {
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

// needOfRegexp returns what an expression cannot be met without: its literals.
func needOfRegexp(re *syntax.Regexp) need {
	switch re.Op {
	case syntax.OpLiteral:
		return needOfLiteral(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return needOfRegexp(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needOfRegexp(re.Sub[0])
		}
	case syntax.OpConcat:
		n := need{op: needAll}
		for _, sub := range re.Sub {
			if k := needOfRegexp(sub); k.op != needNothing {
				n.kids = append(n.kids, k)
			}
		}
		if len(n.kids) > 0 {
			return n
		}
	case syntax.OpAlternate:
		n := need{op: needAny}
		for _, sub := range re.Sub {
			k := needOfRegexp(sub)
			if k.op == needNothing {
				return need{}
			}
			n.kids = append(n.kids, k)
		}
		return n
	}
	return need{}
}

// needOfLiteral splits a literal where folding looks at more than one character
// or the expression's idea of letter case is not that of Fold.
func needOfLiteral(runes []rune) need {
	n := need{op: needAll}
	for i := 0; i < len(runes); {
		start := i
		for i < len(runes) && foldsAlike(runes[i]) {
			i++
		}
		if folded := Fold(nil, string(runes[start:i])); len(folded) > 1 {
			wants, _ := (&needle{parts: [][]byte{folded}}).wants()
			if k := needAllOf(wants); k.op != needNothing {
				n.kids = append(n.kids, k)
			}
		}
		i = max(i, start+1)
	}
	if len(n.kids) == 0 {
		return need{}
	}
	return n
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
