package journal

import "container/heap"

// A spot is one line of an edit: of what it added, or of what it removed.
type spot struct {
	p       *placed
	change  int32
	at      int32
	removed bool
}

// lines are those that the spot stands among.
func (s spot) lines() []line {
	if s.change < 0 { // a substitution: nobody stored the lines
		return nil
	}
	if s.removed {
		return s.p.changes[s.change].removed
	}
	return s.p.changes[s.change].added
}

func (s spot) line() line { return s.lines()[s.at] }

func (s spot) shifted(by int) (spot, bool) {
	s.at += int32(by)
	return s, s.at >= 0 && int(s.at) < len(s.lines())
}

// A matcher finds, for lines of a commit or of an edit, the edits that they are
// the same lines as. Runs of lines in order are what tells: the longest come
// first, and each line is somebody's once.
type matcher struct {
	find   func(line) []spot        // spots with an equal telling line
	usable func(spot) bool          // that may be taken now
	equal  func(a, b line) bool     // by norm or by tight
	least  int                      // telling lines that a run needs
	take   func(i int, s spot)      // makes spot i's; it is not usable again
	owner  func(i int) (spot, bool) // whose line i is by now; nil: edges are left alone

	rival func(won, lost *placed, telling int) // nil: nobody asks
}

// mostSpots bounds the places that one line is looked for in, the latest first.
const mostSpots = 48

// A stretch is a run of equal lines: from line start of what is matched, from
// the spot on.
type stretch struct {
	start, n int
	from     spot
	weight   int // telling lines
}

// match gives owners to lines; those for which free is false have one.
func (m *matcher) match(lines []line, free func(i int) bool) {
	runs := m.stretches(lines, free)
	heap.Init(&runs)
	for len(runs) > 0 {
		run := heap.Pop(&runs).(stretch)
		parts := m.still(lines, run, free)
		if len(parts) != 1 || parts[0].n != run.n {
			for _, part := range parts {
				heap.Push(&runs, part)
			}
			continue
		}
		m.rivals(runs, run)
		for i := range run.n {
			s, _ := run.from.shifted(i)
			m.take(run.start+i, s)
		}
	}
	m.slide(lines, free)
}

// stretches are the longest runs through every telling line.
func (m *matcher) stretches(lines []line, free func(i int) bool) (runs stretchHeap) {
	type diagonal struct {
		p       *placed
		change  int32
		removed bool
		offset  int
	}
	reached := map[diagonal]int{}
	for i, l := range lines {
		if !l.plain || !free(i) {
			continue
		}
		spots := m.find(l)
		for _, s := range spots[max(0, len(spots)-mostSpots):] {
			d := diagonal{s.p, s.change, s.removed, i - int(s.at)}
			if i < reached[d] || !m.fits(lines, i, s, free) {
				continue
			}
			run := m.stretch(lines, i, s, free)
			reached[d] = run.start + run.n
			if run.weight >= m.least {
				runs = append(runs, run)
			}
		}
	}
	return runs
}

func (m *matcher) fits(lines []line, i int, s spot, free func(i int) bool) bool {
	return i >= 0 && i < len(lines) && free(i) && m.equal(lines[i], s.line()) && m.usable(s)
}

// stretch extends a pair of equal lines to both sides.
func (m *matcher) stretch(lines []line, i int, s spot, free func(i int) bool) stretch {
	from, start, n := s, i, 1
	for {
		before, ok := from.shifted(-1)
		if !ok || !m.fits(lines, start-1, before, free) {
			break
		}
		from, start, n = before, start-1, n+1
	}
	for {
		after, ok := from.shifted(n)
		if !ok || !m.fits(lines, start+n, after, free) {
			break
		}
		n++
	}
	return stretch{start, n, from, plainLines(lines[start : start+n])}
}

// still is what is left of a run after others took their lines.
func (m *matcher) still(lines []line, run stretch, free func(i int) bool) (parts []stretch) {
	open := false
	for i := range run.n {
		s, _ := run.from.shifted(i)
		if !free(run.start+i) || !m.usable(s) {
			open = false
			continue
		}
		if !open {
			parts = append(parts, stretch{start: run.start + i, from: s})
			open = true
		}
		part := &parts[len(parts)-1]
		part.n++
		if lines[run.start+i].plain {
			part.weight++
		}
	}
	kept := parts[:0]
	for _, part := range parts {
		if part.weight >= m.least {
			kept = append(kept, part)
		}
	}
	return kept
}

// rivals tells of runs of other sessions that explain the same lines as well.
func (m *matcher) rivals(runs stretchHeap, won stretch) {
	if m.rival == nil {
		return
	}
	for _, r := range runs {
		if r.start == won.start && r.n == won.n && r.from.p.from != won.from.p.from && m.usable(r.from) {
			m.rival(won.from.p, r.from.p, won.weight)
		}
	}
}

// slide goes around the end of a change: git and the agent's diff cut a block at
// different places when it begins and ends alike.
func (m *matcher) slide(lines []line, free func(i int) bool) {
	if m.owner == nil {
		return
	}
	for i := len(lines) - 1; i > 0; i-- {
		s, ok := m.owner(i)
		if !ok || !free(i-1) {
			continue
		}
		if s.at--; s.at < 0 {
			s.at = int32(len(s.lines()) - 1)
		}
		if m.fits(lines, i-1, s, free) {
			m.take(i-1, s)
		}
	}
	for i := 0; i+1 < len(lines); i++ {
		s, ok := m.owner(i)
		if !ok || !free(i+1) {
			continue
		}
		if s.at++; int(s.at) >= len(s.lines()) {
			s.at = 0
		}
		if m.fits(lines, i+1, s, free) {
			m.take(i+1, s)
		}
	}
}

// stretchHeap has the longest run first; the order is total.
type stretchHeap []stretch

func (h stretchHeap) Len() int      { return len(h) }
func (h stretchHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h stretchHeap) Less(i, j int) bool {
	a, b := h[i], h[j]
	switch {
	case a.from.p.doubtful() != b.from.p.doubtful():
		return b.from.p.doubtful()
	case a.weight != b.weight:
		return a.weight > b.weight
	case a.n != b.n:
		return a.n > b.n
	}
	if c := byTime(a.from.p, b.from.p); c != 0 {
		return c > 0 // the later edit: the earlier one's line was taken away by hand
	}
	if a.start != b.start {
		return a.start < b.start
	}
	return a.from.change < b.from.change || a.from.change == b.from.change && a.from.at < b.from.at
}
func (h *stretchHeap) Push(x any) { *h = append(*h, x.(stretch)) }
func (h *stretchHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
