package journal

import (
	"context"
	"slices"
)

// A tally is the evidence for one turn.
type tally struct {
	key     turnKey
	lines   map[uint64]bool            // telling lines of the commit that it wrote
	small   int                        // lines that are known by their whole change
	files   map[string]map[string]bool // messages by file of lines
	counts  map[string]int             // lines by file
	cut     map[string]map[uint64]bool // telling lines removed, by file
	cutBy   map[string]bool
	gone    []string // files deleted or moved
	goneBy  map[string]bool
	paths   map[string]map[string]bool // files touched without a line, with the messages
	commits []ranCommit
	said    []testimony
	answers map[uint64]bool
	far     bool // lines of it come from before the strict window
	old     bool // every line of it is from long before
	remnant bool // every line of it is one of few left of a larger change
	weighty bool // a line of it is no small part of a hunk, or of what the turn left there
	cutMuch bool // the same of what it removed
	source  byte
	rivalry int // lines that another session explains as well
}

// A reckoning weighs the evidence of a story.
type reckoning struct {
	st      *story
	tallies map[turnKey]*tally
	order   []turnKey
}

func (k *reckoning) tally(key turnKey) *tally {
	t := k.tallies[key]
	if t == nil {
		t = &tally{
			key: key, lines: map[uint64]bool{}, files: map[string]map[string]bool{}, counts: map[string]int{}, cut: map[string]map[uint64]bool{}, cutBy: map[string]bool{},
			goneBy: map[string]bool{}, paths: map[string]map[string]bool{}, answers: map[uint64]bool{}, remnant: true, old: true,
		}
		k.tallies[key] = t
		k.order = append(k.order, key)
	}
	return t
}

func note(m map[string]map[string]bool, file, message string) {
	if m[file] == nil {
		m[file] = map[string]bool{}
	}
	m[file][message] = true
}

// reckon collects the evidence of a story, turn by turn.
func (st *story) reckon(ctx context.Context) (*reckoning, error) {
	k := &reckoning{st: st, tallies: map[turnKey]*tally{}}
	k.keep()
	for _, h := range st.hits {
		k.hit(h)
	}
	for _, h := range st.removals {
		k.removal(h)
	}
	k.files()
	if err := k.commands(ctx); err != nil {
		return nil, err
	}
	if err := k.says(ctx); err != nil {
		return nil, err
	}
	k.shown()
	return k, k.branch()
}

// branch finds the branch that the commit was made on, when a session names one.
func (k *reckoning) branch() error {
	if k.st.q.madeOn != nil || !slices.ContainsFunc(k.order, func(key turnKey) bool { return key.from.Branch != "" }) {
		k.st.branch = k.st.q.madeOn[k.st.f.ID]
		return nil
	}
	made, err := k.st.q.repo.MadeOn()
	if err != nil {
		return err
	}
	k.st.q.madeOn, k.st.branch = made, made[k.st.f.ID]
	return nil
}

// keep drops hits that chance explains: one or two lines of a session from before
// the strict window, or in what somebody else wrote.
func (k *reckoning) keep() {
	st := k.st
	st.foretold()
	needs := func(s spot) bool { return s.p.doubtful() || st.q.stranger(st.f) || !st.near(s.p, st.f) }
	distinct := map[*candidate]map[uint64]bool{}
	inHunk := map[[2]int]map[*candidate]int{}
	for _, h := range st.hits {
		l := st.line(h)
		if distinct[h.s.p.from] == nil {
			distinct[h.s.p.from] = map[uint64]bool{}
		}
		if l.plain {
			distinct[h.s.p.from][l.norm] = true
		}
		at := [2]int{h.file, h.hunk}
		if inHunk[at] == nil {
			inHunk[at] = map[*candidate]int{}
		}
		inHunk[at][h.s.p.from]++
	}
	enoughOf := func(h hit) bool {
		n := len(distinct[h.s.p.from])
		hunk := st.f.files[h.file].hunks[h.hunk]
		return n >= manyLines || n == 2 && !st.q.stranger(st.f) && inHunk[[2]int{h.file, h.hunk}][h.s.p.from]*10 >= len(hunk.added)*3 && len(hunk.added) >= 2 && st.f.committed-h.s.p.time <= longPast
	}
	st.hits = slices.DeleteFunc(st.hits, func(h hit) bool { return needs(h.s) && !enoughOf(h) })
	st.removals = slices.DeleteFunc(st.removals, func(h hit) bool { return st.discarded(h.s) })
	cut := map[*candidate]int{}
	for _, h := range st.removals {
		if st.removedLine(h).plain {
			cut[h.s.p.from]++
		}
	}
	st.removals = slices.DeleteFunc(st.removals, func(h hit) bool {
		return needs(h.s) && cut[h.s.p.from] < manyLines && len(distinct[h.s.p.from]) < manyLines
	})
}

