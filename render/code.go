package render

import (
	"html"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// Limits of highlighting. Lexers are regular expressions that hostile text can
// make slow, so one document has a time budget that ordinary text, at megabytes
// a second, never reaches; what lies beyond is shown uncoloured.
const (
	maxHighlight  = 64 << 10
	maxHighlitRow = 4000
	colourBudget  = 10 * time.Second
)

// CodeHTML renders code as a <pre> block with highlighting classes. The
// language is the info string of a fence: "go", or "go:path/to/file.go" as
// Cursor writes it; an unknown one is shown without colours.
func CodeHTML(code, language string) (safe string) {
	var b strings.Builder
	writeCode(&b, Plain(code), Plain(language), time.Now().Add(colourBudget))
	return b.String()
}

func writeCode(b *strings.Builder, code, info string, deadline time.Time) {
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
		writeTokens(b, code, language, deadline)
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

func writeTokens(b *strings.Builder, code, language string, deadline time.Time) {
	lexer := lexerFor(code, language)
	if lexer == nil {
		b.WriteString(html.EscapeString(code))
		return
	}
	tokens, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root", EnsureLF: true}, code)
	if err != nil {
		b.WriteString(html.EscapeString(code))
		return
	}
	rest := code // a lexer must not lose or add text: what it yields is checked against the code
	for token := tokens(); token != chroma.EOF; token = tokens() {
		if token.Value == "" || !strings.HasPrefix(rest, token.Value) || time.Now().After(deadline) {
			break
		}
		rest = rest[len(token.Value):]
		class := chroma.StandardTypes[token.Type]
		if class == "" || token.Type == chroma.Error || token.Type.Category() == chroma.Text {
			b.WriteString(html.EscapeString(token.Value))
			continue
		}
		b.WriteString(`<span class="` + class + `">` + html.EscapeString(token.Value) + "</span>")
	}
	b.WriteString(html.EscapeString(rest))
}

// lexerFor returns nil where colours are not worth or not safe to attempt.
func lexerFor(code, language string) chroma.Lexer {
	if language == "" || len(language) > 40 || len(code) > maxHighlight {
		return nil
	}
	for line := range strings.SplitSeq(code, "\n") {
		if len(line) > maxHighlitRow {
			return nil
		}
	}
	return lexers.Get(language)
}
