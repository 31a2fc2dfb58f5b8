package cursor

import (
	"path"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/paths"
)

// emptyContext is the frame that hangs around what a message carried.
func emptyContext() members {
	c := members{"usesCodebase": false, "mentions": members{}}
	for _, name := range contextNames {
		c[name] = []members{}
	}
	return c
}

// attach puts attachments into the lists that Cursor keeps them in.
func attach(b members, all []retold.Attachment) {
	if len(all) == 0 {
		return
	}
	c, ok := b["context"].(members)
	if !ok {
		c = emptyContext()
		b["context"] = c
	}
	for _, a := range all {
		if a.Kind == "image" {
			list, _ := b["images"].([]members)
			b["images"] = append(list, attached(a))
			continue
		}
		name := "uiElementSelections"
		for _, l := range contextLists {
			if l.kind == a.Kind {
				name = l.list
				break
			}
		}
		list, _ := c[name].([]members)
		c[name] = append(list, attached(a))
	}
}

// attached is one attachment in the members that its reading looks for.
func attached(a retold.Attachment) members {
	m := members{}
	switch {
	case a.Path == "":
	case a.Kind == "link" || a.Kind == "pr":
		m["url"] = a.Path
	case a.Kind == "image":
		m["path"] = a.Path
	case isAbsolute(a.Path):
		m["uri"] = fileURI(paths.ParseAddress(a.Path))
	default:
		m["relativeWorkspacePath"] = a.Path
	}
	name := "name"
	if a.Kind == "file" {
		name = "fileName"
	}
	if a.Name != path.Base(strings.ReplaceAll(a.Path, `\`, "/")) || a.Kind == "file" {
		m[name] = a.Name
	}
	if a.Text != "" {
		m["text"] = a.Text
	}
	if a.StartLine > 0 {
		m["range"] = members{
			"selectionStartLineNumber": a.StartLine, "selectionStartColumn": 1, "positionLineNumber": a.EndLine, "positionColumn": 1,
		}
	}
	return m
}

// fileURI is an address as VS Code writes it.
func fileURI(a paths.Address) members {
	m := members{"$mid": 1, "fsPath": a.FSPath(), "external": a.URI(), "path": a.Path, "scheme": a.Scheme}
	if a.IsWindows() {
		m["_sep"] = 1
	}
	if a.Authority != "" {
		m["authority"] = a.Authority
	}
	return m
}

// value is a text as JSON.
func value(s string) jscan.Value { return jscan.Value(quoted(s)) }

// parsed is a document that was encoded a moment ago.
func parsed(doc []byte) jscan.Value {
	v, err := jscan.Parse(doc)
	if err != nil {
		return nil
	}
	return v
}
