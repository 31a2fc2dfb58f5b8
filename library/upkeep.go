package library

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/retold-history/retold"
)

// An upkeep brings the library up to date behind the backs of questions whose
// patience is limited (Options.Patience).
type upkeep struct {
	mu    sync.Mutex
	runs  int        // started so far
	run   *upkeepRun // under way, or nil
	last  refreshed  // what the last run that ended well found
	known error      // why the last run did not
}

// An upkeepRun is one refresh in the background.
type upkeepRun struct {
	number int
	began  time.Time
	listed chan struct{} // closed once every session is in the listing, as headers at least
	done   chan struct{}

	first *refreshed // all that it found but what was read; holds once listed is closed
	out   *refreshed // everything it found; holds once done is closed
	err   error
}

// begin returns the run under way and how many were started before it; it starts
// one when there is none.
func (l *Library) begin(store retold.Store) (*upkeepRun, error) {
	u := &l.upkeep
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.run != nil {
		return u.run, nil
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	id, ok := l.door.enter(cancel)
	if !ok {
		cancel(ErrClosed)
		return nil, ErrClosed
	}
	u.runs++
	r := &upkeepRun{number: u.runs, began: time.Now(), listed: make(chan struct{}), done: make(chan struct{})}
	u.run = r
	go func() {
		defer l.door.leave(id)
		defer cancel(nil)
		l.keepUp(ctx, store, r)
	}()
	return r, nil
}

// keepUp does one run.
func (l *Library) keepUp(ctx context.Context, store retold.Store, r *upkeepRun) {
	listed := false
	out, err := l.refresh(ctx, store, refreshing{all: true, wait: true, progress: l.progress, listed: func(f refreshed) {
		r.first, listed = &f, true
		close(r.listed)
	}})
	u := &l.upkeep
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.known = err; err == nil {
		u.last = *out
	}
	u.run = nil
	r.out, r.err = out, err
	close(r.done)
	if !listed {
		close(r.listed)
	}
}

// soon is a refresh that began after it was asked for, if one is done, or with
// all unset has at least listed every session, before patience ends; else
// what the last one found. Patience with a refresh counts from its beginning: a
// long one makes the first question wait, not every one. While nothing at all is kept it waits for the
// listing, however long that takes: no answer is worth giving before.
func (l *Library) soon(ctx context.Context, store retold.Store, all bool) (*refreshed, error) {
	_, held, err := store.List(ctx, retold.Filter{Empty: true}, 1, 0)
	if err != nil {
		return nil, err
	}
	l.upkeep.mu.Lock()
	before := l.upkeep.runs
	l.upkeep.mu.Unlock()
	for {
		r, err := l.begin(store)
		if err != nil {
			return nil, err
		}
		if held == 0 {
			if err := wait(ctx, r.listed, nil); err != nil {
				return nil, err
			}
			if !all { // a listing that began a moment before the question is the first there is
				return r.found()
			}
			held = 1 // now there is something to answer from
			continue
		}
		ready := r.done
		if !all && r.number > before {
			ready = r.listed
		}
		patience := time.NewTimer(time.Until(r.began.Add(l.options.Patience)))
		err = wait(ctx, ready, patience.C)
		patience.Stop()
		switch {
		case errors.Is(err, errLate):
			return l.behind(), nil
		case err != nil:
			return nil, err
		case r.number > before:
			return r.found()
		}
	}
}

// errLate says that patience ended first.
var errLate = errors.New("not up to date yet")

// wait waits until something is ready, ctx ends, or it is late.
func wait(ctx context.Context, ready <-chan struct{}, late <-chan time.Time) error {
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-late:
	}
	select {
	case <-ready: // both at once
		return nil
	default:
		return errLate
	}
}

// found is what a run that is listed or done has found.
func (r *upkeepRun) found() (*refreshed, error) {
	select {
	case <-r.done:
		return r.out, r.err
	default:
		f := *r.first
		f.behind = true // titles and counts of what is still to be read are not known
		return &f, nil
	}
}

// behind is what is known while a run is under way.
func (l *Library) behind() *refreshed {
	u := &l.upkeep
	u.mu.Lock()
	defer u.mu.Unlock()
	f := u.last
	f.behind = true
	if u.known != nil {
		f.problems = append(slices.Clone(f.problems), problemOf(u.known, ""))
	}
	return &f
}

// turn takes the turn to write, as long as patience lasts (see soon).
func (l *Library) turn(ctx context.Context) (ok bool, err error) {
	if l.options.Patience <= 0 {
		err = l.syncing.take(ctx)
		return err == nil, err
	}
	left := l.options.Patience
	l.upkeep.mu.Lock()
	if r := l.upkeep.run; r != nil {
		left = time.Until(r.began.Add(l.options.Patience))
	}
	l.upkeep.mu.Unlock()
	inner, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	if l.syncing.take(inner) == nil {
		return true, nil
	}
	return false, ctx.Err()
}
