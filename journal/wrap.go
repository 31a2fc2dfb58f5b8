package journal

import (
	"context"
	"slices"
	"strings"
)

// Bounds of the search for lines that a formatter broke elsewhere.
const (
	mostReread    = 64 // messages that are read again for one commit
	leastWrapped  = 12 // characters besides white space that a line needs
	leastTogether = 16 // the same for several lines
)

// wrap finds lines of the commit that are an edit's but for where they break:
// the texts are compared without white space. Only here are messages read again.
func (st *story) wrap(ctx context.Context) error {
	owned := map[[3]int]bool{}
	for _, h := range st.hits {
		owned[[3]int{h.file, h.hunk, h.line}] = true
	}
	for n := range st.f.files {
		file := &st.f.files[n]
		g := st.book.ground(file.path)
		if g == nil || file.derived || st.f.Merge() {
			continue
		}
		for h := range file.hunks {
			for _, open := range openRuns(file.hunks[h].added, func(i int) bool { return owned[[3]int{n, h, i}] }) {
				if err := st.wrapRun(ctx, g, n, h, open); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// openRuns are the runs of lines without an owner that say anything, as pairs of
// the first and the one behind the last.
func openRuns(lines []line, owned func(i int) bool) (runs [][2]int) {
	for i := 0; i < len(lines); i++ {
		if owned(i) {
			continue
		}
		start, tells := i, false
		for ; i < len(lines) && !owned(i); i++ {
			tells = tells || lines[i].plain
		}
		if tells {
			runs = append(runs, [2]int{start, i})
		}
	}
	return runs
}

func (st *story) wrapRun(ctx context.Context, g *ground, file, hunk int, open [2]int) error {
	texts := st.f.Files[file].Hunks[hunk].Added[open[0]:open[1]]
	for _, p := range slices.Backward(g.edits) {
		if !p.applied || p.doubtful() || !p.exact() && p.kind != editWhole || st.wrapped >= mostReread || !st.near(p, st.f) {
			continue
		}
		for c := range p.changes {
			left := openRuns(p.changes[c].added, func(i int) bool { return p.state[c][i] != lineLive })
			if len(left) == 0 {
				continue
			}
			st.wrapped++
			changes, err := st.q.j.works.text(ctx, p.from.Key, p.edit)
			if err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				break // the session changed since; its next digest will tell
			}
			if c >= len(changes) || len(changes[c].added) != len(p.changes[c].added) {
				break
			}
			for _, run := range left {
				if st.compareWrapped(p, c, run, file, hunk, open, texts, changes[c].added[run[0]:run[1]]) {
					return nil
				}
			}
		}
	}
	return nil
}

// compareWrapped looks for the lines of a run of the commit in what an edit wrote.
func (st *story) compareWrapped(p *placed, change int, run [2]int, file, hunk int, open [2]int, texts, wrote []string) bool {
	edit, whole := tightText(wrote), tightText(texts)
	if len(whole) < leastTogether && len(edit) < leastTogether {
		return false
	}
	found := make([]bool, len(texts))
	at, end, loose, sure := 0, 0, 0, false
	inside := strings.Index(whole, edit) // the edit's lines, among others
	for i, t := range texts {
		tight := tightText(texts[i : i+1])
		at, end = end, end+len(tight)
		switch {
		case tight == "":
		case strings.Contains(edit, whole) && len(whole) >= leastTogether,
			inside >= 0 && len(edit) >= leastTogether && at >= inside && end <= inside+len(edit):
			found[i], sure = true, true
		case len(tight) >= leastWrapped && telling(t) && strings.Contains(edit, tight):
			found[i] = true
			loose += len(tight)
		}
	}
	if !sure && loose*10 < 6*max(leastTogether, min(len(edit), len(whole))) { // parts of lines alone can be chance
		return false
	}
	fillBetween(found)
	stays := st.stays(p, file, hunk)
	for i, ok := range found {
		if ok && !stays(texts[i]) {
			s := spot{p, int32(change), int32(min(run[0]+i, run[1]-1)), false}
			st.hits = append(st.hits, hit{file, hunk, open[0] + i, s, howWrapped})
		}
	}
	for i := run[0]; i < run[1]; i++ {
		spot{p, int32(change), int32(i), false}.set(lineUsed)
	}
	return true
}

// stays tells the lines that were in the file before, in the same words: whoever
// wrote the whole file has only repeated them.
func (st *story) stays(p *placed, file, hunk int) func(string) bool {
	removed := st.f.Files[file].Hunks[hunk].Removed
	if p.kind != editWhole && p.kind != editCreate || len(removed) == 0 {
		return func(string) bool { return false }
	}
	before, norms := tightText(removed), map[uint64]bool{}
	for _, l := range removed {
		norms[lineOf(l).norm] = true
	}
	return func(text string) bool {
		tight := tightText([]string{text})
		return norms[lineOf(text).norm] || len(tight) >= leastWrapped && strings.Contains(before, tight)
	}
}

// fillBetween takes in up to two lines between found ones: brackets and parts too
// short to be told.
func fillBetween(found []bool) {
	last := -1
	for i, ok := range found {
		if !ok {
			continue
		}
		if last >= 0 && i-last <= 3 {
			for k := last + 1; k < i; k++ {
				found[k] = true
			}
		}
		last = i
	}
}
