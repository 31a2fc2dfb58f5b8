package cursor

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/jscan"
)

// outcome gives a call the result that Cursor's parser takes for its tool: the
// stored one where it is of that form, else one made of what it says.
func (d *draft) outcome() {
	all := toolShapes()
	shape := all.tools[d.id].result
	v, err := jscan.Parse(agentstate.CompactJSON(d.call.Result))
	if err != nil || v.Kind() == jscan.Null {
		d.noResult()
		return
	}
	if d.call.Status == retold.StatusFailed && v.Kind() == jscan.Object && v.First("clientVisibleErrorMessage", "modelVisibleErrorMessage") != nil && all.fits("ToolResultError", v) {
		d.fail = v
		return
	}
	if d.id != idCallMCP && v.Kind() == jscan.Object && shape != "" && v.Len() > 0 && all.fits(shape, v) {
		d.result = v
		return
	}
	m := d.resultLikeness(v)
	if m == nil || shape == "" {
		return
	}
	if doc, err := encode(m); err == nil && all.fits(shape, doc) {
		d.result = doc
	}
}

// noResult lets Cursor show that nothing came of a call that failed.
func (d *draft) noResult() {
	switch {
	case d.call.Status == retold.StatusFailed:
		d.fail = []byte(`{"clientVisibleErrorMessage":"","modelVisibleErrorMessage":""}`)
	case d.id == idShell && d.call.ExitCode != nil:
		if doc, err := encode(members{"output": "", "exitCodeV2": *d.call.ExitCode}); err == nil {
			d.result = doc
		}
	}
}

// resultLikeness is what a result says in the members of the tool; nil where the
// tool has none for it.
func (d *draft) resultLikeness(v jscan.Value) members {
	text := resultText(v)
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	params := jscan.Value(d.params)
	switch d.id {
	case idShell:
		return d.shellResult(text)
	case idRead:
		return members{"contents": text, "numCharactersInRequestedRange": len(text), "totalLinesInFile": len(lines)}
	case idList:
		files := []members{}
		for _, l := range lines {
			files = append(files, members{"name": strings.TrimSpace(l)})
		}
		return members{"directoryTreeRoot": members{
			"absPath": params.Get("targetDirectory").Str(), "childrenDirs": []members{}, "childrenFiles": files, "childrenWereProcessed": true, "numFiles": len(files),
		}}
	case idGrep:
		return grepResult(params, lines)
	case idGlob:
		files := []members{}
		for _, l := range lines {
			files = append(files, members{"relPath": l})
		}
		return members{"directories": []members{{"absPath": params.Get("targetDirectory").Str(), "files": files, "totalFiles": len(files)}}}
	case idWebFetch:
		return members{"url": params.Get("url").Str(), "markdown": text}
	case idWebFind:
		return members{"references": []members{{"title": "", "url": "", "chunk": text}}, "isFinal": true}
	case idTodo:
		return members{"success": true, "finalTodos": params.Get("todos").Raw(), "initialTodos": []members{}, "wasMerge": params.Get("merge").Bool()}
	case idPlan:
		return members{"accepted": members{}}
	case idDelete:
		return members{"fileDeletedSuccessfully": d.call.Status == retold.StatusCompleted}
	case idTask:
		return members{"isBackground": false}
	case idCallMCP:
		var answer any = members{"content": []members{{"type": "text", "text": text}}}
		if v.Kind() == jscan.Object {
			answer = json.RawMessage(v)
		}
		return members{"server": params.Get("server").Str(), "toolName": params.Get("toolName").Str(), "result": answer}
	}
	return nil
}

func (d *draft) shellResult(text string) members {
	m := members{"output": text, "outputRaw": text, "rejected": false, "notInterrupted": true, "endedReason": "RUN_TERMINAL_COMMAND_ENDED_REASON_EXECUTION_COMPLETED"}
	switch {
	case d.call.Status == retold.StatusCancelled:
		return members{"output": text, "outputRaw": text, "rejected": true}
	case d.call.ExitCode == nil:
		delete(m, "endedReason")
	default:
		m["exitCodeV2"] = *d.call.ExitCode
	}
	return m
}

// grepResult sorts lines "file:number:text" by file; lines of another form are
// names of files.
func grepResult(params jscan.Value, lines []string) members {
	root := params.Get("path").Str()
	if root == "" {
		root = "."
	}
	var order []string
	found := map[string][]members{}
	for _, l := range lines {
		parts := strings.SplitN(l, ":", 3)
		if len(parts) < 3 {
			continue
		}
		if n, err := strconv.ParseInt(parts[1], 10, 32); err == nil {
			if found[parts[0]] == nil {
				order = append(order, parts[0])
			}
			found[parts[0]] = append(found[parts[0]], members{"lineNumber": n, "content": parts[2], "isContextLine": false})
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
	return members{"success": members{"pattern": params.Get("pattern").Str(), "path": root, "outputMode": mode, "workspaceResults": members{root: answer}}}
}

// resultText is what a result says, as a text.
func resultText(v jscan.Value) string {
	switch v.Kind() {
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
		for _, name := range []string{"output", "interleavedOutput", "stdout", "contents", "content", "text", "markdown", "result", "message", "success", "failure", "error"} {
			if m := v.Get(name); !m.Empty() {
				return resultText(m)
			}
		}
	}
	return string(v)
}
