package library

import (
	"context"
	"time"

	"github.com/retold-history/retold"
)

// Info describes the library file.
type Info struct {
	Path     string     `json:"path"`
	Bytes    int64      `json:"bytes"` // its log included
	Kept     bool       `json:"kept"`  // false: it could not be written, and is gone when this process ends
	Note     *string    `json:"note"`  // why it is not kept
	Sessions int        `json:"sessions"`
	Synced   *time.Time `json:"synced"` // when anything new was last read into it; null when never
}

// Info opens the library and describes it, without looking at any source. It
// returns the usual errors, ErrNothing not among them.
func (l *Library) Info(ctx context.Context) (info *Info, err error) {
	defer l.call(&ctx, &err)()
	store, err := l.shelf.open(ctx)
	if err != nil {
		return nil, err
	}
	i := &Info{Path: l.shelf.path, Kept: l.shelf.temp == ""}
	if !i.Kept {
		i.Note = &l.shelf.note
	}
	if i.Bytes, err = l.shelf.size(); err != nil {
		return nil, err
	}
	if _, i.Sessions, err = store.List(ctx, retold.Filter{}, 1, 0); err != nil {
		return nil, err
	}
	places, err := store.Places(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range places {
		if i.Synced == nil || p.Synced.After(*i.Synced) {
			i.Synced = &p.Synced
		}
	}
	return i, nil
}

// Rest gives back the memory that is kept so that the next answer comes sooner.
// It is for programs that stay and have not been asked for a while. Errors are the
// usual ones.
func (l *Library) Rest(ctx context.Context) (err error) {
	defer l.call(&ctx, &err)()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return l.shelf.rest()
}
