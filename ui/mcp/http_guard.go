package mcp

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// A guard decides which requests are answered at all. A page in the person's own
// browser can send requests to this machine: under a name that it makes mean
// 127.0.0.1 (DNS rebinding), or across origins without reading the answer. Both
// are told by headers that a page cannot choose, so they are the first thing
// looked at; the token is the second.
type guard struct {
	local bool            // only this machine can connect
	port  string          // that is listened on
	hosts map[string]bool // names without a port, in lower case, that may be asked for under any port
	token [sha256.Size]byte
	open  bool // no token is wanted
	cross *http.CrossOriginProtection
}

// shortestToken is how many characters a token has at least.
const shortestToken = 16

func newGuard(at net.Addr, o HTTPOptions) (guard, error) {
	address, err := netip.ParseAddrPort(at.String())
	if err != nil {
		return guard{}, fmt.Errorf("listen on %s: %w", at, err)
	}
	g := guard{
		local: address.Addr().Unmap().IsLoopback(),
		port:  strconv.Itoa(int(address.Port())),
		hosts: map[string]bool{},
		token: sha256.Sum256([]byte(o.Token)),
		open:  o.Token == "",
		cross: http.NewCrossOriginProtection(),
	}
	switch {
	case g.open && !g.local:
		return guard{}, errors.New("an address that others can reach wants a token")
	case !g.open:
		if err := CheckToken(o.Token); err != nil {
			return guard{}, err
		}
	}
	for _, name := range o.Hosts {
		g.hosts[strings.ToLower(name)] = true
	}
	return g, nil
}

// CheckToken says what is wrong with a token, if anything.
func CheckToken(token string) error {
	switch {
	case len(token) < shortestToken:
		return fmt.Errorf("a token has at least %d characters", shortestToken)
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("a token has no spaces and nothing but ASCII")
	}
	return nil
}

// admit reports whether a request may be answered; one that may not has been
// refused.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case !g.host(r.Host, r):
		http.Error(w, "asked for under a name that is not this server's", http.StatusForbidden)
	case !g.origin(r):
		http.Error(w, "asked for by a web page of another origin", http.StatusForbidden)
	case !g.known(r):
		challenge := `Bearer realm="retold"`
		if r.Header.Get("Authorization") != "" {
			challenge += `, error="invalid_token"`
		}
		w.Header().Set("WWW-Authenticate", challenge)
		http.Error(w, "a bearer token is wanted", http.StatusUnauthorized)
	default:
		return true
	}
	return false
}

// host reports whether a Host header, or what stands after the // of an Origin,
// names this server: one of the names it was given, else exactly an address it
// listens on with its port. Other ways to write an address (a trailing dot, octal
// or short forms, IPv4 in IPv6) are nothing an honest client sends.
func (g *guard) host(host string, r *http.Request) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil { // no port
		name, port = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), ""
	}
	name = strings.ToLower(name)
	switch {
	case g.hosts[name]:
		return true
	case port != g.port && (port != "" || g.port != "80"):
		return false
	case g.local && name == "localhost":
		return true
	}
	ip, err := netip.ParseAddr(name)
	if err != nil || ip.String() != name || ip.Zone() != "" {
		return false
	}
	at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	here, err := netip.ParseAddrPort(at.String())
	return err == nil && here.Addr().Unmap() == ip
}

// origin reports whether no web page asks, or one of this server's own origin.
func (g *guard) origin(r *http.Request) bool {
	switch strings.ToLower(r.Header.Get("Sec-Fetch-Site")) {
	case "", "none", "same-origin":
	default:
		return false
	}
	origins := r.Header.Values("Origin")
	if len(origins) > 1 {
		return false
	}
	if len(origins) == 1 {
		scheme, host, found := strings.Cut(origins[0], "://")
		scheme = strings.ToLower(scheme)
		if !found || scheme != "http" && scheme != "https" || strings.ContainsAny(host, "/?#@\\ ") || !g.host(host, r) {
			return false
		}
	}
	return g.cross.Check(r) == nil
}

// known reports whether a request shows the token. The sums are compared, so that
// the time it takes tells neither the token nor its length.
func (g *guard) known(r *http.Request) bool {
	if g.open {
		return true
	}
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// readBody reads a request's body, which must come whole within a time and be of
// a bearable size, so that a client cannot hold on to memory by being slow. One
// that does not has been refused.
func readBody(w http.ResponseWriter, r *http.Request) bool {
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Now().Add(bodyPatience)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		http.Error(w, "cannot read", http.StatusInternalServerError)
		return false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		http.Error(w, fmt.Sprintf("a request has at most %d bytes", mostBody), http.StatusRequestEntityTooLarge)
		return false
	}
	if err != nil {
		w.Header().Set("Connection", "close")
		http.Error(w, "the request did not come whole", http.StatusRequestTimeout)
		return false
	}
	if err := control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		http.Error(w, "cannot read", http.StatusInternalServerError)
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return true
}
