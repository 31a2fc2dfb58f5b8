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
		q.facts[c.ID] = factsOf(c, true)
		q.dates[c.ID] = q.facts[c.ID].committed
		if len(c.Parents) > 0 {
			parents = append(parents, c.Parents[0])
		}
	}
	return q.fetchDates(ctx, parents)
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
