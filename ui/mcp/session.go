package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func sessionTool() *tool {
	return &tool{
		name: "get_session", title: "Read a conversation",
		description: "Read a conversation, message by message, in pages. Long messages are shortened, tool results first; get_message gives the rest.\n" +
			"Examples: {\"session\": \"1a2b3c4d\", \"roles\": [\"user\", \"assistant\"]} for what was said; {\"session\": \"1a2b3c4d\", \"around\": \"14\", \"limit\": 6} for what stands around message 14; {\"session\": \"3\", \"from\": -10} for the end.",
		params:   []string{"session", "roles", "around", "from", "limit", "max_chars"},
		required: []string{"session"},
		describe: map[string]string{"limit": "most messages in the answer; fewer come where max_chars is reached"},
		output:   detailSchema(),
		run:      (*call).excerpt,
	}
}

func (c *call) excerpt(ctx context.Context) (*answer, error) {
	limit := or(c.limit, retold.DefaultLimit)
	around, err := c.fromEnd(ctx, c.around)
	if err != nil {
		return nil, err
	}
	c.around = around
	w := library.Window{From: or(c.from, 0), Around: c.around, Limit: min(limit, c.max/leastTold+1)} // more will not fit
	for _, role := range c.roles {
		w.Roles = append(w.Roles, retold.Role(role))
	}
	x, err := c.lib.Read(ctx, c.session, w)
	if err != nil {
		return nil, err
	}
	e, err := newExcerpt(ctx, x, c.max)
	if err != nil {
		return nil, err
	}
	e.around = c.around
	e.wanted = max(len(e.pieces), min(limit, e.at.Total-e.at.Offset))
	if len(c.roles) > 0 {
		e.roles = strings.Join(c.roles, ",")
	}
	return e.answer(c)
}

// An excerpt is a part of a session on its way into one form of an answer.
type excerpt struct {
	session  retold.Session
	problems []retold.Problem
	pieces   []*piece
	at       retold.Pagination
	wanted   int    // messages that were asked for and are there
	around   string // the message that must stay, "" for the first
	roles    string
}

func newExcerpt(ctx context.Context, x *library.Excerpt, chars int) (*excerpt, error) {
	e := &excerpt{session: safeSession(x.Session), problems: safeProblems(x.ProblemList), at: x.Pagination}
	for _, m := range x.Messages {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e.pieces = append(e.pieces, newPiece(m, x.WorkspacePath, chars, true))
	}
	return e, nil
}

// narrow leaves n messages: the first, or those around the one that was asked for.
func (e *excerpt) narrow(n int) {
	if n >= len(e.pieces) {
		return
	}
	from := 0
	if at := slices.IndexFunc(e.pieces, e.isCentre); at >= 0 {
		from = max(0, min(at-n/2, len(e.pieces)-n))
	}
	e.pieces = e.pieces[from : from+n]
	e.at.Offset += from
	e.at.Limit = n
	e.at.HasMore = true
}

func (e *excerpt) isCentre(p *piece) bool {
	return e.around != "" && (p.ID == e.around || fmt.Sprint(p.Index) == strings.TrimPrefix(e.around, "#"))
}

// answer is both forms of the excerpt, each within what the call allows, and each
// with as many messages as it has room for.
func (e *excerpt) answer(c *call) (*answer, error) {
	a := &answer{}
	err := e.within(c, asText(), 700, func(e *excerpt) (n int, err error) {
		a.text = e.told(c).String()
		return utf8.RuneCountInString(a.text), nil
	})
	if err != nil {
		return nil, err
	}
	err = e.within(c, asJSON(), 1500, func(e *excerpt) (n int, err error) {
		a.body, err = e.written()
		return jsonChars(a.body), err
	})
	return a, err
}

// within writes a copy of the excerpt in one form, shortened until it fits.
func (e *excerpt) within(c *call, f form, besides int, write func(*excerpt) (int, error)) error {
	short := *e
	for room := c.max - besides; ; room = room * 9 / 10 {
		for {
			n := fit(short.pieces, room, f)
			if n >= len(short.pieces) {
				break
			}
			short.narrow(n)
		}
		short.at.HasMore = short.at.HasMore || short.at.Offset+len(short.pieces) < short.at.Total
		n, err := write(&short)
		if err != nil || n <= c.max || room < 100 {
			return err
		}
	}
}

func (e *excerpt) footing() *footing {
	foot := &footing{Notice: notice}
	if len(e.pieces) < e.wanted {
		foot.Shortened = fmt.Sprintf("%d of the %d messages asked for, max_chars was reached", len(e.pieces), e.wanted)
	}
	return foot
}

// written is the structured form.
func (e *excerpt) written() ([]byte, error) {
	body, err := json.Marshal(e.session)
	if err != nil {
		return nil, err
	}
	var messages [][]byte
	for _, piece := range e.pieces {
		raw, err := piece.MarshalJSON()
		if err != nil {
			return nil, err
		}
		messages = append(messages, raw)
	}
	return e.footing().body(inlined(body), member{"messages", listed(messages)}, member{"problemList", append([]retold.Problem{}, e.problems...)}, member{"pagination", e.at})
}

// told is the form for readers.
func (e *excerpt) told(c *call) *page {
	p := &page{}
	p.say(notice)
	e.head(p, c)
	for _, piece := range e.pieces {
		piece.tell(p, &e.session, c)
	}
	e.more(p)
	e.footing().tell(p)
	return p
}

// head tells which session this is, and which part of it.
func (e *excerpt) head(p *page, c *call) {
	s := &e.session
	head := fmt.Sprintf("Session %s (number %d) · %s · began %s", shortID(s.ID), s.Index, s.Agent, quote.When(s.CreatedAt, c.at))
	if !s.UpdatedAt.IsZero() {
		head += " · last written to " + quote.When(s.UpdatedAt, c.at)
	}
	if s.ParentID != "" {
		head += " · sub-agent of " + shortID(s.ParentID)
	}
	p.say("%s", head)
	p.quote(facts(s))
	which := ""
	if e.roles != "" {
		which = " of " + e.roles
	}
	switch {
	case e.at.Total == 0:
		p.say("No messages%s.", which)
	case len(e.pieces) == 0:
		p.say("No messages%s here: there are %s.", which, quote.Number(e.at.Total))
	default:
		p.say("Messages%s %s to %s of %s:", which, quote.Number(e.at.Offset+1), quote.Number(e.at.Offset+len(e.pieces)), quote.Number(e.at.Total))
	}
	if len(e.problems) > 0 {
		p.say("Not all of this session could be read (%s).", counted(s.Problems, "problem"))
	}
}

// more says how to get what is before and after.
func (e *excerpt) more(p *page) {
	if len(e.pieces) == 0 {
		return
	}
	roles := ""
	if e.roles != "" {
		roles = " roles=" + e.roles
	}
	id := shortID(e.session.ID)
	if e.at.HasMore {
		p.say("More: get_session session=%s from=%d%s", id, e.pieces[len(e.pieces)-1].Index+1, roles)
	}
	if first := e.pieces[0].Index; e.at.Offset > 0 {
		p.say("Before: get_session session=%s from=%d limit=%d%s", id, max(0, first-retold.DefaultLimit), min(first, retold.DefaultLimit), roles)
	}
}
