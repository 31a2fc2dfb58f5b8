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
	fewOthers = 4              // of which are read at once
)

// A part is what a session has in a commit: the turns with strong evidence, and
// those that became other commits.
type part struct {
	c     *candidate
	own   []int // in order
	other map[int]bool
}

// reach is how far back the part could go: the first turn from which on there is
// no long silence.
func (p *part) reach() int {
	first := p.own[0]
	for first > 0 && p.c.work.follows(first) {
		first--
	}
	return first
}

// bounded reports whether an earlier turn is known to have become another commit.
func (p *part) bounded() bool {
	for t := range p.other {
		if t < p.own[0] {
			return true
		}
	}
	return p.reach() == p.own[0]
}

// follows reports whether a turn goes with the one before it, as far as the time
// tells.
func (w *work) follows(t int) bool {
	before := &w.turns[t-1]
	return !before.orphan && (w.turns[t].start == 0 || before.end == 0 || w.turns[t].start-before.end <= restGap)
}

// spans finds the parts of the linked sessions that led to the commit: from the
// first turn with strong evidence back over turns that follow each other without
// a long silence and did not become another commit, up to the last with strong
// evidence.
func (q *inquiry) spans(ctx context.Context, a *Attribution, committed int64) error {
	a.Spans = []Span{}
	parts := map[*candidate]*part{}
	var order []*part
	for i := range a.Links {
		c, turn, err := q.turn(ctx, &a.Links[i])
		if err != nil {
			return err
		}
		if c == nil {
			continue
		}
		if parts[c] == nil {
			parts[c] = &part{c: c, other: map[int]bool{}}
			order = append(order, parts[c])
		}
		parts[c].own = append(parts[c].own, turn)
	}
	since := committed
	for _, p := range order {
		slices.Sort(p.own)
		if at := p.c.work.turns[p.reach()].start; at != 0 {
			since = min(since, at)
		}
	}
	if err := q.others(ctx, a.Commit, since, parts); err != nil {
		return err
	}
	for _, p := range order {
		a.Spans = append(a.Spans, p.spans()...)
	}
	return nil
}

// turn finds the session and the turn of a link; nil unless it is linked.
func (q *inquiry) turn(ctx context.Context, l *Link) (*candidate, int, error) {
	if l.Class != ClassLinked {
		return nil, 0, nil
	}
	i := slices.IndexFunc(q.sessions, func(c *candidate) bool { return c.Key == l.Key })
	if i < 0 {
		return nil, 0, nil
	}
	w, err := q.load(ctx, q.sessions[i])
	if err != nil || w == nil {
		return nil, 0, err
	}
	n := slices.IndexFunc(w.turns, func(t turn) bool { return t.first == l.MessageIndex })
	if n < 0 {
		return nil, 0, nil
	}
	return q.sessions[i], n, nil
}

// others finds the turns that became earlier commits, the latest first, as far
// back as parts may reach.
func (q *inquiry) others(ctx context.Context, commit string, since int64, parts map[*candidate]*part) error {
	need := func() bool {
		for _, p := range parts {
			if !p.bounded() {
				return true
			}
		}
		return false
	}
	if !need() {
		return nil
	}
	var ids []string
	ask := git.Ask{Revs: []string{commit}, Since: time.UnixMilli(since - slack), Limit: mostOther, NoPatch: true, NewestFirst: true}
	for past, err := range q.repo.Commits(ctx, ask) {
		if err != nil {
			return err
		}
		if past.ID != commit {
			ids = append(ids, past.ID)
		}
	}
	for batch := range slices.Chunk(ids, fewOthers) {
		if !need() {
			return nil
		}
		if err := q.ahead(ctx, batch); err != nil {
			return err
		}
		for _, id := range batch {
			a, err := q.core(ctx, id)
			if err != nil {
				return err
			}
			for i := range a.Links {
				c, turn, err := q.turn(ctx, &a.Links[i])
				if err != nil {
					return err
				}
				if c != nil && parts[c] != nil {
					parts[c].other[turn] = true
				}
			}
		}
	}
	return nil
}

// ahead reads the commits that nothing is known of yet, all at once.
func (q *inquiry) ahead(ctx context.Context, ids []string) error {
	var unknown []string
	for _, id := range ids {
		if q.known[id] != nil {
			continue
		}
		r, err := q.recall(ctx, id)
		if err != nil {
			return err
		}
		if r == nil {
			unknown = append(unknown, id)
			continue
		}
		q.known[id] = r
	}
	return q.fetch(ctx, unknown)
}

// spans cuts the session.
func (p *part) spans() (spans []Span) {
	w, mine := p.c.work, map[int]bool{}
	for _, t := range p.own {
		mine[t] = true
	}
	for n := len(p.own) - 1; n >= 0; {
		last := p.own[n]
		first := last
		for first > 0 && (mine[first-1] || !p.other[first-1] && w.follows(first)) {
			first--
		}
		spans = append(spans, Span{SessionID: p.c.ID, Agent: p.c.Agent, Title: p.c.Title, ParentID: p.c.ParentID, From: w.turns[first].first, To: w.turns[last].last, Key: p.c.Key})
		for n >= 0 && p.own[n] >= first {
			n--
		}
	}
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	return spans
}
