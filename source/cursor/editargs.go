package cursor

import (
	"strings"

	"github.com/retold-history/retold/internal/jscan"
)

// argumentDiff makes a diff of what the model asked for (formats C.6.6). Only a
// completed call did it; where the edit landed is not stored.
func (t *toolData) argumentDiff(path string) string {
	if patch := t.patch(); patch != "" {
		return patchDiff(patch)
	}
	for _, v := range []jscan.Value{t.args, t.params} {
		hunks := []string{replacement(v)}
		for edit := range v.Get("edits").Items() {
			hunks = append(hunks, replacement(edit))
		}
		if d := unplaced(path, hunks...); d != "" {
			return d
		}
	}
	content := firstString(t.args.Get("contents"), t.args.Get("content"), t.params.At("text", "text"), t.params.At("code", "code"), t.params.Get("streamingContent"))
	if content.Kind() == jscan.String && t.writesWhole() {
		return unified(path, "", content.Str())
	}
	return ""
}

// writesWhole reports whether the arguments hold the whole file: only the write
// tools do; edit_file's code_edit is a sketch with gaps. The text before is then
// unknown, so only a file that was created gives an honest diff.
func (t *toolData) writesWhole() bool {
	return t.result.Get("fileWasCreated").Bool() || t.result.Get("isNewFile").Bool()
}

// replacement is the body of a diff for one pair of old and new text.
func replacement(v jscan.Value) string {
	before := firstString(v.Get("old_string"), v.Get("oldString"), v.Get("old_str"))
	after := firstString(v.Get("new_string"), v.Get("newString"), v.Get("new_str"))
	if before.Kind() != jscan.String || after.Kind() != jscan.String {
		return ""
	}
	d := unified("f", before.Str()+"\n", after.Str()+"\n")
	var body strings.Builder
	for line := range strings.Lines(d) {
		if !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "+++") && !strings.HasPrefix(line, "@@") {
			body.WriteString(line)
		}
	}
	return body.String()
}

// patch is the V4A patch text of apply_patch, stored bare or in a member.
func (t *toolData) patch() string {
	const begin = "*** Begin Patch"
	for _, v := range []jscan.Value{t.rawArgs, t.args.Get("patch"), t.args.Get("input"), t.args.Get("patchText"), t.params.Get("patch"), t.params.At("text", "text")} {
		if s := v.Str(); strings.Contains(s, begin) && strings.HasPrefix(strings.TrimSpace(s), begin) {
			return s
		}
	}
	return ""
}

// patchLine recognises the lines of a V4A patch that name a file.
func patchLine(line string) (verb, path string, ok bool) {
	line = strings.TrimRight(line, "\r\n")
	for _, verb := range []string{"Update", "Add", "Delete"} {
		if p, found := strings.CutPrefix(line, "*** "+verb+" File: "); found {
			return verb, strings.TrimSpace(p), true
		}
	}
	return "", "", false
}

func patchFiles(patch string) (files []string) {
	for line := range strings.Lines(patch) {
		if _, path, ok := patchLine(line); ok {
			files = append(files, path)
		}
	}
	return files
}

// patchDiff turns a V4A patch into a unified diff. Its hunks carry no line
// numbers; the text behind their @@ names a place in words and is kept.
func patchDiff(patch string) string {
	var out, body strings.Builder
	var path, verb string
	var hunks []string
	endHunk := func() {
		hunks = append(hunks, body.String())
		body.Reset()
	}
	endFile := func() {
		endHunk()
		d := unplaced(path, hunks...)
		if verb == "Add" {
			d = strings.Replace(d, "--- a/"+strings.TrimPrefix(path, "/")+"\n", "--- /dev/null\n", 1)
		}
		out.WriteString(d)
		hunks = nil
	}
	for line := range strings.Lines(patch) {
		text := strings.TrimRight(line, "\r\n")
		v, p, named := patchLine(text)
		switch {
		case named:
			endFile()
			verb, path = v, p
		case strings.HasPrefix(text, "@@"):
			endHunk()
		case strings.HasPrefix(text, "***") || path == "":
		case text == "":
			body.WriteString(" \n")
		default:
			body.WriteString(text + "\n")
		}
	}
	endFile()
	return out.String()
}
