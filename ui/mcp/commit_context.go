package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func contextTool() *tool {
	return &tool{
		name: "commit_context", title: "Conversations around a commit",
		description: "The conversations about a repository between a commit's parent and the commit, and those that evidence ties to it: messages with score and evidence.\n" +
			"Example: {\"commit\": \"HEAD\"}.",
		params: []string{"commit", "repo", "max_chars"},
		output: deedSchema(object{
			"commit": str("full id"), "subject": str("of its message"), "class": str("linked, possible or none"), "from": instant("its parent"), "to": instant("the commit"),
			"sessions": list(object{"type": "object"}, "sessionId, agent, title, class, score, total, messages (messageId, index, role, timestamp, toolName, text, score, evidence), best first"),
		}),
		kind: onDisk,
		run:  aboutGit((*call).commitContext),
	}
}

func (c *call) commitContext(ctx context.Context) (*answer, error) {
	d, err := c.desk(ctx)
	if err != nil {
		return nil, err
	}
	id, err := c.commitID(ctx, d)
	if err != nil {
		return nil, err
	}
	w, err := d.journal.Window(ctx, d.repo, id)
	if err != nil {
		return nil, err
	}
	return c.told(w, func(p *page, most int) {
		p.say("Commit %s is %s.", shortCommit(w.Commit), inWords(w.Class))
		p.quote(quote.Line(w.Subject))
		if len(w.Sessions) == 0 {
			p.say("No conversation about this repository lies between it and its parent.")
		}
		for _, s := range atMost(w.Sessions, most) {
			p.say("session %s · %s · %s · score %g · %s", shortID(s.SessionID), ident(s.Agent), s.Class, s.Score, counted(s.Total, "message"))
			p.quote("title: " + quote.Title(quote.Line(s.Title)))
			for _, m := range atMost(s.Messages, most) {
				c.windowMessage(p, &s, &m, most)
			}
		}
	})
}

func (c *call) windowMessage(p *page, s *journal.WindowSession, m *journal.WindowMessage, most int) {
	var at time.Time
	if m.Timestamp != nil {
		at = *m.Timestamp
	}
	head := fmt.Sprintf("[%s#%d] %s · %s", shortID(s.SessionID), m.Index, m.Role, quote.When(at, c.at))
	if m.Score != 0 {
		head += fmt.Sprintf(" · score %g", m.Score)
	}
	p.say("%s", head)
	if text := strings.TrimSpace(quote.Line(m.ToolName) + "\n" + quote.Safe(m.Text)); text != "" {
		p.quote(text)
	}
	p.evidence(atMost(m.Evidence, most))
}
