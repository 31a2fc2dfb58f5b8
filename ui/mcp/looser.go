package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// A looser search is what is answered when no message holds all that was asked
// for, as with most questions in whole sentences.
type looser struct {
	Query string      `json:"query"` // what was searched for instead; "" when nothing was
	Words []wordCount `json:"words"` // of the question, and how many messages hold each
}

type wordCount struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Most words of a question that are counted, and most of a looser search.
const (
	mostWords   = 16
	mostTelling = 6
)

// find searches; where nothing is found, for less than was asked for.
func (c *call) find(ctx context.Context, q retold.Query, limit, offset int) (*library.SearchPage, *looser, error) {
	found, err := c.lib.Search(ctx, q, limit, offset)
	if err != nil || found.Pagination.Total > 0 {
		return found, nil, err
	}
	words, rest := flat(q.Match)
	if len(words) < 2 || len(words) > mostWords {
		return found, nil, nil
	}
	less := &looser{}
	var telling []*retold.Term
	counts := map[*retold.Term]int{}
	for _, w := range words {
		n, err := c.lib.Count(ctx, retold.Query{Filter: q.Filter, Match: append(slices.Clip(rest), w)})
		if err != nil {
			return nil, nil, err
		}
		counts[w] = n.Pagination.Total
		less.Words = append(less.Words, wordCount{quote.Line(w.String()), counts[w]})
		if counts[w] > 0 && !idle(w) {
			telling = append(telling, w)
		}
	}
	if len(telling) == 0 {
		return found, less, nil
	}
	rare := slices.SortedStableFunc(slices.Values(telling), func(a, b *retold.Term) int { return cmp.Compare(counts[a], counts[b]) })
	rare = rare[:min(mostTelling, len(rare))]
	telling = slices.DeleteFunc(telling, func(w *retold.Term) bool { return !slices.Contains(rare, w) })
	for _, match := range []retold.Expr{conjunction(telling), disjunction(telling)} {
		again, err := c.lib.Search(ctx, retold.Query{Filter: q.Filter, Match: append(slices.Clip(rest), match)}, limit, offset)
		if err != nil {
			return nil, nil, err
		}
		if again.Pagination.Total > 0 {
			less.Query = quote.Line(retold.Query{Match: match}.String())
			return again, less, nil
		}
	}
	return found, less, nil
}

// flat are the words that all have to be there, and what else has to hold.
func flat(e retold.Expr) (words []*retold.Term, rest retold.And) {
	switch e := e.(type) {
	case nil:
	case *retold.Term:
		words = append(words, e)
	case retold.And:
		for _, part := range e {
			w, r := flat(part)
			words, rest = append(words, w...), append(rest, r...)
		}
	default:
		rest = append(rest, e)
	}
	return words, rest
}

func conjunction(words []*retold.Term) (out retold.And) {
	for _, w := range words {
		out = append(out, w)
	}
	return out
}

func disjunction(words []*retold.Term) (out retold.Or) {
	for _, w := range words {
		out = append(out, w)
	}
	return out
}

// idle reports words that any sentence may hold, in English.
func idle(t *retold.Term) bool {
	const words = " a about after all an and any anything are as at be because been but by can could did do does done for from get had has have how i if in into is it its know me my not of on or our should so some that the their them then there these they this to up us was we were what when where which who why will with would you your "
	return t.Kind == retold.TermWord && strings.Contains(words, " "+strings.ToLower(strings.Trim(t.Text, "?!.,;:'"))+" ")
}

// tell says what was done instead, and what to do next.
func (l *looser) tell(p *page) {
	p.say("All words of a query have to meet in one message, and no message holds all of these. So many hold each:")
	var list []string
	for _, w := range l.Words {
		list = append(list, fmt.Sprintf("%s %s", w.Name, quote.Number(w.Count)))
	}
	p.quote(strings.Join(list, " · "))
	if l.Query == "" {
		p.say("Try other words, fewer, or their beginnings (deci*); without filters more is searched.")
		return
	}
	p.say("What follows is a looser match, for: %s", l.Query)
}
