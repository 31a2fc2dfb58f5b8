package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/bench"
	"github.com/retold-history/retold/bench/cost"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/library"
)

// A meter cancels calls of one library.
type meter struct {
	lib   *library.Library
	after time.Duration
	out   *cost.Report
}

// A call is one call that may be cancelled.
type call func(context.Context) error

// all measures the first reading, then every kind of query and the long ones of
// the other questions in a library that is up to date.
func (m *meter) all(ctx context.Context, classes []bench.Class, longest string, rounds int) error {
	sync := func(ctx context.Context) error { _, err := m.lib.Sync(ctx, library.SyncOptions{}); return err }
	if err := m.measure(ctx, "first sync", min(rounds, 5), sync); err != nil {
		return err
	}
	if err := sync(ctx); err != nil {
		return err
	}
	for _, class := range classes {
		var searches, counts []call
		for _, text := range class.Queries {
			q, err := retold.ParseQuery(text, time.Now())
			if err != nil {
				return fmt.Errorf("query %s: %w", text, err)
			}
			searches = append(searches, func(ctx context.Context) error { _, err := m.lib.Search(ctx, q, 20, 0); return err })
			counts = append(counts, func(ctx context.Context) error { _, err := m.lib.Count(ctx, q); return err })
		}
		if err := m.measure(ctx, "search: "+class.Name, 1, searches...); err != nil {
			return err
		}
		if err := m.measure(ctx, "count: "+class.Name, 1, counts...); err != nil {
			return err
		}
	}
	expression := retold.Query{Match: &retold.Term{Text: "[a-z]+ed [a-z]+ing", Kind: retold.TermRegexp}}
	for _, c := range []struct {
		name string
		call call
	}{
		{"search: expression", func(ctx context.Context) error { _, err := m.lib.Search(ctx, expression, 20, 0); return err }},
		{"stats", func(ctx context.Context) error { _, err := m.lib.Stats(ctx, retold.Filter{}, nil); return err }},
		{"list with an error", func(ctx context.Context) error {
			_, err := m.lib.List(ctx, retold.Filter{HasError: true}, -1, 0)
			return err
		}},
		{"show the longest", func(ctx context.Context) error { _, err := m.lib.Show(ctx, longest); return err }},
		{"export all", func(ctx context.Context) error {
			_, err := m.lib.ExportAll(ctx, io.Discard, retold.Filter{}, export.JSONL, export.Options{})
			return err
		}},
		{"export the longest", func(ctx context.Context) error {
			return m.lib.Export(ctx, io.Discard, longest, export.HTML, export.Options{})
		}},
		{"doctor", func(ctx context.Context) error { _, err := m.lib.Doctor(ctx); return err }},
		{"full sync", func(ctx context.Context) error {
			_, err := m.lib.Sync(ctx, library.SyncOptions{Full: true})
			return err
		}},
	} {
		if err := m.measure(ctx, c.name, rounds, c.call); err != nil {
			return err
		}
	}
	return nil
}

// measure cancels every call n times and prints a row.
func (m *meter) measure(ctx context.Context, name string, n int, calls ...call) error {
	var took []time.Duration
	before := 0
	for range n {
		for _, c := range calls {
			late, cancelled, err := m.cancel(ctx, c)
			switch {
			case err != nil:
				return fmt.Errorf("%s: %w", name, err)
			case cancelled:
				took = append(took, late)
			default:
				before++
			}
		}
	}
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	m.out.Say("| %s | %d | %d | %.1f | %.1f | %.1f |\n", name, len(took)+before, before, ms(cost.Quantile(took, 50)), ms(cost.Quantile(took, 95)), ms(cost.Quantile(took, 100)))
	return m.out.Err()
}

// cancel runs a call and says how long after its context ended it returned. A call
// that was done before was not cancelled.
func (m *meter) cancel(ctx context.Context, c call) (late time.Duration, cancelled bool, err error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var at time.Time
	done := make(chan struct{})
	timer := time.AfterFunc(m.after, func() {
		at = time.Now()
		cancel()
		close(done)
	})
	err = c(inner)
	end := time.Now()
	if timer.Stop() { // it was done before
		return 0, false, err
	}
	<-done
	if err != nil && (!errors.Is(err, context.Canceled) || ctx.Err() != nil) {
		return 0, false, err
	}
	return max(end.Sub(at), 0), true, nil
}
