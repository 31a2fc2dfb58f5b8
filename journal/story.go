package journal

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/retold-history/retold/git"
)

// Times, in milliseconds.
const (
	slack    = 2 * 60 * 1000            // by how much a conversation's clock may be ahead of git's
	tick     = 5 * 1000                 // by how much one that wrote a whole file may be
	weekPast = 7 * 24 * 60 * 60 * 1000  // beyond, a small part of either says little
	longPast = 14 * 24 * 60 * 60 * 1000 // beyond, one or two lines say nothing
	day      = 24 * 60 * 60 * 1000
)

// How lines of a commit are those of an edit.
const (
	howSame    = "same"
	howSpace   = "space"
	howWrapped = "wrapped"
	howMoved   = "moved"
)

// A hit is a line that a commit adds and an edit wrote.
type hit struct {
	file, hunk, line int
	s                spot
	how              string
}

// A story is what happened to the files of a commit before it, edits and commits
// in their order.
type story struct {
	q      *inquiry
	f      *facts
	book   *book
	past   []*facts // before the commit, oldest first
	start  int64    // when its parent was made; 0 for a first commit
	since  int64    // from when on past is known
	branch string   // that it was made on; "" when nobody remembers

	hits     []hit
	removals []hit // lines that the commit removes and an edit removed
	replaced map[turnKey]map[uint64]bool
	rivals   map[*placed]map[*candidate]int
	wrapped  int // messages that were read again
}

// tell replays what happened before a commit and then the commit itself.
func (q *inquiry) tell(ctx context.Context, f *facts, start int64) (*story, error) {
	st := &story{q: q, f: f, start: start, book: newBook(q.scope.fold), replaced: map[turnKey]map[uint64]bool{}, rivals: map[*placed]map[*candidate]int{}}
	if err := st.gather(ctx); err != nil {
		return nil, err
	}
	if len(st.book.edits) == 0 {
		return st, nil
	}
	for _, past := range st.past {
		st.commit(past, false)
	}
	st.commit(f, true)
	return st, st.wrap(ctx)
}

// gather finds the edits and the commits of the story. Another name of a file can
// bring more of both.
func (st *story) gather(ctx context.Context) error {
	names := map[string]bool{} // keys of paths
	var paths []string
	add := func(p string) {
		if key := st.book.pathKey(p); p != "" && !names[key] {
			names[key] = true
			paths = append(paths, p)
		}
	}
	adds := map[uint64]bool{}
	for i := range st.f.files {
		file := &st.f.files[i]
		if file.derived {
			continue
		}
		add(file.path)
		add(file.old)
		if file.old != "" {
			st.book.rename(file.old, file.path)
		}
		for _, h := range file.hunks {
			for _, l := range h.added {
				if l.plain {
					adds[l.norm] = true
				}
			}
		}
	}
	for range 4 {
		before := len(paths)
		edits, err := st.edits(ctx, names, adds, add)
		if err != nil {
			return err
		}
		if len(edits) > 0 {
			if err := st.ancestors(ctx, edits, names, paths, add); err != nil {
				return err
			}
		}
		if len(paths) == before {
			st.book.enter(edits)
			return nil
		}
	}
	edits, err := st.edits(ctx, names, nil, func(string) {})
	st.book.enter(edits)
	return err
}

// edits are those of the files with the given names, and of files out of which a
// block may have been moved: their names are added.
func (st *story) edits(ctx context.Context, names map[string]bool, adds map[uint64]bool, add func(string)) (list []*placed, err error) {
	until := st.f.committed + slack
	var setbacks []*placed
	for _, c := range st.q.sessions {
		if c.off(st.f) {
			continue
		}
		w, err := st.q.load(ctx, c)
		if err != nil {
			return nil, err
		}
		if w == nil {
			continue
		}
		for i := range w.edits {
			at := &c.located[i]
			if e := &w.edits[i]; !at.ok || e.orphan || e.floor > until { // what was taken back is not in the files
				continue
			} else if e.kind.setback() {
				setbacks = append(setbacks, &placed{edit: e, from: c, rel: at.rel, place: at.place})
			} else if at.rel == "" {
				continue
			} else if names[st.book.pathKey(at.rel)] || at.from != "" && names[st.book.pathKey(at.from)] || shares(e, adds) {
				add(at.rel)
				if at.from != "" && (e.kind == editMove || e.kind == editDiff) {
					add(at.from)
					st.book.rename(at.from, at.rel)
				}
				list = append(list, &placed{edit: e, from: c, rel: at.rel, relFrom: at.from, place: at.place})
			}
		}
	}
	if len(list) > 0 {
		list = append(list, setbacks...)
	}
	return list, nil
}

