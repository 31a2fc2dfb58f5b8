package cursor

import (
	"strings"

	"github.com/retold-history/retold/internal/jscan"
)

// Nesting of a Lexical document that is still followed. Documents made by
// people stay below ten.
const lexicalDepth = 64

// lexicalText is the text of a Lexical document (formats C.7), given as the
// document or as a string that holds it: paragraphs and list items end a line,
// mentions give their name. "" when it is no such document.
func lexicalText(v jscan.Value) string {
	root := v.Embedded().Get("root")
	if root.Kind() != jscan.Object {
		return ""
	}
	var b strings.Builder
	lexicalNodes(&b, root, lexicalDepth)
	return strings.TrimRight(b.String(), "\n")
}

func lexicalNodes(b *strings.Builder, node jscan.Value, depth int) {
	if depth == 0 {
		return
	}
	for child := range node.Get("children").Items() {
		switch kind := child.Get("type").Str(); kind {
		case "linebreak":
			b.WriteByte('\n')
		case "tab":
			b.WriteByte('\t')
		default:
			if name := child.First("text", "mentionName"); name.Kind() == jscan.String {
				b.WriteString(name.Str())
			}
			lexicalNodes(b, child, depth-1)
			if kind == "paragraph" || kind == "listitem" || kind == "code" || kind == "heading" || kind == "quote" {
				b.WriteByte('\n')
			}
		}
	}
}
