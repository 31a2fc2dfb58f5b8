package index

import (
	"cmp"
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
}

// Search finds the messages that q asks for and returns limit of them (negative:
// all) from offset on, best first. See rank.go for the order.
func Search(ctx context.Context, segs []*Reader, q retold.Query, env Env, limit, offset int) (*Result, error) {
	s, err := newSearch(ctx, segs, q, &env)
	if err != nil {
		return nil, err
	}
	if err := s.look(ctx); err != nil {
		return nil, err
	}
	candidates, err := s.candidates(max(offset, 0), limit)
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
	exact    []bool // by term: its need is all there is to it
	passings []*passing
	parts    []part
	partOf   []int   // by term: the part that is all of it, or -1
	phrase   *needle // the query as one phrase, or nil
	sure     bool    // no message needs to be looked at
}

// searched is what a search knows of one segment.
type searched struct {
	*Reader
	n       int
	tallies []tally // by part
	terms   []bitset
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
	s := &search{env: env, root: node{op: opAnd, kids: []node{all, root}}, terms: c.terms, sure: true}
	for _, t := range c.terms {
		n, exact := t.needsOf()
		s.needs, s.exact = append(s.needs, n), append(s.exact, exact)
		s.sure = s.sure && exact
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
	return g.Wait()
}

func (s *search) lookIn(ctx context.Context, seg *searched) error {
	tallied := map[string]bitset{}
	for _, p := range s.parts {
		t, err := seg.tally(ctx, p.want)
		if err != nil {
			return err
		}
		seg.tallies = append(seg.tallies, t)
		tallied[p.want.key()] = t.docs()
	}
	for i := range s.needs {
		docs, err := seg.meeting(ctx, &s.needs[i], tallied)
		if err != nil {
			return err
		}
		seg.terms = append(seg.terms, docs)
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
	err := seg.eachColumns(func(base int, c *columns) {
		for i := range c.n {
			if s.env.Dead(seg.n, c.doc(i)) {
				seg.live.drop(base + i)
			}
		}
	})
	seg.lower.and(seg.live)
	seg.upper.and(seg.live)
	return err
}

// key names a want, so that what it found can be used twice.
func (w *want) key() string { return w.field + string(rune('0'+w.kind)) + string(w.text) }

// meeting returns the docs that meet a need; it may be known already.
func (r *Reader) meeting(ctx context.Context, n *need, known map[string]bitset) (bitset, error) {
	switch n.op {
	case needNothing:
		return fullBitset(r.docs), nil
	case needWant:
		if docs, ok := known[n.want.key()]; ok {
			return docs.clone(), nil
		}
		return r.union(ctx, n.want)
	}
	var all bitset
	for i := range n.kids {
		docs, err := r.meeting(ctx, &n.kids[i], known)
		if err != nil {
			return nil, err
		}
		switch {
		case all == nil:
			all = docs
		case n.op == needAll:
			all.and(docs)
		default:
			all.or(docs)
		}
	}
	return all, nil
}

// bounds returns the docs for which a node holds for sure, and those for which it
// may hold.
func (s *search) bounds(n *node, seg *searched) (lower, upper bitset) {
	switch n.op {
	case opTerm:
		upper = seg.terms[n.index].clone()
		if s.exact[n.index] {
			return upper.clone(), upper
		}
		return newBitset(seg.docs), upper
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

// A candidate is a doc that was found or may have been.
type candidate struct {
	score float64
	when  int64
	doc   uint32
	sess  uint32
	seg   int32
	at    int32
}

// order is the total order of hits, best first.
func order(a, b candidate) int {
	if a.score != b.score {
		return cmp.Compare(b.score, a.score)
	}
	if a.when != b.when {
		return cmp.Compare(b.when, a.when)
	}
	return cmp.Compare(b.doc, a.doc)
}

// candidates returns what may have been found as a heap, best first; when nothing
// needs to be looked at only as many as can be on the page.
func (s *search) candidates(offset, limit int) (*heap, error) {
	s.weigh()
	most := -1
	if s.sure && limit >= 0 {
		most = max(offset+limit, window)
	}
	now := millis(s.env.Now)
	best := &heap{most: most}
	for n, seg := range s.segs {
		err := seg.eachColumns(func(base int, c *columns) {
			for i := range c.n {
				if seg.upper.has(base + i) {
					best.add(candidate{
						score: seg.score(s.parts, c, i, base+i, now), when: c.when(i),
						doc: c.doc(i), sess: c.session(i), seg: int32(n), at: int32(base + i),
					})
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	best.ready()
	return best, nil
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

// A heap gives candidates best first. With most set it keeps no more than that
// many.
type heap struct {
	most int
	list []candidate
}

// add takes a candidate. While it is limited the list is a heap with the worst
// on top.
func (h *heap) add(c candidate) {
	switch {
	case h.most < 0 || len(h.list) < h.most:
		h.list = append(h.list, c)
		if h.most >= 0 {
			siftUp(h.list, worse)
		}
	case h.most > 0 && order(c, h.list[0]) < 0:
		h.list[0] = c
		siftDown(h.list, 0, worse)
	}
}

func (h *heap) ready() {
	if h.most >= 0 {
		slices.SortFunc(h.list, order)
		return
	}
	for i := len(h.list)/2 - 1; i >= 0; i-- {
		siftDown(h.list, i, better)
	}
}

// next removes the n best.
func (h *heap) next(n int) []candidate {
	n = min(n, len(h.list))
	if h.most >= 0 {
		out := h.list[:n]
		h.list = h.list[n:]
		return out
	}
	out := make([]candidate, 0, n)
	for range n {
		out = append(out, h.list[0])
		last := len(h.list) - 1
		h.list[0] = h.list[last]
		h.list = h.list[:last]
		if last > 0 {
			siftDown(h.list, 0, better)
		}
	}
	return out
}

func better(a, b *candidate) bool { return order(*a, *b) < 0 }
func worse(a, b *candidate) bool  { return order(*a, *b) > 0 }

func siftUp(list []candidate, before func(a, b *candidate) bool) {
	for i := len(list) - 1; i > 0; {
		up := (i - 1) / 2
		if !before(&list[i], &list[up]) {
			return
		}
		list[i], list[up] = list[up], list[i]
		i = up
	}
}

func siftDown(list []candidate, i int, before func(a, b *candidate) bool) {
	for {
		kid := 2*i + 1
		if kid >= len(list) {
			return
		}
		if kid+1 < len(list) && before(&list[kid+1], &list[kid]) {
			kid++
		}
		if !before(&list[kid], &list[i]) {
			return
		}
		list[i], list[kid] = list[kid], list[i]
		i = kid
	}
}
