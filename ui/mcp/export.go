package mcp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func exportTool() *tool {
	return &tool{
		name: "export_session", title: "Export a conversation",
		description: "Write one conversation as Markdown, JSON or HTML (also jsonl, csv, text), with secrets masked. Without path the text comes inline, cut at max_chars. With path it goes to a new file: first a dry run that writes nothing and gives a fingerprint, then again with confirm and that fingerprint. Nothing is ever overwritten.\n" +
			"Examples: {\"session\": \"1a2b3c4d\"}; {\"session\": \"1a2b3c4d\", \"format\": \"html\", \"path\": \"/home/ada/notes/parser.html\"}; the same with \"confirm\": true, \"fingerprint\": \"…\".",
		params:   []string{"session", "format", "path", "tools", "roles", "confirm", "fingerprint", "max_chars"},
		required: []string{"session"},
		output: answerSchema(object{
			"session": elsewhere("as list_sessions has it"), "format": str("md, json, html, jsonl, csv or text"), "chars": integer("characters of the whole export"), "bytes": integer("its size"),
			"content": maybe("the text, when it was asked for inline"), "truncated": boolean("content is only the beginning"),
			"path": maybe("the file"), "written": boolean("the file was written; false in a dry run"), "fingerprint": maybe("for confirm"),
		}),
		writes: true,
		run:    (*call).export,
	}
}

// An exported is the answer of export_session.
type exported struct {
	Session     retold.Session `json:"session"`
	Format      export.Format  `json:"format"`
	Chars       int            `json:"chars"`
	Bytes       int            `json:"bytes"`
	Content     *string        `json:"content"`
	Truncated   bool           `json:"truncated"`
	Path        *string        `json:"path"`
	Written     bool           `json:"written"`
	Fingerprint *string        `json:"fingerprint"`
}

func (c *call) export(ctx context.Context) (*answer, error) {
	format, err := export.ParseFormat(cmp.Or(c.format, string(export.Markdown)))
	if err != nil {
		return nil, err
	}
	if c.path == "" && (c.confirm || c.fingerprint != "") {
		return nil, usage("give the path of the dry run, or leave confirm and fingerprint out", "there is nothing to confirm without path")
	}
	if c.path != "" {
		if err := c.mayWrite(ctx, c.path, format); err != nil {
			return nil, err
		}
	}
	d, err := c.lib.Show(ctx, c.session)
	if err != nil {
		return nil, err
	}
	if err := cleaned(ctx, d); err != nil {
		return nil, err
	}
	o := export.Options{Tools: export.Tools(cmp.Or(c.tools, string(export.ToolsShort)))}
	for _, role := range c.roles {
		o.Roles = append(o.Roles, retold.Role(role))
	}
	var b bytes.Buffer
	if err := export.Session(&stopped{ctx, &b}, format, d, o); err != nil {
		return nil, err
	}
	x := &exported{Session: safeSession(d.Session), Format: format, Chars: utf8.RuneCount(b.Bytes()), Bytes: b.Len()}
	if c.path == "" {
		return c.inline(x, b.String())
	}
	return c.toFile(x, b.Bytes())
}

// cleaned makes all of a session fit to be exported, as long as somebody waits for
// it.
func cleaned(ctx context.Context, d *retold.SessionDetail) error {
	quote.Session(&d.Session)
	for i := range d.Messages {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		quote.Message(&d.Messages[i])
	}
	for i := range d.ProblemList {
		quote.Problem(&d.ProblemList[i])
	}
	return nil
}

// stopped ends writing with its context.
type stopped struct {
	ctx context.Context
	b   *bytes.Buffer
}

func (s *stopped) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.b.Write(p)
}

func (c *call) inline(x *exported, text string) (*answer, error) {
	text = quote.Visible(text)
	for room := c.max - 1200; ; room = room * 4 / 5 {
		part, _ := quote.Cut(text, room)
		x.Content, x.Truncated = &part, len(part) < len(text)
		a, err := c.writeExport(x)
		if err != nil || room < 200 || a.fits(c.max) {
			return a, err
		}
	}
}

func (c *call) toFile(x *exported, data []byte) (*answer, error) {
	x.Path = &c.path
	sum := sha256.Sum256(append(fmt.Appendf(nil, "%s\n%s\n%s\n%s\n", x.Session.ID, x.Format, c.path, c.roles), data...))
	plan := hex.EncodeToString(sum[:8])
	x.Fingerprint = &plan
	switch {
	case !c.confirm:
		return c.writeExport(x)
	case c.fingerprint == "":
		return nil, usage("call without confirm first: the dry run gives the fingerprint", "confirm needs the fingerprint of a dry run")
	case c.fingerprint != plan:
		return nil, usage("call without confirm again and use the fingerprint it gives", "the fingerprint is not that of this export: the conversation went on, or other parameters were given")
	}
	if err := writeNew(c.path, data); err != nil {
		return nil, err
	}
	x.Written = true
	return c.writeExport(x)
}

func (c *call) writeExport(x *exported) (*answer, error) {
	foot := footing{Notice: notice}
	p := &page{}
	p.say(notice)
	id := shortID(x.Session.ID)
	switch {
	case x.Content != nil:
		p.say("Session %s (number %d) as %s, %s characters:", id, x.Session.Index, x.Format, quote.Number(x.Chars))
		p.quote(*x.Content)
		if x.Truncated {
			foot.Shortened = fmt.Sprintf("the first %s of %s characters; give path to write all of it to a file", quote.Number(utf8.RuneCountInString(*x.Content)), quote.Number(x.Chars))
		}
	case x.Written:
		p.say("Written: session %s as %s, %s bytes, to the new file", id, x.Format, quote.Number(x.Bytes))
		p.quote(quote.Line(*x.Path))
	default:
		p.say("Dry run, nothing was written. Session %s as %s, %s bytes, would go to the new file", id, x.Format, quote.Number(x.Bytes))
		p.quote(quote.Line(*x.Path))
		p.say("To write it, call again with the same parameters and confirm=true fingerprint=%s", *x.Fingerprint)
	}
	foot.tell(p)
	body, err := json.Marshal(x)
	if err != nil {
		return nil, err
	}
	return foot.answer(p, inlined(body))
}
