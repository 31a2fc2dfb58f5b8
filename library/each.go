package library

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/retold-history/retold"
)

// each runs do on every item, as many at once as there are processors. An error
// becomes a problem; only the end of ctx ends it.
func each[T any](ctx context.Context, items []T, do func(context.Context, *T) error) ([]retold.Problem, error) {
	var mu sync.Mutex
	failed := map[int]error{}
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range items {
		group.Go(func() error {
			if inner.Err() != nil {
				return inner.Err()
			}
			if err := do(inner, &items[i]); err != nil {
				if inner.Err() != nil {
					return inner.Err()
				}
				mu.Lock()
				defer mu.Unlock()
				failed[i] = err
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("read sessions: %w", err)
	}
	var problems []retold.Problem
	for i := range items {
		if err, ok := failed[i]; ok {
			problems = append(problems, problemOf(err, ""))
		}
	}
	return problems, nil
}
