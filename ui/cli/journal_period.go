package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
)

var errNoFolder = errors.New("this repository's journal has no folder (git config " + journal.ConfigFolder + " is none)")

var errOneFolder = errors.New("summaries are written to the folder of one repository")

type periodOptions struct {
	repo    string
	all     bool
	date    string
	write   bool
	missing bool
}

func (a *app) journalPeriodCommand(kind string) *cobra.Command {
	var o periodOptions
	cmd := &cobra.Command{
		Use: kind, Short: "what was done in a " + kind, Args: noArgs,
		Long: fmt.Sprintf(`Put the entries of a %s together: commits, what was asked and decided, what went
wrong, what is left open, reflections. It is worked out anew each time from the
entries there are, by this machine's clock.

With --write it is written to summaries/ in the journal's folder, with --missing for
every %s that is over and has entries and no summary.`, kind, kind),
		Example: "  retold journal " + kind + "\n  retold journal " + kind + " --date 2026-03-01\n  retold journal " + kind + " --missing",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.journalPeriod(cmd.Context(), kind, o) },
	}
	repoFlag(cmd, &o.repo)
	f := cmd.Flags()
	f.StringVar(&o.date, "date", "", "the "+kind+" that this `TIME` lies in, as 2026-03-01 or yesterday; by default now")
	f.BoolVar(&o.all, "all", false, "of all repositories")
	f.BoolVar(&o.write, "write", false, "write it to the journal's folder too")
	f.BoolVar(&o.missing, "missing", false, "write all that are missing")
	return cmd
}

func (a *app) journalPeriod(ctx context.Context, kind string, o periodOptions) error {
	at := now().In(time.Local)
	if o.date != "" {
		span, err := retold.ParseWhen(o.date, at)
		if err != nil {
			return fmt.Errorf("--date: %w", err)
		}
		at = span.From.In(time.Local)
	}
	if o.all && (o.write || o.missing) {
		return &retold.Error{Code: retold.CodeUsage, Err: errOneFolder, Hint: "leave --all out"}
	}
	d, err := a.desk(ctx, o.repo)
	if err != nil {
		return err
	}
	id := d.id
	if o.all {
		id = ""
	}
	if o.missing {
		return a.journalMissing(ctx, d, id, kind)
	}
	p, err := journal.PeriodOf(kind, at)
	if err != nil {
		return err
	}
	s, err := d.journal.Summary(ctx, id, p)
	if err != nil {
		return err
	}
	if o.write {
		if err := a.putSummary(d, s); err != nil {
			return err
		}
	}
	for _, problem := range s.Problems {
		a.note("%s", problem)
	}
	if a.json {
		return a.printJSON(s)
	}
	return a.paged(func() error {
		a.line("%s", plain(strings.TrimRight(s.Markdown(), "\n")))
		return nil
	})
}

func (a *app) putSummary(d *desk, s *journal.Summary) error {
	if d.to.Folder == nil {
		return &retold.Error{Code: retold.CodeUsage, Op: "write summary", Path: s.Name, Hint: "git config --unset " + journal.ConfigFolder, Err: errNoFolder}
	}
	path, _, err := d.to.Folder.PutSummary(s)
	if err == nil {
		a.note("%s", path)
	}
	return err
}

// journalMissing writes the summaries of all periods that have entries and none.
func (a *app) journalMissing(ctx context.Context, d *desk, id, kind string) error {
	if d.to.Folder == nil {
		return &retold.Error{Code: retold.CodeUsage, Op: "write summaries", Hint: "git config --unset " + journal.ConfigFolder, Err: errNoFolder}
	}
	paths := []string{}
	var last journal.Period
	for e, err := range d.journal.Entries(ctx, id, time.Time{}, time.Time{}) {
		if journal.Unreadable(err) {
			a.note("%v", err)
			continue
		}
		if err != nil {
			return err
		}
		p, err := journal.PeriodOf(kind, e.Commit.Committed.In(time.Local))
		if err != nil {
			return err
		}
		if p == last || p.To.After(now()) { // one that is not over yet would stay as it is
			continue
		}
		last = p
		if there, err := d.to.Folder.HasSummary(p, id); err != nil {
			return err
		} else if there {
			continue
		}
		s, err := d.journal.Summary(ctx, id, p)
		if err != nil {
			return err
		}
		path, _, err := d.to.Folder.PutSummary(s)
		if err != nil {
			return err
		}
		paths = append(paths, path)
	}
	if a.json {
		return a.printJSON(map[string][]string{"written": paths})
	}
	for _, path := range paths {
		a.line("%s", path)
	}
	if len(paths) == 0 {
		a.note("none is missing")
	}
	return nil
}

// longestText is how much is read from standard input for a text.
const longestText = 1 << 20

// readAll reads a text from standard input.
func (v *voice) readAll() (string, error) {
	text, err := io.ReadAll(io.LimitReader(v.in, longestText))
	return string(text), err
}
