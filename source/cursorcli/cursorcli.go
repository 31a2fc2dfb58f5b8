// Package cursorcli reads what Cursor's command line agent and its relatives keep
// below ~/.cursor (formats A.2, D.6, D.8, D.10, E):
//
//	chats/<md5 of cwd>/<id>/store.db, meta.json      sessions of cursor-agent
//	acp-sessions/<id>/store.db, meta.json            sessions of an editor through ACP
//	projects/<slug>/sdk-agent-store/<md5>/           sessions of @cursor/sdk programs, in SQLite or line-JSON
//	projects/<slug>/agent-transcripts/               transcripts, also of the IDE's agent
//
// A session that is in several of these is one session: the richest store is its
// backbone, the others add what it lacks. Files are only ever opened for reading,
// databases through livedb. auth.json and cli-config.json are never opened, and
// blobEncryptionKey is never taken out of a store's meta row.
package cursorcli

import (
	"context"
	"iter"
	"sync"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

const agent = "cursor-cli"

// Names of the stores in Session.Sources.
const (
	sourceStore      = "store"
	sourceACP        = "acp"
	sourceSDK        = "sdk"
	sourceTranscript = "transcript"
)

// Options say where to look.
type Options struct {
	Home []string  // ~/.cursor, or a chats, projects or acp-sessions folder; empty: found by OS
	Env  paths.Env // of this machine, or of a test
}

// Source reads the sessions of Cursor's command line agent. It is safe for
// concurrent use. Between calls it keeps where the files of a place lay when it
// was tracked last, and nothing of what is in them.
type Source struct {
	home []string
	env  paths.Env

	mu    sync.Mutex
	plans map[string]*plan // by path of the place
}

func (s *Source) planOf(place string) *plan {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plans[place]
}

func (s *Source) keepPlan(p *plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plans[p.place.Path] = p
}

// New returns a Source.
func New(o Options) *Source { return &Source{home: o.Home, env: o.Env, plans: map[string]*plan{}} }

// Agent returns "cursor-cli".
func (s *Source) Agent() string { return agent }

var (
	_ retold.Source    = (*Source)(nil)
	_ retold.Streamer  = (*Source)(nil)
	_ retold.Completer = (*Source)(nil)
	_ retold.Inspector = (*Source)(nil)
	_ retold.Tracker   = (*Source)(nil)
)

// Headers yields every session of a place: from each store its meta row and root
// state, from transcripts their names alone.
func (s *Source) Headers(ctx context.Context, place retold.Place) iter.Seq2[retold.Header, error] {
	return func(yield func(retold.Header, error) bool) {
		c := scan(ctx, place)
		for _, err := range c.faults {
			if !yield(retold.Header{}, err) {
				return
			}
		}
		faults := c.survey(ctx)
		if err := ctx.Err(); err != nil {
			yield(retold.Header{}, err)
			return
		}
		for _, err := range faults {
			if !yield(retold.Header{}, err) {
				return
			}
		}
		for _, id := range c.ids() {
			if err := ctx.Err(); err != nil {
				yield(retold.Header{}, err)
				return
			}
			if h, ok := c.header(ctx, c.records[id]); ok && !yield(h, nil) {
				return
			}
		}
	}
}
