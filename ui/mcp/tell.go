package mcp

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// tell writes a message for a reader: where it stands, what it says, what is
// missing of it. In brief, context that the agent's program attached is only
// named.
func (p *piece) tell(out *page, s *retold.Session, c *call, brief bool) {
	head := []string{fmt.Sprintf("[%s#%d] %s", shortID(s.ID), p.Index, p.Role)}
	if p.Tool != nil {
		head[0] += " (" + string(p.Tool.Kind) + ")"
	}
	when := quote.When(p.Timestamp, c.at)
	if p.TimestampSource != "" && p.TimestampSource != retold.TimeStored {
		when += ", " + string(p.TimestampSource)
	}
	head = append(head, when)
	for _, mark := range []struct {
		set  bool
		name string
	}{{p.Orphan, "no longer part of the conversation"}, {p.Recovered, "rebuilt from another store"}, {p.Gone, "kept here only"}} {
		if mark.set {
			head = append(head, mark.name)
		}
	}
	out.say("%s · message %s", strings.Join(head, " · "), ident(p.ID))
	if text := p.text(brief); text != "" {
		out.quote(text)
	} else {
		out.say("(no text)")
	}
	if p.truncated {
		out.say("[… %s more characters: get_message session=%s message=%d]", quote.Number(p.full-p.shown), shortID(s.ID), p.Index)
	}
}

// text is what a message says to a reader.
func (p *piece) text(brief bool) string {
	var parts []string
	add := func(s string) {
		if s = strings.Trim(s, "\n"); s != "" {
			parts = append(parts, s)
		}
	}
	add(p.Content)
	if t := p.Tool; t != nil {
		add(p.line)
		if t.Diff != "" {
			add(t.Diff)
		} else {
			add(p.output())
		}
	}
	for _, a := range p.Attachments {
		name := strings.TrimSpace("attached " + a.Kind + ": " + a.Name + " " + a.Path)
		if brief && a.Kind == "context" && a.Text != "" {
			add(fmt.Sprintf("%s (%s characters: get_message)", name, quote.Number(utf8.RuneCountInString(a.Text))))
			continue
		}
		add(name)
		add(a.Text)
	}
	return strings.Join(parts, "\n")
}
