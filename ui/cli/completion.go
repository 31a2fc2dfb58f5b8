package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

const completionLong = `Print the completion script of a shell. Sessions are completed by id with their
title beside it, and so are agents, workspaces, roles and formats.

  bash        source <(retold completion bash)
  zsh         retold completion zsh > "${fpath[1]}/_retold"
  fish        retold completion fish > ~/.config/fish/completions/retold.fish
  powershell  retold completion powershell | Out-String | Invoke-Expression`

var shells = []string{"bash", "zsh", "fish", "powershell"}

func (a *app) completionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "completion SHELL", Short: "completion for bash, zsh, fish or powershell", Long: completionLong,
		ValidArgs: shells,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || cobra.OnlyValidArgs(cmd, args) != nil {
				return usage(cmd, "completion wants one of "+strings.Join(shells, ", "))
			}
			return nil
		},
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		write := map[string]func(io.Writer) error{
			"bash":       func(w io.Writer) error { return cmd.Root().GenBashCompletionV2(w, true) },
			"zsh":        cmd.Root().GenZshCompletion,
			"fish":       func(w io.Writer) error { return cmd.Root().GenFishCompletion(w, true) },
			"powershell": cmd.Root().GenPowerShellCompletionWithDesc,
		}[args[0]]
		if err := write(a.out); err != nil {
			return fmt.Errorf("write completion script: %w", err)
		}
		return nil
	}
	return cmd
}

// mostOffered is how many sessions are offered at once.
const mostOffered = 50

// completeSessions completes session ids, for at most most arguments (0: any
// number). What was typed as a number stays a number.
func (a *app) completeSessions(most int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		if most > 0 && len(args) >= most {
			return nil, directive
		}
		l, err := a.opened(cmd)
		if err != nil {
			return nil, directive
		}
		headers, err := l.Headers(cmd.Context(), retold.Filter{})
		if err != nil {
			return nil, directive
		}
		var out []string
		for _, h := range headers {
			if !strings.HasPrefix(h.ID, typed) || strings.ContainsAny(h.ID, "\t\n :") {
				continue
			}
			a.veil.session(&h.Session)
			out = append(out, cobra.CompletionWithDesc(oneLine(h.ID), described(h.Session)))
			if len(out) == mostOffered {
				break
			}
		}
		return out, directive
	}
}

// described tells a session in a few words. Titles that are the first thing
// said are not read for this: completion must be quick.
func described(s retold.Session) string {
	words := []string{oneLine(s.Title), oneLine(s.WorkspaceName)}
	if t := s.Touched(); !t.IsZero() {
		words = append(words, t.Local().Format("2 Jan 2006"))
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// opened opens the library during completion, for which cobra runs no
// PersistentPreRun.
func (a *app) opened(cmd *cobra.Command) (*library.Library, error) {
	if err := a.configure(cmd); err != nil {
		return nil, err
	}
	return a.open(cmd.Context())
}

// completeWith completes a flag of cmd with values from the library.
func (a *app) completeWith(cmd *cobra.Command, flag string, values func(context.Context, *library.Library) ([]string, error)) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		l, err := a.opened(cmd)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		found, err := values(cmd.Context(), l)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err)
	}
}
