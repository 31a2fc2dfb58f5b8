package cli

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
)

type journalWriteOptions struct {
	repo    string
	since   string
	dryRun  bool
	explain bool
	ai      bool
}

func (a *app) journalWriteCommand() *cobra.Command {
	var o journalWriteOptions
	cmd := &cobra.Command{
		Use: "write [COMMIT | RANGE]", Short: "write the entry of a commit", Args: cobra.MaximumNArgs(1),
		Long: `Write the entries of a commit (by default HEAD) or of a range (FROM..TO). An entry
that is there is brought up to date; the same history writes the same bytes. With
--dry-run it is printed and nothing is written, with --explain together with the
evidence.

With --ai the model that config.toml names tells a new entry in a few sentences,
each checked against what was said; --ai --dry-run prints what it would be sent, to
the byte, and sends nothing. See "retold config --help".`,
		Example: "  retold journal write\n  retold journal write HEAD~3..HEAD\n  retold journal write v1.2 --dry-run",
		RunE: func(cmd *cobra.Command, args []string) error {
			rev := "HEAD"
			if len(args) > 0 {
				rev = args[0]
			}
			return a.journalWrite(cmd.Context(), o, rev)
		},
	}
	o.add(cmd)
	cmd.Flags().BoolVar(&o.explain, "explain", false, "print the evidence too")
	return cmd
}

func (a *app) journalBackfillCommand() *cobra.Command {
	var o journalWriteOptions
	cmd := &cobra.Command{
		Use: "backfill [RANGE]", Short: "write the entries of all commits there are", Args: cobra.MaximumNArgs(1),
		Long: `Write the entries of all commits of the branch that is checked out, or of a range
(FROM..TO), the oldest first; of those since a time with --since. Entries that are
there are brought up to date. With --ai the model that config.toml names is asked
about each entry that it has not told yet; an answer that cannot be used leaves the
entry without prose.`,
		Example: "  retold journal backfill\n  retold journal backfill --since 90d\n  retold journal backfill v1.0..v2.0",
		RunE: func(cmd *cobra.Command, args []string) error {
			rev := "HEAD"
			if len(args) > 0 {
				rev = args[0]
			}
			return a.journalBackfill(cmd.Context(), o, rev)
		},
	}
	o.add(cmd)
	cmd.Flags().StringVar(&o.since, "since", "", "only commits since this `TIME`, as 90d or 2026-03-01")
	return cmd
}

func (o *journalWriteOptions) add(cmd *cobra.Command) {
	repoFlag(cmd, &o.repo)
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "print what would be written, and write nothing")
	aiFlag(cmd, &o.ai)
}

func (a *app) journalWrite(ctx context.Context, o journalWriteOptions, rev string) error {
	if strings.Contains(rev, "..") {
		return a.journalBackfill(ctx, o, rev)
	}
	author, err := a.author(o.ai, o.dryRun)
	if err != nil {
		return err
	}
	d, err := a.desk(ctx, o.repo)
	if err != nil {
		return err
	}
	d.to.DryRun = o.dryRun
	author.into(&d.to)
	w, err := d.journal.Write(ctx, d.repo, rev, d.to)
	if err != nil {
		return err
	}
	a.warnInside(d)
	switch {
	case author.drafts():
		return author.printRequests()
	case a.json:
		return a.printJSON(w)
	case w.Skipped != "":
		a.note("nothing was written: %s", w.Skipped)
		return nil
	case o.dryRun || o.explain:
		a.line("%s", strings.TrimRight(w.Entry.Markdown(time.Local), "\n"))
	}
	a.wrote(w, o.dryRun)
	return nil
}

// wrote says what became of an entry.
func (a *app) wrote(w *journal.Written, dry bool) {
	switch {
	case dry:
		a.note("nothing was written")
	case !w.Changed:
		a.line("%s  %s  %s: nothing to change", shortCommit(w.Entry.Commit.ID), w.Entry.Class, w.Entry.Commit.Subject)
	default:
		a.line("%s  %s  %s", shortCommit(w.Entry.Commit.ID), w.Entry.Class, w.Entry.Commit.Subject)
	}
	if w.Path != "" {
		a.note("%s", w.Path)
	}
}

