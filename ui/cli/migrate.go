package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/migrate"
)

const migrateLong = `Make conversations be about another folder, so that Cursor lists them there: after
a folder was renamed or moved, or to have them in two places. Every store that
holds them is changed: the lists, the records, the paths in them, the folders of
the command line. What somebody wrote is not touched.

Nothing is written before the plan was shown and agreed to (--yes where nobody can
be asked; --dry-run shows every row and writes nothing). Quit Cursor first: retold
refuses while it runs. "retold undo" brings back every row as it was.`

type migrateOptions struct {
	to          string
	copies      bool
	fingerprint string
	consent
}

// consent is how a person agrees to a change.
type consent struct {
	yes    bool
	dryRun bool
}

func (c *consent) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&c.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVarP(&c.dryRun, "dry-run", "n", false, "show every row and file, and write nothing")
}

func (a *app) migrateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "migrate", Short: "move or copy conversations to another folder", Long: migrateLong,
		Example: "  retold migrate workspace ~/old-name ~/new-name\n  retold migrate session 3f9a --to ~/projects/tidepool --copy",
		Args:    a.noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usage(cmd, "migrate what? A session or a workspace")
		},
	}
	cmd.AddCommand(a.migrateSessionCommand(), a.migrateWorkspaceCommand())
	return cmd
}

func (a *app) migrateSessionCommand() *cobra.Command {
	var o migrateOptions
	cmd := &cobra.Command{
		Use: "session SESSION... --to FOLDER", Short: "move or copy single conversations", Long: migrateLong,
		Example: "  retold migrate session 3f9a --to ~/projects/tidepool\n  retold migrate session 3 7 --to . --copy --dry-run",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || o.to == "" {
				return usage(cmd, "migrate session wants sessions, and --to with a folder")
			}
			return nil
		},
		ValidArgsFunction: a.completeSessions(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.migrate(cmd.Context(), library.MigrateOptions{Sessions: args, To: o.to, Copy: o.copies}, o)
		},
	}
	o.register(cmd)
	cmd.Flags().StringVar(&o.to, "to", "", "the `FOLDER` that they are to be about, or an address (vscode-remote://…)")
	return cmd
}

func (a *app) migrateWorkspaceCommand() *cobra.Command {
	var o migrateOptions
	cmd := &cobra.Command{
		Use: "workspace FROM TO", Short: "move or copy all conversations about a folder", Long: migrateLong,
		Example: "  retold migrate workspace ~/old-name ~/new-name\n  retold migrate workspace tidepool ~/projects/tidepool --dry-run",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage(cmd, "migrate workspace wants the old folder and the new one")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			from := args[0]
			if strings.HasPrefix(from, ".") || strings.HasPrefix(from, "~") {
				from = a.absolute(from)
			}
			o.to = args[1]
			return a.migrate(cmd.Context(), library.MigrateOptions{From: from, To: o.to, Copy: o.copies}, o)
		},
	}
	o.register(cmd)
	return cmd
}

func (o *migrateOptions) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.copies, "copy", false, "leave the originals where they are")
	cmd.Flags().StringVar(&o.fingerprint, "fingerprint", "", "go ahead only if the plan still has this `HASH`")
	o.flags(cmd)
}

// absolute is a folder from its root on; an address stays as it is.
func (a *app) absolute(folder string) string {
	if strings.Contains(folder, "://") {
		return folder
	}
	folder = a.env.Expand(folder)
	if abs, err := filepath.Abs(folder); err == nil {
		return abs
	}
	return folder
}

func (a *app) migrate(ctx context.Context, lo library.MigrateOptions, o migrateOptions) (err error) {
	if a.flags.backup != "" {
		return &retold.Error{Code: retold.CodeUsage, Err: errors.New("a backup cannot be changed"), Hint: "leave --backup away"}
	}
	lo.To = a.absolute(lo.To)
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	if err := a.settleFirst(ctx, l, o.consent); err != nil {
		return err
	}
	c, err := l.PlanMigrate(ctx, lo)
	if err != nil {
		return err
	}
	return a.propose(ctx, c, o.consent, o.fingerprint)
}

