package index

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/retold-history/retold"
)

// Env is what a search needs to know of the library.
type Env struct {
	Now time.Time // weighs recency

	// Dead tells the docs of a segment that are no more; nil: none. Live is how
	// many docs of all segments are not dead; 0: they are counted.
	Dead func(seg int, doc uint32) bool
	Live int

	// Sessions decides what a filter asks of a session: all its fields but Roles,
	// Tools, Files, HasError and HasEdit, which are not set. Since and Until are set
	// only for messages that have no time themselves. A nil Sessions, or a nil
	// function from it, lets all pass. Functions are called from several goroutines.
	Sessions func(retold.Filter) (func(session uint32) bool, error)

	// Messages loads messages to look at them, in any order; i is the index in
	// docs. A title comes as a message with only Content; docs that are not to be
	// found are left out. It is called from several goroutines, visit in each from
	// one at a time. visit does not keep the message.
	Messages func(ctx context.Context, docs []uint32, visit func(i int, m *retold.Message) error) error

	Workers int // goroutines to use; 0 means 1
}

// Hit is a doc that was found.
type Hit struct {
	Doc, Session uint32
	Score        float64
}

// Result is one page of what was found.
type Result struct {
	Hits []Hit
	// Total counts all that was found. Estimated says that only a part of the
	// candidates were looked at and Total is what that lets expect.
	Total     int
	Estimated bool
	// Each visits everything that was found (of an estimated Total also the
	// candidates that were not looked at), in no promised order, until visit returns
	// false. role is "" for a title, tool the tool's name or "", when zero if unknown.
	Each func(visit func(doc, session uint32, role retold.Role, tool string, when time.Time) bool)
	// Counts counts what Each visits.
	Counts func() Counts
}

// Search finds the messages that q asks for and returns limit of them (negative:
// all; 0: none, but an exact Total) from offset on, best first. See rank.go for
// the order.
func Search(ctx context.Context, segs []*Reader, q retold.Query, env Env, limit, offset int) (*Result, error) {
	s, err := newSearch(ctx, segs, q, &env)
	if err != nil {
		return nil, err
	}
	if err := s.look(ctx); err != nil {
		return nil, err
	}
	candidates, err := s.candidates(ctx, max(offset, 0), limit)
	if err != nil {
		return nil, err
	}
	return s.page(ctx, candidates, max(offset, 0), limit)
}

// A search is one query being answered.
type search struct {
	env      *Env
	segs     []*searched
	root     node
	terms    []*term
	needs    []need
	exact    []bool     // by term: a doc that surely meets its need surely meets it
	joints   [][]uint64 // by term: joints that a doc must have
	passings []*passing
	parts    []part
	phrase   *needle // the query as one phrase, or nil
	sure     bool    // no message needs to be looked at
	lookers  lookers
}

// searched is what a search knows of one segment.
type searched struct {
	*Reader
	n       int
	tallies []tally // by part
	terms   []met   // by term
	passing []bitset
	live    bitset // nil: all
	lower   bitset // docs that were found for sure
	upper   bitset // docs that may have been found
	unread  bitset // upper and not lower, and not looked at
}

func newSearch(ctx context.Context, readers []*Reader, q retold.Query, env *Env) (*search, error) {
	c := &compiler{}
	root, err := c.compile(q.Match, true)
	if err != nil {
		return nil, err
	}
	c.wheres = append(c.wheres, q.Filter)
	all := node{op: opWhere, index: len(c.wheres) - 1, where: q.Filter}
	s := &search{env: env, root: node{op: opAnd, kids: []node{all, root}}, terms: c.terms}
	for _, t := range c.terms {
		n, exact := t.needsOf()
		s.needs, s.exact, s.joints = append(s.needs, n), append(s.exact, exact), append(s.joints, t.joints())
	}
	for _, f := range c.wheres {
		p, err := newPassing(ctx, readers, f, env)
		if err != nil {
			return nil, err
		}
		s.passings = append(s.passings, p)
	}
	s.parts, s.phrase = scored(c.terms), phraseOf(q.Match)
	for n, r := range readers {
		s.segs = append(s.segs, &searched{Reader: r, n: n})
	}
	return s, nil
}