// movedLines is how many telling lines in a row make a block that can be told to
// have come from another file.
const movedLines = 3

// shares reports whether an edit adds a block's worth of the lines.
func shares(e *edit, adds map[uint64]bool) bool {
	n := 0
	for _, c := range e.changes {
		for _, l := range c.added {
			if l.plain && adds[l.norm] {
				if n++; n >= movedLines {
					return true
				}
			}
		}
	}
	return false
}

// earliest is from when on commits matter: since the first edit of which anything
// is in the commit, and since any that is not long past. 0: since ever.
func (st *story) earliest(edits []*placed) int64 {
	adds, tight, drops := map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}
	for i := range st.f.files {
		for _, h := range st.f.files[i].hunks {
			for _, l := range h.added {
				adds[l.norm], tight[l.tight] = true, true
			}
			for _, l := range h.removed {
				drops[l.norm] = true
			}
		}
	}
	first := st.f.committed
	for _, p := range edits {
		if p.floor >= first || p.kind.setback() {
			continue
		}
		if st.f.committed-p.floor <= longPast || p.holds(func(l line) bool { return adds[l.norm] || tight[l.tight] || drops[l.norm] }, func(l line) bool { return drops[l.norm] }) {
			first = p.floor
		}
	}
	return max(0, first-slack)
}

// holds reports whether the edit added or removed a telling line of some.
func (e *edit) holds(added, removed func(line) bool) bool {
	for _, c := range e.changes {
		for _, l := range c.added {
			if l.plain && added(l) {
				return true
			}
		}
		for _, l := range c.removed {
			if l.plain && removed(l) {
				return true
			}
		}
	}
	return false
}

// mostPast bounds the commits that are looked at before one.
const mostPast = 2000

// ancestors reads the commits before that touched the files since the earliest
// edit.
func (st *story) ancestors(ctx context.Context, edits []*placed, names map[string]bool, paths []string, add func(string)) error {
	st.past = nil
	if len(st.f.Parents) == 0 {
		return nil
	}
	st.since = st.earliest(edits)
	ask := git.Ask{Revs: st.f.Parents, Paths: paths, Limit: mostPast}
	if st.since > 0 {
		ask.Since = time.UnixMilli(st.since)
	}
	defer func() { // side by side on branches, too, the earlier one had the lines first
		slices.SortStableFunc(st.past, func(a, b *facts) int { return cmp.Compare(a.committed, b.committed) })
	}()
	held, ok, err := st.q.behind(ctx, st.f.Parents, millis(ask.Since))
	if err != nil {
		return err
	}
	if ok {
		for _, f := range held {
			st.remember(f, names, add)
		}
		return nil
	}
	for c, err := range st.q.repo.Commits(ctx, ask) {
		if err != nil {
			return err
		}
		st.remember(factsOf(c, false), names, add)
	}
	return nil
}

// remember takes a commit of before, as far as it is about the files.
func (st *story) remember(f *facts, names map[string]bool, add func(string)) {
	short := *f
	short.files = nil
	for _, file := range f.files {
		if !names[st.book.pathKey(file.path)] && !names[st.book.pathKey(file.old)] {
			continue
		}
		if file.old != "" && file.status == 'R' {
			add(file.old)
			add(file.path)
			st.book.rename(file.old, file.path)
		}
		short.files = append(short.files, file)
	}
	if len(short.files) > 0 {
		st.past = append(st.past, &short)
	}
}

// commit makes a commit happen: the lines it adds are used up. own says whether
// it is the one to be explained.
func (st *story) commit(f *facts, own bool) {
	r := &replay{st: st, f: f, own: own, owners: map[[3]int]spot{}}
	first := min(f.authored, f.committed)
	st.book.until(first)
	r.added(func(s spot) bool { return live(s) }, sameNorm, 1, howSame)
	if f.committed > first {
		st.book.until(f.committed)
		r.added(live, sameNorm, 1, howSame)
	}
	unborn := func(s spot) bool { return s.state() == lineUnborn && s.p.before(f) }
	r.added(unborn, sameNorm, 1, howSame)
	r.added(live, sameTight, 1, howSpace)
	r.small()
	r.added(func(s spot) bool { return s.state() == lineDoubted || s.state() == lineStashed }, sameNorm, 1, howSame)
	r.added(func(s spot) bool { return s.state() == lineDead && s.p.time > st.start }, sameNorm, movedLines, howSame)
	r.moved()
	r.substituted()
	r.leftovers()
	r.removed()
	r.close()
}
