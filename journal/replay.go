package journal

import "slices"

// A replay is one commit of a story as it happens.
type replay struct {
	st     *story
	f      *facts
	own    bool
	owners map[[3]int]spot // file, hunk and line to the edit that wrote it
	lines  map[*ground]map[turnKey]bool
}

// took makes a line an edit's.
func (r *replay) took(file, hunk, i int, s spot, how string) {
	s.set(lineUsed)
	r.owners[[3]int{file, hunk, i}] = s
	if l := s.line(); l.plain {
		s.p.ground.owned[l.norm] = s.p.key()
	}
	if r.lines == nil {
		r.lines = map[*ground]map[turnKey]bool{}
	}
	if r.lines[s.p.ground] == nil {
		r.lines[s.p.ground] = map[turnKey]bool{}
	}
	r.lines[s.p.ground][s.p.key()] = true
	if r.own {
		r.st.hits = append(r.st.hits, hit{file, hunk, i, s, how})
	}
}

func (r *replay) free(file, hunk int) func(int) bool {
	return func(i int) bool { _, ok := r.owners[[3]int{file, hunk, i}]; return !ok }
}

// added gives the commit's lines to edits of the same file.
func (r *replay) added(usable func(spot) bool, equal func(a, b line) bool, least int, how string) {
	for n := range r.f.files {
		file := &r.f.files[n]
		g := r.st.book.ground(file.path)
		if g == nil || file.derived {
			continue
		}
		find := func(l line) []spot { return g.added[l.norm] }
		if how == howSpace {
			find = func(l line) []spot { return g.tight[l.tight] }
		}
		r.file(n, find, usable, equal, least, how)
	}
}

func (r *replay) file(n int, find func(line) []spot, usable func(spot) bool, equal func(a, b line) bool, least int, how string) {
	file := &r.f.files[n]
	for h := range file.hunks {
		m := matcher{
			find: find, equal: equal, least: least,
			usable: func(s spot) bool { return usable(s) && !file.merely(s) },
			take:   func(i int, s spot) { r.took(n, h, i, s, how) },
			owner:  func(i int) (spot, bool) { s, ok := r.owners[[3]int{n, h, i}]; return s, ok },
		}
		if r.own {
			m.rival = r.st.rival
		}
		m.match(file.hunks[h].added, r.free(n, h))
	}
}

// merely reports whether the commit only gave a line another indentation or place
// while the edit wrote it: the commit removes the same line, the edit does not.
func (f *fileFacts) merely(s spot) bool {
	norm := s.line().norm
	if !f.dropped[norm] || s.p.kind != editDiff {
		return f.dropped[norm] && (s.p.kind == editCreate || s.p.kind == editWhole)
	}
	for _, c := range s.p.changes {
		for _, l := range c.removed {
			if l.norm == norm {
				return false
			}
		}
	}
	return true
}

// small finds changes that are the whole of a hunk, what is removed and what is
// added, however little each line says.
func (r *replay) small() {
	for n := range r.f.files {
		file := &r.f.files[n]
		g := r.st.book.ground(file.path)
		if g == nil || file.derived {
			continue
		}
		for h, hunk := range file.hunks {
			if len(hunk.added) == 0 || len(hunk.added)+len(hunk.removed) > smallChange || !speaks(hunk.added) || !r.free(n, h)(0) {
				continue
			}
			spots := g.whole[wholeKey(hunk.removed, hunk.added)]
			for _, s := range slices.Backward(spots) {
				if r.whole(n, h, s) {
					break
				}
			}
		}
	}
}

// speaks reports whether any line has letters or digits beyond brackets.
func speaks(lines []line) bool {
	for _, l := range lines {
		if l.norm != noText && l.norm != bracket['}'] && l.norm != bracket['{'] && l.norm != bracket[')'] && l.norm != bracket[']'] {
			return true
		}
	}
	return false
}

var bracket = map[byte]uint64{'}': lineHash("}"), '{': lineHash("{"), ')': lineHash(")"), ']': lineHash("]")}

func lineHash(s string) uint64 { return (noText ^ uint64(s[0])) * fnvPrime }

// whole takes all of a change that is not a removal alone.
func (r *replay) whole(file, hunk int, s spot) bool {
	if s.removed || s.p.doubtful() || !r.st.near(s.p, r.f) {
		return false
	}
	added := r.f.files[file].hunks[hunk].added
	for i := range added {
		if t, ok := s.shifted(i); !ok || !live(t) || !r.free(file, hunk)(i) {
			return false
		}
	}
	for i := range added {
		t, _ := s.shifted(i)
		r.took(file, hunk, i, t, howSame)
	}
	return true
}