// look finds the candidates in every segment.
func (s *search) look(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(s.env.Workers, 1))
	for _, seg := range s.segs {
		g.Go(func() error { return s.lookIn(ctx, seg) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	s.sure = !slices.ContainsFunc(s.segs, func(seg *searched) bool { return !slices.Equal(seg.lower, seg.upper) })
	return nil
}

func (s *search) lookIn(ctx context.Context, seg *searched) error {
	known := map[string]met{}
	for _, p := range s.parts {
		m, err := seg.meet(ctx, p.want, known)
		if err != nil {
			return err
		}
		seg.tallies = append(seg.tallies, m.tally)
	}
	for i := range s.needs {
		m, err := seg.meetNeed(ctx, &s.needs[i], known)
		if err != nil {
			return err
		}
		if !s.exact[i] {
			m.lower = newBitset(seg.docs)
		}
		if m.upper, err = seg.joined(ctx, s.joints[i], m.upper); err != nil {
			return err
		}
		seg.terms = append(seg.terms, m)
	}
	for _, p := range s.passings {
		docs, err := p.docs(ctx, seg.Reader)
		if err != nil {
			return err
		}
		seg.passing = append(seg.passing, docs)
	}
	seg.lower, seg.upper = s.bounds(&s.root, seg)
	if s.env.Dead == nil {
		return nil
	}
	seg.live = fullBitset(seg.docs)
	seg.eachDoc(func(i int, doc uint32) {
		if s.env.Dead(seg.n, doc) {
			seg.live.drop(i)
		}
	})
	seg.lower.and(seg.live)
	seg.upper.and(seg.live)
	return nil
}

// bounds returns the docs for which a node holds for sure, and those for which it
// may hold.
func (s *search) bounds(n *node, seg *searched) (lower, upper bitset) {
	switch n.op {
	case opTerm:
		return seg.terms[n.index].lower.clone(), seg.terms[n.index].upper.clone()
	case opWhere:
		return seg.passing[n.index].clone(), seg.passing[n.index].clone()
	case opNot:
		kidLower, kidUpper := s.bounds(&n.kids[0], seg)
		return fullBitset(seg.docs).without(kidUpper), fullBitset(seg.docs).without(kidLower)
	case opOr:
		lower, upper = newBitset(seg.docs), newBitset(seg.docs)
	default:
		lower, upper = fullBitset(seg.docs), fullBitset(seg.docs)
	}
	for i := range n.kids {
		kidLower, kidUpper := s.bounds(&n.kids[i], seg)
		if n.op == opOr {
			lower.or(kidLower)
			upper.or(kidUpper)
			continue
		}
		lower.and(kidLower)
		upper.and(kidUpper)
	}
	return lower, upper
}

// candidates returns what may have been found as a heap, best first: all that has
// to be looked at, and of what was found for sure as many as can be on the page.
func (s *search) candidates(ctx context.Context, offset, limit int) (*heap, error) {
	s.weigh()
	most := limit
	if limit > 0 {
		most = max(offset+limit, window)
	}
	now := millis(s.env.Now)
	lists, open := make([]heap, len(s.segs)), make([][]candidate, len(s.segs))
	var g errgroup.Group
	g.SetLimit(max(s.env.Workers, 1))
	for n, seg := range s.segs {
		lists[n].most = most
		g.Go(func() (err error) {
			open[n], err = s.rank(ctx, n, seg, now, &lists[n])
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	best := &heap{most: most}
	for _, l := range lists {
		for _, c := range l.list {
			best.add(c)
		}
	}
	if !s.sure {
		best.most = -1
		best.list = slices.Concat(append(open, best.list)...)
	}
	best.ready()
	return best, nil
}

// rank adds those candidates of one segment that are sure to best and returns the
// others.
func (s *search) rank(ctx context.Context, n int, seg *searched, now int64, best *heap) (open []candidate, err error) {
	err = seg.columnsOf(ctx, seg.upper, func(base int, c *columns) {
		for i := range c.n {
			if !seg.upper.has(base + i) {
				continue
			}
			sure := seg.lower.has(base + i)
			score := seg.score(s.parts, c, i, base+i)
			if sure && score*(1+recentFit) < best.least() {
				continue
			}
			one := candidate{
				score: score * recency(c, i, now), when: c.when(i), doc: c.doc(i), sess: c.session(i), seg: int32(n), at: int32(base + i),
			}
			if sure {
				best.add(one)
			} else {
				open = append(open, one)
			}
		}
	})
	return open, err
}

// weigh sets how much each part of the query counts, from how many docs have it.
func (s *search) weigh() {
	docs := s.env.Live
	if docs == 0 {
		for _, seg := range s.segs {
			docs += seg.liveCount()
		}
	}
	for p := range s.parts {
		df := 0
		for _, seg := range s.segs {
			found := seg.tallies[p].docs()
			if seg.live != nil {
				found.and(seg.live)
			}
			df += found.count()
		}
		s.parts[p].idf = idf(docs, df)
	}
}

func (s *searched) liveCount() int {
	if s.live == nil {
		return s.docs
	}
	return s.live.count()
}

// each visits what was found, see Result.Each.
func (s *search) each(visit func(doc, session uint32, role retold.Role, tool string, when time.Time) bool) {
	for _, seg := range s.segs {
		more := true
		seg.lower.each(func(i int) bool {
			c := seg.cols[i/chunkDocs].Load() // every row was read for the ranking
			k := i % chunkDocs
			more = visit(c.doc(k), c.session(k), seg.roleOf(c, k), seg.toolOf(c, k), timeOf(c.when(k)))
			return more
		})
		if !more {
			return
		}
	}
}

func (r *Reader) roleOf(c *columns, k int) retold.Role {
	if code := int(c.role(k)); code < len(roles) {
		return roles[code]
	}
	return ""
}

func (r *Reader) toolOf(c *columns, k int) string {
	if code := int(c.tool(k)); code > 0 && code <= len(r.names) {
		return r.names[code-1]
	}
	return ""
}

func timeOf(when int64) time.Time {
	if when == noTime {
		return time.Time{}
	}
	return time.UnixMilli(when).UTC()
}
