// Package library knows what a person does with their history: list it, choose
// a session, read it, count it by folder, and ask what was found where. It is
// the one door of every front end, so that they cannot disagree, and the only
// place that names the sources (sources.go).
//
// A session that several stores hold under one id is one session here: the
// richest store is its backbone, the others fill gaps (merge.go).
package library

import (
	"context"
	"errors"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

// Options say where to look. The zero value looks where this system's programs
// keep their files.
type Options struct {
	CursorUser []string        // Cursor's User folders instead of the ones found by system
	CursorHome []string        // ~/.cursor folders instead of the ones found by system
	Env        paths.Env       // zero: this process's
	Sources    []retold.Source // instead of all the sources there are
}

// ErrNothing is in the tree of the error that says that no agent has kept
// anything on this machine.
var ErrNothing = errors.New("no history found on this machine")

// A Library answers questions about everything the sources hold. It reads the
// headers of all sessions once, at the first question that needs them, and
// keeps them; Refresh forgets them. It is safe for concurrent use.
type Library struct {
	sources []retold.Source
	places  []located
	named   []string // folders named by hand

	mu    sync.Mutex
	known *catalogue
}

// located is a place with the source that named it.
type located struct {
	retold.Place
	source retold.Source
}

// Open finds the places of all sources. A folder that was named by hand and is
// not there is a *retold.Error with CodeDatabaseNotFound; finding nothing
// anywhere is not an error yet (see [ErrNothing]).
func Open(ctx context.Context, o Options) (*Library, error) {
	if o.Env.GOOS == "" {
		env, err := paths.System()
		if err != nil {
			return nil, err
		}
		o.Env = env
	}
	l := &Library{sources: o.Sources}
	for _, dir := range slices.Concat(o.CursorUser, o.CursorHome) {
		l.named = append(l.named, o.Env.Expand(dir))
	}
	if l.sources == nil {
		l.sources = sources(o)
	}
	found := make([][]retold.Place, len(l.sources))
	group, inner := errgroup.WithContext(ctx)
	for i, s := range l.sources {
		group.Go(func() (err error) {
			found[i], err = s.Places(inner)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, forbidden(err)
	}
	for i, s := range l.sources {
		for _, p := range found[i] {
			l.places = append(l.places, located{Place: p, source: s})
		}
	}
	return l, nil
}

// Places are the files and folders that were looked at, used or not, in the
// order of the sources.
func (l *Library) Places() []retold.Place {
	out := make([]retold.Place, 0, len(l.places))
	for _, p := range l.places {
		out = append(out, p.Place)
	}
	return out
}

// catalogue returns the headers of all sessions, read at the first call.
func (l *Library) catalogue(ctx context.Context) (*catalogue, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known != nil {
		return l.known, nil
	}
	if err := l.Nothing(); err != nil {
		return nil, err
	}
	c, err := load(ctx, l.places)
	if err != nil {
		return nil, err
	}
	l.known = c
	return c, nil
}

// Agents are the names of the agents whose history can be read.
func (l *Library) Agents() []string {
	out := make([]string, 0, len(l.sources))
	for _, s := range l.sources {
		out = append(out, s.Agent())
	}
	return out
}
