package cursorcli

import (
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// word is the first of the arguments that is a text.
func (d *draft) word(names ...string) string {
	for _, name := range names {
		if v := d.given.Get(name); v.Kind() == jscan.String && v.Str() != "" {
			return v.Str()
		}
	}
	return ""
}

// path is the file or folder that a call is about.
func (d *draft) path() string {
	p := d.word("path", "file_path", "filePath", "targetFile", "target_file", "relativeWorkspacePath", "notebook_path", "target_notebook",
		"targetDirectory", "target_directory", "effectiveUri", "dir", "directory", "dir_path", "uri")
	if p == "" && len(d.call.Files) > 0 {
		p = d.call.Files[0]
	}
	return p
}

// likeness is the tool that does what the call did, with its arguments; "" when
// there is none.
func (d *draft) likeness() (variant string, m members) {
	switch d.call.Kind {
	case retold.ToolRead:
		m = members{"path": d.path()}
		d.number(m, "offset", "offset", "start_line", "startLineOneIndexed")
		d.number(m, "limit", "limit")
		return "read", m
	case retold.ToolEdit:
		if strings.Contains(strings.ToLower(d.call.Name), "delete") {
			return "delete", members{"path": d.path()}
		}
		return "edit", members{"path": d.path()}
	case retold.ToolShell:
		m = members{"command": d.word("command", "cmd", "script")}
		put(m, "workingDirectory", d.word("workingDirectory", "working_directory", "workdir", "cwd"))
		put(m, "description", d.word("description", "explanation", "commandDescription"))
		d.number(m, "timeout", "timeout", "timeout_ms")
		return "shell", m
	case retold.ToolSearch:
		return d.searchLikeness()
	case retold.ToolList:
		return "ls", members{"path": d.path()}
	case retold.ToolWeb:
		if url := d.word("url", "uri"); url != "" {
			return "web_fetch", members{"url": url}
		}
		return "web_search", members{"searchTerm": d.word("searchTerm", "search_term", "query", "q", "prompt")}
	case retold.ToolTask:
		m = members{"description": d.word("description", "title", "name"), "prompt": d.word("prompt", "instructions", "message", "task", "description")}
		if kind := d.word("subagent_type", "subagentType", "type"); kind != "" {
			m["subagentType"] = members{"custom": members{"name": kind}}
		}
		return "task", m
	case retold.ToolTodo:
		return "update_todos", members{"todos": d.todos(), "merge": d.given.Get("merge").Bool()}
	case retold.ToolPlan:
		return "create_plan", members{"plan": d.word("plan", "content", "text"), "name": d.word("name", "title"), "overview": d.word("overview", "summary")}
	}
	return "", nil
}

func (d *draft) searchLikeness() (string, members) {
	m := members{}
	name := strings.ToLower(d.call.Name)
	glob := d.word("globPattern", "glob_pattern")
	if glob == "" && strings.Contains(name, "glob") {
		glob = d.word("pattern", "glob", "query")
	}
	if glob != "" {
		m["globPattern"] = glob
		put(m, "targetDirectory", d.word("targetDirectory", "target_directory", "path", "cwd"))
		return "glob", m
	}
	if query := d.word("query"); query != "" && d.word("pattern") == "" {
		return "sem_search", members{"query": query}
	}
	m["pattern"], m["outputMode"] = d.word("pattern", "regex", "search"), "content"
	put(m, "path", d.path())
	put(m, "glob", d.word("glob", "include"))
	return "grep", m
}

func put(m members, name, value string) {
	if value != "" {
		m[name] = value
	}
}

// number takes a whole number over.
func (d *draft) number(m members, as string, names ...string) {
	for _, name := range names {
		n, ok := d.given.Get(name).Int()
		if f, _ := d.given.Get(name).Float(); ok && float64(n) == f && n >= 0 && n < 1<<31 {
			m[as] = n
			return
		}
	}
}

// todos are the entries of a list of things to do.
func (d *draft) todos() []members {
	list := []members{}
	for v := range d.given.First("todos", "plan", "items").Items() {
		v = v.Embedded()
		status := "TODO_STATUS_" + strings.ToUpper(strings.TrimPrefix(v.Get("status").Str(), "TODO_STATUS_"))
		switch status {
		case "TODO_STATUS_IN_PROGRESS", "TODO_STATUS_COMPLETED", "TODO_STATUS_CANCELLED":
		default:
			status = "TODO_STATUS_PENDING"
		}
		id := v.Get("id").Text()
		if id == "" {
			id = "todo-" + derivedID(string(v))[:8]
		}
		list = append(list, members{"id": id, "content": v.First("content", "step", "text", "title", "description").Text(), "status": status})
	}
	return list
}
