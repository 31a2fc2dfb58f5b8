package library

import (
	"context"
	"errors"
	"time"

	"github.com/retold-history/retold"
)

// SyncOptions say how thoroughly to bring the library up to date.
type SyncOptions struct {
	// Full trusts no sign that something is unchanged and compares what is there
	// with what is kept.
	Full     bool
	Progress func(Progress) // instead of Options.Progress
}

// Progress is how far a long reading has come.
type Progress struct {
	Stage         string // "looking" or "reading"
	Sessions      int    // read so far
	SessionsTotal int
	Messages      int
	Bytes         int64 // of text read so far
	Elapsed       time.Duration
	Left          time.Duration // 0 while nobody can tell
}

// A SyncReport says what bringing the library up to date came to.
type SyncReport struct {
	Unchanged bool `json:"unchanged"` // nothing had changed anywhere
	Sessions  int  `json:"sessions"`  // in the library now, empty ones left out
	New       int  `json:"new"`
	Changed   int  `json:"changed"`
	Gone      int  `json:"gone"` // sessions found to have disappeared from their source, kept here
	Read      int  `json:"read"` // sessions whose messages were read
	Messages  int  `json:"messages"`
	Pending   int  `json:"pending"` // sessions whose messages could not be read yet

	Elapsed      time.Duration    `json:"-"`
	Seconds      float64          `json:"seconds"`
	Library      string           `json:"library"` // path of the library file
	LibraryBytes int64            `json:"libraryBytes"`
	Problems     []retold.Problem `json:"problems"`
}

// Sync brings the library up to date: headers first, so that listing works at
// once, then the messages of every session that is new or changed. Interrupted
// at any moment it keeps what it has, and the next goes on. Besides the usual
// errors, ErrNothing not among them, it returns retold.ErrLibraryBusy while another
// process is at it, and retold.ErrLibraryReadOnly where nothing can be kept.
func (l *Library) Sync(ctx context.Context, o SyncOptions) (r *SyncReport, err error) {
	defer l.call(&ctx, &err)()
	start := l.now()
	progress := o.Progress
	if progress == nil {
		progress = l.progress
	}
	r = &SyncReport{Library: l.shelf.path, Problems: []retold.Problem{}}
	store, err := l.shelf.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := l.shelf.kept(); err != nil {
		return nil, err
	}
	f, err := l.refresh(ctx, store, refreshing{full: o.Full, all: true, wait: false, progress: progress})
	if err != nil {
		return nil, err
	}
	r.Unchanged = f.same && f.read.sessions == 0
	r.New, r.Changed, r.Gone = f.entered.fresh, f.entered.changed, f.entered.gone
	r.Read, r.Messages = f.read.sessions, f.read.messages
	r.Problems = append(r.Problems, f.problems...)
	if _, r.Sessions, err = store.List(ctx, retold.Filter{}, 1, 0); err != nil {
		return nil, err
	}
	left, err := store.Pending(ctx)
	if err != nil {
		return nil, err
	}
	r.Pending = len(left)
	r.Elapsed = l.now().Sub(start)
	r.Seconds = r.Elapsed.Seconds()
	r.LibraryBytes, err = l.shelf.size()
	return r, err
}

// refreshing says what a refresh is for.
type refreshing struct {
	full     bool // compare everything
	all      bool // read the messages of every session that waits for it
	wait     bool // a refresh by another process is no error: answer from what is there
	progress func(Progress)
	listed   func(refreshed) // called once the listing is up to date, if messages are still to be read then; may be nil
}

// A refreshed says what a refresh found.
type refreshed struct {
	same     bool // no source had anything to tell
	behind   bool // not everything that was found is kept yet
	entered  entered
	read     readCount
	problems []retold.Problem // of all used places
	failures []error          // of this look
}