// discarded reports whether a small removal came with lines of which none is in a
// commit or was changed again: it seems that the edit was taken back, and that
// somebody else removed the lines.
func (st *story) discarded(s spot) bool {
	c := s.p.changes[s.change]
	if plainLines(c.added) == 0 || plainLines(c.removed) >= manyLines {
		return false
	}
	for _, state := range s.p.state[s.change] {
		if state != lineLive && state != lineUnborn {
			return false
		}
	}
	return true
}

func (st *story) line(h hit) line        { return st.f.files[h.file].hunks[h.hunk].added[h.line] }
func (st *story) removedLine(h hit) line { return st.f.files[h.file].hunks[h.hunk].removed[h.line] }

func (k *reckoning) hit(h hit) {
	p := h.s.p
	t := k.tally(p.key())
	l, file := k.st.line(h), k.st.f.files[h.file].path
	if l.plain {
		t.lines[l.norm] = true
	}
	t.small++
	t.counts[file]++
	note(t.files, file, p.message)
	t.far = t.far || !k.st.near(p, k.st.f)
	t.old = t.old && p.time != 0 && k.st.f.committed-p.time > weekPast
	t.remnant = t.remnant && plainLines(h.s.lines()) > changeSize
	t.weighty = t.weighty || k.st.weighty(h, k.st.f.files[h.file].hunks[h.hunk].added, k.st.hits)
	t.source = max(t.source, timeRank(timeSources[p.from.work.turns[p.turn].source]))
	for other, n := range k.st.rivals[p] {
		if other != p.from {
			t.rivalry = max(t.rivalry, n)
		}
	}
}

func (k *reckoning) removal(h hit) {
	l := k.st.removedLine(h)
	if !l.plain {
		return
	}
	t, file := k.tally(h.s.p.key()), k.st.f.files[h.file].path
	if t.cut[file] == nil {
		t.cut[file] = map[uint64]bool{}
	}
	t.cut[file][l.norm] = true
	t.cutBy[h.s.p.message] = true
	t.cutMuch = t.cutMuch || k.st.weighty(h, k.st.f.files[h.file].hunks[h.hunk].removed, k.st.removals)
}

// files finds files that edits deleted, moved or touched as the commit does.
func (k *reckoning) files() {
	st := k.st
	late := st.f.committed + slack
	for n := range st.f.files {
		file := &st.f.files[n]
		g := st.book.ground(file.path)
		if g == nil || file.derived {
			continue
		}
		for _, p := range g.edits {
			if p.floor > late || p.doubtful() || !st.near(p, st.f) {
				continue
			}
			switch {
			case p.kind == editDelete && file.status == 'D', p.kind == editMove && file.old != "" && st.book.pathKey(p.rel) == st.book.pathKey(file.path) && st.book.pathKey(p.relFrom) == st.book.pathKey(file.old):
				if t := k.tally(p.key()); !st.q.stranger(st.f) && !slices.Contains(t.gone, file.path) {
					t.gone = append(t.gone, file.path)
					t.goneBy[p.message] = true
				}
			case st.q.stranger(st.f), p.floor > st.f.committed:
			default:
				if t := k.tally(p.key()); t.counts[file.path] == 0 && len(t.cut[file.path]) == 0 {
					note(t.paths, file.path, p.message)
				}
			}
		}
	}
}

// shown finds code in answers that is in the commit and that no edit wrote.
func (k *reckoning) shown() {
	st := k.st
	if st.q.stranger(st.f) || bot(st.f.Author) {
		return
	}
	open := map[uint64]bool{}
	for n := range st.f.files {
		if st.f.files[n].derived {
			continue
		}
		for _, h := range st.f.files[n].hunks {
			for _, l := range h.added {
				if l.plain {
					open[l.norm] = true
				}
			}
		}
	}
	for _, h := range st.hits {
		delete(open, st.line(h).norm)
	}
	for _, c := range st.q.sessions {
		if len(open) == 0 || c.work == nil || c.weak || c.foreign {
			continue
		}
		for i := range c.work.turns {
			t := &c.work.turns[i]
			if t.orphan || t.start > st.f.committed+slack || t.end < st.start || t.end+longPast < st.f.committed {
				continue
			}
			found := map[uint64]bool{}
			for _, l := range t.answer {
				if open[l.norm] {
					found[l.norm] = true
				}
			}
			if len(found) >= manyLines {
				k.tally(turnKey{c, i}).answers = found
			}
		}
	}
}
