package journal

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/retold-history/retold"
)

// Markdown is the entry for a person, without marks around it. zone is the place
// whose clock its heading shows.
func (e *Entry) Markdown(zone *time.Location) string {
	p := &printer{zone: zone}
	p.f("## %s — %s\n\n", e.Commit.Committed.In(zone).Format("15:04"), plain(e.Commit.Subject))
	p.head(e)
	p.intent(e)
	p.changes(e)
	p.quotes("Decisions and discussion", e.Discussion)
	p.roadblocks(e)
	p.commands(e)
	p.names("Read", e.Read)
	p.names("Searched for", e.Searched)
	p.models(e)
	for _, r := range e.Reflections {
		heading := "Reflection"
		if r.Kind == "context" {
			heading = "Context"
		}
		p.f("### %s — %s\n\n%s\n\n", r.At.In(zone).Format("15:04"), heading, quoted(r.Text))
	}
	p.prose(e)
	p.confidence(e)
	return strings.TrimRight(p.String(), "\n") + "\n"
}

// A printer writes Markdown.
type printer struct {
	strings.Builder
	zone *time.Location
}

func (p *printer) f(format string, args ...any) {
	fmt.Fprintf(&p.Builder, format, args...)
}

func (p *printer) section(title string) { p.f("### %s\n\n", title) }

// head says which commit it is and which conversations led to it.
func (p *printer) head(e *Entry) {
	c := e.Commit
	p.f("%s in **%s**", code(shortCommit(c.ID)), plain(e.Repo.Name))
	if c.Branch != "" {
		p.f(" on %s", code(c.Branch))
	}
	p.f(" by %s: %s, +%d −%d", plain(c.Author), counted(len(e.Files), "file"), c.Added, c.Removed)
	if c.SameAs != "" {
		p.f("; repeats %s", code(shortCommit(c.SameAs)))
	}
	p.f("\n\n")
	if c.Body != "" {
		p.f("%s\n\n", quoted(c.Body))
	}
	if len(e.Sessions) == 0 {
		why := e.Reason
		if why == "" {
			why = "no chat found"
		}
		p.f("No conversation is linked: %s.\n\n", plain(strings.TrimSuffix(why, ".")))
	}
	for _, s := range e.Sessions {
		p.f("- %s, %s, [%s#%d–%d]", plain(orUntitled(s.Title)), s.Agent, shortID(s.ID), s.From, s.To)
		if s.Began != nil && s.Ended != nil {
			p.f(", %s", between(s.Began.In(p.zone), s.Ended.In(p.zone)))
		}
		p.f("\n")
	}
	if len(e.Sessions) > 0 {
		p.f("\n")
	}
}

// between is a stretch of time, as short as it can be told.
func between(from, to time.Time) string {
	const day, clock = "Jan 2", "15:04"
	switch {
	case from.Format(day+clock) == to.Format(day+clock):
		return from.Format(day + " " + clock)
	case from.Format(day) == to.Format(day):
		return from.Format(day+" "+clock) + " to " + to.Format(clock)
	}
	return from.Format(day+" "+clock) + " to " + to.Format(day+" "+clock)
}

func (p *printer) intent(e *Entry) {
	if len(e.Intent)+len(e.Tasks)+len(e.Todos) == 0 {
		return
	}
	p.section("Intent")
	for _, q := range e.Intent {
		p.f("- %s %s\n", plain(q.Text), q.Cite)
		p.whole(q)
	}
	for _, q := range e.Tasks {
		p.f("- agent, to a sub-agent: %s %s\n", plain(q.Text), q.Cite)
		p.whole(q)
	}
	for _, t := range e.Todos {
		mark := " "
		if t.Status == "completed" {
			mark = "x"
		}
		p.f("- [%s] %s", mark, plain(t.Text))
		if t.Status != "completed" && t.Status != "" {
			p.f(" (%s)", plain(t.Status))
		}
		p.f(" %s\n", t.Cite)
	}
	p.f("\n")
}

// whole prints a prompt of which only the beginning was shown, folded away.
func (p *printer) whole(q Quote) {
	if q.More != "" {
		p.f("\n  <details><summary>whole prompt</summary>\n\n%s\n\n  </details>\n", fence(q.More))
	}
}

func (p *printer) changes(e *Entry) {
	if len(e.Files) == 0 {
		return
	}
	p.section("What changed")
	for _, f := range e.Files {
		p.f("- %s", code(f.Path))
		if f.OldPath != "" {
			p.f(" from %s", code(f.OldPath))
		}
		p.f(" %s +%d −%d", f.Status, f.Added, f.Removed)
		lines := 0
		for _, part := range f.Wrote {
			lines += part.Lines
		}
		if lines > 0 {
			p.f("; %s of them written in", counted(lines, "line"))
			for i, part := range f.Wrote {
				if i == 6 {
					p.f(" and %d more", len(f.Wrote)-i)
					break
				}
				p.f(" %s", part.Cite)
			}
		}
		if f.Written > 0 {
			p.f("; %d of %d telling lines that the agent left survived", f.Survived, f.Written)
		}
		p.f("\n")
	}
	p.f("\n")
}

