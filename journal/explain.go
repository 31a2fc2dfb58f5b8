package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold/git"
)

// explain works out where a commit came from, and when it was committed.
func (q *inquiry) explain(ctx context.Context, id string) (*Attribution, int64, error) {
	f, err := q.read(ctx, id)
	if err != nil {
		return nil, 0, err
	}
	start, err := q.parentTime(ctx, f)
	if err != nil {
		return nil, 0, err
	}
	a, err := q.explainFacts(ctx, f, start)
	return a, f.committed, err
}

// explainFacts works out where what a commit changed came from; start is when its
// parent was made.
func (q *inquiry) explainFacts(ctx context.Context, f *facts, start int64) (a *Attribution, err error) {
	a = &Attribution{Commit: f.ID, Class: ClassNone, Links: []Link{}, Files: []FileLines{}, Spans: []Span{}}
	if start != 0 {
		a.Parent = time.UnixMilli(start).UTC()
	}
	if a.SameAs, err = q.picked(ctx, f.Message); err != nil {
		return nil, err
	}
	for i := range f.files {
		a.Files = append(a.Files, FileLines{Path: f.files[i].path, Added: f.files[i].lines, Wrote: []Wrote{}})
	}
	st := &story{q: q, f: f, start: start, book: newBook(q.scope.fold)}
	if q.possible(f) {
		if st, err = q.tell(ctx, f, start); err != nil {
			return nil, err
		}
	}
	for _, s := range q.sessions {
		if s.off(f) || !s.about(q.scope, q.possible(f)) {
			continue
		}
		a.Considered++
		if s.err != nil {
			a.Unreadable++
		}
	}
	k, err := st.reckon(ctx)
	if err != nil {
		return nil, err
	}
	k.attribute(a)
	if q.record != nil {
		a.Problems = q.record.problems
	}
	if a.Class == ClassNone {
		a.Reason = q.reason(f, a)
		if hint := q.elsewhere(f); hint != "" && q.possible(f) {
			a.Reason += "; " + hint
		}
	}
	return a, nil
}

// picked is the commit that a cherry-pick says it repeats; "" when it says nothing
// or that commit is not there.
func (q *inquiry) picked(ctx context.Context, message string) (string, error) {
	_, rest, ok := strings.Cut(message, "(cherry picked from commit ")
	if !ok {
		return "", nil
	}
	id, _, ok := strings.Cut(rest, ")")
	if !ok || len(id) < 40 || strings.Trim(id, "0123456789abcdef") != "" {
		return "", nil
	}
	full, err := q.repo.Resolve(ctx, id)
	if errors.Is(err, git.ErrNotFound) {
		return "", nil
	}
	return full, err
}

// possible reports whether the lines of a commit can say anything: a program's
// do not, whoever ran it.
func (q *inquiry) possible(f *facts) bool {
	return !bot(f.Author) && slices.ContainsFunc(f.files, func(file fileFacts) bool { return !file.derived })
}

// attribute turns what was reckoned into links and lines.
func (k *reckoning) attribute(a *Attribution) {
	linked := map[turnKey]bool{}
	for key := range k.st.replaced {
		k.tally(key)
	}
	for _, key := range k.order {
		t := k.tallies[key]
		if bot(k.st.f.Author) && len(t.commits) == 0 {
			continue
		}
		l := k.link(t)
		if l.Class == ClassNone {
			continue
		}
		if l.Class == ClassLinked {
			linked[key] = true
			if source := timeSources[t.source]; timeRank(source) > timeRank(a.TimeSource) {
				a.TimeSource = source
			}
		}
		a.Links = append(a.Links, l)
	}
	slices.SortFunc(a.Links, func(x, y Link) int {
		return cmp.Or(cmp.Compare(classRank(y.Class), classRank(x.Class)), cmp.Compare(y.Score, x.Score), cmp.Compare(y.Lines, x.Lines),
			cmp.Compare(x.Key.Family, y.Key.Family), cmp.Compare(x.SessionID, y.SessionID), cmp.Compare(x.MessageIndex, y.MessageIndex))
	})
	a.Links = a.Links[:min(len(a.Links), mostLinks)]
	if len(a.Links) > 0 {
		a.Class = a.Links[0].Class
	}
	k.lines(a, linked)
}

// mostLinks bounds the links of a commit; they are the best.
const mostLinks = 200

func classRank(c Class) int {
	switch c {
	case ClassLinked:
		return 2
	case ClassPossible:
		return 1
	}
	return 0
}

// lines tells whose lines the commit adds: those of linked turns alone.
func (k *reckoning) lines(a *Attribution, linked map[turnKey]bool) {
	st := k.st
	slices.SortFunc(st.hits, func(x, y hit) int {
		return cmp.Or(cmp.Compare(x.file, y.file), cmp.Compare(x.hunk, y.hunk), cmp.Compare(x.line, y.line))
	})
	for _, h := range st.hits {
		p := h.s.p
		if !linked[p.key()] {
			continue
		}
		n := st.f.files[h.file].hunks[h.hunk].from + h.line
		wrote := &a.Files[h.file].Wrote
		if last := len(*wrote) - 1; last >= 0 {
			w := &(*wrote)[last]
			if w.To == n-1 && w.SessionID == p.from.ID && w.MessageID == p.message && w.How == h.how {
				w.To = n
				continue
			}
		}
		*wrote = append(*wrote, Wrote{From: n, To: n, SessionID: p.from.ID, MessageID: p.message, PromptID: p.from.work.turns[p.turn].prompt, How: h.how})
	}
}

// reason says why a commit has no link.
func (q *inquiry) reason(f *facts, a *Attribution) string {
	switch {
	case f.Merge() && len(f.files) == 0:
		return "a merge that changes nothing beyond its parents"
	case len(f.files) == 0:
		return "it changes no file"
	case bot(f.Author):
		return fmt.Sprintf("%s is a program", f.Author.Name)
	case !q.possible(f):
		return "all its files are generated, vendored or binary"
	case a.Considered == 0:
		return "no conversation about this repository from before the commit was found"
	case q.stranger(f):
		return fmt.Sprintf("%s <%s> wrote it, not the user of this repository, and no conversation holds its lines", f.Author.Name, f.Author.Email)
	}
	if a.Considered == 1 {
		return "the only conversation about this repository does not hold its lines"
	}
	return fmt.Sprintf("none of %d conversations about this repository holds its lines", a.Considered)
}
