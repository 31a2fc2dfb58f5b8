package journal

import (
	"slices"
	"strings"
)

// leftovers gives lines that tell nothing by themselves, an import, a usual
// return, to an edit of the same file that wrote such a line, when a turn of the
// same session wrote others of the commit there and nobody else has it.
func (r *replay) leftovers() {
	for n := range r.f.files {
		file := &r.f.files[n]
		g := r.st.book.ground(file.path)
		if g == nil || file.derived || !r.own || n >= len(r.f.Files) {
			continue
		}
		turns := r.lines[g]
		for h := range file.hunks {
			for i, l := range file.hunks[h].added {
				if l.plain || file.dropped[l.norm] || !r.free(n, h)(i) || !lettered(r.f.Files[n].Hunks[h].Added[i]) {
					continue
				}
				s, ok := g.trivial(l, turns)
				if ok && !(s.p.kind == editWhole && slices.ContainsFunc(file.hunks[h].removed, func(old line) bool { return sameNorm(old, l) })) {
					r.took(n, h, i, s, howSame)
				}
			}
		}
	}
}

// lettered reports whether a line holds a word.
func lettered(s string) bool {
	n := 0
	for i := range len(s) {
		if s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z' || s[i] >= 0x80 {
			n++
		}
	}
	return n >= 4 && strings.TrimSpace(s) != ""
}

// trivial finds the latest live line of the turns that is equal and tells nothing.
func (g *ground) trivial(l line, turns map[turnKey]bool) (spot, bool) {
	for _, p := range slices.Backward(g.edits) {
		if !p.applied || !turns[p.key()] || p.kind == editSketch {
			continue
		}
		for c := range p.changes {
			for i, a := range p.changes[c].added {
				if s := (spot{p, int32(c), int32(i), false}); a.norm == l.norm && live(s) {
					return s, true
				}
			}
		}
	}
	return spot{}, false
}
