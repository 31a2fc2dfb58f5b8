package export

import (
	"strconv"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/render"
)

// textFormat writes plain lines for terminals and pipes. What was said is
// indented by two columns, so that no text can pass for a heading of ours;
// lines are not wrapped.
type textFormat struct{}

func (textFormat) start(*Writer) {}
func (textFormat) end(*Writer)   {}

func (textFormat) session(w *Writer, d *retold.SessionDetail) {
	if w.n > 1 {
		w.put("\n", strings.Repeat("=", 72), "\n\n")
	}
	w.put(title(&d.Session), "\n\n")
	for _, f := range facts(d, w.opt.Location) {
		w.put(f.name, ":", strings.Repeat(" ", max(1, 14-len(f.name))), f.value, "\n")
	}
	for _, t := range turns(d, w.opt) {
		heading := t.heading
		if t.number > 0 {
			heading = strconv.Itoa(t.number)
			if _, when := t.when(w.opt.Location); when != "" {
				heading += " · " + when
			}
		}
		w.put("\n── ", heading, " ", strings.Repeat("─", max(3, 60-len([]rune(heading)))), "\n")
		textTurn(w, d, t)
	}
	if len(d.ProblemList) > 0 {
		w.put("\nProblems\n")
		for _, p := range d.ProblemList {
			w.put("  ", trouble(p), "\n")
		}
	}
}

func textTurn(w *Writer, d *retold.SessionDetail, t turn) {
	last := retold.Role("")
	for _, m := range t.messages {
		if w.err != nil {
			return
		}
		if m.Role != retold.RoleTool || last != retold.RoleTool {
			w.put("\n")
		}
		if m.Role != retold.RoleTool {
			w.put(speaker(m.Role))
			if m.Model != "" && m.Model != d.Model {
				w.put(" (", render.Line(retold.ModelName(m.Model)), ")")
			}
			if at := clock(m, w.opt.Location); at != "" {
				w.put(", ", at)
			}
			w.put("\n")
			indent(w, "  ", m.Content)
		} else {
			textTool(w, d, m)
		}
		for _, a := range m.Attachments {
			w.put("  Attached: ", render.Line(attachmentName(a)), "\n")
			indent(w, "    ", a.Text)
		}
		last = m.Role
	}
	if s := t.left(); s != "" {
		w.put("\n(", s, ")\n")
	}
}

func textTool(w *Writer, d *retold.SessionDetail, m *retold.Message) {
	t := m.Tool
	if t == nil {
		t = &retold.ToolCall{Name: m.Content}
	}
	w.put("• ", ToolIn(t, d.WorkspacePath), "\n")
	indent(w, "    ", t.Diff)
	if w.opt.Tools != ToolsFull {
		return
	}
	for _, part := range []struct {
		name string
		raw  []byte
	}{{"parameters", t.Params}, {"result", t.Result}} {
		if len(part.raw) > 0 {
			text, _ := readable(part.raw)
			w.put("  ", part.name, ":\n")
			indent(w, "    ", text)
		}
	}
	if m.Tool != nil {
		indent(w, "    ", m.Content)
	}
}

// indent writes the lines of a text; an empty text writes nothing.
func indent(w *Writer, by, s string) {
	s = strings.TrimRight(render.Plain(s), "\n")
	if s == "" {
		return
	}
	for line := range strings.SplitSeq(s, "\n") {
		if line != "" {
			w.put(by, line)
		}
		w.put("\n")
	}
}