// propose says what a plan leaves out, carries the rest out, and closes it.
func (a *app) propose(ctx context.Context, c *migrate.Change, agreed consent, fingerprint string) (err error) {
	defer func() { err = errors.Join(err, c.Close()) }()
	failed := c.Failures()
	a.problems += len(failed)
	if len(failed) == 0 || len(c.Sessions()) > 0 {
		for _, f := range failed {
			a.note("%s: %s", f.Session, f.Reason)
		}
		return a.carryOut(ctx, c, agreed, fingerprint)
	}
	switch { // for a program it is in the result too
	case a.json && agreed.dryRun:
		err = a.carryOut(ctx, c, agreed, fingerprint)
	case a.json:
		err = a.printJSON(&migrate.Result{FailedCount: len(failed), Errors: failed})
	}
	return errors.Join(err, noneDone(failed))
}

// noneDone is the error of a change that can be made to no session.
func noneDone(failed []migrate.Failure) error {
	e := &retold.Error{Hint: "nothing was changed; `retold doctor` shows which files hold conversations, and `retold import` makes new ones of what is kept"}
	var lines []string
	for _, f := range failed {
		lines = append(lines, f.Session+": "+f.Reason)
	}
	e.Err = errors.New(strings.Join(lines, "\n  "))
	return e
}

// carryOut shows a plan, asks, and has it done.
func (a *app) carryOut(ctx context.Context, c *migrate.Change, agreed consent, fingerprint string) error {
	d, err := c.Describe()
	if err != nil {
		return err
	}
	a.veilPlan(d)
	switch {
	case agreed.dryRun && a.json:
		return a.printJSON(d)
	case agreed.dryRun:
		a.showPlan(d, true)
		return nil
	case len(d.Steps) == 0 && !a.json:
		a.line("nothing has to be changed")
		return nil
	case !agreed.yes && (a.json || !a.asks()):
		return &retold.Error{
			Code: retold.CodeUsage, Err: fmt.Errorf("there is nobody to ask whether to %s", oneLine(d.Title)),
			Hint: "look at it with --dry-run, and add --yes to do it without being asked",
		}
	case !agreed.yes:
		a.showPlan(d, false)
		sure, err := a.confirm(ctx, "Go ahead?")
		if err != nil {
			return err
		}
		if !sure {
			a.note("nothing was changed")
			return nil
		}
	}
	r, err := c.Apply(ctx, fingerprint)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(r)
	}
	a.tellResult(d, r)
	return nil
}

// veilPlan masks secrets in what a plan shows of values.
func (a *app) veilPlan(d *change.Description) {
	for i := range d.Steps {
		for _, side := range []**string{&d.Steps[i].Before, &d.Steps[i].After} {
			if *side != nil {
				text := a.veil.text(**side)
				*side = &text
			}
		}
	}
}

// mostRows is how many rows of a plan are shown to a person.
const mostRows = 1000

// showPlan prints a plan: its steps, or what it comes to.
func (a *app) showPlan(d *change.Description, whole bool) {
	a.line("%s", a.style.bold(oneLine(d.Title)))
	rows := 0
	for _, s := range d.Steps {
		if s.Table != "" {
			rows++
			if !whole || rows > mostRows {
				continue
			}
		}
		name := s.Path
		if s.Table != "" {
			name = s.Table + " " + s.Key
		}
		a.line("  %s %s", a.style.cyan(s.Do), oneLine(name))
		if !whole {
			continue
		}
		if s.Table != "" {
			a.line("    %s", a.style.dim("in "+oneLine(s.Path)))
		}
		if s.Before != nil {
			a.line("    %s %s", a.style.red("-"), oneLine(*s.Before))
		}
		if s.After != nil {
			a.line("    %s %s", a.style.green("+"), oneLine(*s.After))
		}
	}
	if more := rows - mostRows; whole && more > 0 {
		a.line("  %s", a.style.dim(fmt.Sprintf("and %s more; --json names every one", counted(more, "row"))))
	}
	for _, c := range d.Databases {
		a.line("  %s in %s: %d added, %d changed, %d removed", oneLine(c.Table), oneLine(c.Path), c.Added, c.Changed, c.Removed)
	}
	a.line("%s, %s; fingerprint %s", counted(d.Rows, "row"), counted(d.Files, "file"), d.Fingerprint)
}

func (a *app) tellResult(d *change.Description, r *migrate.Result) {
	done := counted(r.SuccessCount, "session")
	if strings.Contains(d.Title, " without messages") {
		done += " in all" // those of the title, together
	}
	a.line("%s: %s, %s, %s", oneLine(d.Title), done, counted(r.Rows, "row"), counted(r.Files, "file"))
	for _, left := range r.Left {
		a.note("%s", left)
	}
	if r.UndoID != nil {
		a.line("%s", a.style.dim("retold undo "+*r.UndoID+" takes it back"))
	}
}
