package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

type workspacesOptions struct{ filterFlags }

const workspacesLong = `List the folders that sessions were about, the last used first, with the number
of sessions in each. With filters, only the sessions that fit are counted.

In a pipe every line holds, separated by tabs: sessions, last touched (ISO, UTC),
agents, name, path. Sessions whose folder is unknown are the last line.`

func (a *app) workspacesCommand() *cobra.Command {
	var o workspacesOptions
	cmd := &cobra.Command{
		Use: "workspaces", Short: "folders with counts", Long: workspacesLong, Args: noArgs,
		Example: "  retold workspaces --since 30d\n  retold workspaces --has edit --json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.workspaces(cmd, o) },
	}
	o.add(a, cmd)
	return cmd
}

func (a *app) workspaces(cmd *cobra.Command, o workspacesOptions) error {
	ctx := cmd.Context()
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	f, err := o.filter(ctx, l)
	if err != nil {
		return err
	}
	found, problems, err := l.Workspaces(ctx, f)
	if err != nil {
		return err
	}
	a.problems += len(problems)
	a.veil.workspaces(found)
	a.veil.problems(problems)
	if a.json {
		return a.printJSON(struct {
			retold.Page[library.Workspace]
			Problems []retold.Problem `json:"problems,omitempty"`
		}{retold.Page[library.Workspace]{Data: found, Pagination: retold.Pagination{Total: len(found), Limit: len(found)}}, problems})
	}
	t := table{columns: []column{
		{title: "SESSIONS", right: true, paint: a.style.bold},
		{title: "LAST", paint: a.style.cyan},
		{title: "AGENTS", paint: a.style.dim},
		{title: "NAME", most: 28, paint: a.style.green},
		{title: "PATH"},
	}}
	for _, w := range found {
		name, path := w.Name, w.Path
		if a.tty && name+path == "" {
			name = "(unknown)"
		}
		t.add(strconv.Itoa(w.Sessions), a.when(w.Last), strings.Join(w.Agents, ", "), name, path)
	}
	if len(found) > 0 {
		a.print(&t)
	} else {
		a.note("no session fits; `retold workspaces` without filters shows all")
	}
	a.mention(problems)
	return nil
}
