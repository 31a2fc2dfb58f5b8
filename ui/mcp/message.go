package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func messageTool() *tool {
	return &tool{
		name: "get_message", title: "Read one message",
		description: "Read one message of a conversation, whole where it fits. With part it gives one text of it in pieces: start at offset 0 and go on while part.hasMore.\n" +
			"Examples: {\"session\": \"1a2b3c4d\", \"message\": \"14\"}; {\"session\": \"1a2b3c4d\", \"message\": \"14\", \"part\": \"result\", \"offset\": 20000}.",
		params:   []string{"session", "message", "part", "offset", "max_chars"},
		required: []string{"session", "message"},
		describe: map[string]string{"offset": "characters of the part to skip"},
		output: answerSchema(object{
			"session": record(sessionMembers()), "message": messageSchema(),
			"part": record(object{
				"name": choice("which text of the message", "content", "params", "result", "diff"), "text": str("the piece"),
				"offset": integer("characters before it"), "chars": integer("characters of it"), "fullChars": integer("characters of the whole text"),
				"hasMore": boolean("there is more: go on with offset + chars"),
			}),
		}, "part"),
		run: (*call).oneMessage,
	}
}

// A messagePart is a piece of one text of a message.
type messagePart struct {
	Name      string `json:"name"`
	Text      string `json:"text"`
	Offset    int    `json:"offset"`
	Chars     int    `json:"chars"`
	FullChars int    `json:"fullChars"`
	HasMore   bool   `json:"hasMore"`
}

func (c *call) oneMessage(ctx context.Context) (*answer, error) {
	s, m, err := c.lib.Message(ctx, c.session, c.message)
	if err != nil {
		return nil, err
	}
	safe := safeSession(*s)
	if c.part == "" && c.offset != nil && *c.offset > 0 {
		c.part = "content"
		if m.Tool != nil {
			c.part = "result"
		}
	}
	if c.part != "" {
		return c.onePart(&safe, m)
	}
	p := newPiece(*m, s.WorkspacePath, c.max)
	for room := c.max - 2500; ; room = room * 4 / 5 {
		fit([]*piece{p}, max(room, 0))
		a, err := c.writeMessage(&safe, p, nil)
		if err != nil || room < 100 || a.fits(c.max) {
			return a, err
		}
	}
}

// onePart is the answer about one text of a message, from an offset on.
func (c *call) onePart(s *retold.Session, m *retold.Message) (*answer, error) {
	offset := or(c.offset, 0)
	p := newPiece(*m, s.WorkspacePath, offset+c.max)
	part := &messagePart{Name: c.part, Offset: offset}
	for _, f := range p.fields {
		if f.name == c.part {
			part.Text, part.FullChars = quote.Skip(f.text, offset), f.full
		}
	}
	if part.FullChars == 0 {
		return nil, usage("leave part out to see what there is", "message %d has no %s", m.Index, c.part)
	}
	if p.lost {
		part.FullChars = max(part.FullChars, longest(m, c.part))
	}
	p.shorten(leastDone)
	text := part.Text
	for room := c.max - 3000; ; room = room * 4 / 5 {
		part.Text, _ = quote.Cut(text, max(room, 200))
		part.Chars = utf8.RuneCountInString(part.Text)
		part.HasMore = part.Chars > 0 && offset+part.Chars < part.FullChars
		a, err := c.writeMessage(s, p, part)
		if err != nil || room < 200 || a.fits(c.max) {
			return a, err
		}
	}
}

// longest is how many characters a text of a message has as it is stored.
func longest(m *retold.Message, part string) int {
	t := cmp.Or(m.Tool, &retold.ToolCall{})
	switch part {
	case "content":
		return utf8.RuneCountInString(m.Content)
	case "diff":
		return utf8.RuneCountInString(t.Diff)
	case "params":
		return utf8.RuneCountInString(textOf(t.Params))
	}
	return utf8.RuneCountInString(textOf(t.Result))
}

func (c *call) writeMessage(s *retold.Session, m *piece, part *messagePart) (*answer, error) {
	raw, err := m.MarshalJSON()
	if err != nil {
		return nil, err
	}
	members := []member{{"session", s}, {"message", json.RawMessage(raw)}}
	foot := footing{Notice: notice}
	p := &page{}
	p.say(notice)
	p.say("Session %s (number %d) · %s", shortID(s.ID), s.Index, s.Agent)
	p.quote(facts(s))
	if part == nil {
		m.tell(p, s, c, false)
		for _, f := range m.fields {
			if f.cut {
				p.say("All of it: get_message session=%s message=%d part=%s", shortID(s.ID), m.Index, cmp.Or(partName(f.name), "content"))
			}
		}
	} else {
		members = append(members, member{"part", part})
		p.say("[%s#%d] %s · %s · message %s · %s, characters %s to %s of %s", shortID(s.ID), m.Index, m.Role, quote.When(m.Timestamp, c.at), ident(m.ID),
			part.Name, quote.Number(min(part.Offset+1, part.Offset+part.Chars)), quote.Number(part.Offset+part.Chars), quote.Number(part.FullChars))
		p.quote(part.Text)
		if part.HasMore {
			p.say("More: get_message session=%s message=%d part=%s offset=%d", shortID(s.ID), m.Index, part.Name, part.Offset+part.Chars)
		}
	}
	return foot.answer(p, members...)
}

// partName is the name by which get_message knows a text of a message.
func partName(field string) string {
	switch field {
	case "content", "params", "result", "diff":
		return field
	}
	return ""
}
