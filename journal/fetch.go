package journal

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/retold-history/retold/git"
)

// atOnce is how many commits one git process is asked for when many are to be
// explained. One is held at a time.
const atOnce = 512

// each reads commits with what they changed, in the order given, for an inquiry
// that is to explain them one after the other. The error, at most one, ends it.
func (q *inquiry) each(ctx context.Context, ids []string) iter.Seq2[*git.Commit, error] {
	return func(yield func(*git.Commit, error) bool) {
		q.many = len(ids) >= fewAlone
		defer func() { q.next, q.many = nil, false }()
		for some := range slices.Chunk(ids, atOnce) {
			for c, err := range q.repo.Commits(ctx, git.Ask{Revs: some, Exact: true}) {
				if q.next = c; !yield(c, err) || err != nil {
					return
				}
			}
		}
	}
}

// fewAlone is how many commits are worth reading all others of their time for.
const fewAlone = 8

// fetch reads commits that are to be explained, and when their parents were made.
func (q *inquiry) fetch(ctx context.Context, ids []string) error {
	var need, parents []string
	for _, id := range ids {
		switch {
		case q.facts[id] != nil || q.known[id] != nil:
		case q.next != nil && q.next.ID == id:
			f := factsOf(q.next, true)
			q.facts[id] = f
			q.hold(f)
		default:
			need = append(need, id)
		}
	}
	if len(need) == 0 {
		return nil
	}
	for c, err := range q.repo.Commits(ctx, git.Ask{Revs: need, Exact: true}) {
		if err != nil {
			return err
		}
		f := factsOf(c, true)
		q.facts[c.ID] = f
		q.hold(f)
		parents = append(parents, c.Parents...)
	}
	return q.fetchDates(ctx, parents)
}

// mostHeld bounds the lines of commits that an inquiry holds as hashes.
const mostHeld = 1 << 20

// hold keeps what a commit changed, without its texts: later ones are explained
// by it. When there is no more room, those held for longest go.
func (q *inquiry) hold(f *facts) {
	if q.held[f.ID] != nil {
		return
	}
	short, c := *f, *f.Commit
	c.Files = nil
	short.Commit = &c
	q.held[f.ID], q.dates[f.ID] = &short, f.committed
	q.holds = append(q.holds, f.ID)
	for q.heldLines += f.size(); q.heldLines > mostHeld && len(q.holds) > 1; q.holds = q.holds[1:] {
		q.heldLines -= q.held[q.holds[0]].size()
		delete(q.held, q.holds[0])
	}
}

// size is how many lines a commit removes and adds.
func (f *facts) size() (n int) {
	for i := range f.files {
		for _, h := range f.files[i].hunks {
			n += len(h.added) + len(h.removed)
		}
	}
	return n
}

// behind walks from commits back to a time and returns what is there, parents
// first; false when not all of it is held. Where many commits are to be explained
// what is not held yet is read, once for all of them.
func (q *inquiry) behind(ctx context.Context, ids []string, since int64) (list []*facts, ok bool, err error) {
	list, missing := q.walk(ids, since)
	if len(missing) == 0 || !q.many || since <= q.tooFar {
		return list, len(missing) == 0, nil
	}
	var parents []string
	for c, err := range q.repo.Commits(ctx, git.Ask{Revs: missing, Since: timeOf(since), Limit: mostPast}) {
		if err != nil {
			return nil, false, err
		}
		q.hold(factsOf(c, false))
		parents = append(parents, c.Parents...)
	}
	if err := q.fetchDates(ctx, append(parents, missing...)); err != nil {
		return nil, false, err
	}
	if list, missing = q.walk(ids, since); len(missing) > 0 {
		q.tooFar = since
	}
	return list, len(missing) == 0, nil
}

// walk is behind without reading; missing are the first that are not held.
func (q *inquiry) walk(ids []string, since int64) (list []*facts, missing []string) {
	type visit struct {
		id   string
		done bool // its parents are in the list
	}
	seen := map[string]bool{}
	var stack []visit
	for _, id := range ids {
		stack = append(stack, visit{id: id})
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if v.done {
			list = append(list, q.held[v.id])
			continue
		}
		at, known := q.dates[v.id]
		if seen[v.id] || known && at < since {
			continue
		}
		seen[v.id] = true
		f := q.held[v.id]
		if f == nil {
			missing = append(missing, v.id)
			continue
		}
		stack = append(stack, visit{v.id, true})
		for _, p := range f.Parents {
			stack = append(stack, visit{id: p})
		}
	}
	return list[max(0, len(list)-mostPast):], missing
}

func (q *inquiry) fetchDates(ctx context.Context, ids []string) error {
	var need []string
	for _, id := range ids {
		if _, ok := q.dates[id]; !ok {
			need = append(need, id)
		}
	}
	for some := range slices.Chunk(need, atOnce) {
		for c, err := range q.repo.Commits(ctx, git.Ask{Revs: some, Exact: true, NoPatch: true}) {
			if err != nil {
				return err
			}
			q.dates[c.ID] = millis(c.Committer.Time)
		}
	}
	return nil
}

// read returns what a commit changed. It is handed out once: few commits are asked
// for twice, and their texts are large.
func (q *inquiry) read(ctx context.Context, id string) (*facts, error) {
	if q.facts[id] == nil {
		if err := q.fetch(ctx, []string{id}); err != nil {
			return nil, err
		}
	}
	f := q.facts[id]
	if f == nil {
		return nil, fmt.Errorf("commit %s: %w", id, git.ErrNotFound)
	}
	delete(q.facts, id)
	return f, nil
}

// parentTime is when the commit's window begins; 0 for a first commit.
func (q *inquiry) parentTime(ctx context.Context, f *facts) (int64, error) {
	if len(f.Parents) == 0 {
		return 0, nil
	}
	err := q.fetchDates(ctx, f.Parents[:1])
	return q.dates[f.Parents[0]], err
}
