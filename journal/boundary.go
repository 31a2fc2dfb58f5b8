package journal

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/retold-history/retold/git"
)

const (
	restGap   = 45 * 60 * 1000 // a longer silence ends what belongs together, in milliseconds
	mostOther = 40             // commits of a session's time that are explained to find where it was
)

// spans finds the parts of the linked sessions that led to the commit: from the
// first turn with strong evidence back over turns that follow each other without
// a long silence and did not become another commit, up to the last with strong
// evidence.
func (q *inquiry) spans(ctx context.Context, a *Attribution, committed int64) error {
	a.Spans = []Span{}
	own := map[*candidate][]int{}
	var order []*candidate
	earliest := committed
	for i := range a.Links {
		l := &a.Links[i]
		if l.Class != ClassLinked {
			continue
		}
		c := q.candidate(l)
		if c == nil {
			continue
		}
		w, err := q.load(ctx, c)
		if err != nil {
			return err
		}
		if w == nil {
			continue
		}
		turn := slices.IndexFunc(w.turns, func(t turn) bool { return t.first == l.MessageIndex })
		if turn < 0 {
			continue
		}
		if own[c] == nil {
			order = append(order, c)
		}
		own[c] = append(own[c], turn)
		if at := millis(c.CreatedAt); at != 0 {
			earliest = min(earliest, at)
		}
	}
	if len(order) == 0 {
		return nil
	}
	others, err := q.others(ctx, a.Commit, earliest)
	if err != nil {
		return err
	}
	for _, c := range order {
		slices.Sort(own[c])
		a.Spans = append(a.Spans, spansOf(c, own[c], others[c])...)
	}
	return nil
}

func (q *inquiry) candidate(l *Link) *candidate {
	for _, c := range q.sessions {
		if c.Key == l.Key {
			return c
		}
	}
	return nil
}

// fewUnknown is how many commits are read one by one rather than with all that
// led to them.
const fewUnknown = 3

// others are the turns that became earlier commits of a session's time.
func (q *inquiry) others(ctx context.Context, commit string, since int64) (map[*candidate]map[int]bool, error) {
	turns := map[*candidate]map[int]bool{}
	ask := git.Ask{Revs: []string{commit}, Since: time.UnixMilli(since - slack), Limit: mostOther, NoPatch: true}
	var ids []string
	for past, err := range q.repo.Commits(ctx, ask) {
		if err != nil {
			return nil, err
		}
		if past.ID != commit {
			ids = append(ids, past.ID)
		}
	}
	var unknown []string
	for _, id := range ids {
		if q.known[id] != nil {
			continue
		}
		r, err := q.recall(ctx, id)
		if err != nil {
			return nil, err
		}
		if r == nil {
			unknown = append(unknown, id)
			continue
		}
		q.known[id] = r
	}
	if len(unknown) > fewUnknown {
		if err := q.fetchPast(ctx, commit, min(since, q.dates[commit]-longPast)); err != nil {
			return nil, err
		}
	}
	if err := q.fetch(ctx, unknown); err != nil {
		return nil, err
	}
	for _, id := range ids {
		a, err := q.core(ctx, id)
		if err != nil {
			return nil, err
		}
		for i := range a.Links {
			l := &a.Links[i]
			c := q.candidate(l)
			if l.Class != ClassLinked || c == nil {
				continue
			}
			w, err := q.load(ctx, c)
			if err != nil {
				return nil, err
			}
			if w == nil {
				continue
			}
			if n := slices.IndexFunc(w.turns, func(t turn) bool { return t.first == l.MessageIndex }); n >= 0 {
				if turns[c] == nil {
					turns[c] = map[int]bool{}
				}
				turns[c][n] = true
			}
		}
	}
	return turns, nil
}

// spansOf cuts a session: own are the turns with strong evidence, in order, other
// those that became another commit.
func spansOf(c *candidate, own []int, other map[int]bool) (spans []Span) {
	w := c.work
	mine := map[int]bool{}
	for _, t := range own {
		mine[t] = true
	}
	joins := func(t int) bool { // whether a turn goes with the one behind it
		if mine[t] {
			return true
		}
		return !other[t] && !w.turns[t].orphan && (w.turns[t+1].start == 0 || w.turns[t].end == 0 || w.turns[t+1].start-w.turns[t].end <= restGap)
	}
	for n := len(own) - 1; n >= 0; {
		last := own[n]
		first := last
		for first > 0 && joins(first-1) {
			first--
		}
		spans = append(spans, Span{SessionID: c.ID, Agent: c.Agent, From: w.turns[first].first, To: w.turns[last].last, Key: c.Key})
		for n >= 0 && own[n] >= first {
			n--
		}
	}
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	return spans
}
