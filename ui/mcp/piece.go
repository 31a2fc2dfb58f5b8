package mcp

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// A piece is a message made fit for an answer: masked, cleaned, and shortened
// where the answer had no room. Its two forms are shortened apart: the Message,
// by its fields, and what a reader is told of it, by its texts.
type piece struct {
	retold.Message
	line      string // of a tool call: what it did and what came of it
	texts     []*saying
	full      int  // characters of all its fields before it was shortened
	lost      bool // some were left out before anything was shortened
	truncated bool // some are not there
	fields    []*field
}

// A field is one text of a message.
type field struct {
	name string // content, params, result, diff, attachments
	text string
	full int          // its characters
	lost int          // characters behind them that were never looked at
	cut  bool         // a part of it stands in the message
	put  func(string) // writes the text back, or a part of it
}

// glance is the most bytes of one text that are looked at for an answer of n
// characters: enough that no secret is cut in half where the answer ends.
func glance(n int) int { return 4*n + 64<<10 }

// newPiece copies a message of a session about a workspace and makes its texts
// safe; chars is the size of the answer that it is for. In brief, context that the
// agent's program attached is only named.
func newPiece(m retold.Message, workspace string, chars int, brief bool) *piece {
	p := &piece{Message: m}
	if m.Tool != nil {
		t := *m.Tool
		p.Tool = &t
	}
	p.Attachments = append([]retold.Attachment(nil), m.Attachments...)
	lost := p.headCut(glance(chars))
	p.ID, p.Model, p.RequestID = quote.Safe(p.ID), quote.Safe(p.Model), quote.Safe(p.RequestID)
	p.textField("content", &p.Content)
	if t := p.Tool; t != nil {
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
		p.textField("diff", &t.Diff)
		p.line = quote.Line(export.ToolIn(t, workspace))
	}
	for i := range p.Attachments {
		a := &p.Attachments[i]
		a.Kind, a.Name, a.Path = quote.Line(a.Kind), quote.Line(a.Name), quote.Line(a.Path)
		p.textField("attachments", &a.Text)
	}
	for _, f := range p.fields {
		f.lost = lost[f.name]
		p.full += f.full + f.lost
	}
	p.truncated = p.lost
	p.read(brief)
	return p
}

// mostFiles is how many paths of one tool call are told.
const mostFiles = 50

// headCut cuts texts that are far longer than the answer before they are looked
// at any closer, and returns how many characters of each were cut off.
func (p *piece) headCut(most int) map[string]int {
	lost := map[string]int{}
	cut := func(name string, s *string) {
		if len(*s) > most {
			all := *s
			*s = whole(all[:most])
			lost[name] = utf8.RuneCountInString(all[len(*s):])
			p.lost = true
		}
	}
	cut("content", &p.Content)
	for i := range p.Attachments {
		cut("attachments", &p.Attachments[i].Text)
	}
	if p.Tool == nil {
		return lost
	}
	cut("diff", &p.Tool.Diff)
	for name, raw := range map[string]*json.RawMessage{"params": &p.Tool.Params, "result": &p.Tool.Result} {
		if len(*raw) > most {
			s := textOf(*raw)
			cut(name, &s)
			*raw = jsonText(s, name == "params")
		}
	}
	return lost
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

// people reports messages that are kept longest: what somebody said.
func (p *piece) people() bool {
	return p.Role == retold.RoleUser || p.Role == retold.RoleAssistant || p.Role == retold.RoleError
}

// shorten cuts every field that is longer to so many characters: what people
// said, and all else. It may be called again with other numbers.
func (p *piece) shorten(said, done int) {
	p.truncated = p.lost
	for _, f := range p.fields {
		n := done
		if f.said(p) {
			n = said
		}
		cut := f.full > n+leastCut
		if head := f.text; f.cut || cut {
			if cut {
				head, _ = quote.Cut(f.text, n)
			}
			f.put(head)
		}
		f.cut = cut
		p.truncated = p.truncated || cut
	}
}

// said reports a field that is kept longest.
func (f *field) said(p *piece) bool { return f.name == "content" && p.people() }

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
