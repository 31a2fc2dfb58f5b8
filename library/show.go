package library

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/retold-history/retold"
)

// Show reads the session that selector chooses (see [Library.Find]). A full id
// is read without listing all sessions first; the Index is then 0 unless they
// were listed before.
func (l *Library) Show(ctx context.Context, selector string) (*retold.SessionDetail, error) {
	if d := l.direct(ctx, selector); d != nil {
		return d, nil
	}
	e, err := l.find(ctx, selector)
	if err != nil {
		return nil, err
	}
	return e.read(ctx)
}

// Children returns the headers of the sub-agents that a session started, the
// first first.
func (l *Library) Children(ctx context.Context, parent string) ([]retold.Header, error) {
	c, err := l.catalogue(ctx)
	if err != nil {
		return nil, err
	}
	var out []retold.Header
	for _, e := range slices.Backward(c.entries) {
		if e.header.ParentID != parent || e.header.Empty {
			continue
		}
		if e.header.Title == "" { // it is what was said first, which a header does not know
			if e, err = e.completed(ctx); err != nil {
				return nil, err
			}
		}
		out = append(out, e.header)
	}
	return out, nil
}

// Each reads every session that f wants, one at a time, in listing order. An
// error concerns one session and the loop goes on, except that nothing follows
// the error of an ended context or of a machine without history. Files whose
// sessions could not even be listed are in [Library.Problems].
func (l *Library) Each(ctx context.Context, f retold.Filter) iter.Seq2[*retold.SessionDetail, error] {
	return func(yield func(*retold.SessionDetail, error) bool) {
		c, err := l.catalogue(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		byHeader := f
		byHeader.Roles, byHeader.Tools, byHeader.Files, byHeader.HasError, byHeader.HasEdit = nil, nil, nil, false, false
		entries, problems, err := l.wanted(ctx, c, byHeader)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, p := range problems { // whether f wants these sessions cannot be known
			if !yield(nil, errors.New(p.Reason)) {
				return
			}
		}
		for _, e := range entries {
			d, err := e.read(ctx)
			switch {
			case ctx.Err() != nil:
				yield(nil, ctx.Err())
				return
			case err == nil && f.NeedsMessages() && !f.MatchMessages(d.Messages):
				continue
			}
			if !yield(d, err) {
				return
			}
		}
	}
}
