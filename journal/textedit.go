package journal

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// editKind says what is known of an edit.
type editKind byte

const (
	editDiff   editKind = iota // what it took away and what it put there
	editCreate                 // the whole of a new file
	editWhole                  // the whole of a file, not what was there before
	editSketch                 // lines of a file, some of which were there before
	editAppend                 // lines put behind what was there
	editDelete                 // the file is gone
	editMove                   // the file has another path
	editTouch                  // the file, no more
	editRevert                 // what was not committed in a file or folder is thrown away
	editReset                  // the same, of the whole working tree
	editStash                  // the same, but put aside
	editPop                    // what was put aside is there again
	editDrop                   // what was put aside is thrown away
)

// A textEdit is one edit of one file, with its text.
type textEdit struct {
	path    string // as the agent wrote it
	from    string // path before, of a move
	kind    editKind
	changes []change
	swaps   []substitution // of an editTouch by sed
}

// lines makes an edit that puts lines where nothing is known to have been.
func (e textEdit) lines(text string) textEdit {
	if added := cut(text); len(added) > 0 {
		e.changes = []change{{added: added}}
	}
	return e
}

// done reports whether a call did what it says. Transcripts do not tell how a
// call ended; most ended well.
func done(t *retold.ToolCall) bool {
	return t.Status == retold.StatusCompleted || t.Status == ""
}

// editsOf are the edits that a message made, with their texts.
func editsOf(m *retold.Message) []textEdit {
	t := m.Tool
	if t == nil || !done(t) {
		return nil
	}
	switch t.Kind {
	case retold.ToolEdit:
		return inCells(t, editsOfCall(t))
	case retold.ToolShell:
		command, cwd := shellCommand(t)
		edits := shellEdits(command, cwd)
		if failed(t) {
			edits = slices.DeleteFunc(edits, func(e textEdit) bool { return e.kind.setback() })
		}
		return edits
	case retold.ToolMCP:
		switch name := strings.ToLower(t.Name[strings.LastIndexAny(t.Name, "/.")+1:]); name {
		case "write_file", "edit_file", "create_file", "create_text_file", "replace_in_file", "str_replace", "apply_patch":
			return editsOfArguments(t)
		}
	}
	return nil
}

func editsOfCall(t *retold.ToolCall) []textEdit {
	if t.Diff == "" {
		return editsOfArguments(t)
	}
	files := readDiff(t.Diff)
	edits := make([]textEdit, 0, len(files))
	for _, f := range files {
		e := textEdit{path: callPath(t, f.to), changes: f.changes}
		switch {
		case f.to == "":
			e.path, e.kind = callPath(t, f.from), editDelete
		case f.from == "":
			e.kind = editCreate
		case f.from != f.to && callPath(t, f.from) != e.path && len(files) > 1:
			e.from = f.from
		case strings.Contains(t.Diff, "@@ all changes of this turn"):
			e.kind = editSketch
		}
		if e.path != "" {
			edits = append(edits, e)
		}
	}
	return edits
}

// callPath is the path in a diff as the call itself has it: a diff's lacks the
// slash at its beginning.
func callPath(t *retold.ToolCall, p string) string {
	for _, f := range t.Files {
		if f == p || strings.TrimPrefix(f, "/") == p {
			return f
		}
	}
	if len(t.Files) == 1 && (p == "" || p == "file") {
		return t.Files[0]
	}
	return p
}

// editsOfArguments reads what the model asked for, where nobody stored what came
// of it.
func editsOfArguments(t *retold.ToolCall) []textEdit {
	v := jscan.Value(t.Params)
	e := textEdit{path: v.First("file_path", "filePath", "target_file", "targetFile", "path", "relativeWorkspacePath", "relative_path", "notebook_path", "target_notebook", "filename").Str()}
	if e.path == "" && len(t.Files) > 0 {
		e.path = t.Files[0]
	}
	for _, p := range []jscan.Value{v.Get("patch"), v.Get("input"), v.Get("patchText"), v.Get("diff"), v.At("text", "text")} {
		if text := p.Str(); strings.Contains(text, "*** Begin Patch") {
			return readPatch(text)
		}
	}
	if e.path == "" {
		return nil
	}
	if strings.Contains(strings.ToLower(t.Name), "delete") || strings.Contains(strings.ToLower(t.Name), "remove") {
		e.kind = editDelete
		return []textEdit{e}
	}
	e.changes = replacement(v)
	for pair := range v.Get("edits").Items() {
		e.changes = append(e.changes, replacement(pair)...)
	}
	if len(e.changes) > 0 {
		return []textEdit{e}
	}
	if sketch := v.First("code_edit", "codeEdit"); sketch.Kind() == jscan.String {
		e.kind, e.changes = editSketch, sketched(sketch.Str())
		return []textEdit{e}
	}
	for _, whole := range []jscan.Value{v.Get("contents"), v.Get("content"), v.Get("file_text"), v.Get("streamingContent"), v.At("text", "text"), v.At("code", "code")} {
		if whole.Kind() == jscan.String {
			e.kind = editWhole
			return []textEdit{e.lines(whole.Str())}
		}
	}
	e.kind = editTouch
	return []textEdit{e}
}

// replacement compares a pair of old and new text.
func replacement(v jscan.Value) []change {
	before := v.First("old_string", "oldString", "old_str", "oldText", "old_text", "search")
	after := v.First("new_string", "newString", "new_str", "newText", "new_text", "replace")
	if after.Kind() != jscan.String {
		return nil
	}
	return compare(before.Str(), after.Str())
}

// most is the largest text that is compared.
const most = 1 << 20

// compare finds the changes between two pieces of a file.
func compare(before, after string) []change {
	if before == after {
		return nil
	}
	if len(before)+len(after) > most {
		return []change{{removed: cut(before), added: cut(after)}}
	}
	end := func(s string) string {
		if s != "" && !strings.HasSuffix(s, "\n") {
			return s + "\n"
		}
		return s
	}
	var changes []change
	for _, f := range readDiff(udiff.Unified("a", "b", end(before), end(after))) {
		changes = append(changes, f.changes...)
	}
	return changes
}

// sketched reads code_edit, which leaves out what stays: "// ... existing code ...".
func sketched(text string) (changes []change) {
	var c change
	flush := func() {
		if len(c.added) > 0 {
			changes = append(changes, c)
		}
		c = change{}
	}
	for _, l := range cut(text) {
		if strings.Contains(l, "...") {
			if s := strings.ToLower(l); strings.Contains(s, "existing") || strings.Contains(s, "rest of") || strings.Contains(s, "unchanged") {
				flush()
				continue
			}
		}
		c.added = append(c.added, l)
	}
	flush()
	return changes
}

// shellCommand is the command of a call, and the folder it ran in if that is known.
func shellCommand(t *retold.ToolCall) (command, cwd string) {
	v := jscan.Value(t.Params)
	c := v.First("command", "cmd", "script")
	if c.Kind() == jscan.Array { // ["bash", "-lc", "…"]
		for part := range c.Items() {
			command = part.Str()
		}
	} else {
		command = c.Str()
	}
	return command, v.First("cwd", "working_directory", "workingDirectory", "workdir").Str()
}
