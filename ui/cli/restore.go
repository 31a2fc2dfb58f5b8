package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/migrate"
)

type restoreOptions struct {
	home      string
	overwrite bool
	whole     bool // leave out what is damaged
	dryRun    bool
	yes       bool
	into      bool
	sessions  []string
}

const restoreLong = `Put everything in a backup where Cursor and retold look for it: in your own home,
or with --to-home below another folder as if it were one.

Nothing is written while Cursor runs, when any byte of the backup is not what was
written, or when a file of it is there already; with --overwrite such files are
put aside. Everything is unpacked beside its place first and then renamed. retold
undo takes it back. Of a damaged backup --skip-damaged restores the files that are
whole, and names the others.

--session brings single conversations back into the Cursor that you use, with their
sub-agents, plans and file states; all others stay as they are. An ID is one of the
backup, or the first 4 or more characters of one. Records and files are as in the
backup; what the command line keeps stays in the folder where it is now. One that
has gone on since (a later time of change, or a message that the backup has not) is
refused; with --overwrite it becomes what the backup holds. --dry-run shows every
row and file.

--into-library leaves Cursor's files alone: sessions that retold's own library does
not hold are taken into it, all of them or those named with --session. What it
holds, and what was forgotten, stays as it is.

Credentials are in no backup: Cursor will ask you to log in. Backups of
cursor-history (zip) are restored in the same way.`

