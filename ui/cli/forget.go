package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/retold-history/retold"
)

const forgetLong = `Remove a session from the library for good, with every word of it in the search
index. No later sync brings it back. The agent's own files stay as they are, and
so do the sub-agents of the session, which are sessions of their own.

SESSION is a number from "retold list", an id, or the first 4 or more characters
of an id. Unless --yes is given, retold asks first; without a terminal to ask on
it refuses.`

func (a *app) forgetCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "forget SESSION", Short: "remove a session from the library for good", Long: forgetLong,
		Example: "  retold forget 3f9a\n  retold forget 12 --yes",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(cmd, "forget wants one session")
			}
			return nil
		},
		ValidArgsFunction: a.completeSessions(1),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.forget(cmd, args[0], yes) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func (a *app) forget(cmd *cobra.Command, selector string, yes bool) error {
	ctx := cmd.Context()
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	h, err := l.Find(ctx, selector)
	if err != nil {
		return err
	}
	a.veil.session(&h.Session)
	if !yes {
		if a.json || !a.asks() {
			return &retold.Error{
				Code: retold.CodeUsage, Err: fmt.Errorf("there is nobody to ask whether %s shall be forgotten", h.ID),
				Hint: "add --yes to forget it without being asked",
			}
		}
		children, err := l.Children(ctx, h.ID)
		if err != nil {
			return err
		}
		a.announce(h.Session, len(children))
		sure, err := a.confirm(ctx, "Forget it?")
		if err != nil {
			return err
		}
		if !sure {
			a.note("nothing was changed")
			return nil
		}
	}
	gone, err := l.Forget(ctx, h.ID)
	if err != nil {
		return err
	}
	a.veil.session(gone)
	if a.json {
		return a.printJSON(map[string]*retold.Session{"forgotten": gone})
	}
	a.line("forgotten: %s %s", oneLine(marked(*gone)), a.style.dim("("+oneLine(gone.ID)+")"))
	return nil
}

// announce says what forgetting a session means.
func (a *app) announce(s retold.Session, children int) {
	facts := []string{oneLine(s.Agent)}
	if s.WorkspaceName != "" {
		facts = append(facts, oneLine(s.WorkspaceName))
	}
	facts = append(facts, a.when(s.Touched()))
	if s.MessageCount >= 0 {
		facts = append(facts, counted(s.MessageCount, "message"))
	}
	a.line("%s %s", a.style.bold(oneLine(marked(s))), a.style.dim("· "+strings.Join(facts, " · ")))
	a.line("It is removed from retold's library for good, and no later sync brings it back.")
	a.line("The files of %s itself stay as they are.", oneLine(s.Agent))
	if children > 0 {
		a.line("%s of it stay in the library.", counted(children, "sub-agent"))
	}
}

// asks reports whether there is somebody to ask: what is said reaches a terminal
// and the answer comes from one.
func (a *app) asks() bool {
	in, ok := a.in.(*os.File)
	return ok && a.tty && a.errTTY && term.IsTerminal(int(in.Fd()))
}

// confirm asks a question that no answer answers with no.
func (a *app) confirm(ctx context.Context, question string) (bool, error) {
	a.catchUp()
	a.tell(question + " [y/N] ")
	type reply struct {
		text string
		err  error
	}
	replies := make(chan reply, 1)
	go func() {
		text, err := bufio.NewReader(a.in).ReadString('\n')
		replies <- reply{text, err}
	}()
	select {
	case <-ctx.Done(): // the read ends with the process
		a.tell("\n")
		return false, ctx.Err()
	case r := <-replies:
		if r.err != nil && !errors.Is(r.err, io.EOF) {
			return false, fmt.Errorf("read the answer: %w", r.err)
		}
		answer := strings.ToLower(strings.TrimSpace(r.text))
		return answer == "y" || answer == "yes", nil
	}
}
