package library_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/library"
)

// A question has the same answer whatever else is asked at the same time. All of
// them are about agent cursor, so that what another agent's sessions go through
// is none of their business.
type question struct {
	name string
	ask  func(ctx context.Context, l *library.Library) (any, error)
}

func questions(t *testing.T) []question {
	t.Helper()
	cursor := retold.Filter{Agents: []string{"cursor"}}
	q, err := retold.ParseQuery("quokka agent:cursor", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return []question{
		{"list", func(ctx context.Context, l *library.Library) (any, error) { return l.List(ctx, cursor, 7, 3) }},
		{"list with an edit", func(ctx context.Context, l *library.Library) (any, error) {
			return l.List(ctx, retold.Filter{Agents: cursor.Agents, Tools: []string{"read_file"}}, -1, 0)
		}},
		{"headers", func(ctx context.Context, l *library.Library) (any, error) { return l.Headers(ctx, cursor) }},
		{"show", func(ctx context.Context, l *library.Library) (any, error) { return l.Show(ctx, "session-003") }},
		{"read", func(ctx context.Context, l *library.Library) (any, error) {
			return l.Read(ctx, "session-007", library.Window{Around: "3", Limit: 3})
		}},
		{"message", func(ctx context.Context, l *library.Library) (any, error) {
			_, m, err := l.Message(ctx, "session-009", "4")
			return m, err
		}},
		{"search", func(ctx context.Context, l *library.Library) (any, error) { return timeless(l.Search(ctx, q, 5, 5)) }},
		{"count", func(ctx context.Context, l *library.Library) (any, error) { return timeless(l.Count(ctx, q)) }},
		{"stats", func(ctx context.Context, l *library.Library) (any, error) { return l.Stats(ctx, cursor, nil) }},
		{"workspaces", func(ctx context.Context, l *library.Library) (any, error) {
			found, _, err := l.Workspaces(ctx, cursor)
			return found, err
		}},
		{"export", func(ctx context.Context, l *library.Library) (any, error) {
			var b bytes.Buffer
			err := l.Export(ctx, &b, "session-011", export.HTML, export.Options{})
			return b.String(), err
		}},
		{"export all", func(ctx context.Context, l *library.Library) (any, error) {
			var b bytes.Buffer
			_, err := l.ExportAll(ctx, &b, cursor, export.JSONL, export.Options{})
			return b.String(), err
		}},
		{"each", func(ctx context.Context, l *library.Library) (any, error) {
			n := 0
			for d, err := range l.Each(ctx, cursor) {
				if err != nil {
					return n, err
				}
				n += len(d.Messages)
			}
			return n, nil
		}},
		{"doctor", func(ctx context.Context, l *library.Library) (any, error) {
			r, err := l.Doctor(ctx)
			if err != nil {
				return nil, err
			}
			return r.Sessions.ByAgent["cursor"], nil
		}},
	}
}

// timeless takes out of a page what follows the clock: the score, which weighs
// age, and how many sessions somebody else is about to read again.
func timeless(page *library.SearchPage, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	for i := range page.Data {
		page.Data[i].Score = 0
	}
	page.Pending = 0
	return page, nil
}

// answer is what a question comes to, as JSON.
func (q question) answer(ctx context.Context, l *library.Library) (string, error) {
	v, err := q.ask(ctx, l)
	if err != nil {
		return "", fmt.Errorf("%s: %w", q.name, err)
	}
	b, err := json.Marshal(v)
	return string(b), err
}

// crowd asks every question rounds times, all of them at once, while others sync,
// watch and forget, and then closes the library into their midst: until that
// everything is answered as want says, afterwards with ErrClosed.
func crowd(t *testing.T, l *library.Library, want map[string]string, rounds, forget int) {
	t.Helper()
	var first, asking, rest errgroup.Group
	for _, q := range questions(t) { // what nobody has read yet is unknown, but no error
		first.Go(func() error { return second(q.answer(t.Context(), l)) })
	}
	if err := first.Wait(); err != nil {
		t.Error(err)
	}
	synced(t, l)
	for _, q := range questions(t) {
		for range 2 {
			asking.Go(func() error {
				for range rounds {
					got, err := q.answer(t.Context(), l)
					if err != nil {
						return err
					}
					if diff := cmp.Diff(want[q.name], got); diff != "" {
						return fmt.Errorf("%s differs: %s", q.name, diff)
					}
				}
				return nil
			})
			rest.Go(func() error {
				for {
					if _, err := q.answer(t.Context(), l); err != nil {
						return err
					}
				}
			})
		}
	}
	rest.Go(func() error {
		for {
			if _, err := l.Sync(t.Context(), library.SyncOptions{Full: true}); err != nil {
				return err
			}
		}
	})
	rest.Go(func() error {
		return l.Watch(t.Context(), library.WatchOptions{Every: time.Millisecond}, func(library.Event) error { return nil })
	})
	asking.Go(func() error {
		for n := range forget {
			if _, err := l.Forget(t.Context(), fmt.Sprintf("old-%03d", n)); err != nil {
				return err
			}
		}
		return nil
	})
	if err := asking.Wait(); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := rest.Wait(); !errors.Is(err, library.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// Many goroutines doing everything at once on one library get the answers that
// one alone gets.
func TestEverythingAtOnce(t *testing.T) {
	const forget = 10
	older := many(forget)
	older.agent = "warp"
	for i := range older.memory.sessions {
		h := &older.memory.sessions[i].header
		h.ID, h.UpdatedAt = fmt.Sprintf("old-%03d", i), day(1).AddDate(-1, 0, i)
	}
	want := map[string]string{}
	serial := openHooked(t, library.Options{}, many(20), older)
	for _, q := range questions(t) {
		var err error
		if want[q.name], err = q.answer(t.Context(), serial); err != nil {
			t.Fatal(err)
		}
	}
	for name, patience := range map[string]time.Duration{"patient": 0, "hurried": time.Hour} {
		t.Run(name, func(t *testing.T) {
			check := noneLeft(t)
			crowd(t, openHooked(t, library.Options{Patience: patience}, many(20), older), want, 3, forget)
			check()
		})
	}
}
