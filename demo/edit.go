package demo

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// hunk splits the body of an edit, lines that begin with a space, "-" or "+",
// into the text before and the text after.
func hunk(body string) (before, after string, added, removed int) {
	for line := range strings.Lines(body + "\n") {
		switch line[0] {
		case '-':
			before += line[1:]
			removed++
		case '+':
			after += line[1:]
			added++
		default:
			line = strings.TrimPrefix(line, " ")
			before, after = before+line, after+line
		}
	}
	return before, after, added, removed
}

// change is an edit. How much of it is stored depends on via=: "content" keeps
// both texts as rows, "chunks" the diff in the result, "args" nothing but the
// model's arguments.
func (d *desk) change(t *tool, st step) {
	path := d.file(st.subject)
	before, after, added, removed := "", st.body+"\n", strings.Count(st.body, "\n")+1, 0
	t.id, t.name, t.cli, t.variant, t.path = 38, "write", "Write", 12, st.subject
	t.input = obj{"file_path": path, "contents": after}
	if st.verb != "write" {
		before, after, added, removed = hunk(st.body)
		t.name, t.cli = "search_replace", "StrReplace"
		t.input = obj{"file_path": path, "old_string": before, "new_string": after}
	}
	if st.verb == "patch" {
		t.name, t.cli = "apply_patch", "ApplyPatch"
		t.raw = "*** Begin Patch\n*** Update File: " + path + "\n@@\n" + st.body + "\n*** End Patch"
		t.input = obj{"patch": t.raw}
	}
	whole, changed := d.apply(st.subject, before, after)
	t.said = "The file " + path + " has been updated."
	t.params = obj{"relativeWorkspacePath": path, "noCodeblock": true, "cloudAgentEdit": false}
	chunks := obj{"chunks": []obj{{
		"diffString": diffText(st), "oldStart": 1, "newStart": 1, "oldLines": lines(before),
		"newLines": lines(after), "linesRemoved": removed, "linesAdded": added,
	}}, "editor": "EDITOR_AI", "hitTimeout": false}
	switch {
	case d.story.old():
		t.id, t.name = 7, "edit_file"
		t.input = obj{"target_file": st.subject, "instructions": "I will change " + st.subject + ".", "code_edit": after}
		t.raw = ""
		t.params = obj{"relativeWorkspacePath": st.subject, "contents": after, "instructions": "I will change " + st.subject + "."}
		t.result = obj{"diff": chunks, "isApplied": true, "applyFailed": false, "linterErrors": []any{}, "rejected": false}
	case st.attr["via"] == "chunks":
		t.result = obj{"diff": chunks, "fileWasCreated": false, "rejected": false}
	default:
		result := obj{"fileWasCreated": st.verb == "write", "eolSequence": "\n", "rejected": false, "linterErrors": []any{}}
		result["afterContentId"] = t.keep(changed)
		if st.verb != "write" || whole != "" {
			result["beforeContentId"] = t.keep(whole)
		}
		t.result = result
	}
	t.args = pb{}.str(1, path)
	t.outcome = pb{}.bytes(1, pb{}.str(1, path).num(3, int64(added)).num(4, int64(removed)).
		str(5, fmt.Sprintf("@@ -%d,%d +%d,%d @@\n%s\n", min(1, lines(before)), lines(before), min(1, lines(after)), lines(after), diffText(st))).str(6, whole).str(7, changed).str(8, t.said))
}

func lines(s string) int { return strings.Count(s, "\n") }

// diffText is the body as a unified diff without file names.
func diffText(st step) string {
	if st.verb == "write" {
		return "+" + strings.ReplaceAll(st.body, "\n", "\n+")
	}
	return st.body
}

// apply changes the file on the desk; where the story never showed the whole
// file, the passage stands for it.
func (d *desk) apply(path, before, after string) (whole, changed string) {
	whole = d.files[path]
	if before == "" || !strings.Contains(whole, before) {
		whole, changed = before, after
	} else {
		changed = strings.Replace(whole, before, after, 1)
	}
	d.files[path] = changed
	return whole, changed
}

// keep stores a file's text as a row of its own and returns the row's key.
func (t *tool) keep(s string) string {
	sum := sha256.Sum256([]byte(s))
	key := "composer.content." + hex.EncodeToString(sum[:])
	t.content[key] = s
	return key
}
