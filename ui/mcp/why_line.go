package mcp

import (
	"context"
	"fmt"

	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// A toldLine is where a line came from, with what cites it.
type toldLine struct {
	*journal.LineWhy
	PromptIndex  *int `json:"promptIndex"`
	MessageIndex *int `json:"messageIndex"`
}

// citedLine adds the indexes of messages that a line's answer names; nil for what is
// gone. known are those that were found.
func (c *call) citedLine(ctx context.Context, w *journal.LineWhy, known map[string]*int) (toldLine, error) {
	t := toldLine{LineWhy: w}
	if w.SessionID == nil {
		return t, nil
	}
	for _, at := range []struct {
		id *string
		to **int
	}{{w.PromptID, &t.PromptIndex}, {w.MessageID, &t.MessageIndex}} {
		if at.id == nil {
			continue
		}
		key := *w.SessionID + "\x00" + *at.id
		n, ok := known[key]
		if !ok {
			_, m, err := c.lib.Message(ctx, *w.SessionID, *at.id)
			if ctx.Err() != nil {
				return t, ctx.Err()
			}
			if err == nil { // else it was forgotten since, and is known by its id alone
				n = &m.Index
			}
			known[key] = n
		}
		*at.to = n
	}
	return t, nil
}

// where cites a line's conversation.
func (t *toldLine) where() string {
	if t.SessionID == nil {
		return ""
	}
	cites := ""
	if t.PromptIndex != nil {
		cites = fmt.Sprintf(" [%s#%d]", shortID(*t.SessionID), *t.PromptIndex)
	}
	if t.MessageIndex != nil && (t.PromptIndex == nil || *t.PromptIndex != *t.MessageIndex) {
		cites += fmt.Sprintf(", edit [%s#%d]", shortID(*t.SessionID), *t.MessageIndex)
	}
	if cites == "" {
		return " session " + shortID(*t.SessionID)
	}
	return cites
}

// made says which commit a line is of.
func (t *toldLine) made() string {
	if t.Commit == nil {
		return "not committed"
	}
	return shortCommit(*t.Commit)
}

func (c *call) whyLine(ctx context.Context, d *desk, q journal.Asked) (*answer, error) {
	w, err := d.journal.Line(ctx, d.repo, q.Rev, q.File, q.Line)
	if err != nil {
		return nil, notInGit(err, q)
	}
	t, err := c.citedLine(ctx, w, map[string]*int{})
	if err != nil {
		return nil, err
	}
	return c.told(t, func(p *page, most int) {
		p.say("Line %d, commit %s, is %s.", w.Line, t.made(), inWords(w.Class))
		p.quote(quote.Line(w.File) + "\n" + quote.Safe(w.Text))
		if w.Reason != "" {
			p.quote(quote.Line(w.Reason))
		}
		for _, id := range atMost(w.Through, most) {
			p.say("Commit %s only moved or reformatted it.", shortCommit(id))
		}
		if w.SessionID == nil {
			return
		}
		p.say("Asked for in%s; score %g. What was asked:", t.where(), w.Score)
		if w.Prompt != nil {
			p.quote(quote.Safe(*w.Prompt))
		}
		p.evidence(atMost(w.Evidence, most))
	})
}
