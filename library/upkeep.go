package library

import (
	"context"
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
	listed chan struct{} // closed once every session is in the listing, as headers at least
	done   chan struct{}

	// What it found: when listed is closed, all but what was read; when done is
	// closed, everything.
	out *refreshed
	err error
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
	r := &upkeepRun{number: u.runs, listed: make(chan struct{}), done: make(chan struct{})}
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
		r.out, listed = &f, true
		close(r.listed)
	}})
	u := &l.upkeep
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.known = err; err == nil {
		u.last = *out
	}
	u.run = nil
	r.err = err
	if !listed {
		r.out = out
		close(r.listed)
	} else if err == nil {
		r.out = out
	}
	close(r.done)
}

// soon is a refresh that began after it was asked for, if one is done, or with
// all unset has at least listed every session, before patience ends; else
// what the last one found. While nothing at all is kept it waits for the
// listing, however long that takes: no answer is worth giving before.
func (l *Library) soon(ctx context.Context, store retold.Store, all bool) (*refreshed, error) {
	_, held, err := store.List(ctx, retold.Filter{Empty: true}, 1, 0)
	if err != nil {
		return nil, err
	}
	l.upkeep.mu.Lock()
	before := l.upkeep.runs
	l.upkeep.mu.Unlock()
	patience := time.NewTimer(l.options.Patience)
	defer patience.Stop()
	for {
		r, err := l.begin(store)
		if err != nil {
			return nil, err
		}
		ready := r.done
		if !all && r.number > before || held == 0 {
			ready = r.listed
		}
		late := patience.C
		if held == 0 {
			late = nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-late:
			return l.behind(), nil
		case <-ready:
		}
		if held == 0 && !all { // a listing that began a moment before the question is the first there is
			return r.found(all)
		}
		if held == 0 { // now there is something to answer from
			held = 1
			patience.Reset(l.options.Patience)
			continue
		}
		if r.number > before {
			return r.found(all)
		}
	}
}

// found is what a run that is listed, with all done, has found.
func (r *upkeepRun) found(all bool) (*refreshed, error) {
	if !all {
		select {
		case <-r.done: // listed by ending, perhaps without success
		default:
			return r.out, nil
		}
	}
	return r.out, r.err
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

// turn takes the turn to write, as long as patience lasts.
func (l *Library) turn(ctx context.Context) (ok bool, err error) {
	if l.options.Patience <= 0 {
		err = l.syncing.take(ctx)
		return err == nil, err
	}
	inner, cancel := context.WithTimeout(ctx, l.options.Patience)
	defer cancel()
	if l.syncing.take(inner) == nil {
		return true, nil
	}
	return false, ctx.Err()
}
