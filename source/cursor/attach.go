package cursor

import (
	"path"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/paths"
)

// attachmentKinds are the lists of a bubble's context (formats C.2) and what
// they hold.
var attachmentKinds = []struct{ list, kind string }{
	{"fileSelections", "file"}, {"folderSelections", "folder"}, {"selections", "selection"},
	{"terminalSelections", "terminal"}, {"terminalFiles", "terminal"}, {"selectedImages", "image"},
	{"selectedDocs", "doc"}, {"externalLinks", "link"}, {"selectedCommits", "commit"}, {"selectedPullRequests", "pr"},
	{"cursorRules", "rule"}, {"cursorCommands", "command"}, {"composers", "chat"}, {"notepads", "note"}, {"quotes", "selection"},
}

// attachments are the things a message carried besides its text, each once.
func (b *bubble) attachments() []retold.Attachment {
	var all []retold.Attachment
	seen := map[retold.Attachment]bool{}
	add := func(kind string, v jscan.Value) {
		a, ok := attachment(kind, v)
		if ok && !seen[a] {
			seen[a] = true
			all = append(all, a)
		}
	}
	for key, list := range b.context.Members() {
		for _, k := range attachmentKinds {
			if string(key) != k.list {
				continue
			}
			for item := range list.Items() {
				add(k.kind, item)
			}
		}
	}
	for _, l := range []struct {
		kind string
		list jscan.Value
	}{{"image", b.images}, {"selection", b.chunks}, {"folder", b.folders}, {"doc", b.docs}, {"link", b.web}, {"link", b.links}, {"rule", b.rules}} {
		for item := range l.list.Items() {
			add(l.kind, item)
		}
	}
	return all
}

// attachment reads one entry of any of the lists; their shapes differ by version
// more than by list. A file that was merely open is no attachment.
func attachment(kind string, v jscan.Value) (retold.Attachment, bool) {
	a := retold.Attachment{Kind: kind}
	if v.Kind() == jscan.String {
		a.Name = v.Str()
		return a, a.Name != ""
	}
	if v.Get("addedWithoutMention").Bool() && kind == "file" && v.Get("isCurrentFile").Bool() {
		return a, false
	}
	a.Path = uriPath(v.First("uri", "path", "relativeWorkspacePath", "relativePath", "url"))
	a.Name = v.First("fileName", "name", "title", "filename", "message", "label").Text()
	if a.Name == "" && a.Path != "" {
		a.Name = path.Base(strings.ReplaceAll(a.Path, `\`, "/"))
	}
	if a.Name == "" {
		a.Name = v.First("uuid", "id", "sha", "composerId", "number").Text()
	}
	a.Text = v.First("rawText", "text", "content").Str()
	if lines := v.Get("lines"); lines.Kind() == jscan.Array && a.Text == "" {
		var all []string
		for l := range lines.Items() {
			all = append(all, l.Str())
		}
		a.Text = strings.Join(all, "\n")
	}
	a.StartLine, a.EndLine = lineRange(v)
	if a.Name == "" && a.Text != "" {
		a.Name = retold.Preview(a.Text)
	}
	return a, a.Name != ""
}

func lineRange(v jscan.Value) (start, end int) {
	r := v.Get("range")
	first := r.First("selectionStartLineNumber", "startLineNumber", "startLine")
	last := r.First("positionLineNumber", "endLineNumber", "endLine", "endLineNumberInclusive")
	if first.Kind() == jscan.None {
		first, last = v.First("startLineNumber", "startLine"), v.First("endLineNumber", "endLine")
	}
	from, ok := first.Int()
	if !ok || from <= 0 || from > 1<<31 {
		return 0, 0
	}
	to, ok := last.Int()
	if !ok || to < from || to > 1<<31 {
		to = from
	}
	return int(from), int(to)
}

// uriPath is the path of an address in any of its forms: a string, or an object
// with fsPath, external or scheme and path.
func uriPath(v jscan.Value) string { return location(v).Path }

// location reads an address (formats A.4, C.2 workspaceIdentifier).
func location(v jscan.Value) paths.Location {
	if v.Kind() == jscan.String {
		return paths.ParseURI(v.Str())
	}
	if v.Kind() != jscan.Object {
		return paths.Location{}
	}
	if ext := v.First("external", "_formatted").Str(); ext != "" {
		return paths.ParseURI(ext)
	}
	if p := v.Get("path").Str(); p != "" {
		authority := v.Get("authority").Str()
		return paths.Locate(v.Get("scheme").Str(), authority, p)
	}
	return paths.ParseURI(v.First("fsPath", "_fsPath").Str())
}
