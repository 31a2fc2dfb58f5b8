package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
)

const whyLong = `Say which conversation a line, a file or a commit came from: the prompt, the turn
that wrote it, and the evidence. It works for years of history, with no hook
installed; lines are followed through later commits, renames, moves and formatters.

  linked     lines of the commit were written there, or the commit was made there
  possible   it speaks for it, but not its lines
  none       no chat found

It claims by evidence, never by time alone, and says what the evidence is. In a pipe
a file's lines hold, separated by tabs: line, class, commit, session, message, text.

Agent Trace records (agent-trace.dev, 0.1.0), one for each commit that a
conversation wrote lines of, are printed by --agent-trace, a line each.`

type whyOptions struct {
	repo  string
	rev   string
	trace bool
}

func (a *app) whyCommand() *cobra.Command {
	var o whyOptions
	cmd := &cobra.Command{
		Use: "why FILE:LINE | FILE | COMMIT", Short: "which conversation a line or a commit came from", Long: whyLong,
		Example: "  retold why api/retry.go:42\n  retold why api/retry.go\n  retold why HEAD --json\n  retold why --agent-trace v1.0..HEAD",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(cmd, "why wants a FILE:LINE, a FILE or a COMMIT")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.why(cmd.Context(), o, args[0]) },
	}
	repoFlag(cmd, &o.repo)
	cmd.Flags().StringVar(&o.rev, "at", "", "the file as it was in this `COMMIT`, instead of as it lies there")
	cmd.Flags().BoolVar(&o.trace, "agent-trace", false, "print Agent Trace records of a commit or range")
	return cmd
}

func (a *app) why(ctx context.Context, o whyOptions, what string) error {
	d, err := a.desk(ctx, o.repo)
	if err != nil {
		return err
	}
	if o.trace {
		return a.whyTrace(ctx, d, what)
	}
	q, err := journal.Ask(ctx, d.repo, a.absolute(o.repo), o.rev, what)
	if err != nil {
		return err
	}
	switch {
	case q.Commit != "":
		return a.whyCommit(ctx, d, q.Commit)
	case q.Line > 0:
		return a.whyLine(ctx, d, q)
	}
	return a.whyFile(ctx, d, q)
}

func (a *app) whyCommit(ctx context.Context, d *desk, commit string) error {
	at, err := d.journal.Explain(ctx, d.repo, commit)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(at)
	}
	a.line("%s  %s", shortCommit(at.Commit), a.class(at.Class))
	if at.Reason != "" {
		a.line("  %s", oneLine(at.Reason))
	}
	if at.SameAs != "" {
		a.line("  the same change as %s", shortCommit(at.SameAs))
	}
	for _, l := range at.Links {
		prompt, err := d.journal.Prompt(ctx, l.Key, l.MessageIndex)
		if err != nil {
			return err
		}
		a.line("")
		a.line("%s  %s", a.style.cyan(fmt.Sprintf("%s#%d", l.SessionID, l.MessageIndex)), oneLine(retold.Preview(prompt)))
		a.line("  %s, score %s%s%s", a.class(l.Class), points(l.Score), linesNote(l.Lines), uncertainNote(l.Uncertain))
		a.evidence(l.Evidence)
	}
	if len(at.Links) > 0 {
		best := at.Links[0]
		a.note("retold show %s --around %d", best.SessionID, best.MessageIndex)
	}
	return nil
}

func (a *app) evidence(list []journal.Evidence) {
	for _, e := range list {
		a.line("  %s  %s", a.style.dim(fmt.Sprintf("%+5s", signed(e.Weight))), oneLine(e.Detail))
	}
}

