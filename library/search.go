package library

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/retold-history/retold"
)

// A SearchPage is one page of hits, best first.
type SearchPage struct {
	retold.SearchResult
	Problems []retold.Problem // what could not be read, and so not be searched
	Pending  int              // sessions whose messages are not searchable yet
	Behind   bool             // answered before the library was up to date, see Options.Patience
}

// MarshalJSON writes the public names.
func (p SearchPage) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Data       []retold.Hit      `json:"data"`
		Pagination retold.Pagination `json:"pagination"`
		Estimated  bool              `json:"estimated"`
		Facets     retold.Facets     `json:"facets"`
		Pending    int               `json:"pending,omitempty"`
		Behind     bool              `json:"behind,omitempty"`
		Problems   []retold.Problem  `json:"problems,omitempty"`
	}{append([]retold.Hit{}, p.Data...), p.Pagination, p.Estimated, p.Facets, p.Pending, p.Behind, p.Problems})
}

// Search returns the messages that q finds, best first: at most limit of them (0
// means retold.DefaultLimit, a negative limit all) from offset on. The library is
// brought up to date first, messages included; while another process is at that,
// the answer comes from what is there, and Pending says how much is not. It
// returns the usual errors; a mistake in a query is found before, by
// retold.ParseQuery.
func (l *Library) Search(ctx context.Context, q retold.Query, limit, offset int) (*SearchPage, error) {
	if limit == 0 {
		limit = retold.DefaultLimit
	}
	return l.search(ctx, q, limit, max(offset, 0))
}

// Count returns how many messages q finds, and their facets, exactly, without
// any of them. It returns the usual errors.
func (l *Library) Count(ctx context.Context, q retold.Query) (*SearchPage, error) {
	return l.search(ctx, q, 0, 0)
}

func (l *Library) search(ctx context.Context, q retold.Query, limit, offset int) (_ *SearchPage, err error) {
	defer l.call(&ctx, &err)()
	store, fresh, err := l.current(ctx, true)
	if err != nil {
		return nil, err
	}
	found, err := store.Search(ctx, q, l.now(), limit, offset)
	if err != nil {
		return nil, err
	}
	if limit < 0 {
		found.Pagination.Limit = found.Pagination.Total
	}
	waiting, err := store.Pending(ctx)
	if err != nil {
		return nil, err
	}
	return &SearchPage{SearchResult: *found, Problems: fresh.problems, Pending: len(waiting), Behind: fresh.behind}, nil
}

// A StatsReport says what was done, when, where and with what.
type StatsReport struct {
	retold.Stats
	Problems []retold.Problem `json:"problems,omitempty"`
	Behind   bool             `json:"behind,omitempty"` // answered before the library was up to date, see Options.Patience
}

// MarshalJSON writes the counts, and after them what else there is to say.
func (r StatsReport) MarshalJSON() ([]byte, error) {
	stats, err := json.Marshal(r.Stats)
	if err != nil || len(r.Problems) == 0 && !r.Behind {
		return stats, err
	}
	more, err := json.Marshal(struct {
		Problems []retold.Problem `json:"problems,omitempty"`
		Behind   bool             `json:"behind,omitempty"`
	}{r.Problems, r.Behind})
	if err != nil {
		return nil, err
	}
	more[0] = ','
	return slices.Concat(stats[:len(stats)-1], more), nil
}

// Stats counts the messages of the sessions that f wants; days and hours are
// those of loc (nil: UTC). It returns the usual errors.
func (l *Library) Stats(ctx context.Context, f retold.Filter, loc *time.Location) (report *StatsReport, err error) {
	defer l.call(&ctx, &err)()
	store, fresh, err := l.current(ctx, true)
	if err != nil {
		return nil, err
	}
	if loc == nil {
		loc = time.UTC
	}
	s, err := store.Stats(ctx, f, loc)
	if err != nil {
		return nil, err
	}
	return &StatsReport{Stats: *s, Problems: fresh.problems, Behind: fresh.behind}, nil
}

// Forget removes the session that selector chooses from the library, for good:
// no later sync brings it back. The agent's own files stay as they are. Errors
// are those of [Library.Find], retold.ErrLibraryBusy while another process writes
// to the library, and retold.ErrLibraryReadOnly.
func (l *Library) Forget(ctx context.Context, selector string) (gone *retold.Session, err error) {
	defer l.call(&ctx, &err)()
	store, k, err := l.find(ctx, selector)
	if err != nil {
		return nil, err
	}
	if err := l.shelf.kept(); err != nil {
		return nil, err
	}
	if err := l.syncing.take(ctx); err != nil {
		return nil, err
	}
	defer l.syncing.give()
	w, err := store.Writer(ctx)
	if err != nil {
		return nil, err
	}
	err = w.Forget(ctx, k.Key)
	if err == nil {
		err = w.Commit(ctx)
	}
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	return &k.Session, nil
}