// shortCommit is a commit's id as people are shown it.
func shortCommit(id string) string { return id[:min(len(id), 12)] }

// warnInside tells a person that what is written may be pushed.
func (a *app) warnInside(d *desk) {
	if d.to.Folder != nil && d.to.Folder.Inside(d.repo) {
		a.note("the journal lies in the repository: what you commit of it goes wherever that is pushed")
	}
}

// backfilled is what a backfill prints as JSON.
type backfilled struct {
	Commits  int      `json:"commits"`
	Linked   int      `json:"linked"`
	Possible int      `json:"possible"`
	None     int      `json:"none"`
	Written  int      `json:"written"` // entries that are new or changed
	Skipped  int      `json:"skipped"`
	DryRun   bool     `json:"dryRun"`
	Paths    []string `json:"paths"`
	Problems []string `json:"problems"` // days whose Markdown could not be written

	first error // of the problems
}

func (a *app) journalBackfill(ctx context.Context, o journalWriteOptions, rev string) error {
	// The texts of commits go by once each: what is used up need not pile up.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(80)
	}
	author, err := a.author(o.ai, o.dryRun)
	if err != nil {
		return err
	}
	d, err := a.desk(ctx, o.repo)
	if err != nil {
		return err
	}
	d.to.DryRun = o.dryRun
	author.each(&d.to)
	ids, err := d.commits(ctx, rev, o.since)
	if err != nil {
		return err
	}
	a.warnInside(d)
	out := backfilled{DryRun: o.dryRun, Paths: []string{}, Problems: []string{}}
	for w, err := range d.journal.Backfill(ctx, d.repo, ids, d.to) {
		if err != nil {
			return err
		}
		out.count(w)
		a.progress(fmt.Sprintf("%d of %s", out.Commits, counted(len(ids), "commit")))
	}
	switch {
	case author.drafts():
		return author.printRequests()
	case a.json:
		if err := a.printJSON(out); err != nil {
			return err
		}
		return out.failed()
	}
	a.line("%s: %d linked to conversations, %d possible, %d with none", counted(out.Commits, "commit"), out.Linked, out.Possible, out.None)
	a.line("%d entries written, %d as they were, %d skipped", out.Written, out.Commits-out.Written-out.Skipped, out.Skipped)
	if d.to.Folder != nil && len(out.Paths) > 0 {
		a.note("%s", d.to.Folder.Path)
	}
	for _, p := range out.Problems {
		a.note("%s", p)
	}
	return out.failed()
}

// failed is the error of a backfill that could not write the Markdown of some days.
func (b *backfilled) failed() error {
	if b.first == nil {
		return nil
	}
	return fmt.Errorf("the Markdown of %s could not be written; the first: %w", counted(len(b.Problems), "day"), b.first)
}

func (b *backfilled) count(w *journal.Written) {
	b.Commits++
	if w.Problem != nil {
		if text := w.Problem.Error(); !slices.Contains(b.Problems, text) {
			b.Problems = append(b.Problems, text)
		}
		if b.first == nil {
			b.first = w.Problem
		}
	}
	if w.Skipped != "" {
		b.Skipped++
		return
	}
	switch w.Entry.Class {
	case journal.ClassLinked:
		b.Linked++
	case journal.ClassPossible:
		b.Possible++
	default:
		b.None++
	}
	if w.Changed {
		b.Written++
	}
	if n := len(b.Paths); w.Path != "" && (n == 0 || b.Paths[n-1] != w.Path) {
		b.Paths = append(b.Paths, w.Path)
	}
}

// commits are the ids of those that a range names, the oldest first.
func (d *desk) commits(ctx context.Context, rev, since string) (ids []string, err error) {
	var from time.Time
	if since != "" {
		span, err := retold.ParseWhen(since, now())
		if err != nil {
			return nil, fmt.Errorf("--since: %w", err)
		}
		from = span.From
	}
	return journal.Commits(ctx, d.repo, rev, from)
}
