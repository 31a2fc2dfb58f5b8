// Package cli is retold's command line: one file per command, each with one
// struct of options. say.go is the voice (what goes to which stream, in colour
// or not), error.go the ending (messages, hints and exit statuses, which
// docs/exit-codes.md documents), settings.go what flags, environment and
// config.toml say. Commands print data on stdout and everything else on stderr;
// text from conversations passes render.Plain before a terminal sees it.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/redact"
)

// Streams are what a command line reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// An app is one run of the command line.
type app struct {
	voice
	env      paths.Env
	flags    globalFlags
	settings settings
	stdout   io.Writer              // for what must not pass the voice
	tune     func(*library.Options) // what a command wants of the library; nil for nothing special
	library  *library.Library       // once a command has opened it
	settles  bool                   // the command has its own word on interrupted changes
	problems int                    // what could not be read so far; --strict turns it into a status
}

// memoryGoal is how much memory a command tries to stay under: from there on
// garbage is collected more often. A session that needs more still gets it.
const memoryGoal = 150 << 20

// Main runs the process's command line and returns its exit status.
func Main() int {
	// A reader that has seen enough (| head) must not kill the process: the
	// failed write ends it quietly, with what it has to tidy up tidied up.
	signal.Ignore(syscall.SIGPIPE)
	if os.Getenv("GOMEMLIMIT") == "" && os.Getenv("GOGC") == "" {
		debug.SetMemoryLimit(memoryGoal)
		debug.SetGCPercent(400) // most commands end before there is much to collect
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt kills
	return Run(ctx, os.Args[1:], Streams{os.Stdin, os.Stdout, os.Stderr})
}

// Run runs one command line and returns its exit status. The end of ctx
// interrupts it.
func Run(ctx context.Context, args []string, s Streams) int {
	a := &app{voice: newVoice(s), stdout: s.Out}
	a.json = slices.Contains(args, "--json") // for errors in the flags themselves
	err := a.run(ctx, args)
	a.tellMasked()
	if a.library != nil {
		if closed := a.library.Close(); err == nil {
			err = closed
		}
	}
	if flushed := a.flush(); err == nil {
		err = flushed
	}
	return a.end(ctx, err)
}

func (a *app) run(ctx context.Context, args []string) error {
	env, err := paths.System()
	if err != nil {
		return err
	}
	a.env = env
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetIn(a.in)
	return root.ExecuteContext(ctx)
}

// open opens the library where the settings say; Run closes it.
func (a *app) open(ctx context.Context) (*library.Library, error) {
	if a.library != nil {
		return a.library, nil
	}
	if a.flags.backup != "" && (a.flags.demo || len(a.flags.cursorUser)+len(a.flags.cursorHome) > 0) {
		return nil, &retold.Error{Code: retold.CodeUsage, Err: errors.New("--backup excludes --demo, --cursor-user and --cursor-home"), Hint: "a backup is read instead of a machine's history"}
	}
	if a.flags.demo {
		if _, err := a.demoHome(ctx); err != nil {
			return nil, err
		}
	}
	s := &a.settings
	o := library.Options{
		CursorUser: s.CursorUser.folders, CursorHome: s.CursorHome.folders, Env: a.env,
		Home: s.Library.home, Apart: s.Library.apart,
	}
	if a.errTTY && !a.json {
		o.Progress = a.reading
	}
	if !a.veil.lifted {
		o.Mask = redact.Message
	}
	if a.tune != nil {
		a.tune(&o)
	}
	if a.flags.backup != "" {
		o.Backup = &library.BackupSource{Path: a.flags.backup, Identities: a.identities()}
	}
	l, err := library.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	a.library = l
	return l, a.noteInterrupted(ctx, l)
}

// now is the time by which people say "yesterday", in their own zone.
func now() time.Time { return time.Now() }
