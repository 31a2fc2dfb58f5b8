package render

import (
	"html"
	"strings"

	"github.com/retold-history/retold/render/highlight"
)

// Limits of highlighting, in bytes of a block and of its longest line. What lies
// beyond is shown uncoloured.
const (
	maxHighlight  = 64 << 10
	maxHighlitRow = 4000
)

// CodeHTML renders code as a <pre> block with highlighting classes. The
// language is the info string of a fence: "go", or "go:path/to/file.go" as
// Cursor writes it; an unknown one is shown without colours.
func CodeHTML(code, language string) (safe string) {
	var b strings.Builder
	writeCode(&b, Plain(code), Plain(language))
	return b.String()
}

func writeCode(b *strings.Builder, code, info string) {
	language, path := splitInfo(info)
	if path != "" {
		b.WriteString(`<div class="path">` + html.EscapeString(path) + "</div>\n")
	}
	b.WriteString(`<pre class="code" tabindex="0"><code>`)
	if language == "diff" || language == "patch" {
		eachDiffLine(code, func(kind, line string) {
			b.WriteString(`<span class="d-` + kind + `">` + html.EscapeString(line) + "\n</span>")
		})
	} else {
		writeTokens(b, code, language)
	}
	b.WriteString("</code></pre>\n")
}

// splitInfo takes an info string apart: "go:cmd/x/main.go", "12:40:cmd/x/main.go"
// (Cursor's code reference: first line, last line, path) or "go title=x".
func splitInfo(info string) (language, path string) {
	info, _, _ = strings.Cut(strings.TrimSpace(info), " ")
	language, path, found := strings.Cut(info, ":")
	if !found {
		return strings.ToLower(info), ""
	}
	if strings.Trim(language, "0123456789") == "" {
		first := language
		last, name, ok := strings.Cut(path, ":")
		if ok && strings.Trim(last, "0123456789") == "" {
			return suffix(name), name + ":" + first + "–" + last
		}
	}
	return strings.ToLower(language), path
}

func suffix(path string) string { return strings.ToLower(path[strings.LastIndexByte(path, '.')+1:]) }

func writeTokens(b *strings.Builder, code, language string) {
	coloured := worthColours(code) && highlight.Each(code, language, func(class, text string) {
		if class == "" {
			b.WriteString(html.EscapeString(text))
			return
		}
		b.WriteString(`<span class="` + class + `">` + html.EscapeString(text) + "</span>")
	})
	if !coloured {
		b.WriteString(html.EscapeString(code))
	}
}

// worthColours reports whether code is of a size at which colours help a reader;
// with them it takes several times the bytes.
func worthColours(code string) bool {
	if len(code) > maxHighlight {
		return false
	}
	for line := range strings.SplitSeq(code, "\n") {
		if len(line) > maxHighlitRow {
			return false
		}
	}
	return true
}
