package cli

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold/journal/hook"
	_ "github.com/retold-history/retold/journal/hook/early" // enqueue, before all this is set up
	"github.com/retold-history/retold/journal/hook/spool"
)

// spool is the folder that hooks put into what git did.
func (a *app) spool() string {
	if a.flags.demo {
		return spool.Folder(a.settings.Library.home)
	}
	return spool.Folder(a.settings.Home.value)
}

// journalEnqueueCommand is what a hook runs. It takes its arguments as they are,
// so that package early and this understand the same ones.
func (a *app) journalEnqueueCommand() *cobra.Command {
	var call spool.Call
	cmd := &cobra.Command{
		Use: "enqueue [COMMIT]", Short: "note that git made a commit (the hooks run this)", Hidden: true,
		Long: `Note what git just did in a small file, and start the process that deals with it.
The hooks run this: it neither fails nor says anything, and what goes wrong is in
the log that "retold journal status --json" names.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if call.Rev = "HEAD"; len(args) > 0 {
				call.Rev = args[0]
			}
			if call.Kind == spool.PostRewrite {
				call.Stdin = a.in
			}
			spool.Run(cmd.Context(), a.spool(), call)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&call.Kind, "event", spool.PostCommit, "which hook it is: post-commit, post-rewrite or post-merge")
	f.StringVar(&call.Given, "given", "", "what git passes to that hook")
	f.BoolVar(&call.Alone, "no-drain", false, "leave it in the queue")
	complete(cmd, "event", spool.Kinds...)
	return cmd
}

// drainPatience is how long the process that a hook starts stays for what has to
// be tried again.
const drainPatience = 2 * time.Minute

// journalDrainCommand deals with what is in the queue by handle, which may be
// called twice for one event.
func (a *app) journalDrainCommand(handle func(context.Context, hook.Event) error) *cobra.Command {
	var detached, retry bool
	cmd := &cobra.Command{
		Use: "drain", Short: "deal with the commits that wait in the queue", Args: noArgs, Hidden: true,
		Long: `Deal with the commits that hooks have noted, oldest first. A hook starts this in the
background; run it to see what comes of it, or with --retry to try again what could
not be dealt with.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.journalDrain(cmd.Context(), handle, detached, retry)
		},
	}
	cmd.Flags().BoolVar(&retry, "retry", false, "try again what was set aside, too")
	cmd.Flags().BoolVar(&detached, "detached", false, "stay a while for what has to be tried again, and say nothing")
	return cmd
}

func (a *app) journalDrain(ctx context.Context, handle func(context.Context, hook.Event) error, detached, retry bool) (err error) {
	dir := a.spool()
	log, err := hook.OpenLog(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	o := hook.DrainOptions{Dir: dir, Log: slog.New(slog.NewTextHandler(log, nil))}
	if detached {
		o.Patience = drainPatience
	}
	if retry {
		if _, err := hook.Requeue(dir); err != nil {
			return err
		}
	}
	r, err := hook.Drain(ctx, o, handle)
	if err != nil {
		o.Log.Error("ended", "error", err.Error())
		return err
	}
	switch {
	case detached:
		return nil
	case a.json:
		return a.printJSON(r)
	case r.Busy:
		a.note("another process is at it")
	}
	a.problems += r.Failed
	a.line("%s done, %d to be tried again, %d set aside", counted(r.Done, "commit"), r.Waiting, r.Failed)
	return nil
}
