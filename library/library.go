// Package library knows what a person does with their history: keep it, list it,
// search it, choose a session, read it, count it, export it, and ask what was
// found where. It is the one door of every front end, so that they cannot disagree,
// and the only place that names the sources (sources.go) and opens the store
// (shelf.go). A program opens a [Library], asks it, and closes it:
//
//	l, err := library.Open(ctx, library.Options{})
//	if err != nil {
//		return err
//	}
//	defer l.Close()
//	page, err := l.List(ctx, retold.Filter{Workspaces: []string{"tidepool"}}, 20, 0)
//
// Every question is answered from retold's own library file, which is brought up
// to date first, at the cost of what changed (sync.go): look.go asks each source
// what that is, enter.go puts the new headers into the store, read.go the
// messages, keep.go holds on to what disappeared from its source.
//
// A session that several stores hold under one id is one session here: the
// richest store is its backbone, the others fill gaps (merge.go).
//
// # Errors
//
// What a person must fix is a *retold.Error with a code, a path and a hint; match
// it with errors.Is and the sentinels of package retold, or by retold.CodeOf. Every
// method that takes a context and looks at the history may return
//
//   - the error of a context that ended ([context.Canceled] or
//     [context.DeadlineExceeded], perhaps wrapped), and [ErrClosed] after Close;
//   - [ErrNothing] when there is nothing to read on this machine and nothing kept;
//   - retold.ErrDatabaseCorrupt or retold.ErrDatabaseLocked for the library file
//     itself, and for a source when nothing else could be read either;
//   - an error with [io/fs.ErrPermission] in its tree when a folder may not be read.
//
// The comment of a method calls these "the usual errors" and names what it adds.
// What is wrong with one file or one session among others is no error: it is a
// retold.Problem in the answer, and the rest is served.
//
// # Contexts and concurrency
//
// A Library is safe for concurrent use, and several processes may use the same
// library file. Every method that takes a context returns soon after it ends, also
// while it waits for another call. What was read into the library by then stays,
// whole sessions only; to keep it may take a moment, after a long reading up to a
// second. Nothing is kept in package variables: two Libraries
// know nothing of one another. No goroutine outlives Close.
package library

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

// Options say where to look and where to keep. The zero value looks where this
// system's programs keep their files, and keeps in the system's data folder. In
// CursorUser and CursorHome a leading ~ is the home folder; each replaces only what
// its own agent's places are.
type Options struct {
	CursorUser []string // Cursor's User folders instead of the ones found by system
	CursorHome []string // ~/.cursor folders instead of the ones found by system

	// Env is what the places found by system depend on. Its type is for tests of
	// this module; leave it out for this process's.
	Env paths.Env

	// Sources are asked instead of all the sources there are.
	Sources []retold.Source

	// Home is the folder of the library; "" means RETOLD_HOME, else "retold" in the
	// system's data folder. Apart keeps what the folders named by hand hold in a
	// library of its own there, so that a look into somebody's backup does not mix
	// with one's own history.
	Home  string
	Apart bool

	// Backup is read instead of everything else: the library in it, where it lies.
	Backup *BackupSource

	// Patience is how long a question waits for the library to be brought up to
	// date; then it is answered from what is there, says that the library is behind,
	// and the work goes on in the background until it is done or the library closed.
	// 0 waits until everything is read. While nothing is kept yet, a question
	// waits at least for the listing of sessions. Sync always does all the work.
	Patience time.Duration

	// Progress is told how far a long reading has come, from time to time; nil for
	// nobody. It is called by one goroutine at a time.
	Progress func(Progress)

	// Mask changes a copy of each message that a search finds before its snippet is
	// taken, so that a snippet cannot show a part of what a mask would hide: redact.Message
	// does for secrets. nil leaves messages as they were said.
	Mask func(*retold.Message) (masked int)

	// Now is the clock; nil for the system's.
	Now func() time.Time
}

// ErrNothing is in the tree of the error that says that no agent has kept
// anything on this machine.
var ErrNothing = errors.New("no history found on this machine")

// A Library answers questions about everything the sources hold and ever held.
// It is safe for concurrent use. Close it.
type Library struct {
	sources  []retold.Source
	named    []string // folders named by hand
	options  Options
	shelf    *shelf
	now      func() time.Time
	progress func(Progress)

	door    door
	syncing gate // one look at the sources at a time in this process
	upkeep  upkeep

	notebooks notebooks

	placesMu sync.RWMutex
	places   []located
}

// located is a place with the source that named it.
type located struct {
	retold.Place
	source retold.Source
}

// Open finds the places of all sources. A folder that was named by hand and is
// not there is a *retold.Error with CodeDatabaseNotFound; finding nothing
// anywhere is not an error yet (see [ErrNothing]). The library file is opened, and
// made, by the first question; ctx is for Open alone.
func Open(ctx context.Context, o Options) (*Library, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.Env.GOOS == "" {
		env, err := paths.System()
		if err != nil {
			return nil, err
		}
		o.Env = env
	}
	l := &Library{sources: o.Sources, options: o, now: o.Now, progress: o.Progress, syncing: make(gate, 1)}
	if l.now == nil {
		l.now = time.Now
	}
	for _, dir := range slices.Concat(o.CursorUser, o.CursorHome) {
		l.named = append(l.named, o.Env.Expand(dir))
	}
	if l.sources == nil {
		l.sources = sources(o)
	}
	l.shelf = newShelf(o, l.named)
	l.shelf.mask = o.Mask
	if o.Backup != nil {
		if err := l.enclose(ctx, o); err != nil {
			return nil, err
		}
	}
	if err := l.discover(ctx); err != nil {
		return nil, errors.Join(err, l.shelf.close())
	}
	return l, nil
}

// discover asks every source where its history lies.
func (l *Library) discover(ctx context.Context) error {
	found := make([][]retold.Place, len(l.sources))
	group, inner := errgroup.WithContext(ctx)
	for i, s := range l.sources {
		group.Go(func() (err error) {
			found[i], err = s.Places(inner)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return forbidden(err)
	}
	var places []located
	for i, s := range l.sources {
		for _, p := range found[i] {
			places = append(places, located{Place: p, source: s})
		}
	}
	l.placesMu.Lock()
	defer l.placesMu.Unlock()
	l.places = places
	return nil
}

// lookAgain discovers again while no place is used: the first agent may have
// been installed since.
func (l *Library) lookAgain(ctx context.Context) error {
	if slices.ContainsFunc(l.located(), func(p located) bool { return p.Used }) {
		return nil
	}
	return l.discover(ctx)
}

// located are the places that were looked at.
func (l *Library) located() []located {
	l.placesMu.RLock()
	defer l.placesMu.RUnlock()
	return l.places
}

// Close ends the calls under way, which return an error with [ErrClosed] in its
// tree unless they were done, waits for them and closes the library file. Every
// call after it fails in the same way. It may be called twice, and by several
// goroutines, but not by a function that a call under way calls (Progress, the
// tell of Watch): it would wait for itself. The body of a loop over Each may.
func (l *Library) Close() error {
	l.door.shut()
	return errors.Join(l.notebooks.close(), l.shelf.close())
}

// Places are the files and folders that were looked at, used or not, in the
// order of the sources.
func (l *Library) Places() []retold.Place {
	places := l.located()
	out := make([]retold.Place, 0, len(places))
	for _, p := range places {
		out = append(out, p.Place)
	}
	return out
}

// Agents are the names of the agents whose history can be read.
func (l *Library) Agents() []string {
	out := make([]string, 0, len(l.sources))
	for _, s := range l.sources {
		out = append(out, s.Agent())
	}
	return out
}