// points is a score as people are shown it, signed one with its sign.
func points(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func signed(f float64) string {
	if f < 0 {
		return points(f)
	}
	return "+" + points(f)
}

func linesNote(n int) string {
	if n == 0 {
		return ""
	}
	return ", wrote " + counted(n, "line")
}

func uncertainNote(uncertain bool) string {
	if uncertain {
		return ", uncertain: another conversation explains it as well"
	}
	return ""
}

// class is a class in its colour.
func (a *app) class(c journal.Class) string {
	switch c {
	case journal.ClassLinked:
		return a.style.green(string(c))
	case journal.ClassPossible:
		return a.style.bold(string(c))
	}
	return a.style.dim(string(c))
}

func (a *app) whyLine(ctx context.Context, d *desk, q journal.Asked) error {
	w, err := d.journal.Line(ctx, d.repo, q.Rev, q.File, q.Line)
	if err != nil {
		return whyError(err, q)
	}
	a.veil.blamed(w)
	if a.json {
		return a.printJSON(w)
	}
	a.line("%s:%d  %s", plain(w.File), w.Line, strings.TrimSpace(plain(w.Text)))
	commit := "not committed"
	if w.Commit != nil {
		commit = shortCommit(*w.Commit)
	}
	a.line("%s  %s%s", commit, a.class(w.Class), throughNote(w.Through))
	if w.Reason != "" {
		a.line("  %s", oneLine(w.Reason))
	}
	if w.SessionID == nil {
		return nil
	}
	if w.Prompt != nil {
		a.line("")
		a.line("%s", a.style.bold(oneLine(retold.Preview(*w.Prompt))))
	}
	a.line("  %s, score %s", *w.SessionID, points(w.Score))
	a.evidence(w.Evidence)
	if w.MessageID != nil {
		a.note("retold show %s --around %s", *w.SessionID, *w.MessageID)
	}
	return nil
}

func throughNote(commits []string) string {
	if len(commits) == 0 {
		return ""
	}
	shown := make([]string, 0, len(commits))
	for _, c := range commits {
		shown = append(shown, shortCommit(c))
	}
	return ", through " + strings.Join(shown, ", ")
}

func (a *app) whyFile(ctx context.Context, d *desk, q journal.Asked) error {
	if a.json {
		list := []*journal.LineWhy{}
		for w, err := range d.journal.File(ctx, d.repo, q.Rev, q.File) {
			if err != nil {
				return whyError(err, q)
			}
			a.veil.blamed(w)
			list = append(list, w)
		}
		return a.printJSON(retold.Page[*journal.LineWhy]{Data: list, Pagination: retold.Pagination{Total: len(list), Limit: len(list)}})
	}
	return a.paged(func() error {
		for w, err := range d.journal.File(ctx, d.repo, q.Rev, q.File) {
			if err != nil {
				return whyError(err, q)
			}
			a.veil.blamed(w)
			a.annotated(w)
		}
		return nil
	})
}

// annotated prints a line of a file with where it came from before it.
func (a *app) annotated(w *journal.LineWhy) {
	commit, session, message := "", "", ""
	if w.Commit != nil {
		commit = *w.Commit
	}
	if w.SessionID != nil {
		session = *w.SessionID
	}
	if w.MessageID != nil {
		message = *w.MessageID
	}
	if !a.tty {
		a.line("%d\t%s\t%s\t%s\t%s\t%s", w.Line, w.Class, commit, session, message, sourceLine(w.Text))
		return
	}
	mark := " "
	switch w.Class {
	case journal.ClassLinked:
		mark = "●"
	case journal.ClassPossible:
		mark = "○"
	}
	prompt := ""
	if w.Prompt != nil {
		prompt = *w.Prompt
	}
	a.line("%s %s %s %s %s", a.style.dim(fmt.Sprintf("%-8.8s", commit)), mark, a.style.cyan(fmt.Sprintf("%-8.8s", session)),
		a.style.dim(fit(oneLine(retold.Preview(prompt)), 32, false, false)), sourceLine(w.Text))
}

// sourceLine is a line of a file without what would change the screen.
func sourceLine(s string) string { return strings.ReplaceAll(plain(s), "\n", " ") }

// whyError says what of a file could not be found.
func whyError(err error, q journal.Asked) error {
	if !errors.Is(err, journal.ErrNotInGit) {
		return err
	}
	where := q.File
	if q.Line > 0 {
		where += ":" + strconv.Itoa(q.Line)
	}
	return &retold.Error{Code: retold.CodeLineNotFound, Op: "blame", Path: filepath.FromSlash(where), Hint: "git ls-files shows the files that git knows", Err: err}
}

func (a *app) whyTrace(ctx context.Context, d *desk, rev string) error {
	ids := []string{rev}
	if strings.Contains(rev, "..") {
		var err error
		if ids, err = d.commits(ctx, rev, ""); err != nil {
			return err
		}
	}
	none := true
	for _, id := range ids {
		r, err := d.journal.Trace(ctx, d.repo, id, readBuild().Version)
		if err != nil {
			return err
		}
		if r == nil {
			continue
		}
		none = false
		if err := a.printLine(r); err != nil {
			return err
		}
	}
	if none {
		a.note("no conversation wrote a line of that")
	}
	return nil
}
