package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/retold-history/retold"
)

// A catalogue holds every session once, in listing order: newest first, then
// the empty ones, also newest first. The index of a session is its position in
// this order, so it depends on no filter, and hiding the empty sessions hides
// only the highest numbers.
type catalogue struct {
	entries  []*entry
	problems []retold.Problem
	failures []error // why files could not be read, in the order of problems
}

// An entry is one session with all the places that hold it.
type entry struct {
	header retold.Header // merged
	parts  []part        // richest first
}

type part struct {
	source retold.Source
	header retold.Header
}

// load reads the headers of all used places, one goroutine for each.
func load(ctx context.Context, places []located) (*catalogue, error) {
	type batch struct {
		parts    []part
		failures []error
	}
	batches := make([]batch, len(places))
	group, inner := errgroup.WithContext(ctx)
	for i, p := range places {
		if !p.Used {
			continue
		}
		group.Go(func() error {
			b := &batches[i]
			for h, err := range p.source.Headers(inner, p.Place) {
				switch {
				case inner.Err() != nil:
					return inner.Err()
				case err != nil:
					b.failures = append(b.failures, err)
				default:
					b.parts = append(b.parts, part{p.source, h})
				}
			}
			return inner.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("read the list of sessions: %w", err)
	}
	c := &catalogue{}
	var parts []part
	for i, b := range batches {
		parts = append(parts, b.parts...)
		for _, err := range b.failures {
			c.problems = append(c.problems, problemOf(err, places[i].Path))
			c.failures = append(c.failures, err)
		}
	}
	c.entries = arrange(parts)
	spoken := slices.ContainsFunc(c.entries, func(e *entry) bool { return !e.header.Empty })
	if !spoken && len(c.failures) > 0 {
		return nil, forbidden(c.failures[0]) // nothing to answer from
	}
	return c, nil
}

// sessionKey is what makes two headers one session. Cursor's IDE, command line
// and transcripts draw from one space of ids; other agents have their own.
type sessionKey struct{ family, id string }

func keyOf(h retold.Header) sessionKey {
	family, _, _ := strings.Cut(h.Agent, "-")
	if family != "cursor" {
		family = h.Agent
	}
	return sessionKey{family, h.ID}
}

// arrange merges parts of one session and puts sessions in listing order.
func arrange(parts []part) []*entry {
	byKey := make(map[sessionKey]*entry, len(parts))
	var entries []*entry
	for _, p := range parts {
		e := byKey[keyOf(p.header)]
		if e == nil {
			e = &entry{}
			byKey[keyOf(p.header)] = e
			entries = append(entries, e)
		}
		e.parts = append(e.parts, p)
	}
	for _, e := range entries {
		slices.SortStableFunc(e.parts, func(a, b part) int { return richer(a.header, b.header) })
		headers := make([]retold.Header, len(e.parts))
		for i, p := range e.parts {
			headers[i] = p.header
		}
		e.header = mergeHeaders(headers)
	}
	slices.SortStableFunc(entries, func(a, b *entry) int { return byListing(a.header, b.header) })
	for i, e := range entries {
		e.header.Index = i + 1
	}
	return entries
}

// byListing orders headers as a listing does: what is not empty first, newest
// first, unknown times last, ties by id.
func byListing(a, b retold.Header) int {
	if a.Empty != b.Empty {
		if a.Empty {
			return 1
		}
		return -1
	}
	return cmp.Or(lastTime(b.Session).Compare(lastTime(a.Session)), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Agent, b.Agent))
}

// lastTime is when a session was last touched, as far as anything says.
func lastTime(s retold.Session) time.Time {
	if s.UpdatedAt.IsZero() {
		return s.CreatedAt
	}
	return s.UpdatedAt
}

// problemOf turns an error of one item into a Problem; place is named when the
// error names no file.
func problemOf(err error, place string) retold.Problem {
	p := retold.Problem{Path: place, Kind: retold.ProblemUnreadable, Reason: err.Error()}
	if e, ok := errors.AsType[*retold.Error](err); ok && e.Path != "" {
		p.Path = e.Path
		if e.Err != nil {
			p.Reason = e.Err.Error()
		}
	}
	return p
}
