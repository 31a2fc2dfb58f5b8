package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/render"
)

// A conversation prints a session for reading: who spoke as headings, tool
// calls as lines, what is no longer part of the conversation under its own
// heading at the end.
type conversation struct {
	*voice
	tools   export.Tools
	speaker string // of the last heading
	apart   string // heading of the part after the conversation
	hidden  int    // tool calls left out
	day     string // of the last time printed
}

func (c *conversation) print(d *retold.SessionDetail, shown []retold.Message) {
	c.head(d)
	for i := range shown {
		c.message(&shown[i])
	}
	if c.hidden > 0 {
		c.aside("%s not shown", counted(c.hidden, "tool call"))
	}
	if len(shown) < len(d.Messages) {
		c.aside("%d of %d messages", len(shown), len(d.Messages))
	}
	for i, p := range d.ProblemList {
		if i == 0 {
			c.line("\n%s", c.style.yellow(fmt.Sprintf("%s could not be read:", counted(len(d.ProblemList), "thing"))))
		}
		if i == mostTrouble {
			c.line("  … and %d more (--json has all)", len(d.ProblemList)-i)
			break
		}
		c.line("  %s", oneLine(strings.Join([]string{p.Kind, cmp.Or(p.Key, p.Path), p.Reason}, " · ")))
	}
}

// children names the sub-agents of the session, by the numbers that show them.
func (c *conversation) children(list []retold.Header) {
	for i, h := range list {
		if i == 0 {
			c.line("\n%s", c.style.bold("Sub-agents"))
		}
		c.line("  %s %s", oneLine(marked(h.Session)), c.style.dim(fmt.Sprintf("· retold show %d", h.Index)))
	}
}

// head prints the title and what is known about the session as a whole.
func (c *conversation) head(d *retold.SessionDetail) {
	c.wrapped(oneLine(marked(d.Session)), c.style.bold)
	var facts []string
	add := func(fact string) {
		if fact = oneLine(fact); fact != "" {
			facts = append(facts, fact)
		}
	}
	add(d.Agent)
	add(cmp.Or(d.WorkspacePath, d.WorkspaceName))
	span, last := c.moment(d.CreatedAt), c.moment(d.UpdatedAt)
	if last != "" && !d.UpdatedAt.Equal(d.CreatedAt) {
		span = strings.TrimPrefix(span+" – "+last, " – ")
	}
	add(span)
	add(retold.ModelName(d.Model))
	if d.Branch != "" {
		add("branch " + d.Branch)
	}
	if d.LinesAdded != nil && d.LinesRemoved != nil {
		add(fmt.Sprintf("+%d −%d", *d.LinesAdded, *d.LinesRemoved))
	}
	add(counted(d.MessageCount, "message"))
	c.wrapped(strings.Join(facts, " · "), c.style.dim)
	ids := fmt.Sprintf("%s (%s)", d.ID, strings.Join(d.Sources, ", "))
	if d.ParentID != "" {
		ids += ", sub-agent of " + d.ParentID
	}
	c.wrapped(oneLine(ids), c.style.dim)
}

// wrapped prints text that is already harmless, broken to the terminal's width.
func (c *conversation) wrapped(text string, paint func(string) string) {
	if c.width > 0 {
		text = lipgloss.Wrap(text, c.width, " ")
	}
	for l := range strings.SplitSeq(text, "\n") {
		c.line("%s", paint(strings.TrimRight(l, " ")))
	}
}

func (c *conversation) message(m *retold.Message) {
	c.part(m)
	switch m.Role {
	case retold.RoleTool:
		if m.Tool != nil {
			c.tool(m)
			return
		}
	case retold.RoleThinking:
		c.heading(m, "Thinking", c.style.dim)
		c.block(m.Content, c.style.dim)
		return
	case retold.RoleError:
		c.heading(m, "Error", c.style.red)
		c.block(m.Content, c.style.red)
		return
	case retold.RoleSystem:
		c.heading(m, "System", c.style.dim)
		c.block(m.Content, c.style.dim)
		c.attachments(m)
		return
	}
	if m.Role == retold.RoleUser {
		c.speaker = "" // a new turn always has its heading
		c.heading(m, "You", func(t string) string { return c.style.bold(c.style.cyan(t)) })
	} else {
		c.heading(m, "Assistant", func(t string) string { return c.style.bold(c.style.green(t)) })
	}
	if text := strings.TrimRight(render.Terminal(m.Content, c.width, bool(c.style)), "\n"); text != "" {
		c.line("%s", text)
	}
	c.attachments(m)
}