func (a *app) restoreCommand() *cobra.Command {
	var o restoreOptions
	cmd := &cobra.Command{
		Use: "restore FILE", Short: "bring a backup back", Long: restoreLong, Args: oneFile,
		Example: "  retold restore mine.retold --dry-run\n  retold restore mine.retold --to-home /tmp/look\n  retold restore mine.retold --session 4b41ef44-2b8e-4e59-a2cd-fc9521878c9f --dry-run\n  retold restore mine.retold --into-library",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.restore(cmd, args[0], o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.home, "to-home", "", "the home `FOLDER` to restore into instead of your own")
	f.BoolVar(&o.overwrite, "overwrite", false, "put aside what is there already; with --session, replace what is newer")
	f.BoolVar(&o.whole, "skip-damaged", false, "leave out files of the backup that are damaged, by name")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "only say what would be done")
	f.BoolVar(&o.into, "into-library", false, "only take missing sessions into retold's own library")
	f.StringArrayVar(&o.sessions, "session", nil, "only the session with this `ID` (or the beginning of it), into the Cursor in use; repeatable")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (a *app) restore(cmd *cobra.Command, path string, o restoreOptions) error {
	ctx := cmd.Context()
	switch {
	case a.flags.backup != "":
		return usage(cmd, "--backup names a backup to read from; restore takes it as its argument")
	case o.into && (o.home != "" || o.overwrite || o.whole):
		return usage(cmd, "--into-library excludes --to-home, --overwrite and --skip-damaged")
	case o.into:
		return a.mergeBackup(cmd, path, o)
	case len(o.sessions) > 0 && (o.home != "" || o.whole):
		return usage(cmd, "--session excludes --to-home and --skip-damaged")
	case len(o.sessions) > 0:
		return a.restoreSessions(cmd, path, o)
	}
	ro := library.RestoreOptions{Home: o.home, Env: a.env, Overwrite: o.overwrite, SkipDamaged: o.whole, Identities: a.identities()}
	if a.errTTY && !a.json {
		ro.Progress = a.packing
	}
	if o.dryRun || !o.yes {
		sure, err := a.agreed(ctx, path, ro, o)
		if err != nil || !sure {
			return err
		}
	}
	r, err := library.Restore(ctx, path, ro)
	if err != nil {
		return err
	}
	a.problems += len(r.Skipped)
	if a.json {
		return a.printJSON(r)
	}
	a.line("%s with %s restored, %s", counted(r.FilesRestored, "file"), counted(r.SessionsRestored, "session"), size(r.Bytes))
	a.line("to take it back: %s", a.undoLine(r))
	if len(r.Replaced) > 0 {
		for _, dir := range r.Aside {
			a.note("what was there before is in %s", dir)
		}
	}
	a.skippedFiles(r.Skipped)
	return nil
}

// agreed looks at a restore, every byte of it, shows it, and asks whether to go
// ahead.
func (a *app) agreed(ctx context.Context, path string, ro library.RestoreOptions, o restoreOptions) (sure bool, err error) {
	if _, err := os.Stat(path); err == nil && !o.dryRun && (a.json || !a.asks()) { // that there is no such file is said first
		return false, &retold.Error{Code: retold.CodeUsage, Err: errors.New("there is nobody to ask whether it shall be restored"), Hint: "look at it with --dry-run, then add --yes"}
	}
	ro.DryRun = true
	plan, err := library.Restore(ctx, path, ro)
	if err != nil {
		return false, err
	}
	a.problems += len(plan.Skipped)
	if o.dryRun && a.json {
		return false, a.printJSON(plan)
	}
	a.planned(plan)
	if o.dryRun {
		return false, nil
	}
	if sure, err = a.confirm(ctx, "Restore it?"); err == nil && !sure {
		a.note("nothing was changed")
	}
	a.problems = 0 // told again by the restore itself
	return sure, err
}

// undoLine is the command that takes a restore back. Its record lies in the home that
// it went to.
func (a *app) undoLine(r *library.RestoreResult) string {
	line := "retold undo " + strings.Join(r.UndoIDs, ", then retold undo ")
	if r.UndoHome == a.env.RetoldHome() {
		return line
	}
	if a.env.GOOS == "windows" {
		return `$env:RETOLD_HOME="` + r.UndoHome + `"; ` + line
	}
	return "RETOLD_HOME='" + strings.ReplaceAll(r.UndoHome, "'", `'\\''`) + "' " + line
}

// restoreSessions brings single sessions back into the Cursor in use.
func (a *app) restoreSessions(cmd *cobra.Command, path string, o restoreOptions) (err error) {
	ctx := cmd.Context()
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	agreed := consent{yes: o.yes, dryRun: o.dryRun}
	if err := a.settleFirst(ctx, l, agreed); err != nil {
		return err
	}
	c, err := l.PlanRestore(ctx, library.RestoreSessionsOptions{
		From: library.BackupSource{Path: path, Identities: a.identities()}, Sessions: o.sessions, Overwrite: o.overwrite,
	})
	if err != nil {
		return err
	}
	if a.json && o.yes && !o.dryRun && len(c.Sessions()) > 0 {
		return a.restoredJSON(ctx, c)
	}
	return a.propose(ctx, c, agreed, "")
}

// restoredSessions is what a restore of single sessions prints as JSON: what every
// restore does, and what every planned change does.
type restoredSessions struct {
	FilesRestored    int `json:"filesRestored"`
	SessionsRestored int `json:"sessionsRestored"`
	*migrate.Result
}

func (a *app) restoredJSON(ctx context.Context, c *migrate.Change) (err error) {
	defer func() { err = errors.Join(err, c.Close()) }()
	a.problems += len(c.Failures())
	r, err := c.Apply(ctx, "")
	if err != nil {
		return err
	}
	return a.printJSON(restoredSessions{FilesRestored: r.Files, SessionsRestored: r.SuccessCount, Result: r})
}

// mergeBackup takes sessions into the library, which needs no question: nothing is
// replaced.
func (a *app) mergeBackup(cmd *cobra.Command, path string, o restoreOptions) error {
	l, err := a.open(cmd.Context())
	if err != nil {
		return err
	}
	r, err := l.MergeBackup(cmd.Context(), library.BackupSource{Path: path, Identities: a.identities()}, o.sessions, o.dryRun)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(r)
	}
	verb := "restored into the library"
	if o.dryRun {
		verb = "would be restored into the library"
	}
	empty := ""
	if r.Empty > 0 {
		empty = fmt.Sprintf(" and %d without messages", r.Empty)
	}
	a.line("%s with %s%s %s", counted(r.SessionsRestored-r.Empty, "session"), counted(r.Messages, "message"), empty, verb)
	if r.JournalRestored > 0 {
		a.line("%d of its journal's entries and reflections %s", r.JournalRestored, verb)
	}
	if r.Known > 0 {
		a.note("%s there already", counted(r.Known, "session"))
	}
	if r.Forgotten > 0 {
		a.note("%s left out that you wished to be forgotten", counted(r.Forgotten, "session"))
	}
	return nil
}

// planned tells what a restore would do.
func (a *app) planned(r *library.RestoreResult) {
	a.line("%s with %s, %s", counted(r.FilesRestored, "file"), counted(r.SessionsRestored, "session"), size(r.Bytes))
	a.skippedFiles(r.Skipped)
	for _, p := range r.Places {
		a.line("  %s of %s to %s", counted(p.Files, "file"), p.Name, oneLine(p.Path))
	}
	const most = 10
	if n := len(r.Replaced); n > 0 {
		a.line("%s there already, which --overwrite puts aside:", counted(n, "file"))
		for _, f := range r.Replaced[:min(n, most)] {
			a.line("  %s", oneLine(f))
		}
		if n > most {
			a.line("  … and %d more", n-most)
		}
	}
}
