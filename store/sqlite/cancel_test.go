package sqlite_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retold-history/retold"
)

// TestCancel: whenever a call's context ends, next to nothing is read any more,
// the error is the context's, and the library answers the next call.
func TestCancel(t *testing.T) {
	s := filled(t, 40)
	defer s.Close()
	search := func(text string, limit int) func(context.Context) error {
		q, err := retold.ParseQuery(text, time.Now())
		must(t, err)
		return func(ctx context.Context) error {
			_, err := s.Search(ctx, q, time.Now(), limit, 0)
			return err
		}
	}
	for name, call := range map[string]func(context.Context) error{
		"count":      search(`/word1\d of s0/`, 0),
		"rarely met": search(`/word49[89] of s0[0-3]7/`, 20),
		"messages": func(ctx context.Context) (last error) {
			for _, err := range s.Messages(ctx, kept("s011").Key, 0) {
				last = err
			}
			return last
		},
	} {
		for _, after := range []int64{1, 2} {
			ctx, cancel := context.WithCancel(t.Context())
			var pages atomic.Int64
			s.OnPage(func() {
				if pages.Add(1) == after {
					cancel()
				}
			})
			if err := call(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled at page %d: %v", name, after, err)
			}
			if n := pages.Load(); n > after+4 { // one for each goroutine
				t.Errorf("%s, cancelled at page %d: %d pages were read", name, after, n)
			}
			s.OnPage(nil)
			cancel()
		}
	}
	if n := find(t, s, "word499 s005").Pagination.Total; n != 1 {
		t.Errorf("%d found afterwards", n)
	}
}

// TestCancelEndsStatements: a question that reads no page ends, too.
func TestCancelEndsStatements(t *testing.T) {
	s := filled(t, 40)
	defer s.Close()
	for name, call := range map[string]func(context.Context) error{
		"list":    func(ctx context.Context) error { _, _, err := s.List(ctx, retold.Filter{}, -1, 0); return err },
		"stats":   func(ctx context.Context) error { _, err := s.Stats(ctx, retold.Filter{}, nil); return err },
		"changed": func(ctx context.Context) error { _, _, err := s.Changed(ctx, 0); return err },
	} {
		before := s.Work()
		if err := call(late(t.Context())); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if after := s.Work(); after != before {
			t.Errorf("%s: was done after the end: %+v, before it %+v", name, after, before)
		}
		must(t, call(t.Context()))
	}
}

// late is a context that ends between the first look at it and the second.
func late(parent context.Context) context.Context {
	ctx, cancel := context.WithCancel(parent)
	return &lateContext{Context: ctx, cancel: cancel}
}

type lateContext struct {
	context.Context
	cancel context.CancelFunc
}

func (c *lateContext) Err() error {
	err := c.Context.Err()
	c.cancel()
	return err
}