func (p *printer) quotes(title string, list []Quote) {
	if len(list) == 0 {
		return
	}
	p.section(title)
	for i, q := range list {
		if i > 0 {
			p.f(">\n")
		}
		p.f("> **%s**: %s %s\n", speaker(q.Role), plain(q.Text), q.Cite)
	}
	p.f("\n")
}

func speaker(role retold.Role) string {
	if role == retold.RoleUser {
		return "person"
	}
	return "agent"
}

func (p *printer) roadblocks(e *Entry) {
	if len(e.Roadblocks) == 0 {
		return
	}
	p.section("Roadblocks")
	for _, b := range e.Roadblocks {
		p.f("- %s: %s %s", code(b.Command), plain(b.Text), b.Cite)
		if b.Times > 1 {
			p.f(", %d times until %s", b.Times, b.LastSeen)
		}
		if b.Fixed != nil {
			p.f("; passed at %s", *b.Fixed)
		} else {
			p.f("; not seen to pass")
		}
		p.f("\n")
	}
	p.f("\n")
}

func (p *printer) commands(e *Entry) {
	if len(e.Commands) == 0 {
		return
	}
	p.section("Commands")
	for _, c := range e.Commands {
		p.f("- %s", code(c.Text))
		if c.Cwd != "" {
			p.f(" in %s", code(c.Cwd))
		}
		if c.Exit != nil {
			p.f(", exit %d", *c.Exit)
		} else {
			p.f(", exit not recorded")
		}
		if c.Times > 1 {
			p.f(", %d times", c.Times)
		}
		p.f(" %s\n", c.Cite)
	}
	p.f("\n")
}

func (p *printer) names(title string, list []Named) {
	if len(list) == 0 {
		return
	}
	p.section(title)
	for _, n := range list {
		p.f("- %s", code(n.Name))
		if n.Times > 1 {
			p.f(", %d times", n.Times)
		}
		p.f(" %s\n", n.Cite)
	}
	p.f("\n")
}

func (p *printer) models(e *Entry) {
	if len(e.Sessions) == 0 {
		return
	}
	p.section("Models and tokens")
	names := make([]string, 0, len(e.Models))
	for _, m := range e.Models {
		names = append(names, fmt.Sprintf("%s (%s)", plain(m.Model), counted(m.Messages, "message")))
	}
	if len(names) == 0 {
		names = append(names, "not recorded")
	}
	p.f("- models: %s\n", strings.Join(names, ", "))
	if t := e.Tokens; t != nil {
		p.f("- tokens: %d in, %d out, as recorded by %s\n\n", t.Input, t.Output, counted(t.Messages, "message"))
	} else {
		p.f("- tokens: not recorded\n\n")
	}
}

func (p *printer) prose(e *Entry) {
	if e.Prose == nil || len(e.Prose.Sentences) == 0 {
		return
	}
	p.section("In prose, by " + plain(e.Prose.Model))
	section := ""
	for _, s := range e.Prose.Sentences {
		if s.Section != section {
			if section != "" {
				p.f("\n\n")
			}
			section = s.Section
			p.f("**%s.** ", plain(section))
		}
		p.f("%s", plain(s.Text))
		for _, c := range s.Cites {
			p.f(" %s", c)
		}
		p.f(" ")
	}
	p.f("\n\n")
}

func (p *printer) confidence(e *Entry) {
	c := e.Confidence
	p.section("Confidence")
	p.f("- %s", c.Class)
	if c.Score > 0 {
		p.f(", score %s", strconv.FormatFloat(c.Score, 'g', -1, 64))
	}
	if c.Uncertain {
		p.f(", uncertain: another conversation explains it as well")
	}
	p.f("; %s considered", counted(c.Considered, "session"))
	if c.Unreadable > 0 {
		p.f(", %d unreadable", c.Unreadable)
	}
	if c.TimeSource != "" {
		p.f("; times %s", c.TimeSource)
	}
	p.f("\n- %d of %s explained\n", c.Explained, counted(c.Lines, "added line"))
	for _, s := range e.Sessions {
		for _, ev := range s.Evidence {
			p.f("- %s: %s (%s)\n", shortID(s.ID), plain(ev.Detail), strconv.FormatFloat(ev.Weight, 'g', -1, 64))
		}
	}
}
