package demo

import (
	"encoding/json"
	"strconv"
	"strings"
)

// find is the tools that look for files and text.
func (d *desk) find(t *tool, st step) {
	root := d.story.workspace.path
	lines := strings.Split(st.body, "\n")
	t.said = st.body
	switch st.verb {
	case "glob":
		t.id, t.name, t.cli, t.variant = 42, "glob_file_search", "Glob", 4
		t.input = obj{"glob_pattern": st.subject}
		t.params = obj{"globPattern": st.subject, "targetDirectory": root}
		files := []obj{}
		for _, l := range lines {
			files = append(files, obj{"relPath": l})
		}
		t.result = obj{"directories": []obj{{"absPath": root, "files": files, "totalFiles": len(files)}}}
		t.args = pb{}.str(1, root).str(2, st.subject)
		t.outcome = pb{}.bytes(1, pb{}.str(1, st.subject).str(2, root).list(3, lines).num(4, int64(len(lines))))
	case "list":
		t.id, t.name, t.cli, t.variant = 39, "list_dir_v2", "LS", 13
		t.input = obj{"target_directory": d.file(st.subject)}
		t.params = obj{"targetDirectory": d.file(st.subject)}
		files := []obj{}
		node := pb{}.str(1, d.file(st.subject))
		for _, l := range lines {
			files = append(files, obj{"name": l})
			node = node.bytes(3, pb{}.str(1, l))
		}
		t.result = obj{"directoryTreeRoot": obj{"absPath": d.file(st.subject), "childrenDirs": []any{}, "childrenFiles": files, "childrenWereProcessed": true, "numFiles": len(files)}}
		t.args, t.outcome = pb{}.str(1, d.file(st.subject)), pb{}.bytes(1, pb{}.bytes(1, node))
	default:
		d.grep(t, st, lines)
	}
}

func (d *desk) grep(t *tool, st step, lines []string) {
	root := d.story.workspace.path
	t.id, t.name, t.cli, t.variant = 41, "grep", "Grep", 5
	if d.story.old() {
		t.id, t.name = 3, "grep_search"
		t.input = obj{"query": st.subject, "explanation": "Find every use"}
		t.params = obj{"patternInfo": obj{"pattern": st.subject}}
		t.result = obj{"internal": obj{"results": lines}}
		return
	}
	t.input = obj{"pattern": st.subject, "path": root, "output_mode": "content"}
	t.params = obj{"pattern": st.subject, "path": root, "outputMode": "content"}
	var names []string
	byFile := map[string][]obj{}
	protos := map[string]pb{}
	for _, l := range lines {
		parts := strings.SplitN(l, ":", 3)
		if len(parts) < 3 {
			continue
		}
		n, err := strconv.Atoi(parts[1])
		if err != nil {
			continue
		}
		if byFile[parts[0]] == nil {
			names = append(names, parts[0])
		}
		byFile[parts[0]] = append(byFile[parts[0]], obj{"lineNumber": n, "content": parts[2], "isContextLine": false})
		protos[parts[0]] = protos[parts[0]].bytes(2, pb{}.num(1, int64(n)).str(2, parts[2]))
	}
	matches, content := []obj{}, pb{}
	for _, name := range names {
		matches = append(matches, obj{"file": name, "matches": byFile[name]})
		content = content.bytes(1, append(pb{}.str(1, name), protos[name]...))
	}
	t.result = obj{"success": obj{
		"pattern": st.subject, "path": root, "outputMode": "content",
		"workspaceResults": obj{root: obj{"content": obj{"matches": matches, "totalMatchedLines": len(lines)}}},
	}}
	t.args = pb{}.str(1, st.subject).str(2, root).str(4, "content")
	t.outcome = pb{}.bytes(1, pb{}.str(1, st.subject).str(2, root).str(3, "content").
		pair(4, root, pb{}.bytes(3, content.num(3, int64(len(lines))))))
}

