package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/migrate"
)

const recoverLong = `Find conversations that Cursor keeps and does not show any more, say why, and make
it show them again: those that no list names, whose workspace or folder has gone,
that have lost the order of their messages, or that count as under way since a
crash.

Where a folder has gone, a new one is suggested by its git remote, its first commit,
the files in it, or its name. Name another with --to, and choose conversations by
their ids or the first characters (4 or more) of them. Without a folder nothing can
be done; then a conversation is listed and left.

The list comes first. Then every folder is a plan of its own, shown and agreed to
(--yes where nobody can be asked). Quit Cursor first: retold refuses while it runs.
"retold undo" takes it back.`

type recoverOptions struct {
	to string
	consent
}

func (a *app) recoverCommand() *cobra.Command {
	var o recoverOptions
	cmd := &cobra.Command{
		Use: "recover [SESSION...]", Short: "bring back what Cursor does not show any more", Long: recoverLong,
		Example: "  retold recover --dry-run\n  retold recover 3f9a --to ~/projects/tidepool\n  retold recover --yes",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.recoverLost(cmd.Context(), args, o) },
	}
	cmd.Flags().StringVar(&o.to, "to", "", "the `FOLDER` they are to be shown in, or an address, instead of the suggested ones")
	o.flags(cmd)
	return cmd
}

// recovered is what recover prints as JSON.
type recovered struct {
	Lost    []library.Lost        `json:"lost"`
	Plans   []*change.Description `json:"plans,omitempty"`   // of a dry run
	Results []*migrate.Result     `json:"results,omitempty"` // one per folder
}

func (a *app) recoverLost(ctx context.Context, args []string, o recoverOptions) error {
	if a.flags.backup != "" {
		return &retold.Error{Code: retold.CodeUsage, Err: errors.New("a backup cannot be changed"), Hint: "leave --backup away"}
	}
	if o.to != "" {
		o.to = a.absolute(o.to)
	}
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	if err := a.settleFirst(ctx, l, o.consent); err != nil {
		return err
	}
	lost, err := l.Lost(ctx)
	if err == nil {
		lost, err = chooseLost(lost, args, o.to)
	}
	if err != nil {
		return err
	}
	if !a.json {
		a.listLost(lost)
	}
	folders, ids := byFolder(lost)
	if !o.dryRun && !o.yes && len(folders) > 0 && (a.json || !a.asks()) {
		return &retold.Error{
			Code: retold.CodeUsage, Err: errors.New("there is nobody to ask which to bring back"),
			Hint: "look at it with --dry-run, and add --yes to bring back all that have a folder",
		}
	}
	out := recovered{Lost: append([]library.Lost{}, lost...)}
	for i := range out.Lost {
		a.veilLost(&out.Lost[i])
	}
	for _, folder := range folders {
		if err := a.recoverIn(ctx, l, ids[folder], folder, o, &out); err != nil {
			return err
		}
	}
	if a.json {
		return a.printJSON(out)
	}
	return nil
}

func (a *app) veilLost(l *library.Lost) {
	l.Session.Title, l.Session.FirstMessagePreview = a.veil.text(l.Session.Title), a.veil.text(l.Session.FirstMessagePreview)
}

// recoverIn carries out the plan of one folder.
func (a *app) recoverIn(ctx context.Context, l *library.Library, ids []string, folder string, o recoverOptions, out *recovered) (err error) {
	c, err := l.PlanRecover(ctx, ids, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	a.problems += len(c.Failures())
	if !a.json {
		for _, f := range c.Failures() {
			a.note("%s: %s", f.Session, f.Reason)
		}
		return a.carryOut(ctx, c, o.consent, "")
	}
	if o.dryRun {
		d, err := c.Describe()
		if err != nil {
			return err
		}
		a.veilPlan(d)
		out.Plans = append(out.Plans, d)
		return nil
	}
	r, err := c.Apply(ctx, "")
	if err == nil {
		out.Results = append(out.Results, r)
	}
	return err
}

// chooseLost keeps the lost sessions that somebody named; all when none is.
func chooseLost(all []library.Lost, args []string, to string) (chosen []library.Lost, err error) {
	for _, arg := range args {
		fits := slices.DeleteFunc(slices.Clone(all), func(l library.Lost) bool {
			return l.Session.ID != arg && (len(arg) < library.MinPrefix || !strings.HasPrefix(l.Session.ID, arg))
		})
		switch len(fits) {
		case 0:
			return nil, &retold.Error{Code: retold.CodeSessionNotFound, Err: fmt.Errorf("no lost session %q", arg), Hint: "`retold recover --dry-run` lists what is lost"}
		case 1:
			chosen = append(chosen, fits[0])
		default:
			return nil, &retold.Error{Code: retold.CodeSessionAmbiguous, Err: fmt.Errorf("%q fits several lost sessions", arg), Hint: "give more characters of the id"}
		}
	}
	if len(args) == 0 {
		chosen = all
	}
	for i := range chosen {
		if to != "" {
			chosen[i].Folder, chosen[i].Because = &to, nil
		}
	}
	return chosen, nil
}

// byFolder sorts sessions by the folder they go to, in the order of the list.
func byFolder(lost []library.Lost) (folders []string, ids map[string][]string) {
	ids = map[string][]string{}
	for _, l := range lost {
		if l.Folder == nil {
			continue
		}
		if ids[*l.Folder] == nil {
			folders = append(folders, *l.Folder)
		}
		ids[*l.Folder] = append(ids[*l.Folder], l.Session.ID)
	}
	return folders, ids
}

// doubtful says how many conversations are lost, and how surely.
func doubtful(doubt, n int) string {
	said := counted(n, "conversation")
	switch doubt {
	case library.ShownPerhaps:
		return said + " only in a list that an older Cursor kept:"
	case library.FolderAway:
		return said + " whose folder is not on this machine, and otherwise as it should be:"
	}
	return said + " shown nowhere:"
}

func (a *app) listLost(lost []library.Lost) {
	if len(lost) == 0 {
		a.note("Cursor shows every conversation that it keeps")
	}
	counts := map[int]int{}
	for _, l := range lost {
		counts[l.Doubt()]++
	}
	for i, l := range lost {
		if i == 0 || l.Doubt() != lost[i-1].Doubt() {
			a.line("%s", a.style.dim(doubtful(l.Doubt(), counts[l.Doubt()])))
		}
		a.line("%s  %s", a.style.bold(l.Session.ID), oneLine(a.veil.text(retold.Preview(l.Session.Title))))
		for _, r := range l.Reasons {
			a.line("  %s", oneLine(r.Reason))
		}
		switch {
		case l.Folder == nil:
			a.line("  %s", a.style.dim("no folder is known for it: name one with --to"))
		case l.Because != nil:
			a.line("  to %s: %s", oneLine(*l.Folder), oneLine(*l.Because))
		default:
			a.line("  to %s", oneLine(*l.Folder))
		}
	}
}
