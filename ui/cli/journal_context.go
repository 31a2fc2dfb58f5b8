package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
)

func (a *app) journalContextCommand() *cobra.Command {
	var repo string
	cmd := &cobra.Command{
		Use: "context [COMMIT]", Short: "the conversations around a commit, for other tools", Args: cobra.MaximumNArgs(1),
		Long: `Print the conversations about the repository between a commit's parent and the
commit (by default HEAD), and those that evidence ties to it: every message with
its score and the evidence that names it. With --json it is made for programs.`,
		Example: "  retold journal context --json\n  retold journal context v1.2",
		RunE: func(cmd *cobra.Command, args []string) error {
			rev := "HEAD"
			if len(args) > 0 {
				rev = args[0]
			}
			return a.journalContext(cmd.Context(), repo, rev)
		},
	}
	repoFlag(cmd, &repo)
	return cmd
}

func (a *app) journalContext(ctx context.Context, repo, rev string) error {
	d, err := a.desk(ctx, repo)
	if err != nil {
		return err
	}
	w, err := d.journal.Window(ctx, d.repo, rev)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(w)
	}
	for _, s := range w.Sessions {
		a.line("%s  %s  %s, %s", s.SessionID, oneLine(s.Title), s.Class, counted(s.Total, "message"))
		for _, m := range s.Messages {
			score := ""
			if m.Score != 0 {
				score = strconv.FormatFloat(m.Score, 'g', -1, 64)
			}
			a.line("  #%d\t%s\t%s\t%s", m.Index, m.Role, score, oneLine(retold.Preview(m.Text)))
		}
	}
	if len(w.Sessions) == 0 {
		a.note("no conversation about this repository lies between %s and its parent", shortCommit(w.Commit))
	}
	return nil
}
