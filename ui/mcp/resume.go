package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/ui/mcp/digest"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// resumed is how many of the last conversations about a folder resume_work looks at.
const resumed = 3

// resume writes where work in a folder stopped.
func (c *call) resume(ctx context.Context, p *page) error {
	if len(c.workspaces) == 0 {
		c.workspaces = []string{"."}
	}
	f, err := c.filter(ctx)
	if err != nil {
		return err
	}
	left, err := c.except(ctx, &f)
	if err != nil {
		return err
	}
	found, err := c.lib.List(ctx, f, 4*resumed, 0)
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(slices.Clone(found.Data), func(s retold.Session) bool { return s.ParentID != "" })
	p.say("Resume the work that the conversations below were about. Say in a few lines where it stopped and what is open, then propose the next step. Cite as [session#message]. Check the files before relying on anything: they may have changed since.")
	p.say(notice)
	if len(list) == 0 {
		p.say("No conversation about this folder is known.")
	}
	room := defaultChars - 2000
	for i, s := range list[:min(resumed, len(list))] {
		part := &page{}
		if err := c.stopped(ctx, part, s.ID); err != nil {
			return err
		}
		if used := p.chars() + part.chars(); i > 0 && used > room {
			p.say("%d older conversations are left out: list_sessions has them.", len(list)-i)
			break
		}
		p.add(part)
	}
	foot := footing{LeftOut: left, Behind: found.Behind, Problems: safeProblems(found.Problems)}
	foot.tell(p)
	return nil
}

// stopped writes where one conversation stopped.
func (c *call) stopped(ctx context.Context, p *page, id string) error {
	s, messages, err := c.slimmed(ctx, id, -tail)
	if err != nil {
		return err
	}
	p.say("\nSession %s · %s · last written to %s · %s", shortID(s.ID), s.Agent, quote.When(s.Touched(), c.at), counted(s.MessageCount, "message"))
	p.quote(facts(s))
	c.openEnds(p, s, messages)
	c.lastWords(p, s, messages)
	return nil
}

// openEnds writes what a conversation left open.
func (c *call) openEnds(p *page, s *retold.Session, messages []retold.Message) {
	if todos := digest.OpenTodos(messages); len(todos) > 0 {
		var lines []string
		for _, t := range todos[:min(mostFindings, len(todos))] {
			lines = append(lines, fmt.Sprintf("%s (%s)", quote.Title(t.Text), quote.Title(t.Status)))
		}
		p.say("Open to-dos %s, %s:", cite(s, todos[len(todos)-1].Message), quote.When(todos[len(todos)-1].Message.Timestamp, c.at))
		p.quote(strings.Join(lines, "\n"))
	}
	if bad := digest.LastFailing(digest.Commands(messages)); bad != nil {
		p.say("Last failing command %s, %s%s:", cite(s, bad.Message), quote.When(bad.Message.Timestamp, c.at), exit(bad.ExitCode))
		p.quote("$ " + first(bad.Text, 300) + "\n" + last(bad.Output, 900))
	}
	if edits := digest.UnfinishedEdits(messages); len(edits) > 0 {
		p.say("Edits that may need another look:")
		var lines []string
		for _, e := range edits[max(0, len(edits)-mostFindings):] {
			lines = append(lines, fmt.Sprintf("%s %s: %s", cite(s, e.Message), quote.Line(e.Path), e.Why))
		}
		p.quote(strings.Join(lines, "\n"))
	}
}

// lastWords writes where a conversation stopped.
func (c *call) lastWords(p *page, s *retold.Session, messages []retold.Message) {
	end := digest.Stopped(messages)
	if end.Asked != nil {
		p.say("Last asked %s, %s:", cite(s, end.Asked.Message), quote.When(end.Asked.Message.Timestamp, c.at))
		p.quote(first(end.Asked.Text, 1200))
	}
	switch {
	case end.Unanswered:
		p.say("Nothing was said or done about it.")
	case end.Answered != nil:
		p.say("Last answer %s, %s:", cite(s, end.Answered.Message), quote.When(end.Answered.Message.Timestamp, c.at))
		p.quote(last(end.Answered.Text, 1800))
	}
	if end.Running != nil {
		p.say("It stopped while this was running %s:", cite(s, end.Running.Message))
		p.quote(quote.Line(export.ToolIn(end.Running.Message.Tool, s.WorkspacePath)))
	}
	if end.Error != nil {
		p.say("It ended with an error %s:", cite(s, end.Error.Message))
		p.quote(first(end.Error.Text, 600))
	}
}

// mostFindings is how many findings of one kind are told.
const mostFindings = 12

func exit(code *int) string {
	if code == nil {
		return ""
	}
	return fmt.Sprintf(", exit %d", *code)
}

// first is the beginning of a text, with a mark where it was cut.
func first(s string, n int) string {
	if head, full := quote.Cut(s, n); full > n {
		return head + " [… more: get_message]"
	}
	return s
}

// last is the end of a text, with a mark where it was cut: what matters of a
// failure and of an answer stands there.
func last(s string, n int) string {
	if _, full := quote.Cut(s, 0); full > n {
		return "[… before: get_message] " + quote.Skip(s, full-n)
	}
	return s
}
