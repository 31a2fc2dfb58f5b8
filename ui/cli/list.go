package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

type listOptions struct {
	filterFlags
	limit, offset int
	all           bool
}

const listLong = `List sessions, newest first. The number before a session chooses it in other
commands; it is its place in the whole listing and does not depend on filters.
Sub-agents are sessions of their own, marked ↳.

In a pipe every line holds, separated by tabs: number, id, agent, last touched
(ISO, UTC), messages, workspace path, model, title, id of the parent session.`

func (a *app) listCommand() *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "sessions, newest first", Long: listLong,
		Example: `  retold list --since 7d --has error
  retold list -w tidepool --model opus --all
  retold list --file parser.go --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.list(cmd, o) },
	}
	o.add(a, cmd)
	cmd.Flags().IntVarP(&o.limit, "limit", "n", retold.DefaultLimit, "at most `N` sessions")
	cmd.Flags().IntVar(&o.offset, "offset", 0, "skip the first `N` sessions")
	cmd.Flags().BoolVarP(&o.all, "all", "a", false, "all of them")
	return cmd
}

func (a *app) list(cmd *cobra.Command, o listOptions) error {
	switch {
	case o.all && cmd.Flags().Changed("limit"):
		return usage(cmd, "--all and --limit exclude each other")
	case o.limit < 1 || o.limit > retold.MaxLimit:
		return usage(cmd, fmt.Sprintf("--limit is 1 to %d", retold.MaxLimit))
	case o.offset < 0:
		return usage(cmd, "--offset is 0 or more")
	case o.all:
		o.limit = -1
	}
	ctx := cmd.Context()
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	f, err := o.filter(ctx, l)
	if err != nil {
		return err
	}
	listing, err := l.List(ctx, f, o.limit, o.offset)
	if err != nil {
		return err
	}
	a.count(listing)
	a.veil.listing(listing)
	if a.json {
		return a.printJSON(listing)
	}
	a.sessions(listing.Data)
	p := listing.Pagination
	switch {
	case p.Total == 0:
		a.note("no session fits; `retold list` without filters shows all, --empty also drafts")
	case len(listing.Data) == 0:
		a.note("there are only %d sessions", p.Total)
	case p.HasMore && a.tty:
		a.note("%d–%d of %d · more: --offset %d or --all", p.Offset+1, p.Offset+len(listing.Data), p.Total, p.Offset+len(listing.Data))
	}
	a.behind(listing.Behind)
	a.mention(listing.Problems)
	return nil
}

// newest is plain retold: the newest sessions and what to do next.
func (a *app) newest(ctx context.Context) error {
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	listing, err := l.List(ctx, retold.Filter{}, 10, 0)
	if err != nil {
		return err
	}
	a.count(listing)
	a.veil.listing(listing)
	if a.json {
		return a.printJSON(listing)
	}
	a.sessions(listing.Data)
	name, filters := "retold", "list -w . --since 7d"
	if a.flags.demo {
		name, filters = "retold --demo", "list --has error"
	}
	a.note("\nnext, of %s:", counted(listing.Pagination.Total, "session"))
	for _, hint := range [][2]string{
		{"show 1", "read the newest"},
		{"search WORDS", "find what was said and done"},
		{filters, "only some, see list --help"},
		{"export --all -o DIR", "keep everything as Markdown"},
	} {
		a.note("  %s %-22s  %s", name, hint[0], hint[1])
	}
	a.behind(listing.Behind)
	a.mention(listing.Problems)
	return nil
}

// behind says that an answer does not hold everything.
func (a *app) behind(is bool) {
	if is {
		a.note("not everything is read yet: another retold is at it, or the library cannot be written; ask again, or see `retold doctor`")
	}
}

// count counts the problems of a listing for --strict.
func (a *app) count(l *library.Listing) {
	a.problems += len(l.Problems)
	for _, s := range l.Data {
		a.problems += s.Problems
	}
}

// mention says that something could not be read, without going into it.
func (a *app) mention(problems []retold.Problem) {
	if n := len(problems); n > 0 {
		a.note("%s could not be read; `retold doctor` says what and why", counted(n, "thing"))
	}
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// sessions prints a table of sessions.
func (a *app) sessions(list []retold.Session) {
	if !a.tty {
		t := table{}
		for _, s := range list {
			t.add(strconv.Itoa(s.Index), s.ID, s.Agent, isoTime(s.Touched()), messageCount(s), s.WorkspacePath, s.Model, s.Title, s.ParentID)
		}
		a.print(&t)
		return
	}
	if len(list) == 0 {
		return
	}
	t := table{columns: []column{
		{title: "#", right: true, paint: a.style.bold},
		{title: "WHEN", paint: a.style.cyan},
		{title: "AGENT", yield: 1, paint: a.style.dim},
		{title: "WORKSPACE", most: 18, yield: 2, paint: a.style.green},
		{title: "MSGS", right: true, yield: 3, paint: a.style.dim},
		{title: "TITLE"},
	}}
	for _, s := range list {
		t.add(strconv.Itoa(s.Index), a.when(s.Touched()), s.Agent, s.WorkspaceName, messageCount(s), marked(s))
	}
	a.print(&t)
}

// marked is the title with what a person should know at a glance.
func marked(s retold.Session) string {
	title := s.Title
	if title == "" {
		title = "(untitled)"
	}
	if s.ParentID != "" {
		title = "↳ " + title
	}
	if s.Archived {
		title += " (archived)"
	}
	return title
}

func messageCount(s retold.Session) string {
	if s.MessageCount < 0 {
		return ""
	}
	return strconv.Itoa(s.MessageCount)
}
