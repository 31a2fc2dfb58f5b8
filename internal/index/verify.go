package index

import (
	"cmp"
	"context"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/retold-history/retold"
)

// Sizes of looking at messages.
const (
	rankLook    = 32 // messages loaded at once in the order of their ranks, at most
	leastLook   = 8  // and at least
	sweepLook   = 256
	exactPages  = 96 // so many pages are read only for the sake of an exact count
	pageDocs    = 12 // docs that follow each other and are taken to share a page
	pageLooks   = 8  // messages that are looked at in the time that reading a page takes
	countPlaces = 12 // where more would be read, countLook neighbours in so many places
	countLook   = 4
	manySure    = 2000 // of so many hits that are sure,
	fewOpen     = 20   // one in so many does not matter,
	cheapOpen   = 16   // though so many are looked at all the same
)

// page looks at candidates, best first, until the page is full and the budget
// for counting is used up.
func (s *search) page(ctx context.Context, best *heap, offset, limit int) (*Result, error) {
	wanted := math.MaxInt
	if limit >= 0 {
		wanted = max(offset+limit, 0)
	}
	if limit == 0 { // only the count is asked for, and has to be exact
		wanted, offset = math.MaxInt, 0
	}
	r := &Result{Each: s.each, Counts: s.counts}
	found, looked, err := s.collect(ctx, best, max(wanted, s.windowFor(offset)))
	if err != nil {
		return nil, err
	}
	if limit != 0 {
		if err := s.liftPhrases(ctx, found, offset); err != nil {
			return nil, err
		}
	}
	r.Total = s.found()
	if len(best.list) > 0 && !s.sure {
		r.Estimated = true
		r.Total += int(math.Round(float64(s.unread()) * looked.share()))
		for _, seg := range s.segs {
			seg.lower.or(seg.unread)
		}
	}
	if limit == 0 {
		found = nil
	}
	for _, c := range found[min(offset, len(found)):min(wanted, len(found))] {
		r.Hits = append(r.Hits, Hit{Doc: c.doc, Session: c.sess, Score: c.score})
	}
	return r, nil
}

// windowFor returns how many hits have to be known for phrases to be lifted.
func (s *search) windowFor(offset int) int {
	if s.phrase == nil || offset >= window {
		return 0
	}
	return window
}

// found counts the docs that were found so far, unread those that are open.
func (s *search) found() (n int) {
	for _, seg := range s.segs {
		n += seg.lower.count()
	}
	return n
}

func (s *search) unread() (n int) {
	for _, seg := range s.segs {
		n += seg.unread.count()
	}
	return n
}

// sample counts the messages that were looked at, and the hits among them.
type sample struct {
	yes, of int
}

func (s sample) share() float64 { return float64(s.yes) / float64(max(s.of, 1)) }

// collect returns the first hits, at least wanted unless there are fewer. What it
// did not look at is left in best.
func (s *search) collect(ctx context.Context, best *heap, wanted int) (found []candidate, seen sample, err error) {
	if s.sure {
		return best.next(len(best.list)), seen, nil
	}
	for _, seg := range s.segs {
		seg.unread = seg.upper.clone().without(seg.lower)
	}
	for len(best.list) > 0 && len(found) < wanted {
		more := wanted - len(found)
		if more >= len(best.list) || seen.rare(more, len(best.list)) {
			all, err := s.sweep(ctx, best, &seen)
			return append(found, all...), seen, err
		}
		batch := best.next(max(leastLook, min(rankLook, more+more/4)))
		hits, err := s.examine(ctx, batch, &seen)
		if err != nil {
			return nil, seen, err
		}
		for i, c := range batch {
			if hits[i] {
				found = append(found, c)
			}
		}
	}
	// What comes now is only counted.
	best.list = slices.DeleteFunc(best.list, func(c candidate) bool { return !s.segs[c.seg].unread.has(int(c.at)) })
	if sure := s.found(); sure >= manySure && len(best.list) > cheapOpen && len(best.list) <= sure/fewOpen {
		return found, sample{seen.yes + 1, seen.of + 2}, nil
	}
	if s.fewPages() {
		_, err := s.sweep(ctx, best, &seen)
		return found, seen, err
	}
	counted, err := s.count(ctx)
	return found, counted, err
}

// fewPages reports whether all that is unread can be read for the sake of the
// count. It goes by how near the docs are to each other, not by the clock, so that
// a query has one answer.
func (s *search) fewPages() bool {
	cost := 0 // pageLooks to a page
	for _, seg := range s.segs {
		next := uint64(0)
		seg.unread.each(func(i int) bool {
			cost++
			if doc := uint64(seg.docAt(i)); doc >= next {
				cost += pageLooks
				next = doc + pageDocs
			}
			return cost <= exactPages*pageLooks
		})
	}
	return cost <= exactPages*pageLooks
}

// count looks at candidates from all over the history, to learn how many of them
// are hits: those of high rank are no measure. When one from each place is a hit
// that will do, else their neighbours are looked at, too.
func (s *search) count(ctx context.Context) (seen sample, err error) {
	all, k := s.unread(), 0
	var first, others []candidate
	for n, seg := range s.segs {
		seg.unread.each(func(i int) bool {
			place := k * countPlaces / all
			switch behind := k - (place*all+countPlaces-1)/countPlaces; {
			case behind == 0:
				first = append(first, candidate{doc: seg.docAt(i), seg: int32(n), at: int32(i)})
			case behind < countLook:
				others = append(others, candidate{doc: seg.docAt(i), seg: int32(n), at: int32(i)})
			}
			k++
			return true
		})
	}
	if _, err = s.examine(ctx, first, &seen); err != nil || seen.yes == seen.of {
		return seen, err
	}
	_, err = s.examine(ctx, others, &seen)
	return seen, err
}

