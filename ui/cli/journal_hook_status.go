package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal/hook"
	"github.com/retold-history/retold/journal/hook/spool"
)

func (a *app) journalStatusCommand() *cobra.Command {
	repo := "."
	cmd := &cobra.Command{
		Use: "status", Short: "whether git tells retold of commits, and what waits", Args: noArgs,
		Long: `Say which hooks of a repository tell retold of commits, what else is in them, and
whether the program that they start is still there; and what waits in the queue of
commits, what could not be dealt with, and when the queue was last emptied. Outside
of a repository only the queue is shown: it is that of all repositories.`,
		Example: "  retold journal status\n  retold journal status --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.journalStatus(cmd.Context(), repo, cmd.Flags().Changed("repo"))
		},
	}
	cmd.Flags().StringVar(&repo, "repo", repo, "the repository that `DIR` lies in")
	return cmd
}

func (a *app) journalStatus(ctx context.Context, repo string, named bool) error {
	program, err := a.hookProgram()
	if err != nil {
		return err
	}
	hooks, err := hook.Look(ctx, a.env.Expand(repo), program)
	outside := err != nil && retold.CodeOf(err) == retold.CodeUsage && !named
	if err != nil && !outside {
		return err
	}
	queue, err := hook.LookAtQueue(a.spool())
	if err != nil {
		return err
	}
	a.problems += len(queue.Failed)
	off := spool.Off(a.env.Var)
	if a.json {
		return a.printJSON(struct {
			*hook.Hooks
			Working bool        `json:"working"` // git tells of commits
			Off     bool        `json:"off"`     // RETOLD_JOURNAL says not to
			Queue   *hook.Queue `json:"queue"`
		}{hooks, !outside && hooks.Working(), off, queue})
	}
	if outside {
		a.queueLines(queue)
		a.note("not in a git repository: of hooks there is nothing to say")
		return nil
	}
	a.hookLines(hooks, false)
	a.queueLines(queue)
	switch {
	case off:
		a.note("RETOLD_JOURNAL is %q: commits made with that are not noted", a.env.Var("RETOLD_JOURNAL"))
	case !hooks.Working():
		a.note("git does not tell retold of commits here: retold journal install")
	}
	if hooks.Manager != "" {
		a.note("%s writes the hooks of this repository", hooks.Manager)
	}
	if hooks.Shared {
		a.note("other repositories may share the hooks in %s", oneLine(hooks.Dir))
	}
	return nil
}

// queueLines print the state of the queue.
func (a *app) queueLines(q *hook.Queue) {
	last := "never emptied"
	if q.LastDrained != nil {
		last = "last emptied " + q.LastDrained.UTC().Format(time.RFC3339)
		if a.tty {
			last = "last emptied " + ago(*q.LastDrained, now())
		}
	}
	if q.Draining {
		last = "being emptied"
	}
	a.line("queue\t%d waiting\t%s\t%s", q.Queued, oneLine(q.Dir), last)
	a.failedLines("retrying", q.Retrying)
	a.failedLines("failed", q.Failed)
	if q.NotNoted != "" {
		a.note("a commit could not be noted: %s", oneLine(q.NotNoted))
	}
	if len(q.Failed) > 0 {
		a.note("to try again what failed: retold journal drain --retry")
	}
}

// mostFailed is how many events of a kind are listed one by one.
const mostFailed = 10

func (a *app) failedLines(what string, list []hook.Failed) {
	for _, f := range list[:min(len(list), mostFailed)] {
		where := f.File // what is set aside is to be looked at
		if what == "retrying" {
			where = f.Worktree
		}
		a.line("%s\t%s\t%s\t%s", what, f.Commit, oneLine(where), oneLine(f.Reason))
	}
	if more := len(list) - mostFailed; more > 0 {
		a.note("… and %d more (%s); --json lists all", more, what)
	}
}
