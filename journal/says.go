package journal

import (
	"context"
	"fmt"

	"github.com/retold-history/retold"
)

// A record is what the agents themselves say of who wrote what.
type record struct {
	wrote    map[string][]retold.Authored // by conversation
	commits  map[string]int
	problems []retold.Problem
}

// A testimony is what an agent's record says of a turn and a commit.
type testimony struct {
	file  string
	lines int  // that the conversation wrote there
	alone bool // no line is known that could speak for or against it, and the agent itself counts the commit as a conversation's
}

// saying reads the agents' records, once for an inquiry. Attributions that are kept
// do not ask again: the record only adds to what conversations show themselves.
func (q *inquiry) saying(ctx context.Context) (*record, error) {
	if q.record != nil || q.j.says == nil {
		return q.record, nil
	}
	told, err := q.j.says(ctx)
	if err != nil {
		return nil, err
	}
	q.record = &record{wrote: map[string][]retold.Authored{}, commits: map[string]int{}}
	for _, a := range told {
		for _, w := range a.Wrote {
			q.record.wrote[w.ConversationID] = append(q.record.wrote[w.ConversationID], w)
		}
		for id, n := range a.Commits {
			q.record.commits[id] = max(n, q.record.commits[id])
		}
		q.record.problems = append(q.record.problems, a.ProblemList...)
	}
	return q.record, nil
}

// says adds what the agents' own records tell, where it can be checked: the
// conversation was about the repository, and wrote in a file of the commit since
// its parent.
func (k *reckoning) says(ctx context.Context) error {
	st := k.st
	r, err := st.q.saying(ctx)
	if err != nil || r == nil {
		return err
	}
	for _, c := range st.q.sessions {
		if len(r.wrote[c.ID]) == 0 || c.foreign || c.weak || c.off(st.f) {
			continue
		}
		w, err := st.q.load(ctx, c)
		if err != nil {
			return err
		}
		if w == nil || len(w.turns) == 0 {
			continue
		}
		for _, said := range r.wrote[c.ID] {
			first, last := millis(said.First), millis(said.Last)
			if first == 0 || first > st.f.committed+slack || last < st.start {
				continue
			}
			if n := st.fileOf(c, said.Path); n >= 0 {
				t := k.tally(turnKey{c, w.turnAt(min(last, st.f.committed))})
				t.said = append(t.said, testimony{st.f.files[n].path, said.Lines, r.commits[st.f.ID] > 0 && st.unknown(c, n)})
			}
		}
	}
	return nil
}

// fileOf is the index of the file of the commit that a session's path names; -1
// for none that tells anything.
func (st *story) fileOf(c *candidate, path string) int {
	rel, _, ok := c.setting.within(path, st.q.scope.fold)
	for n := range st.f.files {
		if file := &st.f.files[n]; ok && !file.derived && st.book.pathKey(file.path) == st.book.pathKey(rel) {
			return n
		}
	}
	return -1
}

// unknown reports whether no edit of a session in a file is known, and nobody's
// lines are those that the commit adds to it.
func (st *story) unknown(c *candidate, n int) bool {
	for _, h := range st.hits {
		if h.file == n {
			return false
		}
	}
	if g := st.book.ground(st.f.files[n].path); g != nil {
		for _, p := range g.edits {
			if p.from == c {
				return false
			}
		}
	}
	return !st.q.stranger(st.f) && !bot(st.f.Author)
}

// saidEvidence weighs the agents' own records. They count where the lines speak for
// the turn, too, and never against them: what was written in a file need not be
// what was committed of it.
func (t *tally) saidEvidence(lines bool, add func(EvidenceKind, float64, string, map[string]bool)) {
	weight := 0.0
	if lines {
		weight = weighSays
	}
	var best *testimony
	for i := range t.said {
		s := &t.said[i]
		if s.alone {
			weight = weighSays
		}
		if best == nil || s.alone && !best.alone || s.alone == best.alone && s.lines > best.lines {
			best = s
		}
	}
	if best == nil {
		return
	}
	detail := fmt.Sprintf("Cursor's own record says that this conversation wrote %s in %s", lineCount(best.lines), best.file)
	if weight == 0 {
		detail += "; its lines do not say so"
	}
	add(EvidenceCursor, weight, detail, nil)
}

// turnAt is the last turn that began before a time.
func (w *work) turnAt(ms int64) int {
	last := 0
	for i := range w.turns {
		if w.turns[i].start != 0 && w.turns[i].start <= ms {
			last = i
		}
	}
	return last
}
