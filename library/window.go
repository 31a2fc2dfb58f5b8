package library

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/retold-history/retold"
)

// A Window says which messages of a session are wanted. Its zero value wants the
// first retold.DefaultLimit.
type Window struct {
	Roles []retold.Role // only messages of these roles; empty means all

	// From is the index of the first message wanted, or, when negative, how many
	// of the last ones are (the last five: -5). With Around, which is the id or the
	// index of a message, the window lies around that message instead, as
	// evenly as the ends of the session allow.
	From   int
	Around string

	Limit int // most messages; 0 means retold.DefaultLimit, negative all
}

// An Excerpt is a part of a session. MessageCount is that of the whole session;
// Messages are those of the window, each with its index in the session.
type Excerpt struct {
	retold.SessionDetail
	Pagination retold.Pagination // of the messages of the roles that were wanted
}

// MarshalJSON writes a SessionDetail followed by "pagination".
func (e Excerpt) MarshalJSON() ([]byte, error) {
	detail, err := json.Marshal(e.SessionDetail)
	if err != nil {
		return nil, err
	}
	page, err := json.Marshal(e.Pagination)
	if err != nil {
		return nil, err
	}
	return slices.Concat(detail[:len(detail)-1], []byte(`,"pagination":`), page, []byte("}")), nil
}

// Read returns those messages of a session that w wants, at the cost of what
// these are kept with, not of the whole session. Besides what [Library.Find]
// returns there is a *retold.Error with CodeUsage for a message in w.Around that
// the session does not have.
func (l *Library) Read(ctx context.Context, selector string, w Window) (_ *Excerpt, err error) {
	defer l.call(&ctx, &err)()
	store, k, err := l.find(ctx, selector)
	if err != nil {
		return nil, err
	}
	r, err := l.windowReader(ctx, store, *k)
	if err != nil {
		return nil, err
	}
	if w.Limit == 0 {
		w.Limit = retold.DefaultLimit
	}
	total := 0
	for _, s := range r.outline {
		total += s.Of(w.Roles)
	}
	at, from := -1, w.From
	if w.Around != "" {
		if at, err = r.position(ctx, w.Around); err == nil {
			at, err = r.place(ctx, at, w.Roles)
		}
	} else if from > 0 {
		from, err = r.place(ctx, from, w.Roles)
	}
	if err != nil {
		return nil, err
	}
	from, to := w.span(total, from, at)
	out := &Excerpt{SessionDetail: retold.SessionDetail{Session: r.Session, ProblemList: r.ProblemList}}
	out.Pagination = retold.Pagination{Total: total, Limit: w.most(total), Offset: from, HasMore: to < total}
	out.Messages, err = r.read(ctx, w.Roles, from, to)
	return out, err
}

func (w Window) most(n int) int {
	if w.Limit < 0 {
		return n
	}
	return w.Limit
}

// span is the part of n messages that is wanted: around one in the middle, or
// from one on, or the last ones.
func (w Window) span(n, from, around int) (int, int) {
	most := w.most(n)
	switch {
	case around >= 0:
		from = max(min(around-most/2, n-most), 0)
	case from < 0:
		from = max(n+from, 0)
	}
	return from, min(from+most, n)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Excerpt) UnmarshalJSON(b []byte) error {
	var page struct{ Pagination retold.Pagination }
	if err := json.Unmarshal(b, &page); err != nil {
		return err
	}
	e.Pagination = page.Pagination
	return json.Unmarshal(b, &e.SessionDetail)
}
