package journal_test

import (
	"fmt"
	"strings"
)

// A madeCall is a use of a tool in the forms in which Cursor keeps it.
type madeCall struct {
	number         int
	name           string
	args           obj
	raw            string // arguments that are no JSON
	params, result obj
}

// tool is the toolFormerData of a bubble.
func (h *cursorHome) tool(t *talk, i int, s said) obj {
	c := madeCall{params: obj{}, result: obj{}}
	switch s.kind {
	case "edit":
		h.edit(t, s, &c)
	case "write":
		h.write(t, s, &c)
	case "delete":
		c.number, c.name = 11, "delete_file"
		c.args, c.params, c.result = obj{"target_file": s.path}, obj{"relativeWorkspacePath": s.path}, obj{"fileDeletedSuccessfully": true}
	case "read":
		c.number, c.name = 40, "read_file_v2"
		c.args, c.params, c.result = obj{"target_file": s.path}, obj{"targetFile": s.path}, obj{"contents": s.text}
	case "task":
		c.number, c.name = 48, "task_v2"
		c.args = obj{"description": "part of the work", "prompt": s.text, "subagent_type": "generalPurpose"}
		c.params, c.result = c.args, obj{"agentId": s.child.id, "isBackground": false}
	case "shell":
		c.number, c.name = 15, "run_terminal_cmd"
		c.args = obj{"command": s.command, "is_background": false}
		c.params = obj{"command": s.command, "requireUserApproval": false}
		c.result = obj{"output": s.output, "rejected": false, "exitCodeV2": s.exit}
	}
	return c.former(t, i, s)
}

func (c *madeCall) former(t *talk, i int, s said) obj {
	f := obj{
		"tool": c.number, "name": c.name, "toolCallId": fmt.Sprintf("toolu_01%s%04d", strings.ReplaceAll(t.id, "-", "")[:18], i),
		"status": "completed", "rawArgs": c.raw, "params": toJSON(c.params), "result": toJSON(c.result), "additionalData": obj{},
	}
	if c.raw == "" {
		f["rawArgs"] = toJSON(c.args)
	}
	switch s.status {
	case "rejected":
		f["userDecision"], f["result"] = "rejected", toJSON(obj{"rejected": true})
	case "error":
		f["status"] = "error"
		delete(f, "result")
		f["error"] = toJSON(obj{"clientVisibleErrorMessage": "The string to replace was not found in the file."})
	case "cancelled":
		f["status"] = "cancelled"
		delete(f, "result")
	case "pending":
		f["status"] = "loading"
		delete(f, "result")
	}
	if s.kind == "task" {
		f["additionalData"] = obj{"subagentComposerId": s.child.id, "status": "success"}
	}
	return f
}

// hunkSides are a hunk's text before and after.
func hunkSides(hunk []hunkLine) (before, after string) {
	for _, l := range hunk {
		if l.mark != '+' {
			before += l.text + "\n"
		}
		if l.mark != '-' {
			after += l.text + "\n"
		}
	}
	return before, after
}

func hunkMarks(hunk []hunkLine) string {
	var b strings.Builder
	for _, l := range hunk {
		b.WriteString(string(l.mark) + l.text + "\n")
	}
	return b.String()
}

// edit is a change of places in a file, by whichever tool its time had.
func (h *cursorHome) edit(t *talk, s said, c *madeCall) {
	c.params = obj{"relativeWorkspacePath": s.path}
	c.number = 38
	before, after := hunkSides(s.hunks[0])
	switch {
	case t.shape == "timing" || s.tool == "sketch":
		c.number, c.name = 7, "edit_file"
		var sketch strings.Builder
		for _, hunk := range s.hunks {
			_, text := hunkSides(hunk)
			sketch.WriteString("// ... existing code ...\n" + text)
		}
		c.args = obj{"target_file": s.path, "instructions": "I will change it.", "code_edit": sketch.String() + "// ... existing code ...\n"}
	case s.tool == "patch":
		c.name = "apply_patch"
		c.raw = "*** Begin Patch\n*** Update File: " + s.path + "\n"
		for _, hunk := range s.hunks {
			c.raw += "@@\n" + hunkMarks(hunk)
		}
		c.raw += "*** End Patch"
	case len(s.hunks) > 1:
		c.name = "MultiEdit"
		edits := []obj{}
		for _, hunk := range s.hunks {
			from, to := hunkSides(hunk)
			edits = append(edits, obj{"old_string": from, "new_string": to})
		}
		c.args = obj{"file_path": s.path, "edits": edits}
	default:
		c.name = "search_replace"
		c.args = obj{"file_path": s.path, "old_string": before, "new_string": after}
	}
	h.outcome(t, s, c)
}

func (h *cursorHome) write(t *talk, s said, c *madeCall) {
	c.number, c.name = 38, "write"
	c.params = obj{"relativeWorkspacePath": s.path}
	c.args = obj{"file_path": s.path, "contents": strings.ReplaceAll(s.after, "\r\n", "\n")}
	if t.shape == "timing" {
		c.number, c.name = 7, "edit_file"
		c.args = obj{"target_file": s.path, "code_edit": s.after}
	}
	h.outcome(t, s, c)
}

// outcome is what the result says of an edit: rows with both texts, a diff in
// chunks, or nothing.
func (h *cursorHome) outcome(t *talk, s said, c *madeCall) {
	how := s.store
	if how == "" && (t.shape == "timing" || t.shape == "bubbles") {
		how = "chunks"
	}
	switch {
	case s.status != "":
	case how == "args":
		c.result = obj{"rejected": false, "fileWasCreated": s.before == ""}
	case how == "chunks":
		chunks := []obj{}
		for _, hunk := range s.hunks {
			chunks = append(chunks, obj{"diffString": hunkMarks(hunk), "oldStart": 1, "newStart": 1})
		}
		if s.kind == "write" {
			chunks = append(chunks, obj{"diffString": wholeDiff(s), "oldStart": 1, "newStart": 1})
		}
		c.result = obj{"diff": obj{"chunks": chunks, "editor": "EDITOR_AI"}, "isApplied": true, "applyFailed": false, "rejected": false}
	default:
		c.result = obj{"afterContentId": h.keep(s.after), "fileWasCreated": s.before == "", "rejected": false, "linterErrors": []any{}}
		if s.before != "" {
			c.result["beforeContentId"] = h.keep(s.before)
		}
	}
}

// wholeDiff is a diff that replaces every line.
func wholeDiff(s said) string {
	var b strings.Builder
	for _, l := range textLines(s.before) {
		b.WriteString("-" + l + "\n")
	}
	for _, l := range textLines(s.after) {
		b.WriteString("+" + l + "\n")
	}
	return b.String()
}
