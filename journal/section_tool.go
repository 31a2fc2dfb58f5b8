package journal

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
)

// longestCommand is how many characters of a command an entry shows.
const longestCommand = 300

// shell takes a command that was run at a terminal.
func (w *writing) shell(at Cite, m *retold.Message) {
	t := m.Tool
	text, cwd := shellCommand(t)
	if text == "" {
		text = t.Name
	}
	shown := clip(strings.TrimSpace(text), longestCommand)
	cwd = w.relative(cwd)
	run, made := w.runs.at(cwd + "\x00" + ended(t.ExitCode) + "\x00" + text)
	if made {
		run.Cite, run.Text, run.Cwd, run.Exit = at, shown, cwd, t.ExitCode
	}
	run.Times++
	parts, looks := attempted(text)
	output := resultText(t.Result)
	if failed, known := went(t, text, output, looks); failed {
		w.blocks.failed(at, parts, shown, output, t.ExitCode)
	} else if known {
		w.blocks.passed(at, parts)
	}
}

// ended tells exit codes apart; "" when none is recorded.
func ended(exit *int) string {
	if exit == nil {
		return ""
	}
	return strconv.Itoa(*exit)
}

// tried takes any other call that can fail in a telling way. Looking for what is
// not there is no roadblock.
func (w *writing) tried(at Cite, t *retold.ToolCall) {
	switch t.Kind {
	case retold.ToolRead, retold.ToolSearch, retold.ToolList, retold.ToolTodo:
		return
	}
	what := t.Name
	if len(t.Files) > 0 {
		what += " " + w.relative(t.Files[0])
	}
	switch t.Status {
	case retold.StatusFailed:
		w.blocks.failed(at, []string{what}, what, resultText(t.Result), t.ExitCode)
	case retold.StatusCompleted:
		w.blocks.passed(at, []string{what})
	}
}

func (w *writing) named(list *gathering[Named], at Cite, name string) {
	if name == "" {
		return
	}
	n, made := list.at(name)
	if made {
		n.Cite, n.Name = at, name
	}
	n.Times++
}

// searchOf is what was searched for.
func searchOf(t *retold.ToolCall) string {
	return clip(paramsOf(t).first("pattern", "query", "regex", "globPattern", "glob_pattern", "glob", "search_term"), longestCommand)
}

// todo takes the agent's list of things to do. A list replaces the one before
// unless it says that it is merged into it.
func (w *writing) todo(at Cite, t *retold.ToolCall) {
	var p struct {
		Merge bool `json:"merge"`
		Todos []struct {
			ID      string `json:"id"`
			Content string `json:"content"`
			Status  string `json:"status"`
		} `json:"todos"`
	}
	if json.Unmarshal(t.Params, &p) != nil { // a list of another shape: the call itself stays in the conversation
		return
	}
	if !p.Merge && len(p.Todos) > 0 {
		w.todos = gather[Todo]()
	}
	for _, item := range p.Todos {
		name := item.ID
		if name == "" {
			name = item.Content
		}
		todo, _ := w.todos.at(name)
		todo.Cite = at
		if item.Content != "" {
			todo.Text = item.Content
		}
		if item.Status != "" {
			todo.Status = strings.TrimPrefix(strings.ToLower(item.Status), "todo_status_")
		}
	}
}

// relative is a path as the repository calls it, also when it was written down in
// another working tree or clone; one that cannot be placed stays whole.
func (w *writing) relative(path string) string {
	p := slashed(path)
	if rel, ok := below(p, w.root, false); ok {
		return rel
	}
	for i := range w.commit.Files {
		for _, name := range []string{w.commit.Files[i].Path, w.commit.Files[i].OldPath} {
			if name != "" && (p == name || strings.HasSuffix(p, "/"+name)) {
				return name
			}
		}
	}
	return path
}

// clip cuts a text to a number of characters.
func clip(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return strings.TrimRight(s[:i], " \n") + "…"
		}
	}
	return s
}

// files is what the commit did to each file, and who wrote it.
func (w *writing) files() []EntryFile {
	list := make([]EntryFile, 0, len(w.commit.Files))
	wrote := map[string][]Wrote{}
	for _, f := range w.from.Files {
		wrote[f.Path] = f.Wrote
	}
	for i := range w.commit.Files {
		f := &w.commit.Files[i]
		e := EntryFile{Path: f.Path, OldPath: f.OldPath, Status: string(f.Status), Added: f.Added, Removed: f.Removed, Wrote: []Part{}}
		parts := gather[Part]()
		for _, run := range wrote[f.Path] {
			part, made := parts.at(run.SessionID + "\x00" + run.MessageID)
			if made {
				part.Cite = Cite{SessionID: run.SessionID, MessageID: run.MessageID, MessageIndex: w.left.index[run.SessionID+"\x00"+run.MessageID]}
			}
			part.Lines += run.To - run.From + 1
		}
		e.Wrote = parts.list()
		e.Written, e.Survived = w.left.survived(f)
		list = append(list, e)
	}
	return list
}

// A leaving knows which lines the edits of the spans left in the commit's files.
type leaving struct {
	lines map[string]map[uint64]bool // by path, in the repository
	index map[string]int             // of messages with edits, by session and id
}

func newLeaving(c *git.Commit) leaving {
	l := leaving{lines: map[string]map[uint64]bool{}, index: map[string]int{}}
	for _, f := range c.Files {
		l.lines[f.Path] = map[uint64]bool{}
	}
	return l
}

// edit takes an edit: the lines it took out are gone, those it put in are there.
func (l leaving) edit(at Cite, m *retold.Message, relative func(string) string) {
	l.index[at.SessionID+"\x00"+at.MessageID] = at.MessageIndex
	for _, e := range editsOf(m) {
		lines := l.lines[relative(e.path)]
		if lines == nil {
			continue
		}
		for _, c := range e.changes {
			for _, s := range c.removed {
				delete(lines, lineOf(s).norm)
			}
			for _, s := range c.added {
				if line := lineOf(s); line.plain {
					lines[line.norm] = true
				}
			}
		}
	}
}

// survived counts the lines that were left in a file, and those of them that the
// commit adds.
func (l leaving) survived(f *git.File) (written, survived int) {
	left := l.lines[f.Path]
	added := map[uint64]bool{}
	for _, h := range f.Hunks {
		for _, s := range h.Added {
			added[lineOf(s).norm] = true
		}
	}
	for line := range left {
		if added[line] {
			survived++
		}
	}
	return len(left), survived
}
