package mcp

import (
	"encoding/json"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/ui/mcp/digest"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// A piece is a message made fit for an answer: masked, cleaned, and shortened
// where the answer had no room.
type piece struct {
	retold.Message
	line      string          // of a tool call: what it did and what came of it
	result    json.RawMessage // of a tool call: all of it, safe
	level     int             // most characters of each text that are left
	full      int             // characters of all its texts before it was shortened
	shown     int             // characters of them that are left
	lost      bool            // some were left out before anything was shortened
	truncated bool            // some are not there
	fields    []*field
}

// A field is one text of a message.
type field struct {
	name string // content, params, result, diff, attachment
	text string
	full int          // its characters
	cut  bool         // a part of it stands in the message
	put  func(string) // writes the text back, or a part of it
}

// glance is the most bytes of one text that are looked at for an answer of n
// characters: enough that no secret is cut in half where the answer ends.
func glance(n int) int { return 4*n + 64<<10 }

// newPiece copies a message of a session about a workspace and makes its texts
// safe; chars is the size of the answer that it is for.
func newPiece(m retold.Message, workspace string, chars int) *piece {
	p := &piece{Message: m}
	if m.Tool != nil {
		t := *m.Tool
		p.Tool = &t
	}
	p.Attachments = append([]retold.Attachment(nil), m.Attachments...)
	p.headCut(glance(chars))
	p.ID, p.Model, p.RequestID = quote.Safe(p.ID), quote.Safe(p.Model), quote.Safe(p.RequestID)
	p.textField("content", &p.Content)
	if t := p.Tool; t != nil {
		p.line = quote.Line(export.ToolIn(t, workspace))
		t.Name, t.CallID = quote.Line(t.Name), quote.Line(t.CallID)
		files := make([]string, len(t.Files))
		for i, f := range t.Files {
			files[i] = quote.Line(f)
		}
		if t.Files = files; len(files) > mostFiles {
			t.Files, p.lost = files[:mostFiles], true
		}
		p.valueField("params", &t.Params)
		p.valueField("result", &t.Result)
		p.result = t.Result
		p.textField("diff", &t.Diff)
	}
	for i := range p.Attachments {
		a := &p.Attachments[i]
		a.Name, a.Path = quote.Line(a.Name), quote.Line(a.Path)
		p.textField("attachment", &a.Text)
	}
	for _, f := range p.fields {
		p.full += f.full
		p.shown += f.full
	}
	p.truncated, p.level = p.lost, math.MaxInt
	return p
}

// mostFiles is how many paths of one tool call are told.
const mostFiles = 50

// headCut cuts texts that are far longer than the answer before they are looked
// at any closer, and notes how long they were.
func (p *piece) headCut(most int) {
	cut := func(s *string) {
		if len(*s) > most {
			p.full += utf8.RuneCountInString(*s)
			*s = whole((*s)[:most])
			p.full -= utf8.RuneCountInString(*s)
			p.lost = true
		}
	}
	cut(&p.Content)
	for i := range p.Attachments {
		cut(&p.Attachments[i].Text)
	}
	if p.Tool == nil {
		return
	}
	cut(&p.Tool.Diff)
	for _, raw := range []*json.RawMessage{&p.Tool.Params, &p.Tool.Result} {
		if len(*raw) > most {
			s := textOf(*raw)
			cut(&s)
			*raw = jsonText(s, raw == &p.Tool.Params)
		}
	}
}

// whole takes the broken character off the end of a text that was cut.
func whole(s string) string {
	for i := 1; i <= utf8.UTFMax && i <= len(s); i++ {
		if utf8.RuneStart(s[len(s)-i]) {
			if !utf8.FullRuneInString(s[len(s)-i:]) {
				return s[:len(s)-i]
			}
			return s
		}
	}
	return s
}

// textOf is a JSON value as text: a string's own, else the JSON.
func textOf(raw json.RawMessage) string {
	if v := jscan.Value(raw); v.Kind() == jscan.String {
		return v.Str()
	}
	return string(raw)
}

// jsonText is a text in the place of a JSON value that was too long; parameters
// stay an object.
func jsonText(s string, inObject bool) json.RawMessage {
	text := quote.String(s)
	if inObject {
		return slices.Concat([]byte(`{"beginning":`), text, []byte("}"))
	}
	return text
}

func (p *piece) textField(name string, s *string) {
	if *s == "" {
		return
	}
	*s = quote.Safe(*s)
	f := &field{name: name, text: *s, full: utf8.RuneCountInString(*s)}
	f.put = func(short string) { *s = short }
	p.fields = append(p.fields, f)
}

// valueField takes a JSON value for a text: when it has to be shortened, the
// beginning of it stands in its place.
func (p *piece) valueField(name string, raw *json.RawMessage) {
	if len(*raw) == 0 || string(*raw) == "null" {
		return
	}
	*raw = quote.JSON(*raw)
	f := &field{name: name, text: textOf(*raw)}
	f.full = utf8.RuneCountInString(f.text)
	all := *raw
	f.put = func(short string) {
		if *raw = all; len(short) < len(f.text) {
			*raw = jsonText(short, name == "params")
		}
	}
	p.fields = append(p.fields, f)
}

// output is what the result of a tool call says to a reader, as far as there is
// room for it.
func (p *piece) output() string {
	if len(p.result) == 0 || string(p.result) == "null" {
		return ""
	}
	s := digest.Output(p.result)
	if s == "" {
		s = textOf(p.result)
	}
	s, _ = quote.Cut(s, p.level)
	return s
}

// people reports messages that are kept longest: what somebody said.
func (p *piece) people() bool {
	return p.Role == retold.RoleUser || p.Role == retold.RoleAssistant || p.Role == retold.RoleError
}

// shorten cuts every field to at most n characters. It may be called again with
// another n.
func (p *piece) shorten(n int) {
	p.shown, p.truncated, p.level = 0, p.lost, n
	for _, f := range p.fields {
		head := f.text
		if f.full > n {
			head, _ = quote.Cut(f.text, n)
			p.truncated = true
		}
		if f.cut || f.full > n {
			f.put(head)
		}
		f.cut = f.full > n
		p.shown += min(f.full, n)
	}
}

// MarshalJSON writes the public JSON of the message, and whether it was
// shortened.
func (p *piece) MarshalJSON() ([]byte, error) {
	body, err := p.Message.MarshalJSON()
	if err != nil || !p.truncated {
		return body, err
	}
	mark, err := json.Marshal(struct {
		Truncated bool `json:"truncated"`
		FullChars int  `json:"fullChars"`
	}{true, p.full})
	if err != nil {
		return nil, err
	}
	return append(append(body[:len(body)-1], ','), mark[1:]...), nil
}
