package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

// patience is how long a client has to name its folders. One that does not is
// taken for one that has none.
const patience = 500 * time.Millisecond

// roots remembers the folders that clients work in. The zero value is ready.
type roots struct {
	mu    sync.Mutex
	known map[*sdk.ServerSession][]string
}

// forget asks the client again the next time.
func (r *roots) forget(client *sdk.ServerSession) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known, client)
}

// An asker is who makes a request, as far as the request tells.
type asker struct {
	client  *sdk.ServerSession
	name    string // of the program
	rooted  bool   // it can name the folders it works in
	rounds  bool   // it is asked by an answer that it answers, and not by a request
	answers sdk.InputResponseMap
}

// roundsSince is the version of the protocol from which on a server asks its
// client by answering.
const roundsSince = "2026-07-28"

func askerOf[P sdk.Params](r *sdk.ServerRequest[P], answers sdk.InputResponseMap) asker {
	a := asker{client: r.Session, rounds: r.ProtocolVersion() >= roundsSince, answers: answers}
	if info := r.ClientInfo(); info != nil {
		a.name = info.Name
	}
	if can := r.ClientCapabilities(); can != nil {
		a.rooted = can.RootsV2 != nil
	}
	return a
}

// A question is the error of a request that cannot be answered before the client
// has named its folders.
type question struct{}

func (question) Error() string { return "the client has to name its folders first" }

// rootsKey names the question among those that an answer asks.
const rootsKey = "roots"

// asks is what to ask the client, when err is that something has to be.
func asks(err error) sdk.InputRequestMap {
	if _, ok := errors.AsType[question](err); !ok {
		return nil
	}
	return sdk.InputRequestMap{rootsKey: &sdk.ListRootsParams{}}
}

// of returns the folders of a client; it is asked once.
func (r *roots) of(ctx context.Context, server *sdk.Server, a asker) ([]string, error) {
	r.mu.Lock()
	dirs, ok := r.known[a.client]
	r.mu.Unlock()
	if ok || !a.rooted || a.client == nil {
		return dirs, nil
	}
	found, ok := a.answers[rootsKey].(*sdk.ListRootsResult)
	switch {
	case a.rounds && len(a.answers) == 0:
		return nil, question{}
	case !a.rounds:
		inner, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		var err error
		found, err = a.client.ListRoots(inner, nil)
		if ok = err == nil; ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if ok && found != nil { // else it has none
		for _, root := range found.Roots {
			if root != nil {
				dirs = append(dirs, paths.ParseURI(root.URI).Path)
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[*sdk.ServerSession][]string{}
	}
	open := slices.Collect(server.Sessions())
	for client := range r.known {
		if !slices.Contains(open, client) {
			delete(r.known, client)
		}
	}
	r.known[a.client] = dirs
	return dirs, nil
}

// folders are where the client works: its roots, or else the folder the server
// was started in.
func (s *Server) folders(ctx context.Context, a asker) ([]string, error) {
	dirs, err := s.roots.of(ctx, s.sdk, a)
	if err != nil || len(dirs) > 0 {
		return dirs, err
	}
	if s.o.Dir != "" {
		return []string{s.o.Dir}, nil
	}
	return nil, nil
}

// freshness is how lately a session must have been written to for it to be taken
// for the one that asks.
const freshness = 5 * time.Minute

// asking returns the session that this call most likely comes from, or nil:
// the newest one about a folder of the client, written to within the last
// minutes by an agent that the client may be.
func (s *Server) asking(ctx context.Context, a asker) (*retold.Session, error) {
	agents, ok := agentsOf(a.name, s.lib.Agents())
	if !ok {
		return nil, nil
	}
	dirs, err := s.folders(ctx, a)
	if err != nil || len(dirs) == 0 {
		return nil, err
	}
	page, err := s.lib.List(ctx, retold.Filter{Workspaces: dirs, Agents: agents, Since: s.now().Add(-freshness)}, 1, 0)
	if err != nil || len(page.Data) == 0 {
		return nil, err
	}
	if found := page.Data[0]; found.Touched().Before(s.now().Add(time.Minute)) {
		return &found, nil
	}
	return nil, nil // a time in the future tells nothing
}

// agentsOf are the agents that a client of this name may be: those whose first
// word it names, none (false) when it names another program that is known, all
// (nil) when nobody knows.
func agentsOf(client string, agents []string) ([]string, bool) {
	client = strings.ToLower(client)
	for _, family := range []string{"cursor", "claude", "codex", "warp", "visual studio code", "vscode"} {
		if !strings.Contains(client, family) {
			continue
		}
		var out []string
		for _, a := range agents {
			if first, _, _ := strings.Cut(a, "-"); first == family {
				out = append(out, a)
			}
		}
		return out, len(out) > 0
	}
	return nil, true
}
