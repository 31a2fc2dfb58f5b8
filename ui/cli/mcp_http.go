package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/ui/mcp"
)

// tokenVariable holds the token where no file is named. There is no flag for the
// token itself: every user of a machine can read the flags of every program.
const tokenVariable = "RETOLD_MCP_TOKEN" //nolint:gosec // the name of a variable, no secret

// An endpoint is where a server listens and whom it lets in.
type endpoint struct {
	listener net.Listener
	options  mcp.HTTPOptions
	url      string
}

// local reports that only programs of this machine can reach it.
func (e *endpoint) local() bool {
	a, ok := e.listener.Addr().(*net.TCPAddr)
	return ok && a.IP.IsLoopback()
}

// open reports that any user of this machine may ask without a token, who then
// gets no tool that writes with the rights of this one.
func (e *endpoint) open() bool { return e != nil && e.options.Token == "" }

// close closes the listener; the server may have done so before.
func (e *endpoint) close() error {
	if err := e.listener.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// listen takes the address that --http names.
func (a *app) listen(ctx context.Context, cmd *cobra.Command, o mcpOptions) (*endpoint, error) {
	address, local, err := mcp.ListenAddr(o.http)
	if err != nil {
		return nil, usage(cmd, fmt.Sprintf("--http %s: %v", o.http, err))
	}
	token, err := a.mcpToken(o)
	if err != nil {
		return nil, err
	}
	if token == "" && !local {
		return nil, &retold.Error{
			Code: retold.CodeUsage, Err: fmt.Errorf("others can reach %s, so clients have to show a token", address),
			Hint: "put one into a file (`openssl rand -hex 32`) and name it with --token-file, or listen on 127.0.0.1",
		}
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, usage(cmd, err.Error())
	}
	if net.ParseIP(host) == nil {
		o.hosts = append(o.hosts, host)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, &retold.Error{Code: "error", Op: "listen", Err: err, Hint: "choose another port, or 0 for a free one"}
	}
	return &endpoint{
		listener: listener,
		options:  mcp.HTTPOptions{Token: token, Hosts: o.hosts, ErrorLog: log.New(complaints{a}, "", 0)},
		url:      "http://" + listener.Addr().String() + mcp.HTTPPath,
	}, nil
}

// mcpToken is the token clients have to show: what the file that --token-file
// names holds, else the variable; "" for none.
func (a *app) mcpToken(o mcpOptions) (string, error) {
	from, token := tokenVariable, strings.TrimSpace(a.env.Var(tokenVariable))
	if o.tokenFile != "" {
		data, err := os.ReadFile(o.tokenFile)
		if err != nil {
			return "", &retold.Error{Code: retold.CodeUsage, Op: "read the token", Err: err, Hint: "name a file that holds it with --token-file"}
		}
		if info, err := os.Stat(o.tokenFile); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			a.note("others on this machine may read %s; chmod 600 keeps it yours", o.tokenFile)
		}
		from, token = o.tokenFile, strings.TrimSpace(string(data))
		if token == "" {
			return "", &retold.Error{Code: retold.CodeUsage, Op: "read the token", Path: from, Err: errors.New("it is empty"), Hint: "put a token into it: `openssl rand -hex 32`"}
		}
	}
	if err := mcp.CheckToken(token); err != nil && token != "" {
		return "", &retold.Error{Code: retold.CodeUsage, Op: "use the token", Path: from, Err: err, Hint: "make one with `openssl rand -hex 32`"}
	}
	return token, nil
}

// announceHTTP says where the server is. Programs that started it read this too,
// so it stays with --json.
func (a *app) announceHTTP(at *endpoint) {
	if a.json {
		a.tell(fmt.Sprintf("{\"url\":%q}\n", at.url))
		return
	}
	who := cmp.Or(strings.Repeat("with the token", min(len(at.options.Token), 1)), "for programs on this machine")
	a.note("answering at %s, %s; Ctrl-C ends it", at.url, who)
}

// complaints passes the lines of a log on to stderr.
type complaints struct{ *app }

func (c complaints) Write(p []byte) (int, error) {
	c.tell(plain(string(p)))
	return len(p), nil
}
