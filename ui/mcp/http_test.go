package mcp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// serving starts a server over an empty history and returns its port and a
// function that ends it and returns what RunHTTP did.
func serving(t *testing.T, on string, o mcp.HTTPOptions) (port string, end func() error) {
	t.Helper()
	l, err := library.Open(t.Context(), library.Options{
		Sources: []retold.Source{}, Home: t.TempDir(), Env: paths.Env{GOOS: "linux", Home: t.TempDir()},
	})
	if err != nil {
		t.Fatal(err)
	}
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", on)
	if err != nil {
		t.Skipf("no %s here: %v", on, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- mcp.New(l, mcp.Options{}).RunHTTP(ctx, listener, o) }()
	ended := false
	end = func() error {
		ended = true
		cancel()
		return <-done
	}
	t.Cleanup(func() {
		if !ended {
			_ = end()
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	_, port, err = net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port, end
}

// send sends bytes as they are and returns the answer's status, header and body.
func send(t *testing.T, address, request string) (status int, header http.Header, body string) {
	t.Helper()
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, r.Header, string(text)
}

// post is the text of a request that begins a session, with these lines in its
// header; each stands for itself, and PORT for the server's port.
func post(port string, lines ...string) string {
	return request("POST", "/mcp", port, initialize, append([]string{
		"Content-Type: application/json", "Accept: application/json, text/event-stream", "Connection: close",
	}, lines...)...)
}

func request(method, path, port, body string, lines ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nContent-Length: %d\r\n", method, path, len(body))
	for _, line := range lines {
		b.WriteString(strings.ReplaceAll(line, "PORT", port) + "\r\n")
	}
	return b.String() + "\r\n" + body
}

// Who asks under a name of this server, and is no page of another origin, is let
// in; all else is refused, and told nothing.
func TestForeignRequests(t *testing.T) {
	port, _ := serving(t, "127.0.0.1:0", mcp.HTTPOptions{})
	for name, c := range map[string]struct {
		want  int
		lines []string
	}{
		"by address":                   {200, []string{"Host: 127.0.0.1:PORT"}},
		"by name":                      {200, []string{"Host: localhost:PORT"}},
		"by name, shouted":             {200, []string{"Host: LocalHost:PORT"}},
		"own origin":                   {200, []string{"Host: 127.0.0.1:PORT", "Origin: http://127.0.0.1:PORT"}},
		"own origin, browser":          {200, []string{"Host: localhost:PORT", "Origin: http://localhost:PORT", "Sec-Fetch-Site: same-origin"}},
		"rebound name":                 {403, []string{"Host: evil.example:PORT"}},
		"rebound name, no port":        {403, []string{"Host: evil.example"}},
		"rebound, own page":            {403, []string{"Host: evil.example:PORT", "Origin: http://evil.example:PORT", "Sec-Fetch-Site: same-origin"}},
		"name that begins well":        {403, []string{"Host: localhost.evil.example:PORT"}},
		"address that begins well":     {403, []string{"Host: 127.0.0.1.evil.example:PORT"}},
		"trailing dot":                 {403, []string{"Host: localhost.:PORT"}},
		"trailing dot, address":        {403, []string{"Host: 127.0.0.1.:PORT"}},
		"other port":                   {403, []string{"Host: 127.0.0.1:1"}},
		"no port":                      {403, []string{"Host: 127.0.0.1"}},
		"port without a number":        {403, []string{"Host: 127.0.0.1:"}},
		"port with a sign":             {403, []string{"Host: 127.0.0.1:+PORT"}},
		"short address":                {403, []string{"Host: 127.1:PORT"}},
		"octal address":                {403, []string{"Host: 0177.0.0.1:PORT"}},
		"number for address":           {403, []string{"Host: 2130706433:PORT"}},
		"any address":                  {403, []string{"Host: 0.0.0.0:PORT"}},
		"another local address":        {403, []string{"Host: 127.0.0.2:PORT"}},
		"IPv6":                         {403, []string{"Host: [::1]:PORT"}},
		"IPv4 in IPv6":                 {403, []string{"Host: [::ffff:127.0.0.1]:PORT"}},
		"zone":                         {403, []string{"Host: [::1%25lo]:PORT"}},
		"forwarded":                    {403, []string{"Host: evil.example:PORT", "X-Forwarded-Host: 127.0.0.1:PORT", "Forwarded: host=127.0.0.1"}},
		"empty host":                   {403, []string{"Host: "}},
		"foreign origin":               {403, []string{"Host: 127.0.0.1:PORT", "Origin: https://evil.example"}},
		"foreign origin, same port":    {403, []string{"Host: 127.0.0.1:PORT", "Origin: http://evil.example:PORT"}},
		"no origin to tell":            {403, []string{"Host: 127.0.0.1:PORT", "Origin: null"}},
		"empty origin":                 {403, []string{"Host: 127.0.0.1:PORT", "Origin: "}},
		"another program's page":       {403, []string{"Host: 127.0.0.1:PORT", "Origin: http://127.0.0.1:3000"}},
		"origin without a port":        {403, []string{"Host: 127.0.0.1:PORT", "Origin: http://127.0.0.1"}},
		"origin of a file":             {403, []string{"Host: 127.0.0.1:PORT", "Origin: file://"}},
		"origin of an extension":       {403, []string{"Host: 127.0.0.1:PORT", "Origin: chrome-extension://127.0.0.1:PORT"}},
		"origin with a user":           {403, []string{"Host: 127.0.0.1:PORT", "Origin: http://127.0.0.1:PORT@evil.example"}},
		"origin with a user before":    {403, []string{"Host: 127.0.0.1:PORT", "Origin: http://evil@127.0.0.1:PORT"}},
		"origin with a path":           {403, []string{"Host: 127.0.0.1:PORT", "Origin: http://127.0.0.1:PORT/x"}},
		"origin with a trailing dot":   {403, []string{"Host: 127.0.0.1:PORT", "Origin: http://localhost.:PORT"}},
		"two origins":                  {403, []string{"Host: 127.0.0.1:PORT", "Origin: http://127.0.0.1:PORT", "Origin: https://evil.example"}},
		"two origins in one":           {403, []string{"Host: 127.0.0.1:PORT", "Origin: http://127.0.0.1:PORT https://evil.example"}},
		"sent across sites":            {403, []string{"Host: 127.0.0.1:PORT", "Sec-Fetch-Site: cross-site"}},
		"sent across sites, own name":  {403, []string{"Host: 127.0.0.1:PORT", "Origin: http://127.0.0.1:PORT", "Sec-Fetch-Site: cross-site"}},
		"sent from a neighbouring one": {403, []string{"Host: 127.0.0.1:PORT", "Sec-Fetch-Site: same-site"}},
	} {
		t.Run(name, func(t *testing.T) {
			status, header, body := send(t, "127.0.0.1:"+port, post(port, c.lines...))
			if status != c.want {
				t.Errorf("status %d, want %d: %s", status, c.want, body)
			}
			if c.want != 200 && strings.Contains(body, "jsonrpc") {
				t.Errorf("it was answered: %s", body)
			}
			for name := range header {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("a page may read it: %s", name)
				}
			}
		})
	}
	for name, lines := range map[string][]string{
		"a user in the host": {"Host: user@127.0.0.1:PORT"},
		"two hosts":          {"Host: 127.0.0.1:PORT", "Host: evil.example"},
		"no host":            nil,
	} {
		if status, _, _ := send(t, "127.0.0.1:"+port, post(port, lines...)); status != 400 && status != 403 {
			t.Errorf("%s: status %d", name, status)
		}
	}
}

// Reading a stream across sites is refused too, though a GET changes nothing.
func TestForeignStream(t *testing.T) {
	port, _ := serving(t, "127.0.0.1:0", mcp.HTTPOptions{})
	for _, line := range []string{"Origin: https://evil.example", "Sec-Fetch-Site: cross-site", "Origin: null"} {
		text := request("GET", "/mcp", port, "", "Host: 127.0.0.1:PORT", "Accept: text/event-stream", "Connection: close", line)
		if status, _, _ := send(t, "127.0.0.1:"+port, text); status != 403 {
			t.Errorf("%s: status %d", line, status)
		}
	}
}

// A page that asks whether it may ask is not told yes.
func TestNoPreflight(t *testing.T) {
	port, _ := serving(t, "127.0.0.1:0", mcp.HTTPOptions{})
	for _, origin := range []string{"https://evil.example", "http://127.0.0.1:PORT"} {
		status, header, _ := send(t, "127.0.0.1:"+port, request("OPTIONS", "/mcp", port, "",
			"Host: 127.0.0.1:PORT", "Connection: close", "Origin: "+origin, "Access-Control-Request-Method: POST"))
		if status < 400 || header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: status %d, %v", origin, status, header)
		}
	}
}

func TestIPv6(t *testing.T) {
	port, _ := serving(t, "[::1]:0", mcp.HTTPOptions{})
	for host, want := range map[string]int{
		"[::1]:PORT": 200, "localhost:PORT": 200, "[0:0:0:0:0:0:0:1]:PORT": 403, "::1:PORT": 403, "[::1]": 403, "127.0.0.1:PORT": 403,
	} {
		if status, _, body := send(t, "[::1]:"+port, post(port, "Host: "+host)); status != want {
			t.Errorf("%s: status %d, want %d: %s", host, status, want, body)
		}
	}
}

// A name that was allowed is one under any port, for a proxy in front.
func TestAllowedHost(t *testing.T) {
	port, _ := serving(t, "127.0.0.1:0", mcp.HTTPOptions{Hosts: []string{"History.example"}})
	for host, want := range map[string]int{
		"history.example": 200, "HISTORY.example:443": 200, "x.history.example": 403, "history.example.": 403, "history.example.evil": 403,
	} {
		if status, _, _ := send(t, "127.0.0.1:"+port, post(port, "Host: "+host)); status != want {
			t.Errorf("%s: status %d, want %d", host, status, want)
		}
	}
}

const token = "invented-token-of-ada-0123456789"

// With a token nobody is answered without it, on whatever path and by whatever
// method, and the refusal says what is wanted.
func TestToken(t *testing.T) {
	port, _ := serving(t, "127.0.0.1:0", mcp.HTTPOptions{Token: token})
	for line, want := range map[string]int{
		"Authorization: Bearer " + token:                            200,
		"Authorization: bearer  " + token:                           200,
		"Authorization: Bearer " + token + "x":                      401,
		"Authorization: Bearer " + token[1:]:                        401,
		"Authorization: Bearer":                                     401,
		"Authorization: Bearer ":                                    401,
		"Authorization: " + token:                                   401,
		"Authorization: Basic " + token:                             401,
		"X-Token: " + token:                                         401,
		"Cookie: token=" + token:                                    401,
		"Authorization: Bearer x\r\nAuthorization: Bearer " + token: 401,
	} {
		status, header, body := send(t, "127.0.0.1:"+port, post(port, "Host: 127.0.0.1:PORT", line))
		if status != want {
			t.Errorf("%q: status %d, want %d: %s", line, status, want, body)
		}
		if challenge := header.Get("WWW-Authenticate"); (want == 401) != strings.HasPrefix(challenge, `Bearer realm="retold"`) {
			t.Errorf("%q: challenge %q", line, challenge)
		}
	}
	for _, text := range []string{
		request("GET", "/", port, "", "Host: 127.0.0.1:PORT", "Connection: close"),
		request("GET", "/mcp?token="+token, port, "", "Host: 127.0.0.1:PORT", "Connection: close"),
		request("DELETE", "/mcp", port, "", "Host: 127.0.0.1:PORT", "Connection: close", "Mcp-Session-Id: x"),
	} {
		if status, _, _ := send(t, "127.0.0.1:"+port, text); status != 401 {
			t.Errorf("%q: status %d", text, status)
		}
	}
	// The name is looked at first: a rebound page learns nothing about tokens.
	if status, header, _ := send(t, "127.0.0.1:"+port, post(port, "Host: evil.example")); status != 403 || header.Get("WWW-Authenticate") != "" {
		t.Errorf("rebound: status %d, %v", status, header)
	}
}

// An address that others can reach is not served without a token, whoever asks.
func TestOpenAddressWantsToken(t *testing.T) {
	_, end := serving(t, "0.0.0.0:0", mcp.HTTPOptions{})
	if err := end(); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("it was served: %v", err)
	}
	_, end = serving(t, "127.0.0.1:0", mcp.HTTPOptions{Token: "short"})
	if err := end(); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("it was served with a short token: %v", err)
	}
	port, _ := serving(t, "0.0.0.0:0", mcp.HTTPOptions{Token: token})
	for host, want := range map[string]int{"127.0.0.1:PORT": 200, "localhost:PORT": 403, "0.0.0.0:PORT": 403, "evil.example:PORT": 403} {
		if status, _, _ := send(t, "127.0.0.1:"+port, post(port, "Host: "+host, "Authorization: Bearer "+token)); status != want {
			t.Errorf("%s: status %d, want %d", host, status, want)
		}
	}
}

