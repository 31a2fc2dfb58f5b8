package export

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/render"
)

//go:embed style.css
var styleCSS string

// htmlFormat writes one document that needs nothing else: no script at all
// (folding is <details>), no remote resource, and a content security policy that
// allows only its own style sheet, by hash.
type htmlFormat struct {
	titles []string // of the sessions written, for the index at the end
}

const docHead = `<!DOCTYPE html>
<html lang="und">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="retold">
`

func (f *htmlFormat) start(w *Writer) {
	style := styleCSS + render.CSS
	sum := sha256.Sum256([]byte(style))
	w.put(docHead, `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-`,
		base64.StdEncoding.EncodeToString(sum[:]), `'; base-uri 'none'; form-action 'none'">`, "\n")
	if !w.single {
		f.open(w, "Conversations", style)
		w.put("<p class=\"jump\"><a href=\"#sessions\">All sessions of this file</a></p>\n")
	}
}

func (f *htmlFormat) open(w *Writer, name, style string) {
	w.put("<title>", escapeHTML(name), "</title>\n<style>", style, "</style>\n</head>\n<body>\n<main>\n")
}

func (f *htmlFormat) session(w *Writer, d *retold.SessionDetail) {
	name := title(&d.Session)
	prefix := ""
	if w.single {
		f.open(w, name, styleCSS+render.CSS)
	} else {
		prefix = "s" + strconv.Itoa(w.n) + "-"
	}
	f.titles = append(f.titles, name)
	w.put(`<article id="`, prefix, `top" aria-labelledby="`, prefix, `title">`, "\n<header>\n<h1 id=\"", prefix, `title">`, escapeHTML(name), "</h1>\n<dl class=\"facts\">\n")
	for _, fact := range facts(d, w.opt.Location) {
		value := escapeHTML(fact.value)
		if fact.code {
			value = "<code>" + value + "</code>"
		}
		w.put("<div><dt>", fact.name, "</dt><dd>", value, "</dd></div>\n")
	}
	w.put("</dl>\n</header>\n")
	all := turns(d, w.opt)
	contents(w, d, all, prefix)
	model := d.Model
	for i, t := range all {
		model = htmlTurn(w, d, t, prefix, i, model)
	}
	htmlProblems(w, d, prefix)
	w.put("</article>\n")
}

func (f *htmlFormat) end(w *Writer) {
	if !w.single {
		w.put("<nav id=\"sessions\" aria-label=\"Sessions\">\n<h2>All sessions</h2>\n<ol>\n")
		for i, name := range f.titles {
			w.put(`<li><a href="#s`, strconv.Itoa(i+1), `-top">`, escapeHTML(name), "</a></li>\n")
		}
		w.put("</ol>\n</nav>\n")
	}
	w.put("</main>\n</body>\n</html>\n")
}

// contents lists the turns by what the user asked.
func contents(w *Writer, d *retold.SessionDetail, all []turn, prefix string) {
	if len(all) < 2 && len(d.ProblemList) == 0 {
		return
	}
	open := ""
	if len(all) <= 12 {
		open = " open"
	}
	w.put(`<nav class="toc" aria-label="Turns">`, "\n<details", open, "><summary>Contents</summary>\n<ol>\n")
	for i, t := range all {
		label, mark := t.heading, ""
		if t.number > 0 {
			mark = strconv.Itoa(t.number)
			if label = "Reply"; t.prompt() != nil {
				label = or(retold.Preview(render.Plain(head(t.prompt().Content, 4000))), "(no text)")
			}
		}
		w.put(`<li><span class="n">`, mark, `</span> <a href="#`, prefix, "t", strconv.Itoa(i+1), `">`, escapeHTML(label), "</a></li>\n")
	}
	if len(d.ProblemList) > 0 {
		w.put(`<li><span class="n"></span> <a href="#`, prefix, `problems">Problems</a></li>`, "\n")
	}
	w.put("</ol>\n</details>\n</nav>\n")
}

func htmlTurn(w *Writer, d *retold.SessionDetail, t turn, prefix string, i int, model string) string {
	id := prefix + "t" + strconv.Itoa(i+1)
	heading := escapeHTML(t.heading)
	if t.number > 0 {
		heading = `<span class="n"><span class="sr">Turn </span>` + strconv.Itoa(t.number) + "</span>"
	}
	class := "turn"
	if t.number == 0 {
		class = "turn aside"
	}
	w.put(`<section class="`, class, `" aria-labelledby="`, id, "\">\n<h2 id=\"", id, `">`, heading)
	if at, shown := t.when(w.opt.Location); shown != "" && t.number > 0 {
		w.put(` <time datetime="`, at.UTC().Format("2006-01-02T15:04:05Z"), `">`, escapeHTML(shown), "</time>")
	}
	w.put("</h2>\n")
	p := htmlPage{w: w, workspace: d.WorkspacePath, prefix: prefix, model: model}
	for _, m := range t.messages {
		if w.err != nil {
			return model
		}
		p.message(m)
	}
	if s := t.left(); s != "" {
		w.put(`<p class="left">`, s, "</p>\n")
	}
	w.put("</section>\n")
	return p.model
}

func htmlProblems(w *Writer, d *retold.SessionDetail, prefix string) {
	if len(d.ProblemList) == 0 {
		return
	}
	id := prefix + "problems"
	w.put(`<section class="turn aside" aria-labelledby="`, id, `"><h2 id="`, id, "\">Problems</h2>\n<p>These records could not be read, or only in part.</p>\n<ul>\n")
	for _, p := range d.ProblemList {
		w.put("<li>", escapeHTML(trouble(p)), "</li>\n")
	}
	w.put("</ul>\n</section>\n")
}

func escapeHTML(s string) string { return html.EscapeString(strings.TrimSpace(render.Plain(s))) }
