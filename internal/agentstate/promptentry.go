package agentstate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// promptLayout turns prompt messages into entries, in order, with each tool's
// result on its call.
type promptLayout struct {
	view    View
	out     []entry
	calls   map[string]int      // call id → entry without a result yet
	context []retold.Attachment // blocks waiting for the user message they came with
	shown   map[string]bool     // context blocks already attached to a message
	id      string              // of the message the waiting blocks came in
}

// promptEntries lays out what the model saw: archives, their summaries, then the
// current context.
func (c *Conversation) promptEntries(v View) []entry {
	l := promptLayout{view: v, calls: map[string]int{}, shown: map[string]bool{}}
	count := map[string]int{}
	for i := range c.Archives {
		a := &c.Archives[i]
		l.list(a.Messages, count)
		if strings.TrimSpace(a.Summary) != "" {
			l.system(short(a.ID)+".summary", a.Summary)
		}
	}
	l.list(c.Prompts, count)
	l.flush()
	return l.out
}

// list lays out one list. The same message in two lists (the tail of an archive
// is also the head of the context) is one message; twice in one list it is two.
func (l *promptLayout) list(prompts []Prompt, count map[string]int) {
	here := map[string]int{}
	for i := range prompts {
		p := &prompts[i]
		here[p.ID]++
		if here[p.ID] <= count[p.ID] {
			continue
		}
		count[p.ID] = here[p.ID]
		if !p.Summary {
			l.add(p)
		}
	}
}

func (l *promptLayout) add(p *Prompt) {
	start := len(l.out)
	switch {
	case p.Missing:
		l.out = append(l.out, placeholder(p.ID, "message not stored here"))
	case p.Role == "user":
		l.user(p)
	case p.Role == "system":
		l.system(short(p.ID), p.text())
	default:
		for i := range p.Parts {
			l.part(p, i)
		}
	}
	for i := start; i < len(l.out); i++ {
		m := &l.out[i].msg
		m.RequestID = p.RequestID
		if m.Role != retold.RoleUser && m.Role != retold.RoleSystem {
			m.Model = p.Model
		}
	}
}

func (p *Prompt) text() string {
	var texts []string
	for i := range p.Parts {
		if p.Parts[i].Text != "" {
			texts = append(texts, p.Parts[i].Text)
		}
	}
	return strings.Join(texts, "\n")
}

// system adds a notice once; the environment is repeated after every compaction.
func (l *promptLayout) system(id, text string) {
	if strings.TrimSpace(text) == "" || l.shown["system "+text] {
		return
	}
	l.shown["system "+text] = true
	l.flush()
	l.out = append(l.out, entry{msg: retold.Message{ID: id, Role: retold.RoleSystem, Content: text}, key: textKey(retold.RoleSystem, text)})
}

// user separates what was said from its context. A message of context alone
// lends its blocks to the next thing the user says.
func (l *promptLayout) user(p *Prompt) {
	var said []string
	var context []retold.Attachment
	spoken := false
	for i := range p.Parts {
		part := &p.Parts[i]
		switch part.Kind {
		case PartImage, PartFile:
			context = append(context, retold.Attachment{Kind: string(part.Kind), Name: first(part.Name, part.Mime, string(part.Kind))})
			spoken = true
		default:
			text, ok, blocks := Unwrap(part.Text)
			context = append(context, blocks...)
			if ok {
				said = append(said, text)
				spoken = true
			}
		}
	}
	for _, a := range context {
		id := a.Kind + "\x00" + a.Name + "\x00" + a.Text
		if a.Text == "" || !l.shown[id] {
			l.context = append(l.context, a)
		}
		l.shown[id] = true
	}
	if !spoken {
		l.id = short(p.ID)
		return
	}
	m := retold.Message{ID: short(p.ID), Role: retold.RoleUser, Content: strings.Join(said, "\n"), Attachments: l.context}
	stamp(&m, TimeOf(m.Attachments))
	l.context = nil
	l.out = append(l.out, entry{msg: m, key: textKey(m.Role, m.Content)})
}