func TestLimits(t *testing.T) {
	port, _ := serving(t, "127.0.0.1:0", mcp.HTTPOptions{})
	head := []string{"Host: 127.0.0.1:PORT", "Content-Type: application/json", "Accept: application/json, text/event-stream", "Connection: close"}
	big := strings.Repeat(" ", 1<<20) + initialize
	var chunked strings.Builder
	chunked.WriteString("POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + strings.ReplaceAll(strings.Join(head, "\r\n"), "PORT", port) + "\r\n\r\n")
	fmt.Fprintf(&chunked, "%x\r\n%s\r\n0\r\n\r\n", len(big), big)
	for name, c := range map[string]struct {
		want int
		text string
	}{
		"a body that is too large": {413, request("POST", "/mcp", port, big, head...)},
		"the same in chunks":       {413, chunked.String()},
		"a header that is":         {431, request("POST", "/mcp", port, initialize, append(head, "X: "+strings.Repeat("x", 64<<10))...)},
		"another path":             {404, request("POST", "/", port, initialize, head...)},
		"a path below":             {404, request("POST", "/mcp/", port, initialize, head...)},
		"another method":           {405, request("PUT", "/mcp", port, initialize, head...)},
		"no such session":          {404, request("POST", "/mcp", port, initialize, append(head, "Mcp-Session-Id: invented")...)},
		"not JSON":                 {400, request("POST", "/mcp", port, "{", head...)},
	} {
		t.Run(name, func(t *testing.T) {
			if status, _, body := send(t, "127.0.0.1:"+port, c.text); status != c.want {
				t.Errorf("status %d, want %d: %.200s", status, c.want, body)
			}
		})
	}
}

// There are only so many sessions; who ends one makes room.
func TestSessionLimit(t *testing.T) {
	port, _ := serving(t, "127.0.0.1:0", mcp.HTTPOptions{})
	var ids []string
	for {
		status, header, body := send(t, "127.0.0.1:"+port, post(port, "Host: 127.0.0.1:PORT"))
		if status == 503 {
			if header.Get("Retry-After") == "" {
				t.Error("does not say when to try again")
			}
			break
		}
		if ids = append(ids, header.Get("Mcp-Session-Id")); status != 200 || len(ids) > 1000 {
			t.Fatalf("%d sessions, status %d: %s", len(ids), status, body)
		}
	}
	if len(ids) < 16 {
		t.Errorf("only %d sessions", len(ids))
	}
	over := request("DELETE", "/mcp", port, "", "Host: 127.0.0.1:PORT", "Connection: close", "Mcp-Session-Id: "+ids[0])
	if status, _, body := send(t, "127.0.0.1:"+port, over); status != 204 {
		t.Errorf("ending one: status %d: %s", status, body)
	}
	if status, _, body := send(t, "127.0.0.1:"+port, post(port, "Host: 127.0.0.1:PORT")); status != 200 {
		t.Errorf("after one ended: status %d: %s", status, body)
	}
}

// A real client over HTTP, with and without sessions; an open stream does not
// hold up the end.
func TestClientAndEnd(t *testing.T) {
	port, end := serving(t, "127.0.0.1:0", mcp.HTTPOptions{Token: token})
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: "http://127.0.0.1:" + port + "/mcp", HTTPClient: &http.Client{Transport: bearer{}}, MaxRetries: -1,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) == 0 {
		t.Errorf("%v, %v", list, err)
	}
	start := time.Now()
	if err := end(); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("the end took %v: it waited until its patience was over", took)
	}
	_ = session.Close() // its server is gone
}

type bearer struct{}

func (bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return http.DefaultTransport.RoundTrip(r)
}

func TestListenAddr(t *testing.T) {
	for given, want := range map[string]string{
		":8765": "127.0.0.1:8765 true", "8765": "127.0.0.1:8765 true", "localhost:0": "127.0.0.1:0 true", "LOCALHOST:1": "127.0.0.1:1 true",
		"127.0.0.1:8765": "127.0.0.1:8765 true", "127.3.2.1:8765": "127.3.2.1:8765 true", "[::1]:8765": "[::1]:8765 true",
		"0.0.0.0:8765": "0.0.0.0:8765 false", "[::]:8765": "[::]:8765 false", "192.168.1.20:1": "192.168.1.20:1 false", "ada.example:1": "ada.example:1 false",
		"127.0.0.1": "", "": "", "::1": "", "[::1]": "", "http://127.0.0.1:1": "",
	} {
		address, local, err := mcp.ListenAddr(given)
		got := fmt.Sprint(address, " ", local)
		if (err != nil) != (want == "") || err == nil && got != want {
			t.Errorf("%q: %s, %v; want %s", given, got, err, want)
		}
	}
}
