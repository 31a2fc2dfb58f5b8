package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
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
			"session": elsewhere("as list_sessions has it"), "message": elsewhere("as get_session has it"),
			"part": record(object{
				"name": choice("which text of the message", messageParts...), "text": str("the piece"),
				"offset": integer("characters before it"), "chars": integer("characters of it"), "fullChars": integer("characters of the whole text"),
				"hasMore": boolean("there is more: go on with offset + chars"),
			}),
		}, "part"),
		run: (*call).oneMessage,
	}
}

// messageParts are the texts of a message that can be had in pieces.
var messageParts = []string{"content", "params", "result", "diff", "attachments"}

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
	message, err := c.fromEnd(ctx, c.message)
	if err != nil {
		return nil, err
	}
	s, m, err := c.lib.Message(ctx, c.session, message)
	if err != nil {
		return nil, err
	}
	safe := safeSession(*s)
	if c.part == "" && or(c.offset, 0) > 0 {
		there := partsOf(newPiece(*m, s.WorkspacePath, c.max, false))
		if len(there) != 1 {
			return nil, usage("give part as well: this message has "+cmp.Or(strings.Join(there, ", "), "none"), "offset counts characters of one part")
		}
		c.part = there[0]
	}
	if c.part != "" {
		return c.onePart(&safe, m)
	}
	p := newPiece(*m, s.WorkspacePath, c.max, false)
	a := &answer{}
	for room := c.max - 600; ; room = room * 9 / 10 {
		fit([]*piece{p}, max(room, 0), asText())
		a.text = c.tellMessage(&safe, p, nil).String()
		if room < 100 || utf8.RuneCountInString(a.text) <= c.max {
			break
		}
	}
	for room := c.max - 1500; ; room = room * 9 / 10 {
		fit([]*piece{p}, max(room, 0), asJSON())
		if a.body, err = c.writeMessage(&safe, p, nil); err != nil || room < 100 || jsonChars(a.body) <= c.max {
			return a, err
		}
	}
}

// onePart is the answer about one text of a message, from an offset on.
func (c *call) onePart(s *retold.Session, m *retold.Message) (*answer, error) {
	offset := or(c.offset, 0)
	p := newPiece(*m, s.WorkspacePath, offset+c.max, false)
	whole, lost := p.whole(c.part)
	full := utf8.RuneCountInString(whole) + lost
	switch {
	case full == 0:
		return nil, usage("it has "+cmp.Or(strings.Join(partsOf(p), ", "), "no text at all"), "message %d has no %s", m.Index, c.part)
	case offset >= full:
		return nil, usage(fmt.Sprintf("begin at offset 0, or at most %d", full-1), "the %s of message %d ends before offset %d: it has %d characters", c.part, m.Index, offset, full)
	}
	rest := quote.Skip(whole, offset)
	piece := func(n int) *messagePart {
		part := &messagePart{Name: c.part, Offset: offset, FullChars: full}
		part.Text, _ = quote.Cut(rest, n)
		part.Chars = utf8.RuneCountInString(part.Text)
		part.HasMore = part.Chars > 0 && offset+part.Chars < full
		return part
	}
	a := &answer{}
	room := c.max - 500
	for ; ; room = room * 19 / 20 {
		a.text = c.tellMessage(s, p, piece(max(room, 200))).String()
		if room < 200 || utf8.RuneCountInString(a.text) <= c.max {
			break
		}
	}
	p.shorten(0, 0)
	for ; ; room = room * 9 / 10 {
		var err error
		if a.body, err = c.writeMessage(s, p, piece(max(room, 200))); err != nil || room < 200 || jsonChars(a.body) <= c.max {
			return a, err
		}
	}
}

// partsOf are the parts that a message has.
func partsOf(p *piece) (out []string) {
	for _, f := range p.fields {
		if !contains(out, f.name) {
			out = append(out, f.name)
		}
	}
	return out
}

// whole is all of one text of a message that was looked at, and how many
// characters were not.
func (p *piece) whole(part string) (text string, lost int) {
	var parts []string
	for _, f := range p.fields {
		if f.name != part {
			continue
		}
		parts = append(parts, f.text)
		lost = f.lost
	}
	return strings.Join(parts, "\n\n"), lost
}

// writeMessage is the structured form.
func (c *call) writeMessage(s *retold.Session, m *piece, part *messagePart) ([]byte, error) {
	raw, err := m.MarshalJSON()
	if err != nil {
		return nil, err
	}
	members := []member{{"session", s}, {"message", json.RawMessage(raw)}}
	if part != nil {
		members = append(members, member{"part", part})
	}
	return (&footing{Notice: notice}).body(members...)
}

// tellMessage is the form for readers.
func (c *call) tellMessage(s *retold.Session, m *piece, part *messagePart) *page {
	p := &page{}
	p.say(notice)
	p.say("Session %s (number %d) · %s", shortID(s.ID), s.Index, s.Agent)
	p.quote(facts(s))
	if part == nil {
		m.tell(p, s, c)
		return p
	}
	p.say("[%s#%d] %s · %s · message %s · %s, characters %s to %s of %s", shortID(s.ID), m.Index, m.Role, quote.When(m.Timestamp, c.at), ident(m.ID),
		part.Name, quote.Number(min(part.Offset+1, part.Offset+part.Chars)), quote.Number(part.Offset+part.Chars), quote.Number(part.FullChars))
	p.quote(part.Text)
	if part.HasMore {
		p.say("More: get_message session=%s message=%d part=%s offset=%d", shortID(s.ID), m.Index, part.Name, part.Offset+part.Chars)
	}
	return p
}
