package cursor

import (
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// word is the first of the arguments that is a text.
func (d *draft) word(names ...string) string {
	for _, name := range names {
		if v := d.args.Get(name); v.Kind() == jscan.String && v.Str() != "" {
			return v.Str()
		}
	}
	return ""
}

// path is the file or folder that a call is about.
func (d *draft) path() string {
	if p := d.word(pathKeys...); p != "" {
		return p
	}
	if p := d.word("notebook_path", "target_directory", "dir", "directory", "cwd", "uri"); p != "" {
		return p
	}
	if len(d.call.Files) > 0 {
		return d.call.Files[0]
	}
	return ""
}

// likeness is the tool of Cursor that does what the call did, and its
// parameters; 0 when there is none.
func (d *draft) likeness() (id int64, m members) {
	switch d.call.Kind {
	case retold.ToolRead:
		p := d.path()
		m = members{"targetFile": p, "effectiveUri": p}
		d.number(m, "offset", "offset", "start_line")
		d.number(m, "limit", "limit")
		return idRead, m
	case retold.ToolEdit:
		if strings.Contains(strings.ToLower(d.call.Name), "delete") {
			return idDelete, members{"relativeWorkspacePath": d.path()}
		}
		return idEdit, members{"relativeWorkspacePath": d.path(), "noCodeblock": true, "cloudAgentEdit": false}
	case retold.ToolShell:
		m = members{"command": d.word("command", "cmd", "script"), "isBackground": false, "requireUserApproval": false}
		for member, word := range map[string]string{"cwd": d.word("cwd", "working_directory", "workingDirectory", "workdir"), "commandDescription": d.word("description", "explanation")} {
			if word != "" {
				m[member] = word
			}
		}
		return idShell, m
	case retold.ToolSearch:
		return d.searchLikeness()
	case retold.ToolList:
		return idList, members{"targetDirectory": d.path()}
	case retold.ToolWeb:
		if url := d.word("url", "uri"); url != "" {
			return idWebFetch, members{"url": url}
		}
		return idWebFind, members{"searchTerm": d.word("search_term", "searchTerm", "query", "q", "prompt")}
	case retold.ToolTask:
		what := d.word("prompt", "instructions", "message", "task", "description")
		return idTask, members{"description": d.word("description", "title", "name"), "prompt": what, "subagentType": d.word("subagent_type", "subagentType", "type")}
	case retold.ToolTodo:
		return idTodo, members{"todos": d.todos(), "merge": d.args.Get("merge").Bool()}
	case retold.ToolPlan:
		return idPlan, members{"plan": d.word("plan", "content", "text"), "name": d.word("name", "title"), "overview": d.word("overview", "summary"), "todos": []members{}}
	}
	return 0, nil
}

func (d *draft) searchLikeness() (int64, members) {
	m := members{}
	if p := d.path(); p != "" {
		m["path"] = p
	}
	if glob := d.word("globPattern", "glob_pattern"); glob != "" || strings.Contains(strings.ToLower(d.call.Name), "glob") {
		if glob == "" {
			glob = d.word("pattern", "glob", "query")
		}
		return idGlob, members{"globPattern": glob, "targetDirectory": d.word("targetDirectory", "target_directory", "path", "cwd")}
	}
	if query := d.word("query"); query != "" && d.word("pattern") == "" {
		return 9, members{"query": query}
	}
	m["pattern"] = d.word("pattern", "regex", "search", "query")
	if glob := d.word("glob", "include"); glob != "" {
		m["glob"] = glob
	}
	m["outputMode"] = "content"
	return idGrep, m
}

// number takes a whole number over.
func (d *draft) number(m members, as string, names ...string) {
	for _, name := range names {
		if v := d.args.Get(name); v.Kind() == jscan.Number && fitsInt("int32", v) {
			n, _ := v.Int()
			m[as] = n
			return
		}
	}
}

// todos are the entries of a list of things to do, in Cursor's members.
func (d *draft) todos() []members {
	list := []members{}
	for v := range d.args.First("todos", "plan", "items").Items() {
		v = v.Embedded()
		status := v.Get("status").Str()
		switch status {
		case "pending", "in_progress", "completed", "cancelled":
		default:
			status = "pending"
		}
		id := v.First("id").Text()
		if id == "" {
			id = "todo-" + derivedID(string(v))[:8]
		}
		list = append(list, members{"id": id, "content": v.First("content", "step", "text", "title", "description").Text(), "status": status, "dependencies": []string{}})
	}
	return list
}
