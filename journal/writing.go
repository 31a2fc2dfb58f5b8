package journal

import (
	"cmp"
	"slices"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/redact"
)

// A writing gathers the sections of an entry while the messages of its spans go
// by, each once and in order.
type writing struct {
	entry  *Entry
	commit *git.Commit
	from   *Attribution
	root   string // of the repository, with slashes

	session *EntrySession
	todos   *gathering[Todo]
	quotes  quoting
	blocks  *blocking
	routine []Quote // prompts that ask for nothing new
	runs    *gathering[Command]
	read    *gathering[Named]
	search  *gathering[Named]
	models  *gathering[ModelUse]
	left    leaving
}

func newWriting(e *Entry, root string, c *git.Commit, a *Attribution) *writing {
	return &writing{
		entry: e, commit: c, from: a, root: slashed(root),
		todos: gather[Todo](), runs: gather[Command](), read: gather[Named](), search: gather[Named](), models: gather[ModelUse](),
		blocks: newBlocking(), left: newLeaving(c),
	}
}

// begin starts the span of a session.
func (w *writing) begin(span Span) {
	s := EntrySession{ID: span.SessionID, Agent: span.Agent, Title: redact.Text(span.Title), From: span.From, To: span.To, ParentID: span.ParentID, Key: span.Key, Evidence: []Evidence{}}
	for _, l := range w.from.Links {
		if l.SessionID == span.SessionID && l.Class == ClassLinked {
			s.Score = max(s.Score, l.Score)
			for _, ev := range l.Evidence {
				ev.Detail = redact.Text(ev.Detail)
				s.Evidence = append(s.Evidence, ev)
			}
		}
	}
	w.entry.Sessions = append(w.entry.Sessions, s)
	w.session = &w.entry.Sessions[len(w.entry.Sessions)-1]
	w.quotes.begin()
}

// take lets every section look at a message.
func (w *writing) take(m *retold.Message) {
	at := Cite{SessionID: w.session.ID, MessageID: m.ID, MessageIndex: m.Index}
	if !m.Timestamp.IsZero() {
		if w.session.Began == nil {
			w.session.Began = moment(m.Timestamp)
		}
		w.session.Ended = moment(m.Timestamp)
	}
	w.count(m)
	switch m.Role {
	case retold.RoleUser:
		q := intentOf(at, m.Content)
		if w.session.ParentID != "" { // an agent says that to its own
			q.Role, q.Why = retold.RoleAssistant, "task"
			w.entry.Tasks = append(w.entry.Tasks, q)
			w.quotes.begin()
			return
		}
		if routine(m.Content) {
			w.routine = append(w.routine, q)
		} else {
			w.entry.Intent = append(w.entry.Intent, q)
		}
		w.quotes.take(at, m)
	case retold.RoleAssistant:
		w.quotes.take(at, m)
		w.blocks.passed(at, []string{agentItself})
	case retold.RoleError:
		w.blocks.failed(at, []string{agentItself}, agentItself, m.Content, nil)
	case retold.RoleTool:
		w.tool(at, m)
	}
}

// agentItself is what failed when the agent ends with an error.
const agentItself = "the agent"

// count adds up models and tokens, as far as they are recorded.
func (w *writing) count(m *retold.Message) {
	if m.Model != "" && m.Role != retold.RoleUser {
		use, _ := w.models.at(m.Model)
		use.Model = m.Model
		use.Messages++
	}
	if m.Tokens != nil {
		if w.entry.Tokens == nil {
			w.entry.Tokens = &TokenUse{}
		}
		w.entry.Tokens.Input += m.Tokens.Input
		w.entry.Tokens.Output += m.Tokens.Output
		w.entry.Tokens.Messages++
	}
}

// tool lets the sections about tools look at a call.
func (w *writing) tool(at Cite, m *retold.Message) {
	t := m.Tool
	switch t.Kind {
	case retold.ToolShell:
		w.shell(at, m)
	case retold.ToolRead:
		for _, f := range t.Files {
			w.named(w.read, at, w.relative(f))
		}
	case retold.ToolSearch:
		w.named(w.search, at, searchOf(t))
	case retold.ToolTodo:
		w.todo(at, t)
	}
	if t.Kind != retold.ToolShell {
		w.tried(at, t)
	}
}

// finish fills the sections of the entry. Empty ones are lists, never null.
func (w *writing) finish() {
	e := w.entry
	if len(e.Intent) == 0 {
		e.Intent = w.routine
	}
	e.Files = w.files()
	e.Todos, e.Commands, e.Read, e.Searched = w.todos.list(), w.runs.list(), w.read.list(), w.search.list()
	e.Models = w.models.list()
	slices.SortStableFunc(e.Models, func(a, b ModelUse) int {
		return cmp.Or(cmp.Compare(b.Messages, a.Messages), cmp.Compare(a.Model, b.Model))
	})
	e.Discussion, e.Roadblocks = w.quotes.best(), w.blocks.list()
	for _, list := range []*[]Quote{&e.Intent, &e.Discussion} {
		if *list == nil {
			*list = []Quote{}
		}
	}
	if e.Sessions == nil {
		e.Sessions = []EntrySession{}
	}
	if e.Reflections == nil {
		e.Reflections = []Reflection{}
	}
}

// A gathering holds one item for each name, in order of their first coming.
type gathering[T any] struct {
	names map[string]int
	items []*T
}

func gather[T any]() *gathering[T] { return &gathering[T]{names: map[string]int{}} }

// at returns the item of a name, made when there is none.
func (g *gathering[T]) at(name string) (item *T, made bool) {
	i, ok := g.names[name]
	if !ok {
		i = len(g.items)
		g.names[name] = i
		g.items = append(g.items, new(T))
	}
	return g.items[i], !ok
}

func (g *gathering[T]) list() []T {
	out := make([]T, 0, len(g.items))
	for _, item := range g.items {
		out = append(out, *item)
	}
	return out
}
