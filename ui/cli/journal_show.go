package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
)

type journalShowOptions struct {
	repo   string
	ai     bool
	dryRun bool
}

func (a *app) journalShowCommand() *cobra.Command {
	var o journalShowOptions
	cmd := &cobra.Command{
		Use: "show [COMMIT]", Short: "read the entry of a commit", Args: cobra.MaximumNArgs(1),
		Long: `Read what was written down about a commit, by default the last one. A commit that
an amend or a rebase made another one of shows the entry of that one. Nothing is
worked out anew: "retold journal write --dry-run" does that. With --ai the model
that config.toml names tells the entry, if none has yet; that is only printed.`,
		Example: "  retold journal show\n  retold journal show 3f9a2c1 --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			rev := "HEAD"
			if len(args) > 0 {
				rev = args[0]
			}
			return a.journalShow(cmd.Context(), o, rev)
		},
	}
	repoFlag(cmd, &o.repo)
	aiFlag(cmd, &o.ai)
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "with --ai: print what would be sent, and send nothing")
	return cmd
}

func (a *app) journalShow(ctx context.Context, o journalShowOptions, rev string) error {
	author, err := a.author(o.ai, o.dryRun)
	if err != nil {
		return err
	}
	d, err := a.desk(ctx, o.repo)
	if err != nil {
		return err
	}
	e, err := d.entry(ctx, rev)
	if err != nil {
		return err
	}
	if done, err := author.printed(ctx, e); done || err != nil {
		return err
	}
	if a.json {
		return a.printJSON(e)
	}
	return a.paged(func() error {
		a.line("%s", plain(strings.TrimRight(e.Markdown(time.Local), "\n")))
		return nil
	})
}

// entry is what was written down about a commit. One that git no longer knows is
// looked for by the id it was given.
func (d *desk) entry(ctx context.Context, rev string) (*journal.Entry, error) {
	id, unknown := d.repo.Resolve(ctx, rev)
	if unknown != nil {
		if ctx.Err() != nil {
			return nil, unknown
		}
		id = rev
	}
	e, err := d.journal.Entry(ctx, d.id, id)
	if errors.Is(err, retold.ErrNoNote) {
		if unknown != nil {
			return nil, unknown
		}
		return nil, &retold.Error{Code: retold.CodeEntryNotFound, Op: "read entry", Path: shortCommit(id), Hint: "retold journal write " + shortCommit(id), Err: errors.New("nothing was written about this commit yet")}
	}
	return e, err
}

type journalSearchOptions struct {
	repo  string
	all   bool
	limit int
}

func (a *app) journalSearchCommand() *cobra.Command {
	var o journalSearchOptions
	cmd := &cobra.Command{
		Use: "search WORD...", Short: "find entries by what they say", Args: cobra.MinimumNArgs(1),
		Long: `List the entries in which every word stands, in any letter case, the newest first:
in what was asked and decided, in commit messages, commands, errors, paths and
reflections. Conversations themselves are found by "retold search".`,
		Example: "  retold journal search retry budget\n  retold journal search --all flaky --json",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.journalSearch(cmd.Context(), o, args) },
	}
	repoFlag(cmd, &o.repo)
	cmd.Flags().BoolVar(&o.all, "all", false, "in the entries of all repositories")
	cmd.Flags().IntVar(&o.limit, "limit", retold.DefaultLimit, "at most `N` entries")
	return cmd
}

// entryFound is what journal search prints as JSON.
type entryFound struct {
	Repo    string        `json:"repo"`
	Commit  string        `json:"commit"`
	At      time.Time     `json:"committed"`
	Subject string        `json:"subject"`
	Class   journal.Class `json:"class"`
	Where   []string      `json:"where"` // the texts in which the words stand
}

func (a *app) journalSearch(ctx context.Context, o journalSearchOptions, words []string) error {
	if o.limit < 1 || o.limit > retold.MaxLimit {
		return &retold.Error{Code: retold.CodeUsage, Err: errors.New("--limit wants a number from 1 to 1000"), Hint: "see `retold journal search --help`"}
	}
	d, err := a.desk(ctx, o.repo)
	if err != nil {
		return err
	}
	id := d.id
	if o.all {
		id = ""
	}
	found, problems, err := d.journal.Search(ctx, id, words)
	if err != nil {
		return err
	}
	for _, problem := range problems {
		a.note("%s", problem)
	}
	page := retold.Page[entryFound]{Data: []entryFound{}, Pagination: retold.Pagination{Total: len(found), Limit: o.limit, HasMore: len(found) > o.limit}}
	for _, f := range found[:min(len(found), o.limit)] {
		c := f.Entry.Commit
		page.Data = append(page.Data, entryFound{f.Entry.Repo.Name, c.ID, c.Committed, c.Subject, f.Entry.Class, f.Where})
	}
	if a.json {
		return a.printJSON(page)
	}
	for _, f := range page.Data {
		a.line("%s  %s  %s", shortCommit(f.Commit), f.At.Local().Format("2006-01-02"), oneLine(f.Subject))
		for _, where := range f.Where {
			if where != f.Subject {
				a.line("    %s", oneLine(retold.Preview(where)))
			}
		}
	}
	if len(found) == 0 {
		a.note("no entry holds that; `retold search` looks in the conversations themselves")
	}
	return nil
}

func (a *app) journalReflectCommand() *cobra.Command {
	var repo string
	cmd := &cobra.Command{
		Use: "reflect TEXT", Short: "write a thought down", Args: cobra.MinimumNArgs(1),
		Long: `Write a thought down as it is. It becomes part of the entry of the next commit in
this repository, and of the summary of its day. "-" reads it from standard input.`,
		Example: "  retold journal reflect \"The retry budget was the right call.\"\n  retold journal reflect - < thought.txt",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.journalReflect(cmd.Context(), repo, args) },
	}
	repoFlag(cmd, &repo)
	return cmd
}

func (a *app) journalReflect(ctx context.Context, repo string, args []string) error {
	text := strings.Join(args, " ")
	if text == "-" {
		var err error
		if text, err = a.readAll(); err != nil {
			return err
		}
	}
	d, err := a.desk(ctx, repo)
	if err != nil {
		return err
	}
	r, err := d.journal.Reflect(ctx, d.repo, "reflection", "", strings.TrimRight(text, "\n"))
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(r)
	}
	a.line("written down; it goes into the entry of the next commit in %s", d.repo.Root)
	return nil
}
