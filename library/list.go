package library

import (
	"context"
	"errors"
	"slices"

	"github.com/retold-history/retold"
)

// A Listing is one page of sessions, newest first, and what could not be read
// on the way to it. Index counts the unfiltered listing, so that a session
// keeps its number whatever the filter.
type Listing struct {
	retold.Page[retold.Session]
	Problems []retold.Problem `json:"problems,omitempty"`
	Behind   bool             `json:"behind,omitempty"` // answered before the library was up to date, see Options.Patience
}

// List returns the page of the sessions that f wants: at most limit of them (0
// means retold.DefaultLimit, a negative limit all) from offset on. Behind the
// last page it is empty, never nil. The messages of the sessions on the page are
// read when nobody has yet; a filter that asks about messages or about titles
// needs those of all sessions. It returns the usual errors.
func (l *Library) List(ctx context.Context, f retold.Filter, limit, offset int) (out *Listing, err error) {
	defer l.call(&ctx, &err)()
	store, fresh, err := l.current(ctx, f.NeedsMessages() || len(f.Titles)+len(f.Models) > 0 || limit < 0)
	if err != nil {
		return nil, err
	}
	if limit == 0 {
		limit = retold.DefaultLimit
	}
	offset = max(offset, 0)
	page, total, err := store.List(ctx, f, limit, offset)
	if err != nil {
		return nil, err
	}
	if page, err = l.ensure(ctx, store, page); err != nil {
		return nil, err
	}
	out = &Listing{Problems: fresh.problems, Behind: fresh.behind}
	out.Data = make([]retold.Session, 0, len(page))
	for _, k := range page {
		out.Data = append(out.Data, k.Session)
	}
	if limit < 0 {
		limit = total
	}
	out.Pagination = retold.Pagination{Total: total, Limit: limit, Offset: min(offset, total), HasMore: offset+len(page) < total}
	return out, nil
}

// ensure reads the messages of those sessions that nobody has read yet, and
// returns the sessions as they are then, in the same order and with the same
// index.
func (l *Library) ensure(ctx context.Context, store retold.Store, page []retold.Kept) ([]retold.Kept, error) {
	var waiting []retold.Key
	for _, k := range page {
		if k.Pending {
			waiting = append(waiting, k.Key)
		}
	}
	if len(waiting) == 0 {
		return page, nil
	}
	if err := l.readSome(ctx, store, waiting); err != nil {
		return nil, err
	}
	page = slices.Clone(page)
	for i := range page {
		if !page[i].Pending {
			continue
		}
		now, err := store.Get(ctx, page[i].Key)
		if errors.Is(err, retold.ErrSessionNotFound) { // forgotten since
			continue
		}
		if err != nil {
			return nil, err
		}
		now.Index = page[i].Index
		page[i] = *now
	}
	return page, nil
}

// readSome reads the messages of a few sessions into the store. That somebody
// else is writing, or nobody can, is no error: they stay as they are.
func (l *Library) readSome(ctx context.Context, store retold.Store, keys []retold.Key) (err error) {
	if ok, err := l.turn(ctx); !ok {
		return err
	}
	defer l.syncing.give()
	w, err := store.Writer(ctx)
	if cannotWrite(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	_, err = l.readAll(ctx, store, w, keys, nil)
	return err
}

// all returns every session that f wants, in listing order.
func (l *Library) all(ctx context.Context, f retold.Filter) ([]retold.Kept, *refreshed, error) {
	store, fresh, err := l.current(ctx, f.NeedsMessages())
	if err != nil {
		return nil, nil, err
	}
	list, _, err := store.List(ctx, f, -1, 0)
	return list, fresh, err
}

// headerOf is a kept session as a header.
func headerOf(k retold.Kept) retold.Header {
	h := retold.Header{Session: k.Session, Empty: k.Empty, Draft: k.Draft}
	if len(k.Parts) > 0 {
		h.Ref = k.Parts[0].Ref
	}
	return h
}

// Headers returns the headers of every session that f wants, whatever f asks
// about messages, in listing order. It returns the usual errors.
func (l *Library) Headers(ctx context.Context, f retold.Filter) (out []retold.Header, err error) {
	defer l.call(&ctx, &err)()
	f.Roles, f.Tools, f.Files, f.HasError, f.HasEdit = nil, nil, nil, false, false
	list, _, err := l.all(ctx, f)
	if err != nil {
		return nil, err
	}
	for _, k := range list {
		out = append(out, headerOf(k))
	}
	return out, nil
}

// Problems are the files and records that could not be read while listing
// sessions. It returns the usual errors.
func (l *Library) Problems(ctx context.Context) (unread []retold.Problem, err error) {
	defer l.call(&ctx, &err)()
	_, fresh, err := l.current(ctx, false)
	if err != nil {
		return nil, err
	}
	return fresh.problems, nil
}
