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
	return t.told().created.Bool() || t.told().isNew.Bool()
}

// replacement is the body of a diff for one pair of old and new text.
func replacement(v jscan.Value) string {
	before := firstString(v.Get("old_string"), v.Get("oldString"), v.Get("old_str"))
	after := firstString(v.Get("new_string"), v.Get("newString"), v.Get("new_str"))
	if before.Kind() != jscan.String || after.Kind() != jscan.String {
		return ""
	}
	// With all lines as context there is one hunk, behind two file lines and its own.
	from := asLines(before.Str())
	d := compare("f", from, asLines(after.Str()), strings.Count(from, "\n"))
	for range 3 {
		_, d, _ = strings.Cut(d, "\n")
	}
	return d
}

// asLines ends the last line of a piece of a file, which stands in its middle.
func asLines(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
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
	var p patchReader
	for line := range strings.Lines(patch) {
		p.line(strings.TrimRight(line, "\r\n"))
	}
	p.endFile()
	return p.out.String()
}

type patchReader struct {
	out, file, body  strings.Builder
	path, verb, near string
}

func (p *patchReader) line(text string) {
	verb, path, named := patchLine(text)
	switch {
	case named:
		p.endFile()
		p.verb, p.path = verb, path
	case strings.HasPrefix(text, "@@"):
		p.endHunk()
		p.near = strings.Trim(text, "@ ")
	case strings.HasPrefix(text, "***") || p.path == "":
	case text == "" || !strings.ContainsAny(text[:1], "+- "):
		p.body.WriteString(" " + text + "\n")
	default:
		p.body.WriteString(text + "\n")
	}
}

func (p *patchReader) endHunk() {
	hunk(&p.file, p.path, p.body.String(), p.near)
	p.body.Reset()
	p.near = ""
}

func (p *patchReader) endFile() {
	p.endHunk()
	d := p.file.String()
	if p.verb == "Add" {
		d = strings.Replace(d, "--- a/"+strings.TrimPrefix(p.path, "/")+"\n", "--- /dev/null\n", 1)
		d = strings.Replace(d, "@@ -1,0 +1,", "@@ -0,0 +1,", 1)
		d = strings.Replace(d, " @@ position in the file not stored\n", " @@\n", 1)
	}
	p.out.WriteString(d)
	p.file.Reset()
}