// moved finds blocks that edits wrote into other files.
func (r *replay) moved() {
	gone := map[*ground]bool{}
	for n := range r.f.files {
		if g := r.st.book.ground(r.f.files[n].path); g != nil && r.f.files[n].status == 'D' {
			gone[g] = true
		}
	}
	for n := range r.f.files {
		file := &r.f.files[n]
		if file.derived {
			continue
		}
		own := r.st.book.ground(file.path)
		find := func(from func(*ground) bool) func(line) []spot {
			return func(l line) (spots []spot) {
				for _, g := range r.st.book.order {
					if g != own && from(g) {
						spots = append(spots, g.added[l.norm]...)
					}
				}
				return spots
			}
		}
		if len(gone) > 0 && file.status == 'A' { // a rename that changed too much to be told as one
			r.file(n, find(func(g *ground) bool { return gone[g] }), live, sameNorm, 1, howMoved)
		}
		r.file(n, find(func(*ground) bool { return true }), live, sameNorm, movedLines, howMoved)
	}
}

// removed finds whose edits removed the lines that the commit removes, and whose
// lines of earlier commits these were.
func (r *replay) removed() {
	late := r.f.committed + slack
	for n := range r.f.files {
		file := &r.f.files[n]
		g := r.st.book.ground(file.path)
		if g == nil || file.derived {
			continue
		}
		for h, hunk := range file.hunks {
			done := make([]bool, len(hunk.removed))
			m := matcher{
				find: func(l line) []spot { return g.removed[l.norm] }, equal: sameNorm, least: 1,
				usable: func(s spot) bool { return !s.p.gone[s.change][s.at] && (s.p.applied || s.p.floor <= late) },
				take: func(i int, s spot) {
					done[i] = true
					s.p.gone[s.change][s.at] = true
					if r.own {
						r.st.removals = append(r.st.removals, hit{n, h, i, s, howSame})
					}
				},
			}
			m.match(hunk.removed, func(i int) bool { return !done[i] })
			for _, l := range hunk.removed {
				r.replaces(g, l)
			}
		}
	}
}

// replaces notes that a line of an earlier turn goes.
func (r *replay) replaces(g *ground, l line) {
	k, ok := g.owned[l.norm]
	if !ok || !l.plain {
		return
	}
	if !r.own {
		delete(g.owned, l.norm)
		return
	}
	if r.st.replaced[k] == nil {
		r.st.replaced[k] = map[uint64]bool{}
	}
	r.st.replaced[k][l.norm] = true
}

// close ends a commit: what its files still hold of whole files was there before,
// and so are lines that it only put elsewhere, of the turns that it is from.
func (r *replay) close() {
	if r.own {
		return
	}
	for n := range r.f.files {
		file := &r.f.files[n]
		g := r.st.book.ground(file.path)
		if g == nil {
			continue
		}
		g.last, g.lastFrom = r.f.committed, r.lines[g]
		g.forget()
		for _, p := range g.edits {
			if !r.lines[g][p.key()] || len(file.dropped) == 0 {
				continue
			}
			for c := range p.state {
				for i := range p.state[c] {
					s := spot{p, int32(c), int32(i), false}
					if (live(s) || s.state() == lineUnborn && p.time <= r.f.committed+slack) && file.merely(s) {
						s.set(lineCovered)
					}
				}
			}
		}
	}
}

// near reports whether an edit lies in the commit's strict window: not before its
// parent, or not long ago with nothing in between that touched the file, except
// for a commit of the same turn's lines.
func (st *story) near(p *placed, f *facts) bool {
	late := p.floor
	if p.weak {
		late = max(p.time, millis(p.from.UpdatedAt))
	}
	if st.start != 0 && late >= st.start || p.time == 0 {
		return true
	}
	g := p.ground
	return p.time >= st.since && f.committed-p.time <= longPast && (late > g.last || g.lastFrom[p.key()])
}

// rival notes that another session explains a run of lines as well.
func (st *story) rival(won, lost *placed, telling int) {
	if st.rivals[won] == nil {
		st.rivals[won] = map[*candidate]int{}
	}
	st.rivals[won][lost.from] += telling
}