// part prints the heading of the messages that stand after the conversation.
func (c *conversation) part(m *retold.Message) {
	apart := ""
	switch {
	case m.Recovered:
		apart = "Recovered from another store"
	case m.Orphan:
		apart = "No longer part of the conversation (edited or rewound)"
	}
	if apart != c.apart && apart != "" {
		c.line("\n%s", c.style.yellow("── "+apart+" ──"))
		c.speaker = ""
	}
	c.apart = apart
}

// heading prints who speaks, unless it is who spoke last.
func (c *conversation) heading(m *retold.Message, speaker string, paint func(string) string) {
	if c.speaker == speaker {
		c.line("")
		return
	}
	c.speaker = speaker
	facts := []string{fmt.Sprintf("#%d", m.Index)}
	if at := c.moment(m.Timestamp); at != "" {
		if m.TimestampSource != retold.TimeStored && m.TimestampSource != retold.TimeTiming {
			at = "≈ " + at
		}
		facts = append(facts, at)
	}
	if m.Role == retold.RoleAssistant && m.Model != "" {
		facts = append(facts, oneLine(retold.ModelName(m.Model)))
	}
	c.line("\n%s  %s", paint(speaker), c.style.dim(strings.Join(facts, " · ")))
}

// moment tells a time: in full the first time on a day, then only the clock; ISO
// in a pipe.
func (c *conversation) moment(t time.Time) string {
	if t.IsZero() || !c.tty {
		return isoTime(t)
	}
	day := t.Local().Format("2 Jan 2006")
	clock := t.Local().Format("15:04")
	if day == c.day {
		return clock
	}
	c.day = day
	return day + " " + clock
}

// block prints text of strangers, line by line in one style.
func (c *conversation) block(text string, paint func(string) string) {
	text = strings.TrimRight(plain(text), "\n")
	if text == "" {
		return
	}
	if c.width > 0 {
		text = lipgloss.Wrap(text, max(c.width-2, 20), " ")
	}
	for l := range strings.SplitSeq(text, "\n") {
		c.line("%s", paint("  "+l))
	}
}

// tool prints a call as a line with its outcome, the diff of an edit below it,
// and in full also parameters and result.
func (c *conversation) tool(m *retold.Message) {
	if c.tools == export.ToolsNone {
		c.hidden++
		return
	}
	if c.speaker != "tool" {
		c.line("")
	}
	c.speaker = "tool"
	mark := c.style.dim("·")
	if m.Failed() {
		mark = c.style.red("✗")
	} else if m.Tool.Status == retold.StatusCompleted {
		mark = c.style.green("✓")
	}
	c.line("  %s %s", mark, c.style.dim(fmt.Sprintf("#%d ", m.Index))+oneLine(export.Tool(m.Tool)))
	if c.tools == export.ToolsFull {
		c.value("parameters", m.Tool.Params)
	}
	if m.Tool.Diff != "" {
		c.indented(render.DiffTerminal(m.Tool.Diff, bool(c.style)))
	}
	if c.tools == export.ToolsFull {
		c.value("result", m.Tool.Result)
		if strings.TrimSpace(m.Content) != "" {
			c.indented(plain(m.Content))
		}
	}
}

// value prints a JSON value under its name.
func (c *conversation) value(name string, raw json.RawMessage) {
	if len(raw) == 0 || string(raw) == "{}" || string(raw) == "null" {
		return
	}
	c.line("    %s", c.style.dim(name))
	for l := range strings.SplitSeq(plain(outline(raw)), "\n") {
		c.line("      %s", l)
	}
}

// indented prints text that is already harmless, four columns in.
func (c *conversation) indented(text string) {
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		c.line("    %s", l)
	}
}

func (c *conversation) attachments(m *retold.Message) {
	for _, at := range m.Attachments {
		what := at.Kind + " " + cmp.Or(at.Name, at.Path)
		if at.Path != "" && at.Path != at.Name && at.Name != "" {
			what += " (" + at.Path + ")"
		}
		if at.StartLine > 0 {
			what += fmt.Sprintf(" lines %d–%d", at.StartLine, max(at.EndLine, at.StartLine))
		}
		c.line("%s", c.style.dim("  + "+oneLine(what)))
	}
}

// aside prints a remark of retold's own after the conversation.
func (c *conversation) aside(format string, args ...any) {
	c.line("\n%s", c.style.dim("("+fmt.Sprintf(format, args...)+")"))
}
