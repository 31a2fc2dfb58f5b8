package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold/journal/hook"
)

// hookOptions say which repository's hooks are meant, and how far to go.
type hookOptions struct {
	repo   string
	manage bool
	dryRun bool
}

const journalInstallLong = `Tell retold of each commit from now on: one marked line goes into the hooks
post-commit, post-rewrite and post-merge of this repository, wherever git looks for
them. It costs a commit a few thousandths of a second and cannot make it fail; the
rest is done in the background.

A hook that is there stays what it is: the line is added behind it, or before it
when it may end early. Done already, nothing is changed; of an older retold, it is
brought up to date. "retold journal uninstall" leaves every byte as it was.

Some files are not changed unless --manage says so, and the line to add is printed
instead: those of husky, lefthook and pre-commit, those in a folder that other
repositories share (core.hooksPath), and what a link leads to. A hook that is no
shell script is never changed.

RETOLD_JOURNAL=0 in the environment of a git command leaves that one out.`

func (a *app) journalInstallCommand() *cobra.Command {
	var o hookOptions
	cmd := &cobra.Command{
		Use: "install", Short: "have git tell retold of each commit", Long: journalInstallLong, Args: noArgs,
		Example: "  retold journal install\n  retold journal install --dry-run\n  retold journal install --repo ~/projects/tidepool --manage",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.journalInstall(cmd.Context(), o) },
	}
	o.register(cmd)
	cmd.Flags().BoolVar(&o.manage, "manage", false, "change files too that others share or that a program writes")
	return cmd
}

func (a *app) journalUninstallCommand() *cobra.Command {
	var o hookOptions
	cmd := &cobra.Command{
		Use: "uninstall", Short: "take retold out of a repository's hooks", Args: noArgs,
		Long: `Take out of a repository's hooks what "retold journal install" put in, and nothing
else: every file is to the byte what it was before, and one that retold made is
gone. What the journal holds stays.`,
		Example: "  retold journal uninstall\n  retold journal uninstall --dry-run",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.journalUninstall(cmd.Context(), o) },
	}
	o.register(cmd)
	cmd.Flags().BoolVar(&o.manage, "manage", false, "change a folder of hooks too that other repositories share")
	return cmd
}

func (o *hookOptions) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.repo, "repo", ".", "the repository that `DIR` lies in")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "show what would be done, and write nothing")
}

func (a *app) journalInstall(ctx context.Context, o hookOptions) error {
	program, err := a.hookProgram()
	if err != nil {
		return err
	}
	plan, err := hook.PlanInstall(ctx, a.env.Expand(o.repo), hook.InstallOptions{Program: program, Manage: o.manage})
	if err != nil {
		return err
	}
	return a.applyHooks(ctx, plan, o)
}

func (a *app) journalUninstall(ctx context.Context, o hookOptions) error {
	plan, err := hook.PlanUninstall(ctx, a.env.Expand(o.repo), o.manage)
	if err != nil {
		return err
	}
	return a.applyHooks(ctx, plan, o)
}

// applyHooks carries a plan out, unless it is only to be shown, and says what was
// done. A hook that is left to the person is worth a status with --strict.
func (a *app) applyHooks(ctx context.Context, plan *hook.Hooks, o hookOptions) error {
	if !o.dryRun {
		if err := plan.Apply(ctx); err != nil {
			return err
		}
	}
	left := 0
	for _, h := range plan.Hooks {
		if h.State == hook.ByHand {
			left++
		}
	}
	a.problems += left
	if a.json {
		return a.printJSON(struct {
			*hook.Hooks
			DryRun bool `json:"dryRun"`
		}{plan, o.dryRun})
	}
	a.hookLines(plan, o.dryRun)
	switch {
	case o.dryRun:
		a.note("nothing was written")
	case left > 0 && left == len(plan.Hooks):
		a.note("nothing was installed: git tells retold of no commit here")
	}
	return nil
}

// hookLines prints one line for each hook, and beside the data what a person may
// have to do.
func (a *app) hookLines(plan *hook.Hooks, dry bool) {
	said := map[string]bool{}
	note := func(text string) {
		if !said[text] {
			a.note("%s", text)
		}
		said[text] = true
	}
	for _, h := range plan.Hooks {
		state := string(h.State)
		if dry && (h.State == hook.Installed || h.State == hook.Updated || h.State == hook.Removed) {
			state = "would be " + state
		}
		a.line("%s\t%s\t%s\t%s", state, h.Event, oneLine(h.Path), strings.Join(told(h), "; "))
	}
	for _, h := range plan.Hooks {
		if h.Line != "" {
			to := h.AddTo
			if to == "" {
				to = h.Path
			}
			note("to be told of it all the same, add to " + oneLine(to) + ":")
			note("  " + strings.TrimRight(h.Line, "\n"))
		}
	}
	for _, n := range plan.Notes {
		note(n)
	}
}

// told says what there is to know of a hook, in a few words each.
func told(h hook.Hook) (parts []string) {
	switch {
	case h.Chained && h.First:
		parts = append(parts, "before what else is in it")
	case h.Chained && h.State != hook.ByHand && h.State != hook.Absent && h.State != hook.Removed:
		parts = append(parts, "behind what else is in it")
	case h.Chained && h.State == hook.Absent:
		parts = append(parts, "something else is in it")
	}
	if h.Reason != "" {
		parts = append(parts, oneLine(h.Reason))
	}
	if h.Missing {
		parts = append(parts, "it starts "+oneLine(h.Binary)+", which is gone")
	}
	return parts
}

// hookProgram is how a hook starts this very program, with what a shell sets and a
// program with windows does not inherit.
func (a *app) hookProgram() (hook.Program, error) {
	server, err := a.mcpServer() // which has to be found again in the same way
	if err != nil {
		return hook.Program{}, err
	}
	home := a.settings.Home.value
	if a.flags.demo {
		home = a.settings.Library.home
	}
	p := hook.Program{Path: server.Command}
	if home, err = filepath.Abs(home); err != nil {
		return hook.Program{}, err
	}
	p.Env = append(p.Env, "RETOLD_HOME="+home)
	for _, s := range []struct {
		name string
		setting
	}{{"RETOLD_CURSOR_USER", a.settings.CursorUser}, {"RETOLD_CURSOR_HOME", a.settings.CursorHome}} {
		if !s.forNow() {
			continue
		}
		var folders []string
		for _, f := range s.folders {
			if f, err = filepath.Abs(f); err != nil {
				return hook.Program{}, err
			}
			folders = append(folders, f)
		}
		p.Env = append(p.Env, s.name+"="+strings.Join(folders, string(filepath.ListSeparator)))
	}
	return p, nil
}
