package cursor

import (
	"path"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/paths"
)

// contextLists are the lists of a bubble's context (formats C.2) and what they
// hold, in the order in which people see them.
var contextLists = []struct{ list, kind string }{
	{"fileSelections", "file"},
	{"folderSelections", "folder"},
	{"selections", "selection"},
	{"quotes", "selection"},
	{"terminalSelections", "terminal"},
	{"terminalFiles", "terminal"},
	{"selectedImages", "image"},
	{"selectedDocs", "doc"},
	{"externalLinks", "link"},
	{"selectedCommits", "commit"},
	{"selectedPullRequests", "pr"},
	{"gitPRDiffSelections", "pr"},
	{"cursorRules", "rule"},
	{"cursorCommands", "command"},
	{"composers", "chat"},
	{"notepads", "note"},
	{"uiElementSelections", "context"},
	{"consoleLogs", "context"},
}

// bubbleLists are the members of a bubble itself that list attachments (formats
// C.4).
var bubbleLists = map[string]string{
	"images": "image", "attachedCodeChunks": "selection", "attachedFolders": "folder", "attachedFoldersNew": "folder",
	"docsReferences": "doc", "documentationSelections": "doc", "webReferences": "link", "aiWebSearchResults": "link",
	"externalLinks": "link", "cursorRules": "rule", "cursorCommands": "command", "pastChats": "chat", "summarizedComposers": "chat",
	"notepads": "note", "commits": "commit", "pullRequests": "pr", "gitDiffs": "context", "consoleLogs": "context",
	"uiElementPicked": "context", "knowledgeItems": "context", "interpreterResults": "context",
}

// attachments are the things a message carried besides its text, each once: an
// image is often in the context and in a list of its own.
func (b *bubble) attachments() []retold.Attachment {
	var all []retold.Attachment
	seen := map[retold.Attachment]bool{}
	add := func(kind string, list jscan.Value) {
		for item := range list.Items() {
			a, ok := attachment(kind, item)
			same := a
			if kind == "image" {
				if id := item.Get("uuid").Str(); id != "" {
					same = retold.Attachment{Kind: kind, Name: id}
				}
			}
			if ok && !seen[same] {
				seen[same] = true
				all = append(all, a)
			}
		}
	}
	if !b.context.Empty() {
		lists := map[string]jscan.Value{}
		for key, list := range b.context.Members() {
			lists[string(key)] = list
		}
		for _, l := range contextLists {
			add(l.kind, lists[l.list])
		}
	}
	for _, l := range b.lists {
		add(l.kind, l.items)
	}
	return all
}

// attachment reads one entry of any of the lists; their shapes differ by version
// more than by list. A file that was merely open is no attachment.
func attachment(kind string, v jscan.Value) (retold.Attachment, bool) {
	a := retold.Attachment{Kind: kind}
	v = v.Embedded() // some lists hold strings of JSON
	if v.Kind() == jscan.String {
		return plainAttachment(kind, v.Str())
	}
	if v.Get("addedWithoutMention").Bool() && kind == "file" && v.Get("isCurrentFile").Bool() {
		return a, false
	}
	a.Path = uriPath(v.First("uri", "path", "relativeWorkspacePath", "relativePath", "filePath", "folderPath", "fullPath"))
	if url := v.First("url", "prUrl", "pullRequestUrl").Str(); url != "" && a.Path == "" {
		a.Path = url // byte-exact: it is for opening
	}
	a.Name = v.First("fileName", "displayName", "name", "title", "filename", "message", "label", "component", "element").Text()
	if a.Name == "" && a.Path != "" {
		a.Name = path.Base(strings.ReplaceAll(a.Path, `\`, "/"))
	}
	if a.Name == "" {
		a.Name = v.First("uuid", "id", "docId", "sha", "composerId", "number", "knowledgeId").Text()
	}
	a.Text = v.First("rawText", "text", "content", "body", "chunk", "knowledge", "textContent", "diffContent", "output").Str()
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

// plainAttachment is an entry that is only a path, an address or a word.
func plainAttachment(kind, s string) (retold.Attachment, bool) {
	a := retold.Attachment{Kind: kind, Name: s}
	if kind == "file" || kind == "folder" || kind == "image" || kind == "terminal" && isAbsolute(s) {
		a.Path = paths.ParseURI(s).Path
		a.Name = path.Base(strings.TrimRight(strings.ReplaceAll(a.Path, `\`, "/"), "/"))
	}
	if kind == "link" {
		a.Path = s
	}
	return a, s != ""
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
	if !ok { // a chunk of code says where it begins, and holds its lines
		to = from + int64(max(v.Get("lines").Len(), 1)) - 1
	}
	if to < from || to > 1<<31 {
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
