package render

import (
	"bytes"
	"html"
	"regexp"
	"sync"

	"github.com/microcosm-cc/bluemonday"
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
	return Plain(policy().SanitizeReader(&b).String()) // again: &#27; is a control character by now
}

// TooLong reports text that HTML shows unparsed for its length alone; a caller
// with a writer can stream it.
func TooLong(markdown string) bool { return len(markdown) > maxMarkdown }

func verbatim(s string) string {
	return `<pre class="verbatim" tabindex="0">` + html.EscapeString(s) + "</pre>\n"
}

// converter is made anew for each text because its nodes count down a budget.
func converter() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			extension.Strikethrough, extension.Linkify, extension.TaskList,
		),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(newNodes(), 100))),
	)
}

// policy is the second fence: whatever the renderer above let through, only
// these elements and attributes leave.
var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h3", "h4", "h5", "h6", "em", "strong", "del", "code", "pre", "span", "div",
		"blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^[a-z0-9 -]{1,40}$`)).OnElements("code", "pre", "span", "div", "a")
	p.AllowAttrs("tabindex").Matching(regexp.MustCompile(`^0$`)).OnElements("pre", "div")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|right|center)$`)).OnElements("th", "td")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^[0-9]{1,9}$`)).OnElements("ol")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(false)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
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
	return policy().Sanitize(`<a href="` + html.EscapeString(url) + `">` + text + "</a>")
}

var _ renderer.NodeRenderer = (*nodes)(nil)

func lineText(n ast.Node, source []byte) string {
	var b bytes.Buffer
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		b.Write(segment.Value(source))
	}
	return b.String()
}
