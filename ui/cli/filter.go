package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

// filterFlags are the filters that list, export and workspaces share.
type filterFlags struct {
	agents, workspaces, models, branches, titles []string
	since, until                                 string
	roles, tools, files, has                     []string
	empty                                        bool
}

// add defines the flags on cmd and their completions.
func (o *filterFlags) add(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.agents, "agent", nil, "only of the agent `NAME`: cursor, cursor-cli")
	f.StringArrayVarP(&o.workspaces, "workspace", "w", nil, "only about this `FOLDER`: a path, the end of one, a name, or . for here")
	f.StringSliceVar(&o.models, "model", nil, "only with a model whose name holds `TEXT`")
	f.StringArrayVar(&o.branches, "branch", nil, "only on the git branch `NAME`, in which * and ? stand for anything")
	f.StringArrayVar(&o.titles, "title", nil, "only with `TEXT` in the title")
	f.StringVar(&o.since, "since", "", "only touched since `TIME`: 2026-03-01, 7d, 3h, yesterday, RFC 3339")
	f.StringVar(&o.until, "until", "", "only begun until `TIME`; a day counts whole")
	f.StringSliceVar(&o.roles, "role", nil, "only with a message of `ROLE` user, assistant, thinking, tool, error or system")
	f.StringSliceVar(&o.tools, "tool", nil, "only with a call of the tool `NAME`, or of a kind: read, edit, shell, search, …")
	f.StringArrayVar(&o.files, "file", nil, "only with a tool call that touched a path holding `TEXT`")
	f.StringSliceVar(&o.has, "has", nil, "only with `WHAT`: error or edit")
	f.BoolVar(&o.empty, "empty", false, "also drafts and sessions in which nothing was said")
	complete(cmd, "role", names(retold.Roles)...)
	complete(cmd, "has", "error", "edit")
	complete(cmd, "since", "today", "yesterday", "7d", "30d")
	complete(cmd, "until", "today", "yesterday", "7d", "30d")
	a.completeWith(cmd, "agent", func(_ context.Context, l *library.Library) ([]string, error) { return l.Agents(), nil })
	a.completeWith(cmd, "workspace", func(ctx context.Context, l *library.Library) ([]string, error) { return l.WorkspaceNames(ctx) })
}

func names[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

// filter reads the flags. A word that cannot match anything because nobody
// knows it (an agent, a role, a workspace) is an error, not an empty answer.
func (o *filterFlags) filter(ctx context.Context, l *library.Library) (retold.Filter, error) {
	f := retold.Filter{
		Agents: o.agents, Models: o.models, Branches: o.branches, Titles: o.titles,
		Tools: o.tools, Files: o.files, Empty: o.empty,
	}
	bad := func(flag, value string, known []string) error {
		return &retold.Error{
			Code: retold.CodeUsage, Err: fmt.Errorf("--%s %q is not known", flag, value),
			Hint: "choose from " + strings.Join(known, ", "),
		}
	}
	for _, agent := range o.agents {
		if !slices.Contains(l.Agents(), agent) {
			return f, bad("agent", agent, l.Agents())
		}
	}
	for _, role := range o.roles {
		if !slices.Contains(retold.Roles, retold.Role(role)) {
			return f, bad("role", role, names(retold.Roles))
		}
		f.Roles = append(f.Roles, retold.Role(role))
	}
	for _, what := range o.has {
		switch what {
		case "error":
			f.HasError = true
		case "edit":
			f.HasEdit = true
		default:
			return f, bad("has", what, []string{"error", "edit"})
		}
	}
	if err := o.span(&f); err != nil {
		return f, err
	}
	for _, w := range o.workspaces {
		w, err := here(w)
		if err != nil {
			return f, err
		}
		f.Workspaces = append(f.Workspaces, w)
		if err := l.CheckWorkspace(ctx, w); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (o *filterFlags) span(f *retold.Filter) error {
	if o.since != "" {
		s, err := retold.ParseWhen(o.since, now())
		if err != nil {
			return fmt.Errorf("--since: %w", err)
		}
		f.Since = s.From
	}
	if o.until != "" {
		s, err := retold.ParseWhen(o.until, now())
		if err != nil {
			return fmt.Errorf("--until: %w", err)
		}
		f.Until = s.To
	}
	return nil
}

// here makes a path out of one that begins at the current folder.
func here(w string) (string, error) {
	slashed := filepath.ToSlash(w)
	if slashed != "." && slashed != ".." && !strings.HasPrefix(slashed, "./") && !strings.HasPrefix(slashed, "../") {
		return w, nil
	}
	path, err := filepath.Abs(w)
	if err != nil {
		return "", fmt.Errorf("find folder %s: %w", w, err)
	}
	return path, nil
}
