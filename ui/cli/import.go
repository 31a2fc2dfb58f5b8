package cli

import (
	"errors"
	"math"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

const importLong = `Write conversations into Cursor's files: of another agent, of a file that "retold
export --format json" wrote, or kept by retold after Cursor lost them. What Cursor
lost comes back under its own id. "--to cursor" writes for the editor, whose panel
shows them; "--to cursor-cli" for the command line, where "cursor-agent ls" and
"cursor-agent resume" find them in the folder.

Nothing is written before the plan was shown and agreed to (--yes where nobody can
be asked; --dry-run shows every row and writes nothing). Quit Cursor first: retold
refuses while it runs. "retold undo" takes it back. A file that was exported without
--reveal has its secrets masked, and so has what is imported from it.`

type importOptions struct {
	to, workspace, fingerprint string
	again                      bool
	consent
}

func (a *app) importCommand() *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use: "import FILE|SESSION... --to cursor|cursor-cli", Short: "take conversations into Cursor", Long: importLong,
		Example: "  retold import 3f9a --to cursor --workspace ~/projects/tidepool\n  retold import session.json --to cursor --workspace . --dry-run\n  retold import 3f9a --to cursor-cli --workspace .",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || o.to == "" {
				return usage(cmd, "import wants files or sessions, and --to with an agent")
			}
			return nil
		},
		ValidArgsFunction: a.completeSessions(-1),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.importAll(cmd, args, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.to, "to", "", "the `AGENT` to write for: cursor or cursor-cli")
	f.StringVar(&o.workspace, "workspace", "", "the `FOLDER` that they are to be about, or an address, instead of their own")
	f.BoolVar(&o.again, "again", false, "take in once more what is there")
	f.StringVar(&o.fingerprint, "fingerprint", "", "go ahead only if the plan still has this `HASH`")
	o.flags(cmd)
	complete(cmd, "to", "cursor", "cursor-cli")
	return cmd
}

func (a *app) importAll(cmd *cobra.Command, args []string, o importOptions) (err error) {
	ctx := cmd.Context()
	if os.Getenv("GOMEMLIMIT") == "" && os.Getenv("GOGC") == "" {
		debug.SetMemoryLimit(math.MaxInt64) // a conversation is held whole: against a goal below that the collector only burns time
		debug.SetGCPercent(50)
	}
	if a.flags.backup != "" {
		return &retold.Error{Code: retold.CodeUsage, Err: errors.New("a backup cannot be changed"), Hint: "leave --backup away"}
	}
	lo := library.ImportOptions{To: o.to, Again: o.again}
	if o.workspace != "" {
		lo.Workspace = a.absolute(o.workspace)
	}
	for _, arg := range args {
		info, err := os.Stat(a.env.Expand(arg))
		if err != nil || info.IsDir() {
			lo.Sessions = append(lo.Sessions, arg)
			continue
		}
		details, err := a.readExport(a.env.Expand(arg))
		if err != nil {
			return err
		}
		lo.Details = append(lo.Details, details...)
	}
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	if err := a.settleFirst(ctx, l, o.consent); err != nil {
		return err
	}
	c, err := l.PlanImport(ctx, lo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return a.carryOut(ctx, c, o.consent, o.fingerprint)
}

func (a *app) readExport(path string) (all []*retold.SessionDetail, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	all, unknown, err := library.ReadExport(f)
	if e, ok := errors.AsType[*retold.Error](err); ok {
		e.Path = path
	}
	a.problems += len(unknown)
	for _, name := range unknown {
		a.note("%s: nobody knows what %s means: it is left out", path, name)
	}
	return all, err
}
