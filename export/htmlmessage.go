package export

import (
	"html"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/render"
)

// maxOpenDiff is the most lines of a diff that is shown unfolded.
const maxOpenDiff = 30

// htmlPage is the state of writing one turn as HTML.
type htmlPage struct {
	w         *Writer
	workspace string
	prefix    string // of every id, in a file of several sessions
	model     string // last named
}

// message writes one message. Its element carries the id "m" + index, the
// address by which the message can be linked.
func (p *htmlPage) message(m *retold.Message) {
	id := p.prefix + "m" + strconv.Itoa(m.Index)
	switch m.Role {
	case retold.RoleTool:
		p.tool(m, id)
		return
	case retold.RoleThinking, retold.RoleSystem:
		p.w.put(`<details class="msg `, string(m.Role), `" id="`, id, `"><summary>`, speaker(m.Role), p.stamp(m), "</summary>\n<div class=\"body\">\n")
		p.prose(m.Content)
		p.attachments(m)
		p.w.put("</div>\n</details>\n")
		return
	}
	class := "assistant"
	if m.Role == retold.RoleUser || m.Role == retold.RoleError {
		class = string(m.Role)
	}
	p.w.put(`<div class="msg `, class, `" id="`, id, `">`, "\n<p class=\"who\"><span>", escapeHTML(speaker(m.Role)), p.modelNote(m), "</span>", p.stamp(m),
		` <a class="anchor" href="#`, id, `" aria-label="Link to message `, strconv.Itoa(m.Index), `">#`, strconv.Itoa(m.Index), "</a></p>\n<div class=\"body\">\n")
	if m.Role == retold.RoleError {
		p.pre(m.Content)
	} else {
		p.prose(m.Content)
	}
	p.attachments(m)
	p.w.put("</div>\n</div>\n")
}

func (p *htmlPage) stamp(m *retold.Message) string {
	at := clock(m, p.w.opt.Location)
	if at == "" {
		return ""
	}
	note := ""
	if s := timeNote(m.TimestampSource); s != "" {
		note = ` title="` + s + `"`
	}
	return ` <time datetime="` + m.Timestamp.UTC().Format("2006-01-02T15:04:05Z") + `"` + note + ">" + at + "</time>"
}

func (p *htmlPage) modelNote(m *retold.Message) string {
	if m.Model == "" || m.Model == p.model || m.Role == retold.RoleUser {
		return ""
	}
	p.model = m.Model
	return ` <span class="model">` + escapeHTML(retold.ModelName(m.Model)) + "</span>"
}

func (p *htmlPage) tool(m *retold.Message, id string) {
	t := m.Tool
	if t == nil {
		t = &retold.ToolCall{Name: m.Content}
	}
	class := "tool"
	switch {
	case m.Failed():
		class = "tool failed"
	case t.Status == retold.StatusCancelled || t.Status == retold.StatusPending:
		class = "tool undone"
	}
	line := mark(m) + " <code>" + escapeHTML(ToolIn(t, p.workspace)) + "</code>"
	full := p.w.opt.Tools == ToolsFull
	if t.Diff == "" && len(m.Attachments) == 0 && (!full || len(t.Params)+len(t.Result)+len(m.Content) == 0) {
		p.w.put(`<p class="`, class, `" id="`, id, `">`, line, "</p>\n")
		return
	}
	open := ""
	if t.Diff != "" && strings.Count(t.Diff, "\n") <= maxOpenDiff {
		open = " open"
	}
	p.w.put(`<details class="`, class, `" id="`, id, `"`, open, "><summary>", line, "</summary>\n")
	if t.Diff != "" {
		p.w.put(render.DiffHTML(t.Diff))
	}
	if full {
		p.value("Parameters", t.Params)
		p.value("Result", t.Result)
		if m.Content != "" && m.Tool != nil {
			p.pre(m.Content)
		}
	}
	p.attachments(m)
	p.w.put("</details>\n")
}

func (p *htmlPage) value(name string, raw []byte) {
	if len(raw) == 0 {
		return
	}
	text, language := readable(raw)
	p.w.put(`<p class="part">`, name, "</p>\n", render.CodeHTML(text, language))
}

func (p *htmlPage) pre(s string) {
	p.w.put(`<pre class="verbatim" tabindex="0">`)
	// Escaping goes byte by byte, so a text of any size is written in pieces.
	for s = render.Plain(s); s != "" && p.w.err == nil; {
		n := min(len(s), 64<<10)
		p.w.put(html.EscapeString(s[:n]))
		s = s[n:]
	}
	p.w.put("</pre>\n")
}

func (p *htmlPage) prose(s string) {
	if render.TooLong(s) {
		p.pre(s)
		return
	}
	p.w.put(render.HTML(s))
}

func (p *htmlPage) attachments(m *retold.Message) {
	if len(m.Attachments) == 0 {
		return
	}
	p.w.put("<ul class=\"attached\" aria-label=\"Attachments\">\n")
	for _, a := range m.Attachments {
		name := escapeHTML(attachmentName(a))
		if a.Kind == "link" {
			name = render.Link(or(a.Name, a.Path), a.Path)
		}
		if a.Text == "" {
			p.w.put("<li>", name, "</li>\n")
			continue
		}
		p.w.put("<li><details><summary>", name, "</summary>\n")
		p.pre(a.Text)
		p.w.put("</details></li>\n")
	}
	p.w.put("</ul>\n")
}
