package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/migrate"
)

const undoLong = `Take a change back that retold made to Cursor's files: every row and file is to the
byte what it was before. Without an ID it is the last change that was no undo
itself; the ID of an undo brings back what that took away. Of the lists that Cursor
writes anew all the time only what the change did is taken back. When something
else that it touched was changed since, retold names it and does nothing. A restore
can be taken back nevertheless, with --overwrite: what its files have become is put
aside and kept. With --skip-changed conversations of which something was changed
since stay whole, and the rest of a move, an import or a recovery is taken back.

A change whose process was ended in between (a power cut, kill -9) is finished by
the next change, or at once with --finish; --roll-back takes back what it wrote.

Records hold what rows and files held, and stay until you forget them: --forget ID
(repeatable), or --older-than 90d for all that are older. What they did stays, and
can no longer be undone. A change and what took it back are forgotten together.`

type undoOptions struct {
	list, finish, back bool
	overwrite, skip    bool
	forget             []string
	older              string
	consent
}

func (o *undoOptions) forgets() bool { return len(o.forget) > 0 || o.older != "" }

func (a *app) undoCommand() *cobra.Command {
	var o undoOptions
	cmd := &cobra.Command{
		Use: "undo [ID]", Short: "take back a change to Cursor's files", Long: undoLong,
		Example: "  retold undo\n  retold undo --list\n  retold undo 20261120-101500-3f9a --dry-run\n  retold undo --older-than 90d",
		Args: func(cmd *cobra.Command, args []string) error {
			others := 0
			for _, set := range []bool{o.list, o.finish, o.back, o.forgets()} {
				if set {
					others++
				}
			}
			if len(args) > 1 || len(args) == 1 && others > 0 {
				return usage(cmd, "undo wants one ID at most, and none with --list, --finish, --roll-back, --forget and --older-than")
			}
			if others > 1 {
				return usage(cmd, "--list, --finish, --roll-back and forgetting exclude each other")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.undo(cmd, args, o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "list the changes on record")
	f.BoolVar(&o.finish, "finish", false, "finish a change that was interrupted")
	f.BoolVar(&o.back, "roll-back", false, "take back what an interrupted change wrote")
	f.StringArrayVar(&o.forget, "forget", nil, "forget the record of the change with this `ID`; repeatable")
	f.StringVar(&o.older, "older-than", "", "forget all records older than this `TIME`, as 90d or 2026-03-01")
	f.BoolVar(&o.overwrite, "overwrite", false, "take a restore back although its files were changed since")
	f.BoolVar(&o.skip, "skip-changed", false, "leave conversations as they are that were changed since, and take back the rest")
	o.flags(cmd)
	return cmd
}

func (a *app) undo(cmd *cobra.Command, args []string, o undoOptions) (err error) {
	ctx := cmd.Context()
	if a.flags.backup != "" {
		return &retold.Error{Code: retold.CodeUsage, Err: errors.New("a backup cannot be changed"), Hint: "leave --backup away"}
	}
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	switch {
	case o.list:
		return a.listChanges(cmd, l)
	case o.finish || o.back:
		return a.settle(cmd, l, o.back)
	case o.forgets():
		return a.forgetChanges(ctx, l, o)
	}
	if err := a.settleFirst(ctx, l, o.consent); err != nil {
		return err
	}
	id := ""
	if len(args) == 1 {
		id = args[0]
	}
	c, err := l.PlanUndo(ctx, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if o.overwrite {
		err = c.Overwrite()
	} else {
		err = c.Ready()
	}
	if err == nil && !o.skip {
		err = c.Unchanged(ctx)
	}
	if err == nil && o.skip {
		err = a.skipChanged(ctx, c)
	}
	if err != nil {
		return err
	}
	return a.carryOut(ctx, c, o.consent, "")
}

// skipChanged leaves out of an undo what was changed since, and says so.
func (a *app) skipChanged(ctx context.Context, c *migrate.Change) error {
	list, err := c.SkipChanged(ctx)
	if err != nil {
		return err
	}
	told := map[string]bool{}
	for _, s := range list {
		switch {
		case s.Session == "":
			a.note("changed since, and left: %s in %s", oneLine(s.Name), s.Path)
		case !told[s.Session]:
			told[s.Session] = true
			a.note("changed since, and left as it is: session %s (%s)", s.Session, oneLine(s.Name))
		}
	}
	a.problems += len(list)
	return nil
}

func (a *app) listChanges(cmd *cobra.Command, l *library.Library) error {
	list, err := l.Changes(cmd.Context())
	if err != nil {
		return err
	}
	for _, c := range list {
		if c.Problem != "" {
			a.problems++
			a.note("%s: %s; `retold undo --forget %s` removes the record", c.ID, c.Problem, c.ID)
		}
	}
	if a.json {
		return a.printJSON(retold.Page[change.Change]{Data: list, Pagination: retold.Pagination{Total: len(list), Limit: len(list)}})
	}
	if len(list) == 0 {
		a.note("nothing was changed yet")
	}
	a.changeLines(list)
	return nil
}

// changeLines prints changes, a line each.
func (a *app) changeLines(list []change.Change) {
	for _, c := range list {
		when := c.CreatedAt.UTC().Format(time.RFC3339)
		if a.tty {
			when = a.when(c.CreatedAt)
		}
		a.line("%s\t%s\t%s\t%s\t%s", c.ID, when, c.State, oneLine(c.Title), size(c.Bytes))
	}
}

// settleFirst deals with a change whose process was ended in between before
// another one is planned: the plan has to start from whole files.
func (a *app) settleFirst(ctx context.Context, l *library.Library, agreed consent) error {
	list, err := l.Interrupted(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	if agreed.dryRun {
		return library.InterruptedError(list[0])
	}
	settled, err := l.Settle(ctx, false)
	for _, s := range settled {
		a.note("a change that was interrupted is %s now: %s", s.State, oneLine(s.Title))
	}
	return err
}

// settling are the commands that settle an interrupted change, or refuse to go on.
var settling = []string{"undo", "migrate", "import", "recover", "restore", "backup"}

// noteInterrupted says that a change waits to be settled, whatever is asked.
func (a *app) noteInterrupted(ctx context.Context, l *library.Library) error {
	if a.flags.backup != "" || a.settles {
		return nil
	}
	list, err := l.Interrupted(ctx)
	for _, c := range list {
		a.note("a change was interrupted, and files are partly old and partly new: %s (%s). `retold undo --finish` ends it, `retold undo --roll-back` takes it back", c.ID, oneLine(c.Title))
	}
	return err
}

func (a *app) settle(cmd *cobra.Command, l *library.Library, back bool) error {
	list, err := l.Settle(cmd.Context(), back)
	if err != nil {
		return err
	}
	if a.json {
		if list == nil {
			list = []change.Settled{}
		}
		return a.printJSON(map[string][]change.Settled{"settled": list})
	}
	if len(list) == 0 {
		a.note("no change was interrupted")
	}
	for _, s := range list {
		a.line("%s: %s (found %s as after it, %d as before)", oneLine(s.Title), s.State, counted(len(s.New), "file"), len(s.Old))
		for _, left := range s.Left {
			a.note("%s", left)
		}
	}
	return nil
}
