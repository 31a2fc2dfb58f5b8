package library

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/retold-history/retold"
)

// A Listing is one page of sessions, newest first, and what could not be read
// on the way to it. Index counts the unfiltered listing, so that a session
// keeps its number whatever the filter.
type Listing struct {
	retold.Page[retold.Session]
	Problems []retold.Problem `json:"problems,omitempty"`
}

// List returns the page of the sessions that f wants: at most limit of them (0
// means retold.DefaultLimit, a negative limit all) from offset on. Only the
// sessions of the page are counted and previewed; a filter that asks about
// messages reads the messages of every session that passes the rest of it.
func (l *Library) List(ctx context.Context, f retold.Filter, limit, offset int) (*Listing, error) {
	c, err := l.catalogue(ctx)
	if err != nil {
		return nil, err
	}
	out := &Listing{Problems: slices.Clone(c.problems)}
	wanted, problems, err := l.wanted(ctx, c, f)
	if err != nil {
		return nil, err
	}
	out.Problems = append(out.Problems, problems...)
	offset = min(max(offset, 0), len(wanted))
	end := len(wanted)
	switch {
	case limit == 0:
		limit = retold.DefaultLimit
	case limit < 0:
		limit = len(wanted)
	}
	end = min(end, offset+limit)
	page := slices.Clone(wanted[offset:end])
	problems, err = each(ctx, page, func(ctx context.Context, e **entry) (err error) {
		*e, err = (*e).completed(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Problems = append(out.Problems, problems...)
	out.Data = make([]retold.Session, 0, len(page))
	for _, e := range page {
		out.Data = append(out.Data, e.header.Session)
	}
	out.Pagination = retold.Pagination{Total: len(wanted), Limit: limit, Offset: offset, HasMore: end < len(wanted)}
	return out, nil
}

// Headers returns the headers of every session that f wants without reading a
// message (so the part of f that asks about messages is not looked at), in
// listing order.
func (l *Library) Headers(ctx context.Context, f retold.Filter) ([]retold.Header, error) {
	c, err := l.catalogue(ctx)
	if err != nil {
		return nil, err
	}
	var out []retold.Header
	for _, e := range c.entries {
		if f.MatchHeader(e.header) {
			out = append(out, e.header)
		}
	}
	return out, nil
}

// Problems are the files and records that could not be read while listing
// sessions.
func (l *Library) Problems(ctx context.Context) ([]retold.Problem, error) {
	c, err := l.catalogue(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Clone(c.problems), nil
}

// wanted returns the entries that pass f, in listing order.
func (l *Library) wanted(ctx context.Context, c *catalogue, f retold.Filter) ([]*entry, []retold.Problem, error) {
	entries := slices.Clone(c.entries)
	var problems []retold.Problem
	if len(f.Titles) > 0 { // many titles are the first thing said, which a header does not know
		titled := func(e *entry) bool { return e.header.Title != "" || e.header.Empty && !f.Empty }
		var untitled []**entry
		for i := range entries {
			if !titled(entries[i]) {
				untitled = append(untitled, &entries[i])
			}
		}
		found, err := each(ctx, untitled, func(ctx context.Context, e ***entry) (err error) {
			**e, err = (**e).completed(ctx)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		problems = append(problems, found...)
	}
	entries = slices.DeleteFunc(entries, func(e *entry) bool { return !f.MatchHeader(e.header) })
	if !f.NeedsMessages() {
		return entries, problems, nil
	}
	type verdict struct {
		*entry
		fits bool
	}
	verdicts := make([]verdict, len(entries))
	for i, e := range entries {
		verdicts[i].entry = e
	}
	found, err := each(ctx, verdicts, func(ctx context.Context, v *verdict) (err error) {
		v.fits, err = v.matches(ctx, f)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	entries = entries[:0]
	for _, v := range verdicts {
		if v.fits {
			entries = append(entries, v.entry)
		}
	}
	return entries, append(problems, found...), nil
}

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
