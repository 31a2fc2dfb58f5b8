package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/library"
)

type showOptions struct {
	only    []string
	around  string
	context int
	tail    int
	tools   string
	noPager bool
}

const showLong = `Show one session in full, paged on a terminal. SESSION is a number from "retold
list", an id, or the first 4 or more characters of an id.

A message is chosen by the number before it (#12) or by its id. --json prints
the session with its messages; --only, --around and --tail choose among them,
while messageCount stays that of the whole session.`

func (a *app) showCommand() *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use: "show SESSION", Short: "one session, readable", Long: showLong,
		Example: `  retold show 1
  retold show 3f9a --only user,assistant
  retold show 1 --around 40 --tools full`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(cmd, "show wants one session")
			}
			return nil
		},
		ValidArgsFunction: a.completeSessions(1),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.show(cmd, o, args[0]) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.only, "only", nil, "only messages of these `ROLES`: user, assistant, thinking, tool, error, system")
	f.StringVar(&o.around, "around", "", "only the surroundings of this `MESSAGE` (number or id)")
	f.IntVar(&o.context, "context", 5, "with --around: `N` messages before and after")
	f.IntVar(&o.tail, "tail", 0, "only the last `N` messages")
	f.StringVar(&o.tools, "tools", "short", "show tool calls `HOW`: short (a line each), full (with parameters and results) or none")
	f.BoolVar(&o.noPager, "no-pager", false, "print without a pager")
	complete(cmd, "tools", "short", "full", "none")
	complete(cmd, "only", names(retold.Roles)...)
	return cmd
}

func (a *app) show(cmd *cobra.Command, o showOptions, selector string) error {
	tools, err := export.ParseTools(o.tools)
	if err != nil {
		return err
	}
	for _, r := range o.only {
		if !slices.Contains(retold.Roles, retold.Role(r)) {
			return usage(cmd, fmt.Sprintf("there is no role %q; the roles are %s", r, strings.Join(names(retold.Roles), ", ")))
		}
	}
	if o.tail < 0 || o.context < 0 {
		return usage(cmd, "--tail and --context are 0 or more")
	}
	l, err := a.open(cmd.Context())
	if err != nil {
		return err
	}
	d, err := l.Show(cmd.Context(), selector)
	if err != nil {
		return err
	}
	a.problems += d.Problems
	shown, err := o.choose(d.Messages)
	if err != nil {
		return err
	}
	shown = slices.Clone(shown)
	a.veil.session(&d.Session)
	a.veil.messages(shown)
	a.veil.problems(d.ProblemList)
	if a.json {
		d.Messages = shown
		return a.printVeiled(d)
	}
	children, err := children(cmd.Context(), l, d)
	if err != nil {
		return err
	}
	for i := range children {
		a.veil.session(&children[i].Session)
	}
	if o.noPager {
		a.settings.Pager.value = ""
	}
	return a.paged(func() error {
		c := conversation{voice: &a.voice, tools: tools}
		c.print(d, shown)
		c.children(children)
		return nil
	})
}

// children returns the headers of a session's sub-agents. Sessions that never
// handed out a task are not looked up, because that takes the list of all.
func children(ctx context.Context, l *library.Library, d *retold.SessionDetail) ([]retold.Header, error) {
	tasked := slices.ContainsFunc(d.Messages, func(m retold.Message) bool { return m.Tool != nil && m.Tool.Kind == retold.ToolTask })
	if !tasked {
		return nil, nil
	}
	return l.Children(ctx, d.ID)
}

// choose picks the messages to show; they keep their Index.
func (o *showOptions) choose(ms []retold.Message) ([]retold.Message, error) {
	out := ms
	if o.around != "" {
		at := slices.IndexFunc(ms, func(m retold.Message) bool { return m.ID == o.around })
		if n, err := strconv.Atoi(strings.TrimPrefix(o.around, "#")); at < 0 && err == nil && n >= 0 && n < len(ms) {
			at = n
		}
		if at < 0 {
			return nil, &retold.Error{
				Code: retold.CodeUsage, Err: fmt.Errorf("the session has no message %q", o.around),
				Hint: fmt.Sprintf("give a number from 0 to %d, or a message's id", len(ms)-1),
			}
		}
		out = ms[max(at-o.context, 0):min(at+o.context+1, len(ms))]
	}
	if len(o.only) > 0 {
		out = slices.DeleteFunc(slices.Clone(out), func(m retold.Message) bool { return !slices.Contains(o.only, string(m.Role)) })
	}
	if o.tail > 0 && o.tail < len(out) {
		out = out[len(out)-o.tail:]
	}
	return out, nil
}
