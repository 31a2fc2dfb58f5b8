package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp/digest"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// Most of what explain_decision quotes.
const (
	explainedHits     = 60
	explainedSessions = 5
	explainedPlaces   = 3 // in each session
)

// explain writes what both sides said about something.
func (c *call) explain(ctx context.Context, p *page) error {
	q, left, err := c.asked(ctx, c.query)
	if err != nil {
		return err
	}
	found, less, err := c.find(ctx, q, explainedHits, 0)
	if err != nil {
		return err
	}
	p.say("Explain what was decided about the question below, when, by whom and for which reasons, from the quotations only. Cite as [session#message]. Say so where they do not answer it, or contradict each other; the newest counts.")
	p.say("The question:")
	p.quote(first(quote.Line(c.query), 500))
	p.say(notice)
	if less != nil {
		less.tell(p)
	}
	talks, err := c.talks(ctx, found.Data)
	if err != nil {
		return err
	}
	if len(talks) == 0 {
		p.say("Nothing was found. Try other words with search_sessions.")
	}
	room := (defaultChars - 2500) / max(1, len(talks))
	for _, t := range talks {
		p.say("\nSession %s · %s", shortID(t.session.ID), t.session.Agent)
		p.quote(facts(&t.session))
		for _, piece := range t.pieces[:fit(t.pieces, room-300, asText())] {
			piece.tell(p, &t.session, c)
		}
	}
	foot := footing{LeftOut: left, Pending: found.Pending, Problems: safeProblems(found.Problems)}
	foot.tell(p)
	return nil
}

// A talk is what was said around the hits in one session.
type talk struct {
	session retold.Session
	pieces  []*piece
}

// talks are the talks around hits, the oldest first. What was said comes before
// what only tools printed.
func (c *call) talks(ctx context.Context, hits []retold.Hit) ([]*talk, error) {
	var out []*talk
	places := map[string]int{}
	hits = slices.SortedStableFunc(slices.Values(hits), func(a, b retold.Hit) int { return cmp.Compare(printed(a), printed(b)) })
	for _, h := range hits {
		at := slices.IndexFunc(out, func(t *talk) bool { return t.session.ID == h.SessionID })
		if at < 0 && (len(out) == explainedSessions || printed(h) > 0 && len(out) > 0) || places[h.SessionID] == explainedPlaces {
			continue
		}
		places[h.SessionID]++
		around := fmt.Sprint(h.MessageIndex)
		if h.MessageID == "" {
			around = ""
		}
		x, err := c.lib.Read(ctx, h.SessionID, library.Window{Roles: []retold.Role{retold.RoleUser, retold.RoleAssistant}, Around: around, Limit: 5})
		if err != nil {
			return nil, err
		}
		near, err := c.lib.Read(ctx, h.SessionID, library.Window{Roles: []retold.Role{retold.RoleTool}, Around: around, Limit: 8})
		if err != nil {
			return nil, err
		}
		if at < 0 {
			at = len(out)
			out = append(out, &talk{session: safeSession(x.Session)})
		}
		decided := slices.DeleteFunc(near.Messages, func(m retold.Message) bool { return m.Tool == nil || !digest.Tell(m.Tool).Decides })
		out[at].add(append(x.Messages, decided...), x.WorkspacePath)
	}
	for _, t := range out {
		slices.SortFunc(t.pieces, func(a, b *piece) int { return cmp.Compare(a.Index, b.Index) })
	}
	slices.SortStableFunc(out, func(a, b *talk) int { return a.session.CreatedAt.Compare(b.session.CreatedAt) })
	return slices.DeleteFunc(out, func(t *talk) bool { return len(t.pieces) == 0 }), nil
}

// add adds messages that are not there yet.
func (t *talk) add(messages []retold.Message, workspace string) {
	for _, m := range messages {
		if !slices.ContainsFunc(t.pieces, func(p *piece) bool { return p.Index == m.Index }) {
			t.pieces = append(t.pieces, newPiece(m, workspace, defaultChars, true))
		}
	}
}

// printed is 1 for a hit in what a tool printed or was called with, 0 for one in
// what somebody said, planned or was asked.
func printed(h retold.Hit) int {
	name := strings.ToLower(h.ToolName)
	if h.Role != retold.RoleTool || strings.Contains(name, "plan") || strings.Contains(name, "question") {
		return 0
	}
	return 1
}

// summarise writes what one conversation came to.
func (c *call) summarise(ctx context.Context, p *page) error {
	s, messages, err := c.slimmed(ctx, c.session, 0)
	if err != nil {
		return err
	}
	p.say("Summarise this conversation for somebody who was not there: what was asked, what was decided and why, what changed, what is open. Use the findings below only and cite as [session#message].")
	p.say(notice)
	p.say("Session %s · %s · began %s · last written to %s · %s", shortID(s.ID), s.Agent, quote.When(s.CreatedAt, c.at), quote.When(s.Touched(), c.at), counted(s.MessageCount, "message"))
	p.quote(facts(s))
	c.findings(p, s, "Asked", digest.Asks(messages), 500)
	c.findings(p, s, "What decides something", digest.Decisions(messages), 700)
	c.changes(p, s, digest.Changes(messages))
	c.ran(p, s, digest.Commands(messages))
	p.say("\nLeft open:")
	c.openEnds(p, s, messages)
	c.lastWords(p, s, messages)
	return nil
}

// findings writes quotations; of many the first and the last.
func (c *call) findings(p *page, s *retold.Session, what string, list []digest.Finding, chars int) {
	if len(list) == 0 {
		return
	}
	p.say("\n%s, %d:", what, len(list))
	for i, f := range list {
		if len(list) > mostFindings && i == mostFindings/2 {
			p.say("… %d more: get_session session=%s", len(list)-mostFindings, shortID(s.ID))
		}
		if len(list) > mostFindings && i >= mostFindings/2 && i < len(list)-mostFindings/2 {
			continue
		}
		p.say("%s %s · %s", cite(s, f.Message), f.Message.Role, quote.When(f.Message.Timestamp, c.at))
		p.quote(first(f.Text, chars))
	}
}

func (c *call) changes(p *page, s *retold.Session, list []digest.Change) {
	if len(list) == 0 {
		return
	}
	var lines []string
	for _, f := range list[max(0, len(list)-2*mostFindings):] {
		lines = append(lines, fmt.Sprintf("%s %s: %s, +%d −%d", cite(s, f.Last), quote.Title(f.Path), counted(f.Edits, "edit"), f.Added, f.Removed))
	}
	p.say("\nFiles changed, %d:", len(list))
	p.quote(strings.Join(lines, "\n"))
}

func (c *call) ran(p *page, s *retold.Session, list []digest.Command) {
	if len(list) == 0 {
		return
	}
	var lines []string
	for _, r := range list[max(0, len(list)-2*mostFindings):] {
		how := "end not recorded"
		switch {
		case r.ExitCode != nil:
			how = fmt.Sprintf("exit %d", *r.ExitCode)
		case r.Failed:
			how = "failed"
		}
		lines = append(lines, fmt.Sprintf("%s $ %s → %s", cite(s, r.Message), quote.Title(r.Text), how))
	}
	p.say("\nCommands, the last %d of %d:", len(lines), len(list))
	p.quote(strings.Join(lines, "\n"))
}
