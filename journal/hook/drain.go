package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/atomicfile"
	"github.com/retold-history/retold/journal/hook/spool"
)

// DrainOptions say how a queue is emptied.
type DrainOptions struct {
	Dir      string           // the spool
	Log      *slog.Logger     // nil for none
	Patience time.Duration    // how long to stay for events that are to be tried again; 0: leave them to the next
	Now      func() time.Time // nil for time.Now

	step func(string) // told before each step; tests end the process there
}

// Drained says what came of emptying a queue.
type Drained struct {
	Done    int  `json:"done"`
	Waiting int  `json:"waiting"` // left in the queue to be tried again
	Failed  int  `json:"failed"`  // set aside
	Busy    bool `json:"busy"`    // another process is at it, and does the rest
}

// tries is how often an event is tried before it is set aside, and pauses how long
// it is left alone after each.
const tries = 6

var pauses = [tries]time.Duration{time.Second, 5 * time.Second, 30 * time.Second, 5 * time.Minute, time.Hour, time.Hour}

// busyPause is how long an event is left alone when the library was in use. That
// is nobody's fault and does not count.
const busyPause = 3 * time.Second

// Drain empties a queue, oldest first. Each event is handed to handle, and its
// file removed when that succeeded: when the process is ended in between, the
// event comes again, so handle has to bear being called twice. An event whose
// handling fails is tried again later, and set aside with the reason after several
// tries; so is, at once, a file that holds no event. What arrives meanwhile is
// dealt with too. One process does this at a time: for another one the result is
// Busy. The error is of the spool itself, or the context's.
func Drain(ctx context.Context, o DrainOptions, handle func(context.Context, Event) error) (Drained, error) {
	d := &drain{DrainOptions: o, handle: handle}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.step == nil {
		d.step = func(string) {}
	}
	if err := os.MkdirAll(d.Dir, 0o700); err != nil {
		return d.Drained, fmt.Errorf("make the spool: %w", err)
	}
	d.until = d.Now().Add(d.Patience)
	for {
		l := flock.New(filepath.Join(d.Dir, spool.LockFile), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
		got, err := l.TryLock()
		if err == nil && !got && d.pause(ctx, turnedAway) { // it may have been one who only asked
			got, err = l.TryLock()
		}
		if err != nil || !got {
			d.Busy = err == nil
			return d.Drained, errors.Join(err, l.Close())
		}
		err = errors.Join(d.all(ctx), l.Close())
		d.step("unlocked")
		if err != nil {
			return d.Drained, err
		}
		// What came after the last look, when the one who put it there saw the lock
		// held, has nobody else.
		if names, err := d.due(); err != nil || len(names) == 0 {
			return d.Drained, err
		}
	}
}

// turnedAway is after how long a lock that was held is tried once more: those who
// ask whether it is held hold it for an instant.
const turnedAway = 50 * time.Millisecond

// pause reports whether nothing ended it.
func (d *drain) pause(ctx context.Context, t time.Duration) bool {
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// A drain is one emptying.
type drain struct {
	DrainOptions
	Drained
	handle func(context.Context, Event) error
	tries  map[string]try
	until  time.Time
}

// all deals with what is due until nothing is, under the lock.
func (d *drain) all(ctx context.Context) error {
	d.tries = readTries(d.Dir)
	if err := d.sweep(); err != nil {
		return err
	}
	for {
		names, err := d.due()
		if err != nil {
			return err
		}
		if len(names) == 0 {
			if !d.wait(ctx) {
				break
			}
			continue
		}
		for _, name := range names {
			if err := d.one(ctx, name); err != nil {
				return err
			}
		}
	}
	d.step("emptied")
	return errors.Join(ctx.Err(), atomicfile.Replace(filepath.Join(d.Dir, lastFile), []byte(d.Now().UTC().Format(time.RFC3339Nano)+"\n"), 0o600))
}

// due are the events whose time has come, oldest first; Waiting counts the others.
func (d *drain) due() (out []string, err error) {
	names, err := queued(d.Dir)
	now := d.Now()
	d.Waiting = 0
	for _, name := range names {
		if t, ok := d.tries[name]; ok && now.Before(t.Next) {
			d.Waiting++
			continue
		}
		out = append(out, name)
	}
	return out, err
}

// wait sleeps until an event is due again; false when none is soon enough.
func (d *drain) wait(ctx context.Context) bool {
	var next time.Time
	names, err := queued(d.Dir)
	if err != nil {
		return false // the next look says why
	}
	for _, name := range names {
		if t := d.tries[name].Next; next.IsZero() || t.Before(next) {
			next = t
		}
	}
	if next.IsZero() || next.After(d.until) {
		return false
	}
	// What arrives meanwhile does not wait for that.
	return d.pause(ctx, min(next.Sub(d.Now()), time.Second))
}

// one deals with one event. The error is one that ends all.
func (d *drain) one(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e, err := readEvent(d.Dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // somebody took it out
	}
	if err != nil {
		return d.setAside(name, e, err)
	}
	before := d.tries[name]
	if before.Count >= tries { // each time the process was ended, or it would not be here
		return d.setAside(name, e, errors.New(cmp.Or(before.Reason, "retold ended each time it was dealt with")))
	}
	d.tries[name] = try{Count: before.Count + 1, Next: d.Now()}
	if err := writeTries(d.Dir, d.tries); err != nil {
		return err
	}
	d.step("handle")
	err = d.handle(ctx, e)
	d.step("handled")
	switch {
	case err == nil:
		d.Log.Info("done", "event", e.Kind, "commit", e.Commit, "repo", e.Worktree)
		d.Done++
		return d.drop(name)
	case ctx.Err() != nil: // not the event's fault
		d.tries[name] = before
		return errors.Join(ctx.Err(), writeTries(d.Dir, d.tries))
	case errors.Is(err, retold.ErrLibraryBusy) || errors.Is(err, retold.ErrDatabaseLocked):
		d.tries[name] = try{Count: before.Count, Next: d.Now().Add(busyPause), Reason: short(err)}
	case before.Count+1 < tries:
		d.tries[name] = try{Count: before.Count + 1, Next: d.Now().Add(pauses[before.Count]), Reason: short(err)}
	default:
		return d.setAside(name, e, err)
	}
	d.Log.Warn("to be tried again", "event", e.Kind, "commit", e.Commit, "repo", e.Worktree, "error", short(err))
	return writeTries(d.Dir, d.tries)
}

// drop removes an event that was dealt with.
func (d *drain) drop(name string) error {
	if err := os.Remove(filepath.Join(d.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("take out of the queue: %w", err)
	}
	d.step("removed")
	delete(d.tries, name)
	return writeTries(d.Dir, d.tries)
}

// setAside keeps an event that cannot be dealt with, with the reason beside it.
func (d *drain) setAside(name string, e Event, why error) error {
	aside := filepath.Join(d.Dir, failedFolder)
	if err := os.MkdirAll(aside, 0o700); err != nil {
		return fmt.Errorf("set aside: %w", err)
	}
	if err := atomicfile.Replace(filepath.Join(aside, name+reasonEnding), []byte(short(why)+"\n"), 0o600); err != nil {
		return err
	}
	d.step("reason")
	if err := os.Rename(filepath.Join(d.Dir, name), filepath.Join(aside, name)); err != nil {
		return fmt.Errorf("set aside: %w", err)
	}
	d.step("aside")
	d.Failed++
	d.Log.Error("set aside", "file", name, "commit", e.Commit, "repo", e.Worktree, "error", short(why))
	delete(d.tries, name)
	return writeTries(d.Dir, d.tries)
}

// sweep removes what processes left that were ended while they wrote, and what is
// remembered of events that are gone.
func (d *drain) sweep() error {
	all, err := os.ReadDir(d.Dir)
	if err != nil {
		return fmt.Errorf("read the queue: %w", err)
	}
	there := map[string]bool{}
	for _, e := range all {
		there[e.Name()] = true
		if !spool.Unnamed(e.Name()) && !strings.HasPrefix(e.Name(), ".retold-") {
			continue
		}
		if info, err := e.Info(); err == nil && d.Now().Sub(info.ModTime()) > time.Hour {
			if err := os.Remove(filepath.Join(d.Dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	for name := range d.tries {
		if !there[name] {
			delete(d.tries, name)
		}
	}
	return nil
}

// short is an error on one line, not at length.
func short(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	if r := []rune(text); len(r) > 400 {
		text = string(r[:400]) + "…"
	}
	return text
}
