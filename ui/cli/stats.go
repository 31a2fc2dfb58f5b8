package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
)

const statsLong = `Count what was said and done: by day, hour, agent, workspace, model and tool, with
tokens and lines where agents recorded them. With filters, the sessions that fit
are counted, all of their messages. Days and hours are those of this machine's
time zone.

In a pipe every line is a count, its kind first and its parts separated by tabs:

  total      what, count
  day        date, messages, sessions
  hour       weekday (1 is Monday), hour, messages
  agent workspace model
             name, sessions, messages, input tokens, output tokens
  tool       name, kind, calls, failed
  role       name, messages

Tokens are empty where nothing recorded them.`

func (a *app) statsCommand() *cobra.Command {
	var o filterFlags
	cmd := &cobra.Command{
		Use: "stats", Short: "activity by day, hour, agent, workspace, model and tool", Long: statsLong, Args: noArgs,
		Example: "  retold stats\n  retold stats -w . --since 2026\n  retold stats --model opus --json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.stats(cmd, &o) },
	}
	o.add(a, cmd)
	return cmd
}

func (a *app) stats(cmd *cobra.Command, o *filterFlags) error {
	ctx := cmd.Context()
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	f, err := o.filter(ctx, l)
	if err != nil {
		return err
	}
	r, err := l.Stats(ctx, f, now().Location())
	if err != nil {
		return err
	}
	a.problems += len(r.Problems)
	a.veil.stats(r)
	switch {
	case a.json:
		return a.printJSON(r)
	case r.Messages == 0:
		a.note("no session fits; `retold stats` without filters counts all")
	case a.tty:
		a.activity(&r.Stats)
	default:
		a.countLines(&r.Stats)
	}
	a.behind(r.Behind)
	a.mention(r.Problems)
	return nil
}

// mostBars is how many bars a chart for people has.
const mostBars = 10

// activity prints stats for a person.
func (a *app) activity(s *retold.Stats) {
	facts := []string{counted(s.Sessions, "session"), number(int64(s.Messages)) + " messages"}
	if s.Tokens != nil {
		facts = append(facts, tokens(s.Tokens))
	}
	if s.Lines != (retold.Lines{}) {
		facts = append(facts, fmt.Sprintf("+%s −%s lines", number(int64(s.Lines.Added)), number(int64(s.Lines.Removed))))
	}
	a.line("%s", a.style.bold(cut(strings.Join(facts, " · "), a.width)))
	if s.First != nil && s.Last != nil {
		days := counted(len(s.Days), "day")
		a.line("%s", a.style.dim(cut(fmt.Sprintf("%s – %s · active on %s", local(*s.First).Format("2 Jan 2006"), local(*s.Last).Format("2 Jan 2006"), days), a.width)))
	}
	a.heatMap(s.Days)
	a.hours(s.Hours)
	for _, chart := range []struct {
		title string
		uses  []retold.UseCount
	}{{"Agents, by messages", s.Agents}, {"Workspaces, by messages", s.Workspaces}, {"Models, by messages", named(s.Models)}} {
		var rows []barRow
		for _, u := range chart.uses {
			note := counted(u.Sessions, "session")
			if u.Tokens != nil {
				note += " · " + tokens(u.Tokens)
			}
			rows = append(rows, barRow{name: u.Name, n: u.Messages, note: note})
		}
		a.bars(chart.title, rows, mostBars)
	}
	var rows []barRow
	for _, t := range s.Tools {
		note := string(t.Kind)
		if t.Failed > 0 {
			note += fmt.Sprintf(" · %s failed", number(int64(t.Failed)))
		}
		rows = append(rows, barRow{name: t.Name, n: t.Calls, note: note})
	}
	a.bars("Tools, by calls", rows, mostBars)
	if s.Undated > 0 {
		a.note("\n%s without a time: in no day or hour", counted(s.Undated, "message"))
	}
}

// named gives models the names that people say, with the identifier where
// several share one.
func named(models []retold.UseCount) []retold.UseCount {
	out := slices.Clone(models)
	ids := map[string]int{}
	for _, m := range models {
		ids[retold.ModelName(m.Name)]++
	}
	for i, m := range out {
		name := retold.ModelName(m.Name)
		if ids[name] > 1 {
			name += " · " + m.Name
		}
		out[i].Name = name
	}
	return out
}

func tokens(t *retold.Tokens) string {
	return fmt.Sprintf("%s tokens in, %s out", short(t.Input), short(t.Output))
}

// short is a number to three digits: 12.3M.
func short(n int64) string {
	value, unit := float64(n), ""
	for _, u := range []string{"k", "M", "G", "T"} {
		if value < 1000 {
			break
		}
		value, unit = value/1000, u
	}
	if unit == "" || value >= 100 {
		return fmt.Sprintf("%.0f%s", value, unit)
	}
	return fmt.Sprintf("%.1f%s", value, unit)
}

// hours prints at what hours of the day messages were written.
func (a *app) hours(week [7][24]int) {
	var day [24]int
	for _, hours := range week {
		for h, n := range hours {
			day[h] += n
		}
	}
	if slices.Max(day[:]) == 0 || a.width < 54 {
		return
	}
	a.line("\n%s", a.style.bold("Hours"))
	var wide strings.Builder
	for _, r := range spark(day[:]) {
		wide.WriteString(strings.Repeat(string(r), 2))
	}
	a.line("  %s", a.style.green(strings.TrimRight(wide.String(), " ")))
	a.line("  %s", a.style.dim("0           6           12          18"))
}

// countLines prints stats for programs, a count on each line.
func (a *app) countLines(s *retold.Stats) {
	a.row("total", "sessions", strconv.Itoa(s.Sessions))
	a.row("total", "messages", strconv.Itoa(s.Messages))
	in, out := tokenCells(s.Tokens)
	a.row("total", "input tokens", in)
	a.row("total", "output tokens", out)
	a.row("total", "lines added", strconv.Itoa(s.Lines.Added))
	a.row("total", "lines removed", strconv.Itoa(s.Lines.Removed))
	a.row("total", "undated", strconv.Itoa(s.Undated))
	for i, at := range []*time.Time{s.First, s.Last} {
		if at != nil {
			a.row("total", []string{"first", "last"}[i], isoTime(*at))
		}
	}
	for _, d := range s.Days {
		a.row("day", d.Day, strconv.Itoa(d.Messages), strconv.Itoa(d.Sessions))
	}
	for d, hours := range s.Hours {
		for h, n := range hours {
			if n > 0 {
				a.row("hour", strconv.Itoa(d+1), strconv.Itoa(h), strconv.Itoa(n))
			}
		}
	}
	for i, uses := range [][]retold.UseCount{s.Agents, s.Workspaces, s.Models} {
		for _, u := range uses {
			in, out := tokenCells(u.Tokens)
			a.row([]string{"agent", "workspace", "model"}[i], u.Name, strconv.Itoa(u.Sessions), strconv.Itoa(u.Messages), in, out)
		}
	}
	for _, t := range s.Tools {
		a.row("tool", t.Name, string(t.Kind), strconv.Itoa(t.Calls), strconv.Itoa(t.Failed))
	}
	for _, r := range s.Roles {
		a.row("role", r.Name, strconv.Itoa(r.Count))
	}
}

func tokenCells(t *retold.Tokens) (in, out string) {
	if t == nil {
		return "", ""
	}
	return strconv.FormatInt(t.Input, 10), strconv.FormatInt(t.Output, 10)
}
