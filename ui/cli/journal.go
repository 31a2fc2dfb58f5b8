package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/journal/hook"
)

const journalLong = `A journal of your work, made of what was said and done: for each commit the
conversations that became it, what you asked, what was decided and why, what went
wrong and what fixed it, the commands that ran. Every item is a quote and cites the
message it comes from. No model is asked, and nothing leaves this machine, unless
you configure one and say --ai.

Entries are kept beside the library and written as Markdown, one file a day. What
you write there outside the marks stays. Where the files go is a setting of the
repository: "git config retold.journal FOLDER" (relative to its top; "none" for no
files); by default a folder of retold's own. "git config retold.notes true" writes
each entry as a git note, too.

"retold journal install" has git tell retold of each commit; "backfill" writes the
entries of the commits there are.`

func (a *app) journalCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "journal", Short: "a journal of commits and the conversations behind them", Long: journalLong,
		Example: "  retold journal write\n  retold journal backfill --since 90d\n  retold journal show\n  retold journal day\n  retold journal reflect \"The retry budget was the right call.\"",
		Args:    a.noSuchCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		a.journalWriteCommand(), a.journalBackfillCommand(), a.journalShowCommand(), a.journalSearchCommand(),
		a.journalPeriodCommand("day"), a.journalPeriodCommand("week"), a.journalPeriodCommand("month"),
		a.journalReflectCommand(), a.journalContextCommand(),
		a.journalInstallCommand(), a.journalUninstallCommand(), a.journalStatusCommand(),
		a.journalEnqueueCommand(), a.journalDrainCommand(a.journalEvent),
	)
	return cmd
}

// A desk is what commands about commits work at: a repository, the journal, and
// where entries go.
type desk struct {
	repo    *journal.Repo
	journal *journal.Journal
	id      string // RepoID
	to      journal.WriteOptions
}

// desk opens the repository that a folder lies in, and the journal.
func (a *app) desk(ctx context.Context, folder string) (*desk, error) {
	l, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	repo, err := journal.OpenRepo(ctx, a.absolute(folder))
	if err != nil {
		return nil, err
	}
	d := &desk{repo: repo}
	if d.journal, err = l.Journal(ctx); err != nil {
		return nil, err
	}
	if d.id, err = d.journal.RepoID(ctx, repo); err != nil {
		return nil, err
	}
	d.to, err = journal.Placed(ctx, repo, d.id, a.settings.Library.home, a.env.Home)
	return d, err
}

// repoFlag adds the flag that names the repository.
func repoFlag(cmd *cobra.Command, repo *string) {
	cmd.Flags().StringVar(repo, "repo", ".", "the repository that `DIR` lies in")
}

// journalEvent writes the entry of a commit that a hook told of. A commit or
// repository that is gone by now is none to write about.
func (a *app) journalEvent(ctx context.Context, e hook.Event) error {
	folder := e.Worktree
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		if folder = filepath.Dir(e.GitDir); e.GitDir == "" {
			return nil
		}
		if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	d, err := a.desk(ctx, folder)
	if err != nil {
		return err
	}
	for _, r := range e.Rewritten {
		if _, err := d.journal.Rewrite(ctx, d.repo, r.Old, r.New, d.to); err != nil && !gone(err) {
			return fmt.Errorf("follow %s to %s: %w", r.Old, r.New, err)
		}
	}
	if len(e.Rewritten) > 0 || e.Commit == "" {
		return nil
	}
	if _, err := d.journal.Write(ctx, d.repo, e.Commit, d.to); err != nil && !gone(err) {
		return err
	}
	return nil
}

// gone reports that a commit is no longer in its repository.
func gone(err error) bool {
	return errors.Is(err, retold.ErrCommitNotFound)
}
