package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

const doctorLong = `Say where history was looked for and why each place was used or not; where the
library is, how large, and when anything new was read into it; what each file
holds by kind of record, in rows and bytes that add up to the size of the
file; which records reach a conversation and which do not, and why; and what this
version of retold has never seen before (format drift).

Nothing that Cursor deleted or left behind counts as a fault. With --strict the
exit status is 3 when something could not be read or is of an unknown format.`

type doctorOptions struct{ files bool }

func (a *app) doctorCommand() *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use: "doctor", Short: "what was found where, and what could not be read", Long: doctorLong, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd, o) },
	}
	cmd.Flags().BoolVar(&o.files, "files", false, "every file on its own, not many small ones of a kind as one")
	return cmd
}

func (a *app) doctor(cmd *cobra.Command, o doctorOptions) error {
	l, err := a.open(cmd.Context())
	if err != nil {
		return err
	}
	r, err := l.Doctor(cmd.Context())
	if err != nil {
		return err
	}
	if !r.Healthy() {
		a.problems++
	}
	a.veil.problems(r.Problems)
	if a.json {
		err = a.printJSON(r)
	} else {
		a.report(r, o)
	}
	if err != nil {
		return err
	}
	return l.Nothing()
}

func (a *app) report(r *library.Report, o doctorOptions) {
	a.places(r.Places)
	a.kept(r.Library)
	if j := r.Journal; j != nil {
		a.title("Journal")
		a.line("  %s", oneLine(j.Path))
		a.line("  %s", a.style.dim(size(j.Bytes)+" · "+entries(j.Entries)))
	}
	if len(r.Files) > 0 || r.Sessions.Total > 0 {
		a.counts(r.Sessions)
	}
	accounts := r.Files
	if !o.files {
		accounts = together(r.Files)
	}
	for _, f := range accounts {
		a.account(f)
	}
	a.drift(r.Drift)
	a.trouble(r.Problems)
	if len(r.Files) > 0 && r.Healthy() {
		a.line("\n%s", a.style.green("Everything found was understood."))
	}
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return strconv.Itoa(n) + " entries"
}

func (a *app) title(text string) { a.line("\n%s", a.style.bold(text)) }

func (a *app) places(places []retold.Place) {
	a.line("%s", a.style.bold("Places"))
	for _, p := range places {
		mark := a.style.dim("–")
		if p.Used {
			mark = a.style.green("✓")
		}
		a.line("  %s %s  %s %s", mark, oneLine(p.Path), a.style.dim(oneLine(p.Agent)), a.style.dim("· "+oneLine(p.Reason)))
	}
}

// kept describes retold's own library.
func (a *app) kept(i *library.Info) {
	if i == nil {
		return
	}
	a.title("Library")
	a.line("  %s", oneLine(i.Path))
	last := "nothing read into it yet"
	if i.Synced != nil {
		last = "something new last read " + a.when(*i.Synced)
	}
	a.line("  %s", a.style.dim(fmt.Sprintf("%s · %s · %s", size(i.Bytes), counted(i.Sessions, "session"), last)))
	if i.Note != nil {
		a.line("  %s", a.style.yellow(oneLine(*i.Note)))
	}
}

func (a *app) counts(n library.SessionCounts) {
	a.title("Sessions")
	var parts []string
	for _, agent := range slices.Sorted(maps.Keys(n.ByAgent)) {
		parts = append(parts, fmt.Sprintf("%d %s", n.ByAgent[agent], oneLine(agent)))
	}
	a.line("  %s", strings.Join(append([]string{fmt.Sprintf("%d listed", n.Total)}, parts...), " · "))
	a.line("  %d of them sub-agents, %d archived, %d held by more than one store", n.SubAgents, n.Archived, n.Merged)
	if n.Gone > 0 {
		a.line("  %d kept here that are no longer where they were", n.Gone)
	}
	a.line("  %d more empty or drafts (list --empty)", n.Empty)
}

func (a *app) drift(list []library.Drift) {
	if len(list) == 0 {
		return
	}
	a.title(a.style.yellow("Format drift: records this version of retold has never seen"))
	for _, d := range list {
		what := oneLine(d.Family)
		if d.V != nil {
			what += " _v " + oneLine(*d.V)
		}
		a.line("  %s: %s in %s", what, counted(int(d.Rows), "row"), oneLine(d.Path))
	}
}

// mostTrouble is how many problems of one kind a person is shown; --json has
// them all.
const mostTrouble = 20

func (a *app) trouble(problems []retold.Problem) {
	if len(problems) == 0 {
		return
	}
	byKind := map[string][]retold.Problem{}
	for _, p := range problems {
		byKind[p.Kind] = append(byKind[p.Kind], p)
	}
	a.title("Not readable, missing or deleted")
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		list := byKind[kind]
		a.line("  %s %s", a.style.yellow(oneLine(kind)), a.style.dim(strconv.Itoa(len(list))))
		for i, p := range list {
			if i == mostTrouble {
				a.line("    … and %d more (--json has all)", len(list)-i)
				break
			}
			where := oneLine(p.Key)
			if where == "" {
				where = oneLine(p.Path)
			}
			a.line("    %s  %s", where, a.style.dim(oneLine(p.Reason)))
		}
	}
}
