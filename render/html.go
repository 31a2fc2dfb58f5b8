package render

import (
	"bytes"
	"html"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// HTML renders GitHub-flavoured Markdown as HTML that is safe to put into a
// page: raw HTML in it is shown as text, an image becomes a link to it, links
// lead only to http, https and mailto addresses, and headings start at <h4> so
// that they stay below those of the page. Text over a megabyte, or built to take
// a parser very long, is shown unparsed in a <pre>.
func HTML(markdown string) (safe string) {
	source := Plain(markdown)
	if tooCostly(source) {
		return verbatim(source)
	}
	var b bytes.Buffer
	if err := converter().Convert([]byte(source), &b); err != nil {
		return verbatim(source)
	}
	return sanitize(b.String())
}

// TooLong reports text that HTML shows unparsed for its length alone; a caller
// with a writer can stream it.
func TooLong(markdown string) bool { return len(markdown) > maxMarkdown }

func verbatim(s string) string {
	return `<pre class="verbatim" tabindex="0">` + html.EscapeString(s) + "</pre>\n"
}

var converter = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			extension.Strikethrough, extension.Linkify, extension.TaskList,
		),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(nodes{}, 100))),
	)
})

// Link renders text as a link to url, or as plain text with the address behind
// it where the address is not one HTML links to.
func Link(text, url string) (safe string) {
	text = html.EscapeString(Plain(text))
	if !linkable(url) {
		if url == "" {
			return text
		}
		return text + ` <span class="url">(` + html.EscapeString(Plain(url)) + ")</span>"
	}
	return sanitize(`<a href="` + html.EscapeString(url) + `">` + text + "</a>")
}

var _ renderer.NodeRenderer = nodes{}

func lineText(n ast.Node, source []byte) string {
	var b bytes.Buffer
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		b.Write(segment.Value(source))
	}
	return b.String()
}
