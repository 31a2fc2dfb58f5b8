package journal

import "slices"

// foretold drops what edits after the commit have in common with it, unless most of
// what their turn wrote until the clocks must differ is in it: such an edit came
// before, by the clock of the machine that git ran on.
func (st *story) foretold() {
	after := func(p *placed) bool { return p.time > st.f.committed && !p.weak }
	wrote, found := map[turnKey]int{}, map[turnKey]int{}
	for _, p := range st.book.edits {
		if !after(p) || p.time > st.f.committed+slack {
			continue
		}
		for _, c := range p.changes {
			wrote[p.key()] += plainLines(c.added) + plainLines(c.removed)
		}
	}
	if len(wrote) == 0 {
		return
	}
	for _, h := range st.hits {
		if after(h.s.p) && st.line(h).plain {
			found[h.s.p.key()]++
		}
	}
	for _, h := range st.removals {
		if after(h.s.p) && st.removedLine(h).plain {
			found[h.s.p.key()]++
		}
	}
	late := func(h hit) bool { return after(h.s.p) && found[h.s.p.key()]*2 < wrote[h.s.p.key()] }
	st.hits = slices.DeleteFunc(st.hits, late)
	st.removals = slices.DeleteFunc(st.removals, late)
}

// weighty reports whether the lines that a turn has in common with the commit
// around a hit are no small part of the hunk, or of what the turn's edits have left
// in the file: one or two of many are chance.
func (st *story) weighty(h hit, hunk []line, hits []hit) bool {
	here, all := 0, 0
	for _, other := range hits {
		if other.s.p.key() != h.s.p.key() || other.file != h.file {
			continue
		}
		all++
		if other.hunk == h.hunk {
			here++
		}
	}
	if all >= manyLines || here*10 >= plainLines(hunk)*3 {
		return true
	}
	left := 0
	for _, p := range h.s.p.ground.edits {
		if p.key() != h.s.p.key() {
			continue
		}
		for c := range p.changes {
			if h.s.removed {
				for i, l := range p.changes[c].removed {
					if l.plain && !p.gone[c][i] {
						left++
					}
				}
				continue
			}
			for i, l := range p.changes[c].added {
				if l.plain && p.state[c][i] == lineLive {
					left++
				}
			}
		}
	}
	return all*10 >= (all+left)*3
}
