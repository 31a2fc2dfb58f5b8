package index

// Ranking.
//
// A message's score is the sum over the query's words (the words of a phrase or
// of code count one by one, each for its share; what stands under a Not, and
// regular expressions, count nothing) of
//
//	idf × how well × tf × (k+1) / (tf + k × (1 − b + b × length/pivot))
//
// which is BM25 with a fixed pivot in place of the average length, so that adding
// messages does not reorder others. tf is how often the message holds the word,
// length its number of words, idf = ln(1 + (N − df + ½)/(df + ½)) over all
// messages of the library that are not dead. How well: 1 as a whole word, 0.7 at
// the start of one, 0.4 inside.
//
// That is multiplied by what kind of message it is: what people and agents say
// is worth more than what tools print, a title more than all; orphans 0.7 of
// that; and by up to 1.25 for age: 1 + ¼ × 2^(−age in years).
//
// Of the first 50 hits of a query of several words, those that hold them as a
// phrase in one text come before all others. The order is total: by score, then
// newer first, then by doc, higher first. A query without words gives every hit
// the score 0.

import (
	"math"
	"slices"
	"time"

	"github.com/retold-history/retold"
)

const (
	bm25K     = 1.2
	bm25B     = 0.6
	pivot     = 120 // words
	window    = 50  // hits among which phrases are lifted
	orphanFit = 0.7
	recentFit = 0.25
	year      = 365.25 * 24 * float64(time.Hour/time.Millisecond)
)

var gradeFit = [4]float64{0, 0.4, 0.7, 1}

// roleFit is by role code, see roles; the last is for roles not known.
var roleFit = [...]float64{4, 2, 2, 1, 0.4, 1.2, 0.5, 0.5}

// A part is one word of the query that adds to the score.
type part struct {
	want  want
	share float64
	idf   float64
}

// scored returns the words that add to the score, at most maxParts.
func scored(terms []*term) (parts []part) {
	for _, t := range terms {
		if !t.wanted || t.re != nil {
			continue
		}
		wants, _ := t.wants()
		for _, w := range wants {
			if len(parts) == maxParts {
				return parts
			}
			parts = append(parts, part{want: w, share: 1 / float64(len(wants))})
		}
	}
	return parts
}

const maxParts = 16

func idf(docs, df int) float64 {
	return math.Log(1 + (float64(docs-min(df, docs))+0.5)/(float64(df)+0.5))
}

// score rates a doc of a segment's row of columns but for its age; at is its
// ordinal.
func (s *searched) score(parts []part, c *columns, i, at int) float64 {
	norm := bm25K * (1 - bm25B + bm25B*float64(c.length(i))/pivot)
	sum := 0.0
	for p := range parts {
		if tf, grade := s.tallies[p].at(at); grade > 0 {
			sum += parts[p].share * parts[p].idf * gradeFit[grade] * tf * (bm25K + 1) / (tf + norm)
		}
	}
	sum *= roleFit[c.role(i)]
	if c.flags(i)&flagOrphan != 0 {
		sum *= orphanFit
	}
	return sum
}

// recency is by how much a doc's age lifts it: 1 to 1 + recentFit.
func recency(c *columns, i int, now int64) float64 {
	when := c.when(i)
	if when == noTime {
		return 1
	}
	return 1 + recentFit*math.Exp2(-max(0, float64(now)-float64(when))/year)
}

// phraseOf returns the query's words as one phrase; nil when there are not
// several, or alternatives among them.
func phraseOf(e retold.Expr) *needle {
	if hasOr(e) {
		return nil
	}
	n := &needle{}
	for _, t := range retold.Terms(e) {
		if t.Kind == retold.TermRegexp {
			return nil
		}
		n.parts = append(n.parts, spaced(Fold(nil, t.Text))...)
	}
	if len(retold.Terms(e)) < 2 || len(n.parts) < 2 {
		return nil
	}
	return n
}

func hasOr(e retold.Expr) bool {
	switch e := e.(type) {
	case retold.Or:
		return true
	case retold.And:
		return slices.ContainsFunc(e, hasOr)
	}
	return false
}