// flush shows context that no user message followed.
func (l *promptLayout) flush() {
	for i, a := range l.context {
		l.out = append(l.out, entry{
			msg: retold.Message{ID: fmt.Sprintf("%s.context%d", l.id, i), Role: retold.RoleSystem, Content: a.Text, Attachments: []retold.Attachment{a}},
			key: textKey(retold.RoleSystem, a.Text),
		})
	}
	l.context = nil
}

func (l *promptLayout) part(p *Prompt, i int) {
	part := &p.Parts[i]
	m := retold.Message{ID: fmt.Sprintf("%s.%d", short(p.ID), i), Content: part.Text}
	switch part.Kind {
	case PartReasoning:
		m.Role = retold.RoleThinking
	case PartRedacted:
		m.Role, m.Content = retold.RoleThinking, Redacted
	case PartCall:
		l.call(m, part)
		return
	case PartResult:
		l.result(m, part)
		return
	case PartImage, PartFile:
		m.Role = retold.RoleAssistant
		m.Attachments = []retold.Attachment{{Kind: string(part.Kind), Name: first(part.Name, part.Mime, string(part.Kind))}}
		l.flush()
		l.out = append(l.out, entry{msg: m})
		return
	default:
		m.Role = retold.RoleAssistant
	}
	if strings.TrimSpace(m.Content) == "" {
		return
	}
	l.flush()
	l.out = append(l.out, entry{msg: m, key: textKey(m.Role, m.Content)})
}

// Redacted stands for thinking that the provider withheld, in the words of
// Cursor's own transcripts.
const Redacted = "[REDACTED]"

func (l *promptLayout) call(m retold.Message, part *Part) {
	m.Role, m.Content = retold.RoleTool, ""
	m.Tool = &retold.ToolCall{
		Name: part.Name, Kind: KindOf(part.Name), CallID: part.CallID,
		Params: l.view.json(part.Args), Status: retold.StatusPending,
	}
	m.Tool.Files = argFiles(m.Tool.Kind, part)
	l.flush()
	l.calls[part.CallID] = len(l.out)
	l.out = append(l.out, entry{msg: m, key: callKey(part.CallID)})
}

// result goes to its call; without one it is shown by itself.
func (l *promptLayout) result(m retold.Message, part *Part) {
	status := retold.StatusCompleted
	if part.Failed {
		status = retold.StatusFailed
	}
	if at, ok := l.calls[part.CallID]; ok {
		delete(l.calls, part.CallID)
		tool := l.out[at].msg.Tool
		tool.Result, tool.Status = l.view.json(part.Result), status
		if !l.view.Light {
			tool.Diff = argDiff(tool)
		}
		return
	}
	m.Role, m.Content = retold.RoleTool, ""
	m.Tool = &retold.ToolCall{
		Name: part.Name, Kind: KindOf(part.Name), CallID: part.CallID,
		Result: l.view.json(part.Result), Status: status,
	}
	l.flush()
	l.out = append(l.out, entry{msg: m, key: callKey(part.CallID)})
}

// argFiles finds the path among a model's arguments.
func argFiles(kind retold.ToolKind, part *Part) []string {
	if kind != retold.ToolRead && kind != retold.ToolEdit {
		return nil
	}
	v := jscan.Value(part.Args)
	if p := v.First("path", "file_path", "target_file", "target_notebook").Str(); p != "" {
		return []string{p}
	}
	var out []string
	for p := range v.Get("paths").Items() {
		if s := p.Str(); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// argDiff is the diff of a replacement whose old and new text are arguments.
func argDiff(tool *retold.ToolCall) string {
	v := jscan.Value(tool.Params)
	before, after := v.Get("old_string"), v.Get("new_string")
	if tool.Kind != retold.ToolEdit || before.Kind() != jscan.String || after.Kind() != jscan.String || len(tool.Files) == 0 {
		return ""
	}
	return fragmentDiff(tool.Files[0], before.Str(), after.Str(), tool.Status)
}

func first(names ...string) string {
	for _, n := range names {
		if n != "" {
			return n
		}
	}
	return ""
}
