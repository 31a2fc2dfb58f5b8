package journal

// What has become of a line that an edit added.
const (
	lineUnborn   = iota // the edit is still to come
	lineLive            // it stands in the working file, as far as anybody knows
	lineDead            // a later edit removed it
	lineDoubted         // a later edit removed it, if the times are right
	lineCovered         // it was there before the edit
	lineUsed            // a commit holds it
	lineStashed         // it was put aside
	lineReverted        // it was thrown away
)

// A placed edit is an edit of the repository.
type placed struct {
	*edit
	from    *candidate
	rel     string // path in the repository
	relFrom string // path before, of a move
	ground  *ground
	place   int      // working tree it was made in
	state   [][]byte // of the added lines of each change
	gone    [][]bool // whether a commit holds the removal
	applied bool
}

// doubtful reports whether an edit only counts where nothing else does: nobody
// knows for sure that its folder was this repository's.
func (p *placed) doubtful() bool { return p.from.weak }

// exact reports whether it is known what the edit itself added.
func (p *placed) exact() bool {
	return p.kind == editDiff || p.kind == editCreate || p.kind == editAppend
}

// A ground is a file of the repository under all names it ever had, with the
// edits made to it.
type ground struct {
	added   map[uint64][]spot // telling lines by norm
	tight   map[uint64][]spot
	removed map[uint64][]spot
	whole   map[uint64][]spot // first lines of changes by all they change
	edits   []*placed

	owned    map[uint64]turnKey // lines in commits, by norm
	last     int64              // the last commit that touched it
	lastFrom map[turnKey]bool   // the turns whose lines that held
}

// A turnKey names a turn of a session.
type turnKey struct {
	from *candidate
	turn int
}

func (p *placed) key() turnKey { return turnKey{p.from, p.turn} }

func newGround() *ground {
	return &ground{added: map[uint64][]spot{}, tight: map[uint64][]spot{}, removed: map[uint64][]spot{}, whole: map[uint64][]spot{}, owned: map[uint64]turnKey{}}
}

// before reports whether an edit can be in a commit: it is not later. Clocks may
// differ, and a time may be a guess; but whoever wrote a whole file over one that
// the commit has already only repeats its lines.
func (p *placed) before(f *facts) bool {
	switch {
	case p.weak:
		return p.floor <= f.committed+slack
	case p.exact():
		return p.time <= f.committed+slack
	}
	return p.time <= f.committed+tick
}

// put enters an edit. Its lines are unborn until apply.
func (g *ground) put(p *placed) {
	p.ground = g
	g.edits = append(g.edits, p)
	p.state, p.gone = make([][]byte, len(p.changes)), make([][]bool, len(p.changes))
	for c, ch := range p.changes {
		p.state[c], p.gone[c] = make([]byte, len(ch.added)), make([]bool, len(ch.removed))
		for i, l := range ch.added {
			if l.stood {
				p.state[c][i] = lineCovered
			}
			if s := (spot{p, int32(c), int32(i), false}); l.plain {
				g.added[l.norm] = append(g.added[l.norm], s)
				g.tight[l.tight] = append(g.tight[l.tight], s)
			}
		}
		for i, l := range ch.removed {
			if l.plain {
				g.removed[l.norm] = append(g.removed[l.norm], spot{p, int32(c), int32(i), true})
			}
		}
		if p.kind == editDiff && len(ch.added)+len(ch.removed) <= smallChange {
			k := wholeKey(ch.removed, ch.added)
			g.whole[k] = append(g.whole[k], spot{p, int32(c), 0, len(ch.added) == 0})
		}
	}
}

// smallChange is the largest change that is also known by all its lines at once,
// telling or not.
const smallChange = 16

func wholeKey(removed, added []line) uint64 {
	h := noText
	for _, l := range removed {
		h = (h ^ l.norm) * fnvPrime
	}
	h = (h ^ '+') * fnvPrime
	for _, l := range added {
		h = (h ^ l.norm) * fnvPrime
	}
	return h
}

func (s spot) state() byte { return s.p.state[s.change][s.at] }

func (s spot) set(state byte) { s.p.state[s.change][s.at] = state }

func live(s spot) bool { return s.state() == lineLive }

