package library

import (
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/retold-history/retold"
)

// direct reads the session with a full id by asking every place for it, which
// costs far less than the headers of all sessions. It returns nil when that
// settles nothing: the selector is no full id, the headers are known already,
// no place has the session, a place could not tell, or agents that have nothing
// to do with each other use the same id.
func (l *Library) direct(ctx context.Context, selector string) *retold.SessionDetail {
	l.mu.Lock()
	known := l.known != nil
	l.mu.Unlock()
	if known || len(selector) != len("00000000-0000-0000-0000-000000000000") || strings.Count(selector, "-") != 4 {
		return nil
	}
	found := make([]*retold.SessionDetail, len(l.places))
	group, inner := errgroup.WithContext(ctx)
	for i, p := range l.places {
		if !p.Used {
			continue
		}
		group.Go(func() error {
			d, err := p.source.Session(inner, retold.Ref{Agent: p.Agent, Place: p.Path, ID: selector})
			if errors.Is(err, retold.ErrSessionNotFound) {
				return nil
			}
			found[i] = d
			return err
		})
	}
	if group.Wait() != nil {
		return nil // the headers will tell what is wrong
	}
	type told struct {
		header retold.Header
		detail *retold.SessionDetail
	}
	var all []told
	for i, d := range found {
		if d != nil {
			h := retold.Header{Session: d.Session, Empty: len(d.Messages) == 0, Ref: retold.Ref{Place: l.places[i].Path}}
			all = append(all, told{h, d})
		}
	}
	slices.SortStableFunc(all, func(a, b told) int { return richer(a.header, b.header) })
	var details []*retold.SessionDetail
	for _, t := range all {
		if keyOf(t.header) != keyOf(all[0].header) {
			return nil
		}
		details = append(details, t.detail)
	}
	if len(details) == 0 {
		return nil
	}
	return mergeDetails(details)
}
