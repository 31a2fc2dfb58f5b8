package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp"
)

type mcpOptions struct {
	http      string
	readOnly  bool
	tokenFile string
	hosts     []string
}

const mcpLong = `Answer an agent over the Model Context Protocol, so that it can find what was said
before. A program starts this, not a person: it speaks on stdin and stdout until
its input ends. "retold mcp install" tells the programs that are installed here.

With --http it answers many clients at http://ADDR/mcp instead. An address without
a host (":8765") is this machine's, which only programs on it can reach; any other
wants a token that clients present as "Authorization: Bearer …": in the file that
--token-file names, or in RETOLD_MCP_TOKEN. Requests from web pages of other
origins, or under other names than the address and those --allow-host adds, are
refused.

Secrets are masked, and nothing leaves the machine but the answers to whoever asked.
An agent can also plan an export, a backup, a restore, a move and an undo; each is
done only when it comes back with the fingerprint of its plan. --read-only offers
none of them. Over HTTP they are offered to programs on this machine that show a
token, and to nobody else. See docs/mcp.md.`

func (a *app) mcpCommand() *cobra.Command {
	var o mcpOptions
	cmd := &cobra.Command{
		Use: "mcp", Short: "answer agents over the Model Context Protocol", Long: mcpLong, Args: noArgs,
		Example: `  retold mcp install --client cursor
  retold mcp --read-only
  retold mcp --http :8765
  RETOLD_MCP_TOKEN=… retold mcp --http 192.168.1.20:8765 --allow-host history.example`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.mcp(cmd, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.http, "http", "", "answer over HTTP at `ADDR` instead of stdin and stdout; port 0 takes a free one")
	f.BoolVar(&o.readOnly, "read-only", false, "offer nothing that writes")
	f.StringVar(&o.tokenFile, "token-file", "", "the `FILE` that holds the bearer token for --http")
	f.StringArrayVar(&o.hosts, "allow-host", nil, "answer under this host `NAME` too, with --http; repeatable")
	cmd.AddCommand(a.mcpInstallCommand())
	return cmd
}

// mcpPatience is how long an agent's question waits for the library to be brought
// up to date.
const mcpPatience = time.Second

func (a *app) mcp(cmd *cobra.Command, o mcpOptions) (err error) {
	if o.http == "" && (o.tokenFile != "" || len(o.hosts) > 0) {
		return usage(cmd, "--token-file and --allow-host belong to --http")
	}
	ctx, stop := context.WithCancel(cmd.Context())
	out := a.claimStdout()
	var at *endpoint
	if o.http != "" {
		if at, err = a.listen(ctx, cmd, o); err != nil {
			stop()
			return err
		}
		defer func() { err = errors.Join(err, at.close()) }()
	}
	feed := &mcp.Feed{}
	a.tune = func(o *library.Options) { o.Patience, o.Progress, o.Mask = mcpPatience, feed.Tell, mcp.Mask }
	l, err := a.open(ctx)
	if err != nil {
		stop()
		return err
	}
	quiet := &lull{}
	options := mcp.Options{
		Version: readBuild().Version, Feed: feed, Answered: quiet.broken, NoFiles: at != nil && !at.local(),
		ReadOnly: o.readOnly || a.flags.backup != "" || at.open(),
	}
	if at == nil {
		if options.Dir, err = os.Getwd(); err != nil {
			options.Dir = "" // a folder that was removed says nothing about the client
		}
	}
	server := mcp.New(l, options)
	quiet.begin(func() {
		if err := l.Rest(ctx); err != nil && ctx.Err() == nil {
			server.Logger().Warn("memory could not be given back", "error", err)
		}
	})
	defer quiet.end()
	var background sync.WaitGroup
	background.Go(func() {
		bringUpToDate(ctx, l, server.Logger())
		quiet.broken()
	})
	defer background.Wait()
	defer stop()
	if at != nil {
		a.announceHTTP(at)
		return ended(cmd.Context(), server.RunHTTP(ctx, at.listener, at.options))
	}
	in, ok := a.in.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(a.in)
	}
	if f, ok := a.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		a.note("This speaks the Model Context Protocol on stdin and stdout; a program is meant to start it.")
		a.note("To tell the programs on this machine: retold mcp install. To end it: Ctrl-D.")
	}
	return ended(cmd.Context(), server.RunStdio(ctx, in, out))
}

// ended is what came of a server: that an interrupt ended it is no news.
func ended(ctx context.Context, err error) error {
	if err != nil && err == ctx.Err() { //nolint:errorlint // nothing else that ended with it is left out
		return errEnded
	}
	return err
}

// claimStdout takes stdout for the protocol: whatever else would be printed there,
// by us or by mistake, goes to stderr from here on.
func (a *app) claimStdout() io.Writer {
	if a.stdout == io.Writer(os.Stdout) {
		os.Stdout = os.Stderr
	}
	a.out.Reset(a.err)
	return a.stdout
}

// bringUpToDate brings the library up to date. From then on each question looks for itself what is new, which costs next to
// nothing.
func bringUpToDate(ctx context.Context, l *library.Library, log *slog.Logger) {
	// The question starts the work, with which questions of the client then share;
	// the sync is only there to await it and to say what came of it.
	_, err := l.List(ctx, retold.Filter{}, 1, 0)
	var r *library.SyncReport
	if err == nil {
		r, err = l.Sync(ctx, library.SyncOptions{})
	}
	switch {
	case ctx.Err() != nil:
		return
	case errors.Is(err, retold.ErrLibraryBusy):
		log.Info("another retold is bringing the library up to date")
	case errors.Is(err, library.ErrNothing):
		log.Info(err.Error())
	case err != nil:
		log.Warn("the library could not be brought up to date", "error", err)
	default:
		log.Info("the library is up to date", "sessions", r.Sessions, "problems", len(r.Problems))
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(100)
	}
}
