package journal

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/retold-history/retold"
)

// inCells writes the lines of a notebook's cell as they stand in its file, where
// each is a string. Edits of the file's own text stay as they are.
func inCells(t *retold.ToolCall, edits []textEdit) []textEdit {
	if !strings.Contains(strings.ToLower(t.Name), "notebook") {
		return edits
	}
	for i := range edits {
		e := &edits[i]
		if !strings.HasSuffix(strings.ToLower(e.path), ".ipynb") || slices.ContainsFunc(e.changes, ofNotebookFile) {
			continue
		}
		changes := slices.Clone(e.changes)
		for n, c := range changes {
			changes[n].removed = cellLines(c.removed)
			changes[n].added = cellLines(c.added)
		}
		e.changes = changes
		if e.kind == editCreate || e.kind == editWhole {
			e.kind = editDiff // a cell is not the whole file
		}
	}
	return edits
}

// ofNotebookFile reports whether a change is one of the JSON of a notebook.
func ofNotebookFile(c change) bool {
	lines := slices.Concat(c.removed, c.added)
	quoted := 0
	for _, l := range lines {
		if l = strings.TrimSuffix(strings.TrimSpace(l), ","); strings.HasPrefix(l, `"`) && strings.HasSuffix(l, `"`) || strings.Trim(l, "{}[]") == "" {
			quoted++
		}
	}
	return len(lines) > 0 && quoted == len(lines)
}

// cellLines are lines of a cell as the file has them: each with its line end but
// for the last of the cell, which is the last here as well.
func cellLines(lines []string) []string {
	list := make([]string, len(lines))
	for i, l := range lines {
		end := ","
		if i < len(lines)-1 {
			l += "\n"
		} else {
			end = ""
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(strings.TrimSuffix(l, "\r")); err != nil {
			return lines // cannot be: a string is JSON
		}
		list[i] = strings.TrimSuffix(b.String(), "\n") + end
	}
	return list
}
