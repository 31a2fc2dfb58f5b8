package render

import (
	"html"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// nodes renders the parts of Markdown in which this package differs from
// goldmark: raw HTML, links, images, headings and code.
type nodes struct {
	deadline time.Time // of highlighting, for one text
}

func newNodes() *nodes { return &nodes{deadline: time.Now().Add(colourBudget)} }

// RegisterFuncs implements renderer.NodeRenderer.
func (n *nodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, rawHTML)
	r.Register(ast.KindHTMLBlock, htmlBlock)
	r.Register(ast.KindLink, link)
	r.Register(ast.KindAutoLink, autoLink)
	r.Register(ast.KindImage, image)
	r.Register(ast.KindHeading, heading)
	r.Register(ast.KindFencedCodeBlock, n.fence)
	r.Register(ast.KindCodeBlock, n.indented)
	r.Register(extast.KindTaskCheckBox, checkBox)
}

func rawHTML(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	segments := node.(*ast.RawHTML).Segments
	for i := range segments.Len() {
		segment := segments.At(i)
		put(w, html.EscapeString(string(segment.Value(source))))
	}
	return ast.WalkSkipChildren, nil
}

func htmlBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := node.(*ast.HTMLBlock)
	text := lineText(block, source)
	if block.HasClosure() {
		text += string(block.ClosureLine.Value(source))
	}
	put(w, `<pre class="raw" tabindex="0">`+html.EscapeString(text)+"</pre>\n")
	return ast.WalkSkipChildren, nil
}

// linkable reports whether an address may be followed from a page.
func linkable(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return true
	}
	return false
}

// openLink and closeLink stand around the text of a link. An address that is not
// linkable is shown behind the text, because hiding it would lose what was said.
func openLink(w util.BufWriter, address, class string) {
	if linkable(address) {
		put(w, `<a href="`+html.EscapeString(address)+`"`)
		if class != "" {
			put(w, ` class="`+class+`"`)
		}
		put(w, ">")
	}
}

func closeLink(w util.BufWriter, address string) {
	switch {
	case linkable(address):
		put(w, "</a>")
	case address != "":
		put(w, ` <span class="url">(`+html.EscapeString(address)+`)</span>`)
	}
}

func link(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	address := string(node.(*ast.Link).Destination)
	if entering {
		openLink(w, address, "")
	} else {
		closeLink(w, address)
	}
	return ast.WalkContinue, nil
}

func autoLink(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	auto := node.(*ast.AutoLink)
	address, label := string(auto.URL(source)), string(auto.Label(source))
	if auto.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(address), "mailto:") {
		address = "mailto:" + address
	}
	openLink(w, address, "")
	put(w, html.EscapeString(label))
	if linkable(address) {
		put(w, "</a>")
	}
	return ast.WalkSkipChildren, nil
}

// image names a picture and links to it: loading it would tell its server that
// the conversation is being read.
func image(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	address := string(node.(*ast.Image).Destination)
	if len(address) > 100 && strings.HasPrefix(strings.ToLower(address), "data:") {
		address = address[:60] + "… (" + strconv.Itoa(len(address)) + " bytes)"
	}
	if entering {
		openLink(w, address, "image")
		put(w, `<span class="tag">image</span> `)
		if node.ChildCount() == 0 && linkable(address) {
			put(w, html.EscapeString(address))
		}
	} else {
		closeLink(w, address)
	}
	return ast.WalkContinue, nil
}

func heading(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	tag := "h" + strconv.Itoa(min(node.(*ast.Heading).Level+3, 6))
	if entering {
		put(w, "<"+tag+">")
	} else {
		put(w, "</"+tag+">\n")
	}
	return ast.WalkContinue, nil
}

func (n *nodes) fence(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	info := ""
	if i := node.(*ast.FencedCodeBlock).Info; i != nil {
		info = string(i.Segment.Value(source))
	}
	var b strings.Builder
	writeCode(&b, lineText(node, source), info, n.deadline)
	put(w, b.String())
	return ast.WalkSkipChildren, nil
}

func (n *nodes) indented(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		var b strings.Builder
		writeCode(&b, lineText(node, source), "", n.deadline)
		put(w, b.String())
	}
	return ast.WalkSkipChildren, nil
}

func checkBox(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		box := "☐"
		if node.(*extast.TaskCheckBox).IsChecked {
			box = "☑"
		}
		put(w, `<span class="box">`+box+"</span> ")
	}
	return ast.WalkContinue, nil
}

// put writes to goldmark's buffer, which lies over memory: its errors stick and
// surface at the flush that ends the conversion.
func put(w util.BufWriter, s string) { _, _ = w.WriteString(s) }
