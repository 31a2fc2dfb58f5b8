package export

import (
	"strconv"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/render"
)

// markdownFormat writes what a person would read and commit. Prose stands as it
// was said (see render.Markdown for the two exceptions); everything else stands
// in fences and folds that the text of a chat cannot close.
type markdownFormat struct{}

func (markdownFormat) start(*Writer) {}
func (markdownFormat) end(*Writer)   {}

func (markdownFormat) session(w *Writer, d *retold.SessionDetail) {
	if w.n > 1 {
		w.put("\n---\n\n")
	}
	w.put("# ", render.Escape(title(&d.Session)), "\n\n")
	for _, f := range facts(d, w.opt.Location) {
		value := render.Escape(f.value)
		if f.code {
			value = render.Code(f.value)
		}
		w.put("- **", f.name, ":** ", value, "\n")
	}
	model := d.Model
	for _, t := range turns(d, w.opt) {
		model = markdownTurn(w, d, t, model)
	}
	if len(d.ProblemList) > 0 {
		w.put("\n## Problems\n\nThese records could not be read, or only in part.\n\n")
		for _, p := range d.ProblemList {
			w.put("- ", render.Escape(trouble(p)), "\n")
		}
	}
}

// markdownTurn writes one turn and returns the model last named.
func markdownTurn(w *Writer, d *retold.SessionDetail, t turn, model string) string {
	heading := t.heading
	if t.number > 0 {
		heading = strconv.Itoa(t.number)
		if t.prompt() != nil {
			heading += " · User"
		}
		if _, when := t.when(w.opt.Location); when != "" {
			heading += " · " + when
		}
	}
	w.put("\n## ", heading, "\n")
	p := mdPage{w: w, workspace: d.WorkspacePath, model: model, aside: t.number == 0}
	for _, m := range t.messages {
		if w.err != nil {
			return model
		}
		p.message(m)
	}
	if s := t.left(); s != "" {
		w.put("\n*", s, "*\n")
	}
	return p.model
}

// mdPage is the state of writing one turn.
type mdPage struct {
	w         *Writer
	workspace string
	model     string // last named
	aside     bool   // outside the conversation: every message says who speaks
	labelled  bool   // the assistant was named
	bullet    string // of that list
	inList    bool   // the last thing written is an item of a list of tool calls
	prose     string // the last prose written, when nothing came after it
}

func (p *mdPage) message(m *retold.Message) {
	if m.Role != retold.RoleTool {
		p.inList = false
	}
	switch m.Role {
	case retold.RoleTool:
		p.label(m)
		p.tool(m)
	case retold.RoleThinking:
		p.label(m)
		p.fold("Thinking", prose(m))
	case retold.RoleSystem:
		p.fold("System", prose(m))
	case retold.RoleError:
		p.label(m)
		p.w.put("\n**Error:**\n\n", render.Fence(m.Content, "text"), "\n")
		p.prose = ""
	default:
		p.label(m)
		if p.prose = prose(m); p.prose != "" {
			p.w.put("\n", p.prose, "\n")
		}
	}
	p.attachments(m)
}

// label names who speaks where the heading of the turn does not.
func (p *mdPage) label(m *retold.Message) {
	name := "Assistant"
	switch {
	case m.Role == retold.RoleUser:
		if !p.aside {
			return
		}
		name, p.labelled = "User", false
	case p.labelled && (m.Model == "" || m.Model == p.model):
		return
	default:
		p.labelled = true
	}
	p.inList = false
	p.w.put("\n**", name, "**")
	if m.Model != "" && m.Model != p.model && m.Role != retold.RoleUser {
		p.model = m.Model
		p.w.put(" · ", render.Escape(retold.ModelName(m.Model)))
	}
	if at := clock(m, p.w.opt.Location); at != "" {
		p.w.put(" · ", at)
	}
	p.w.put("\n")
	p.prose = ""
}

func (p *mdPage) fold(summary, body string) {
	if body == "" {
		return
	}
	// The summary is HTML: what is put there is a word of ours or escaped.
	p.w.put("\n<details>\n<summary>", summary, "</summary>\n\n", body, "\n\n</details>\n")
	p.prose, p.inList = "", false
}

func (p *mdPage) tool(m *retold.Message) {
	t := m.Tool
	if t == nil {
		t = &retold.ToolCall{Name: m.Content}
	}
	if !p.inList {
		p.w.put("\n")
		p.bullet = render.Bullet(p.prose)
	}
	p.w.put(p.bullet, " ", mark(m), " ", render.Code(ToolIn(t, p.workspace)), "\n")
	p.inList = true
	if t.Diff != "" {
		p.w.put("\n", render.Fence(t.Diff, "diff"), "\n")
		p.inList, p.prose = false, ""
	}
	if p.w.opt.Tools != ToolsFull {
		return
	}
	for _, part := range []struct {
		name string
		raw  []byte
	}{{"Parameters", t.Params}, {"Result", t.Result}} {
		if len(part.raw) > 0 {
			text, language := readable(part.raw)
			p.fold(part.name, render.Fence(text, language))
		}
	}
	if m.Content != "" && m.Tool != nil {
		p.fold("Text", render.Fence(m.Content, ""))
	}
}

func (p *mdPage) attachments(m *retold.Message) {
	if len(m.Attachments) == 0 {
		return
	}
	p.inList = false
	p.w.put("\nAttached:\n\n")
	for _, a := range m.Attachments {
		p.w.put("- ", render.Code(attachmentName(a)), "\n")
	}
	for _, a := range m.Attachments {
		if a.Text != "" {
			p.fold("Attached "+escapeHTML(attachmentName(a)), render.Fence(a.Text, ""))
		}
	}
	p.prose = "- attached" // a list of tool calls must not continue this one
}