// steer is the tools by which an agent organises its work.
func (d *desk) steer(t *tool, st step) {
	switch st.verb {
	case "todo":
		todos := todosOf(st.body)
		t.id, t.name, t.cli, t.variant = 35, "todo_write", "TodoWrite", 9
		t.input = obj{"merge": false, "todos": todos}
		t.params = t.input
		t.result = obj{"success": true, "initialTodos": []any{}, "finalTodos": todos, "wasMerge": false}
		items := pb{}
		for _, item := range todos {
			items = items.bytes(1, todoProto(item))
		}
		t.args, t.outcome = append(pb{}, items...), pb{}.bytes(1, append(pb{}, items...).num(2, int64(len(todos))))
	case "plan":
		overview, body, _ := strings.Cut(st.body, "\n\n")
		t.id, t.name, t.cli, t.variant = 43, "create_plan", "CreatePlan", 17
		uri := "file:///home/ada/.cursor/plans/" + planName(d.story, st)
		t.input = obj{"name": st.subject, "overview": overview, "plan": body}
		t.params = obj{"name": st.subject, "overview": overview, "plan": body, "todos": []any{}}
		t.result = obj{"accepted": obj{}, "planUri": uri}
		t.args = pb{}.str(1, body).str(3, overview).str(4, st.subject)
		t.outcome = pb{}.bytes(1, pb{}).str(3, uri)
	case "task":
		t.id, t.name, t.cli, t.variant = 48, "task_v2", "Task", 19
		child := childID(st)
		t.input = obj{"description": st.subject, "prompt": st.body, "subagent_type": st.attr["type"]}
		t.params = obj{"description": st.subject, "prompt": st.body, "subagentType": st.attr["type"]}
		t.result = obj{"agentId": child, "isBackground": false}
		t.extra = obj{"subagentComposerId": child, "status": "success"}
		t.args = pb{}.str(1, st.subject).str(2, st.body).bytes(3, pb{}.bytes(4, pb{}))
		t.outcome = pb{}.bytes(1, pb{}.str(2, child).num(4, st.took.Milliseconds()))
	case "ask":
		t.id, t.name, t.cli, t.variant = 51, "ask_question", "AskQuestion", 23
		question, answer, _ := strings.Cut(st.body, "\n> ")
		options := []obj{{"id": "a", "label": answer}, {"id": "b", "label": "Something else"}}
		t.input = obj{"title": st.subject, "questions": []obj{{"id": "q1", "prompt": question, "options": options}}}
		t.params = t.input
		t.result = obj{"answers": []obj{{"questionId": "q1", "selectedOptionIds": []string{"a"}, "freeformText": answer}}, "isAsync": false}
		t.args, t.outcome = pb{}.str(1, st.subject), pb{}.bytes(1, pb{})
	}
}

// childID is the id of the story that a task step started.
func childID(st step) string {
	if strings.HasPrefix(st.attr["child"], "cli-") {
		return uuid(st.attr["child"])
	}
	return "task-" + callID("claude", st.attr["child"], 0)
}

// reach is the tools that go outside.
func (d *desk) reach(t *tool, st step) {
	if st.verb == "web" {
		t.id, t.name, t.cli, t.variant = 18, "web_search", "WebSearch", 18
		t.input, t.params = obj{"search_term": st.subject}, obj{"searchTerm": st.subject}
		refs, proto := []obj{}, pb{}
		for line := range strings.SplitSeq(st.body, "\n") {
			p := strings.SplitN(line+" | | ", " | ", 4)
			refs = append(refs, obj{"title": p[0], "url": p[1], "chunk": p[2]})
			proto = proto.bytes(1, pb{}.str(1, p[0]).str(2, p[1]).str(3, p[2]))
		}
		t.result, t.said = obj{"references": refs, "isFinal": true}, st.body
		t.args, t.outcome = pb{}.str(1, st.subject), pb{}.bytes(1, proto)
		return
	}
	server, name, _ := strings.Cut(st.subject, " ")
	args, answer, _ := strings.Cut(st.body, "\n")
	t.id, t.name, t.cli, t.variant, t.said = 49, "mcp-"+server+"-"+name, "CallMcpTool", 15, answer
	var input obj
	if json.Unmarshal([]byte(args), &input) != nil {
		input = obj{"query": args}
	}
	t.input = input
	t.params = obj{"server": server, "toolName": name, "toolArgs": args}
	t.result = obj{"server": server, "toolName": name, "result": text(obj{"content": []obj{{"type": "text", "text": answer}}})}
	t.args = pb{}.str(1, server+"-"+name).str(4, server).str(5, name)
	t.outcome = pb{}.bytes(1, pb{}.bytes(1, pb{}.bytes(1, pb{}.str(1, answer))))
}

// todosOf reads lines like "[x] id what to do".
func todosOf(body string) []obj {
	marks := map[string]string{"[x]": "completed", "[>]": "in_progress", "[ ]": "pending", "[-]": "cancelled"}
	todos := []obj{}
	for line := range strings.SplitSeq(body, "\n") {
		if len(line) < 4 {
			continue
		}
		id, what, _ := strings.Cut(line[4:], " ")
		todos = append(todos, obj{"id": id, "content": what, "status": marks[line[:3]], "dependencies": []string{}})
	}
	return todos
}

func todoProto(item obj) pb {
	states := map[string]int64{"pending": 1, "in_progress": 2, "completed": 3, "cancelled": 4}
	id, _ := item["id"].(string)
	content, _ := item["content"].(string)
	status, _ := item["status"].(string)
	return pb{}.str(1, id).str(2, content).num(3, states[status])
}

func planName(s *story, st step) string {
	return slug(strings.ToLower(st.subject)) + "-" + uuid(s.name, "plan")[:8] + ".plan.md"
}