func sameNorm(a, b line) bool  { return a.norm == b.norm }
func sameTight(a, b line) bool { return a.tight == b.tight }

// apply makes an edit happen: what it removed is gone, what it added is there.
func (p *placed) apply() {
	if p.applied {
		return
	}
	p.applied = true
	g := p.ground
	if g == nil { // see setback
		return
	}
	here := func(s spot) bool { return live(s) && s.p != p && s.p.place == p.place }
	switch p.kind {
	case editDelete:
		g.clear(p, nil)
		return
	case editWhole, editCreate, editSketch:
		p.cover(here)
	default:
		for c := range p.changes {
			p.kill(c, here)
		}
	}
	for c := range p.state {
		for i, st := range p.state[c] {
			if st == lineUnborn {
				p.state[c][i] = lineLive
			}
		}
	}
}

// kill takes the lines that a change removes out of the working file. What was
// never in a commit is not removed by one.
func (p *placed) kill(c int, here func(spot) bool) {
	lines := p.changes[c].removed
	done := make([]bool, len(lines))
	m := matcher{
		find: func(l line) []spot { return p.ground.added[l.norm] }, usable: here, equal: sameNorm, least: 1,
		take: func(i int, s spot) { done[i], p.gone[c][i] = true, true; s.set(p.deadly()) },
	}
	m.match(lines, func(i int) bool { return !done[i] })
}

// deadly is the state of a line that the edit removed.
func (p *placed) deadly() byte {
	if p.weak {
		return lineDoubted
	}
	return lineDead
}

// cover finds the lines of an edit that earlier edits had written already: they
// stay theirs. When the edit is the whole file, the others are gone.
func (p *placed) cover(here func(spot) bool) {
	kept := map[spot]bool{}
	for c, ch := range p.changes {
		owners := map[int]spot{}
		m := matcher{
			find: func(l line) []spot { return p.ground.added[l.norm] }, equal: sameNorm, least: 1,
			usable: func(s spot) bool { return here(s) && !kept[s] },
			take:   func(i int, s spot) { kept[s], owners[i] = true, s; p.state[c][i] = lineCovered },
		}
		m.match(ch.added, func(i int) bool {
			_, owned := owners[i]
			return p.state[c][i] == lineUnborn || ch.added[i].stood && !owned
		})
		p.carryOn(c, owners, kept, here)
	}
	if p.kind != editSketch {
		p.ground.clear(p, kept)
	}
}

// carryOn takes lines that tell nothing, like an end or a bracket, for those that
// stood behind a line that stays: what was between them changed.
func (p *placed) carryOn(c int, owners map[int]spot, kept map[spot]bool, here func(spot) bool) {
	added := p.changes[c].added
	for i := range added {
		s, ok := owners[i]
		if !ok || i+1 < len(added) && p.state[c][i+1] == lineCovered {
			continue
		}
		next, more := s.shifted(1)
		for more && (next.state() == lineDead || next.state() == lineDoubted) {
			next, more = next.shifted(1)
		}
		if !more || next.line().plain || !here(next) || kept[next] {
			continue
		}
		for k := i + 1; k < len(added) && k <= i+carried && p.state[c][k] == lineUnborn; k++ {
			if added[k].norm == next.line().norm {
				kept[next], owners[k] = true, next
				p.state[c][k] = lineCovered
				break
			}
		}
	}
}

// carried is over how many new lines carryOn looks.
const carried = 4

// clear removes what stands in the working file of an edit, but for some lines.
func (g *ground) clear(by *placed, kept map[spot]bool) {
	for _, p := range g.edits {
		if p == by || p.place != by.place {
			continue
		}
		for c := range p.state {
			for i := range p.state[c] {
				if s := (spot{p, int32(c), int32(i), false}); live(s) && !kept[s] {
					s.set(by.deadly())
				}
			}
		}
	}
}

// forget drops what is left of edits whose lines before are not known: a commit
// has taken what was new in them.
func (g *ground) forget() {
	for _, p := range g.edits {
		if !p.applied || p.exact() {
			continue
		}
		for c := range p.state {
			for i, st := range p.state[c] {
				if st == lineLive {
					p.state[c][i] = lineCovered
				}
			}
		}
	}
}