// sweepGain is how much less a message costs when all candidates are looked at in
// the order in which they are stored, those of one page together, instead of in
// the order of their ranks, where each costs a page.
const sweepGain = 8

// rare reports that so few candidates turn out to be hits that looking at all of
// them is cheaper than going on best first until wanted more are found.
func (s sample) rare(wanted, left int) bool {
	if s.of < 2*rankLook {
		return false
	}
	expected := float64(wanted) * float64(s.of+2) / float64(s.yes+1)
	return min(expected, float64(left))*sweepGain > float64(left)
}

// sweep looks at all candidates that are left, in the order in which they are
// stored, and returns the hits, best first.
func (s *search) sweep(ctx context.Context, best *heap, seen *sample) (found []candidate, err error) {
	lists := make([][]candidate, len(s.segs))
	for _, c := range best.list {
		lists[c.seg] = append(lists[c.seg], c)
	}
	best.list = nil
	for _, list := range lists {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(a.at, b.at) })
		for len(list) > 0 {
			batch := list[:min(sweepLook, len(list))]
			list = list[len(batch):]
			hits, err := s.examine(ctx, batch, seen)
			if err != nil {
				return nil, err
			}
			for i, c := range batch {
				if hits[i] {
					found = append(found, c)
				}
			}
		}
	}
	slices.SortFunc(found, order)
	return found, nil
}

// examine decides candidates by their texts and moves them from unread into lower
// where they are hits.
func (s *search) examine(ctx context.Context, batch []candidate, seen *sample) (hits []bool, err error) {
	hits = make([]bool, len(batch))
	var open []int
	for i, c := range batch {
		if hits[i] = s.segs[c.seg].lower.has(int(c.at)); !hits[i] {
			open = append(open, i)
		}
	}
	err = s.visit(ctx, len(open), func(k int) uint32 { return batch[open[k]].doc },
		s.terms,
		func(l *looker, k int, m *retold.Message) {
			c := &batch[open[k]]
			seg, at := s.segs[c.seg], int(c.at)
			for i := range s.terms {
				l.met[i] = seg.terms[i].lower.has(at)
				l.open[i] = !l.met[i] && seg.terms[i].upper.has(at)
			}
			l.message(m)
			hits[open[k]] = s.root.eval(l.met, func(n *node) bool { return seg.passing[n.index].has(at) })
		})
	for _, i := range open {
		seg, at := s.segs[batch[i].seg], int(batch[i].at)
		seg.unread.drop(at)
		seen.of++
		if hits[i] {
			seen.yes++
			seg.lower.set(at)
		}
	}
	return hits, err
}

// visit loads n messages, shared among the workers, each of which has a looker for
// terms.
func (s *search) visit(ctx context.Context, n int, doc func(int) uint32, terms []*term, look func(*looker, int, *retold.Message)) error {
	if n == 0 {
		return nil
	}
	workers := max(1, min(s.env.Workers, n/8))
	share := (n + workers - 1) / workers
	g, ctx := errgroup.WithContext(ctx)
	for w := range workers {
		first, end := min(w*share, n), min((w+1)*share, n)
		if first == end {
			continue
		}
		g.Go(func() error {
			l := s.lookers.borrow(terms)
			defer s.lookers.giveBack(l)
			docs := make([]uint32, 0, end-first)
			for k := first; k < end; k++ {
				docs = append(docs, doc(k))
			}
			return s.env.Messages(ctx, docs, func(i int, m *retold.Message) error {
				look(l, first+i, m)
				return ctx.Err()
			})
		})
	}
	return g.Wait()
}

// message looks at all texts of a message for the terms that are open.
func (l *looker) message(m *retold.Message) {
	l.begin()
	look := func(s string) bool { return addLook(l, s) }
	if !plainTexts(m, look) || m.Tool == nil {
		return
	}
	lookBytes := func(b []byte) bool { return addLook(l, b) }
	if jsonTexts(m.Tool.Params, &l.json, lookBytes) && jsonTexts(m.Tool.Result, &l.json, lookBytes) {
		lateTexts(m, look)
	}
	if cap(l.json) > maxScratch {
		l.json = nil
	}
}

// liftPhrases puts those of the first hits that hold the query as a phrase before
// all others.
func (s *search) liftPhrases(ctx context.Context, found []candidate, offset int) error {
	if s.windowFor(offset) == 0 || len(found) < 2 {
		return nil
	}
	first := found[:min(window, len(found))]
	top := first[0].score
	phrase := []*term{{needle: *s.phrase}}
	may, err := s.joinedAll(ctx, first)
	if err != nil {
		return err
	}
	err = s.visit(ctx, len(may), func(k int) uint32 { return first[may[k]].doc },
		phrase,
		func(l *looker, k int, m *retold.Message) {
			l.met[0], l.open[0] = false, true
			if l.message(m); l.met[0] {
				first[may[k]].score += top
			}
		})
	if err != nil {
		return err
	}
	slices.SortFunc(first, order)
	return nil
}

// joinedAll returns which of some candidates may hold the query as a phrase.
func (s *search) joinedAll(ctx context.Context, list []candidate) (may []int, err error) {
	sets := make([]bitset, len(s.segs))
	for _, c := range list {
		if sets[c.seg] == nil {
			sets[c.seg] = newBitset(s.segs[c.seg].docs)
		}
		sets[c.seg].set(int(c.at))
	}
	joints := s.phrase.joints()
	for n, set := range sets {
		if set == nil {
			continue
		}
		if sets[n], err = s.segs[n].joined(ctx, joints, set); err != nil {
			return nil, err
		}
	}
	for i, c := range list {
		if sets[c.seg].has(int(c.at)) {
			may = append(may, i)
		}
	}
	return may, nil
}
