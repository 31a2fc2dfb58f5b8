package mcp

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTPOptions say how a server is reached over HTTP.
type HTTPOptions struct {
	// Token is what clients have to present as a bearer token; "" lets everybody in
	// who gets past the other checks, which only an address of this machine allows.
	Token string

	// Hosts are names by which the server may be asked besides the address it
	// listens on and, for an address of this machine, localhost.
	Hosts []string

	// ErrorLog is told of broken connections and the like; nil for nobody.
	ErrorLog *log.Logger
}

// What one server takes on at most, and how long it waits.
const (
	mostSessions   = 64  // clients with a session
	mostRequests   = 256 // requests at once, open streams among them
	mostBody       = 1 << 20
	mostHeader     = 32 << 10
	headerPatience = 10 * time.Second
	bodyPatience   = 30 * time.Second
	idleConnection = 2 * time.Minute
	idleSession    = 30 * time.Minute
	drainPatience  = 5 * time.Second
)

// HTTPPath is where the server answers; everywhere else there is nothing.
const HTTPPath = "/mcp"

// newProtocol is the first version of the protocol in which every request stands
// alone and there are no sessions.
const newProtocol = "2026-07-28"

// RunHTTP answers clients over streamable HTTP until ctx ends, whose error it
// returns after the answers under way were given. It closes the listener.
func (s *Server) RunHTTP(ctx context.Context, listener net.Listener, o HTTPOptions) error {
	h, err := s.newHTTP(listener.Addr(), o)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerPatience,
		IdleTimeout:       idleConnection,
		MaxHeaderBytes:    mostHeader,
		ErrorLog:          o.ErrorLog,
	}
	if srv.ErrorLog == nil {
		srv.ErrorLog = log.New(nothing{}, "", 0)
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	h.drain(srv)
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return errors.Join(err, ctx.Err())
	}
	return ctx.Err()
}

// nothing takes what nobody wants to read.
type nothing struct{}

func (nothing) Write(p []byte) (int, error) { return len(p), nil }

// A httpServer is the way from a request to the protocol, with the guard before
// it.
type httpServer struct {
	server   *Server
	guard    guard
	sessions http.Handler // for clients of the older protocol
	single   http.Handler // for the newer
	slots    chan struct{}

	calls underway // POSTs
}

func (s *Server) newHTTP(at net.Addr, o HTTPOptions) (*httpServer, error) {
	g, err := newGuard(at, o)
	if err != nil {
		return nil, err
	}
	pick := func(*http.Request) *sdk.Server { return s.sdk }
	return &httpServer{
		server: s,
		guard:  g,
		slots:  make(chan struct{}, mostRequests),
		sessions: sdk.NewStreamableHTTPHandler(pick, &sdk.StreamableHTTPOptions{
			SessionTimeout: idleSession, MaxRequestBodyBytes: mostBody, DisableLocalhostProtection: true, // the guard is stricter
		}),
		single: sdk.NewStreamableHTTPHandler(pick, &sdk.StreamableHTTPOptions{
			Stateless: true, MaxRequestBodyBytes: mostBody, PropagateRequestCancellation: true, DisableLocalhostProtection: true,
		}),
	}, nil
}

func (h *httpServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	header.Set("Cache-Control", "no-store")
	if !h.guard.admit(w, r) {
		return
	}
	if r.URL.Path != HTTPPath {
		http.Error(w, "the server is at "+HTTPPath, http.StatusNotFound)
		return
	}
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	default:
		busy(w, "too many requests at once")
		return
	}
	if r.Method == http.MethodPost {
		h.calls.enter()
		defer h.calls.leave()
		if !readBody(w, r) {
			return
		}
	}
	if r.Header.Get("Mcp-Protocol-Version") >= newProtocol {
		h.single.ServeHTTP(w, r)
		return
	}
	if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" && h.crowded() {
		busy(w, "too many clients")
		return
	}
	h.sessions.ServeHTTP(w, r)
}

func busy(w http.ResponseWriter, what string) {
	w.Header().Set("Retry-After", "10")
	http.Error(w, what, http.StatusServiceUnavailable)
}

// crowded reports whether there are as many clients as the server takes.
func (h *httpServer) crowded() bool {
	n := 0
	for range h.server.sdk.Sessions() {
		n++
	}
	return n >= mostSessions
}

// drain lets the answers under way be given, then ends the streams that would
// stay open for ever, and the server.
func (h *httpServer) drain(srv *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), drainPatience)
	defer cancel()
	down := make(chan error, 1)
	go func() { down <- srv.Shutdown(ctx) }() // takes nobody new from here on
	select {
	case <-h.calls.done():
	case <-ctx.Done():
	}
	for session := range h.server.sdk.Sessions() {
		_ = session.Close() // the client is told by the end of its stream
	}
	if err := <-down; err != nil {
		_ = srv.Close() // whoever still reads has had the time
	}
}

// underway counts what is being done.
type underway struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when there is nothing; nil while nobody waits
}

func (u *underway) enter() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.n++
}

func (u *underway) leave() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.n--; u.n == 0 && u.idle != nil {
		close(u.idle)
		u.idle = nil
	}
}

// done is closed once nothing is under way, for one waiter.
func (u *underway) done() <-chan struct{} {
	u.mu.Lock()
	defer u.mu.Unlock()
	idle := make(chan struct{})
	if u.n == 0 {
		close(idle)
	} else {
		u.idle = idle
	}
	return idle
}

// ListenAddr is the address to listen on for what a person gave: an address
// without a host, or a port alone, is one of this machine. Local reports whether
// only this machine can reach it.
func ListenAddr(given string) (address string, local bool, err error) {
	if given != "" && strings.Trim(given, "0123456789") == "" {
		given = ":" + given
	}
	host, port, err := net.SplitHostPort(given)
	if err != nil {
		return "", false, errors.New("an address is HOST:PORT, for example 127.0.0.1:8765")
	}
	switch {
	case host == "" || strings.EqualFold(host, "localhost"):
		host, local = "127.0.0.1", true
	default:
		ip := net.ParseIP(host)
		local = ip != nil && ip.IsLoopback()
	}
	return net.JoinHostPort(host, port), local, nil
}
