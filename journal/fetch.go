package journal

import (
	"context"
	"fmt"

	"github.com/retold-history/retold/git"
)

// atOnce is how many commits are read by one git process when many are to be
// explained.
const atOnce = 64

// fetch reads commits that are to be explained, and when their parents were made.
func (q *inquiry) fetch(ctx context.Context, ids []string) error {
	var need, parents []string
	for _, id := range ids {
		if q.facts[id] == nil && q.known[id] == nil {
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
// by it.
func (q *inquiry) hold(f *facts) {
	for i := range f.files {
		for _, h := range f.files[i].hunks {
			q.heldLines += len(h.added) + len(h.removed)
		}
	}
	if q.heldLines > mostHeld {
		clear(q.held)
		q.heldLines = 0
		return
	}
	short, c := *f, *f.Commit
	c.Files = nil
	short.Commit = &c
	q.held[f.ID], q.dates[f.ID] = &short, f.committed
}

// behind walks from commits back to a time and returns what is there, parents
// first; false when not all of it is held.
func (q *inquiry) behind(ids []string, since int64) (list []*facts, ok bool) {
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
			return nil, false
		}
		stack = append(stack, visit{v.id, true})
		for _, p := range f.Parents {
			stack = append(stack, visit{id: p})
		}
	}
	return list[max(0, len(list)-mostPast):], true
}

func (q *inquiry) fetchDates(ctx context.Context, ids []string) error {
	var need []string
	for _, id := range ids {
		if _, ok := q.dates[id]; !ok {
			need = append(need, id)
		}
	}
	if len(need) == 0 {
		return nil
	}
	for c, err := range q.repo.Commits(ctx, git.Ask{Revs: need, Exact: true, NoPatch: true}) {
		if err != nil {
			return err
		}
		q.dates[c.ID] = millis(c.Committer.Time)
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
