package library

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is in the tree of the error of every method that was called after
// [Library.Close], or was ended by it.
var ErrClosed = errors.New("the library is closed")

// A door counts the calls under way, so that closing can end and await them.
type door struct {
	mu     sync.Mutex
	closed bool
	last   int
	under  map[int]context.CancelCauseFunc
	calls  sync.WaitGroup
}

// enter counts a call; cancel ends it.
func (d *door) enter(cancel context.CancelCauseFunc) (id int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return 0, false
	}
	if d.under == nil {
		d.under = map[int]context.CancelCauseFunc{}
	}
	d.last++
	d.under[d.last] = cancel
	d.calls.Add(1)
	return d.last, true
}

func (d *door) leave(id int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.under, id)
	d.calls.Done()
}

// shut lets nobody in any more, ends the calls under way and waits for them.
func (d *door) shut() {
	d.mu.Lock()
	d.closed = true
	for _, cancel := range d.under {
		cancel(ErrClosed)
	}
	d.mu.Unlock()
	d.calls.Wait()
}

// call begins a method: from here on ctx ends when the library is closed too, at
// once when it is closed already. The function returned ends the method and makes
// ErrClosed of what came of that. Use: defer l.call(&ctx, &err)().
func (l *Library) call(ctx *context.Context, err *error) (end func()) {
	inner, cancel := context.WithCancelCause(*ctx)
	*ctx = inner
	id, ok := l.door.enter(cancel)
	if !ok {
		cancel(ErrClosed)
	}
	return func() {
		if errors.Is(*err, context.Canceled) && errors.Is(context.Cause(inner), ErrClosed) {
			*err = ErrClosed
		}
		cancel(nil)
		if ok {
			l.door.leave(id)
		}
	}
}

// A gate is a lock whose waiting a context can end.
type gate chan struct{}

func (g gate) take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case g <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g gate) give() { <-g }
