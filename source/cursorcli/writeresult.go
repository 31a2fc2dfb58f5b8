package cursorcli

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/jscan"
)

// outcome gives a call the result that its tool has: the stored one where it is
// of that form, else one made of what it says. No call is left without one, if
// an empty one: the agent would take it for one that is still under way.
func (d *draft) outcome() {
	v, err := jscan.Parse(agentstate.CompactJSON(d.call.Result))
	if err != nil {
		v = nil
	}
	if v.Kind() == jscan.Object && !v.Empty() && fits(d.variant, d.args, json.RawMessage(v)) {
		d.result = json.RawMessage(v)
		return
	}
	d.result = json.RawMessage(`{}`)
	if doc, err := encodeJSON(d.ended(said(v))); err == nil && fits(d.variant, d.args, doc) {
		d.result = doc
	}
}

// ended is the result in the members of the tool.
func (d *draft) ended(text string) members {
	args := jscan.Value(d.args)
	switch d.call.Status {
	case retold.StatusCompleted, "":
		return members{"success": d.success(args, text)}
	case retold.StatusFailed:
		switch d.variant {
		case "shell":
			m := shellEnd(args, text)
			if d.call.ExitCode != nil {
				m["exitCode"] = *d.call.ExitCode
			}
			return members{"failure": m}
		case "mcp":
			return members{"success": members{"content": texts(text), "isError": true}}
		}
	}
	ways := agentstate.Outcomes(d.variant)
	for _, way := range []string{"rejected", "error", "failure"} {
		names, ok := ways[way]
		if !ok || way == "rejected" && d.call.Status == retold.StatusFailed {
			continue
		}
		m := members{}
		for _, name := range []string{"reason", "error", "errorMessage"} {
			if slices.Contains(names, name) {
				m[name] = text
			}
		}
		for _, name := range []string{"path", "command", "workingDirectory", "url"} {
			if v := args.Get(name).Str(); v != "" && slices.Contains(names, name) {
				m[name] = v
			}
		}
		return members{way: m}
	}
	return members{}
}

// success is what a call that did its work says.
func (d *draft) success(args jscan.Value, text string) members {
	path := args.Get("path").Str()
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	switch d.variant {
	case "shell":
		m := shellEnd(args, text)
		if d.call.ExitCode != nil && *d.call.ExitCode != 0 {
			m["exitCode"] = *d.call.ExitCode
		}
		return m
	case "read":
		return members{"content": text, "totalLines": len(lines), "fileSize": len(text), "path": path}
	case "edit":
		return d.editEnd(path, text)
	case "delete":
		return members{"path": path}
	case "ls":
		files := []members{}
		for _, l := range lines {
			files = append(files, members{"name": strings.TrimSpace(l)})
		}
		return members{"directoryTreeRoot": members{"absPath": path, "childrenFiles": files, "childrenWereProcessed": true, "numFiles": len(files)}}
	case "glob":
		return members{"pattern": args.Get("globPattern").Str(), "path": args.Get("targetDirectory").Str(), "files": lines, "totalFiles": len(lines)}
	case "grep":
		return grepEnd(args, lines)
	case "sem_search":
		return members{"results": text}
	case "web_fetch":
		return members{"url": args.Get("url").Str(), "markdown": text}
	case "web_search":
		return members{"references": []members{{"chunk": text}}}
	case "task":
		return members{"conversationSteps": []members{{"assistantMessage": members{"text": text}}}}
	case "update_todos":
		return members{"todos": args.Get("todos").Raw(), "totalCount": args.Get("todos").Len(), "wasMerge": args.Get("merge").Bool()}
	case "mcp":
		return members{"content": texts(text)}
	}
	return members{}
}

func texts(text string) []members { return []members{{"text": members{"text": text}}} }

func shellEnd(args jscan.Value, text string) members {
	m := members{"command": args.Get("command").Str(), "stdout": text, "interleavedOutput": text}
	put(m, "workingDirectory", args.Get("workingDirectory").Str())
	return m
}

// editEnd is an edit as the agent shows it: the hunks of the diff.
func (d *draft) editEnd(path, text string) members {
	m := members{"path": path, "message": text}
	diff := d.call.Diff
	if diff == "" {
		return m
	}
	if at := strings.Index(diff, "@@"); at > 0 && strings.Count(diff, "\n--- ") == 0 && diff[at-1] == '\n' {
		diff = diff[at:]
	}
	added, removed := 0, 0
	for l := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(l, "+") && !strings.HasPrefix(l, "+++ "):
			added++
		case strings.HasPrefix(l, "-") && !strings.HasPrefix(l, "--- "):
			removed++
		}
	}
	m["linesAdded"], m["linesRemoved"], m["diffString"] = added, removed, diff
	return m
}

// grepEnd sorts lines "file:number:text" by file; where there are none they are
// names of files.
func grepEnd(args jscan.Value, lines []string) members {
	root := args.Get("path").Str()
	if root == "" {
		root = "."
	}
	var order []string
	found := map[string][]members{}
	for _, l := range lines {
		file, rest, _ := strings.Cut(l, ":")
		number, text, ok := strings.Cut(rest, ":")
		if n, err := strconv.ParseInt(number, 10, 32); ok && err == nil {
			if found[file] == nil {
				order = append(order, file)
			}
			found[file] = append(found[file], members{"lineNumber": n, "content": text})
		}
	}
	mode, answer := "files_with_matches", members{"files": members{"files": lines, "totalFiles": len(lines)}}
	if len(order) > 0 {
		matches, total := []members{}, 0
		for _, f := range order {
			matches = append(matches, members{"file": f, "matches": found[f]})
			total += len(found[f])
		}
		mode, answer = "content", members{"content": members{"matches": matches, "totalMatchedLines": total}}
	}
	return members{"pattern": args.Get("pattern").Str(), "path": root, "outputMode": mode, "workspaceResults": members{root: answer}}
}

// said is what a result says, as a text.
func said(v jscan.Value) string {
	switch v.Kind() {
	case jscan.None, jscan.Null:
		return ""
	case jscan.String:
		return v.Str()
	case jscan.Array:
		var parts []string
		for item := range v.Items() {
			if t := item.Get("text"); t.Kind() == jscan.String {
				parts = append(parts, t.Str())
			} else if item.Kind() == jscan.String {
				parts = append(parts, item.Str())
			}
		}
		if len(parts) > 0 {
			return strings.Join(parts, "\n")
		}
	case jscan.Object:
		for _, name := range []string{agentstate.ModelOutput, "output", "interleavedOutput", "stdout", "contents", "content", "text", "markdown", "result", "message", "success", "failure", "error"} {
			if m := v.Get(name); !m.Empty() {
				return said(m)
			}
		}
	}
	return string(v)
}