// refresh looks at the sources and puts what they tell into the store.
func (l *Library) refresh(ctx context.Context, store retold.Store, o refreshing) (*refreshed, error) {
	if err := l.syncing.take(ctx); err != nil {
		return nil, err
	}
	defer l.syncing.give()
	looks, err := l.lookAround(ctx, store, o.full)
	if err != nil {
		return nil, err
	}
	out := &refreshed{same: unchanged(looks), failures: failures(looks), problems: allProblems(looks)}
	var order []retold.Key
	if o.all {
		waiting, err := store.Pending(ctx)
		if err != nil {
			return nil, err
		}
		for _, k := range waiting {
			order = append(order, k.Key)
		}
	}
	if !out.same || len(order) > 0 {
		if err := l.write(ctx, store, looks, order, o, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// write does the part of a refresh that needs the store's writer.
func (l *Library) write(ctx context.Context, store retold.Store, looks []look, waiting []retold.Key, o refreshing, out *refreshed) (err error) {
	w, err := store.Writer(ctx)
	if o.wait && cannotWrite(err) {
		out.behind = true // what is there has to do
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	order := waiting
	if !out.same {
		fresh, entered, err := l.enter(ctx, store, w, looks)
		if err != nil {
			return err
		}
		if err := w.Commit(ctx); err != nil {
			return err
		}
		out.entered = entered
		order = append(fresh, without(waiting, fresh)...)
	}
	if !o.all {
		return nil
	}
	if o.listed != nil {
		o.listed(*out)
	}
	out.read, err = l.readAll(ctx, store, w, order, o.progress)
	return err
}

// cannotWrite reports that the store has a writer already or is read-only.
func cannotWrite(err error) bool {
	return errors.Is(err, retold.ErrLibraryBusy) || errors.Is(err, retold.ErrLibraryReadOnly)
}

func without(list, drop []retold.Key) []retold.Key {
	have := make(map[retold.Key]bool, len(drop))
	for _, k := range drop {
		have[k] = true
	}
	var out []retold.Key
	for _, k := range list {
		if !have[k] {
			out = append(out, k)
		}
	}
	return out
}

// allProblems collects what could not be read, at this look or the one at which a
// place that has not changed since was read.
func allProblems(looks []look) (out []retold.Problem) {
	for _, k := range looks {
		switch {
		case k.err != nil:
			out = append(out, problemOf(k.err, k.Path))
		case k.Same:
			out = append(out, k.known...)
		default:
			for _, err := range k.Errors {
				out = append(out, problemOf(err, k.Path))
			}
		}
	}
	return distinct(out)
}

// distinct leaves out what was said before: several reads of a damaged file fail
// in the same way.
func distinct(problems []retold.Problem) (out []retold.Problem) {
	said := make(map[retold.Problem]bool, len(problems))
	for _, p := range problems {
		if !said[p] {
			said[p] = true
			out = append(out, p)
		}
	}
	return out
}

// current returns the store, up to date as far as listings need: headers always,
// the messages of all sessions too when all is set. That another process is
// bringing it up to date is no error. With nothing to read anywhere and nothing
// kept it returns the error that says so.
func (l *Library) current(ctx context.Context, all bool) (retold.Store, *refreshed, error) {
	store, err := l.shelf.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := l.lookAgain(ctx); err != nil {
		return nil, nil, err
	}
	var f *refreshed
	if l.options.Patience > 0 {
		f, err = l.soon(ctx, store, all)
	} else {
		f, err = l.refresh(ctx, store, refreshing{all: all, wait: true, progress: l.progress})
	}
	if err != nil {
		return nil, nil, err
	}
	if f.behind || l.Nothing() == nil && len(f.problems) == 0 {
		return store, f, nil
	}
	_, total, err := store.List(ctx, retold.Filter{}, 1, 0)
	if err != nil || total > 0 {
		return store, f, err
	}
	if nothing := l.Nothing(); nothing != nil {
		return nil, nil, nothing
	}
	if len(f.failures) == 0 { // known from an earlier look, without the codes of the errors
		if f, err = l.refresh(ctx, store, refreshing{full: true, all: all, wait: true, progress: l.progress}); err != nil {
			return nil, nil, err
		}
	}
	if _, total, err = store.List(ctx, retold.Filter{}, 1, 0); err != nil || total > 0 || len(f.failures) == 0 {
		return store, f, err
	}
	return nil, nil, forbidden(f.failures[0]) // nothing to answer from
}
