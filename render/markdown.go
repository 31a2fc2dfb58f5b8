package render

import (
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Markdown makes the Markdown of one message fit to stand inside a larger
// Markdown file: whatever follows it, after a blank line, is read as if the
// message were not there. Ordinary text comes back as [Plain] leaves it. Raw HTML gets
// a backslash before its "<", so that it is seen instead of obeyed ("</details>"
// would close a fold of the page), and a code block left open is closed. Text in
// which that is not enough, or which is too large to parse, is fenced whole.
func Markdown(s string) string {
	s = strings.TrimRight(Plain(s), "\n")
	if s == "" {
		return ""
	}
	if !strings.ContainsAny(s, "<`~") {
		return s // a blank line ends everything else that can be open
	}
	if tooCostly(s) {
		return Fence(s, "")
	}
	// Escaping the opening tag of a block uncovers the tags inside it, hence the
	// rounds; real messages need one or two.
	for range 4 {
		at := rawAngles(s)
		if len(at) == 0 {
			return contained(s)
		}
		s = escapeAt(s, at)
	}
	return Fence(s, "")
}

// sentinel stands for whatever follows a message.
const sentinel = "retoldsentinel"

// contained closes an open fence and proves by parsing that text after s would
// be a paragraph of its own.
func contained(s string) string {
	for _, candidate := range []string{s, s + "\n" + openFence(s)} {
		if ends(candidate) {
			return candidate
		}
	}
	return Fence(s, "")
}

func ends(s string) bool {
	source := []byte(s + "\n\n" + sentinel + "\n")
	last, ok := parse(source).LastChild().(*ast.Paragraph)
	return ok && last.Lines().Len() == 1 && strings.TrimSpace(lineText(last, source)) == sentinel
}

func openFence(s string) string {
	f := fenceState{}
	for line := range strings.SplitSeq(s, "\n") {
		f.line(line)
	}
	return strings.Repeat(string(rune(max(f.mark, '`'))), max(f.size, 3))
}

var markdownParser = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
})

func parse(source []byte) ast.Node { return markdownParser().Parse(text.NewReader(source)) }

// rawAngles is where in s a "<" begins or belongs to raw HTML, in order.
func rawAngles(s string) []int {
	if !strings.Contains(s, "<") {
		return nil
	}
	var at []int
	add := func(segment text.Segment) {
		for i := segment.Start; i < segment.Stop && i < len(s); i++ {
			if s[i] == '<' && (len(s[:i])-len(strings.TrimRight(s[:i], `\`)))%2 == 0 {
				at = append(at, i)
			}
		}
	}
	// The walk never fails: the callback returns no error.
	_ = ast.Walk(parse([]byte(s)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				add(n.Segments.At(i))
			}
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				add(n.Lines().At(i))
			}
			if n.HasClosure() {
				add(n.ClosureLine)
			}
		}
		return ast.WalkContinue, nil
	})
	slices.Sort(at)
	return slices.Compact(at)
}

func escapeAt(s string, at []int) string {
	var b strings.Builder
	b.Grow(len(s) + len(at))
	last := 0
	for _, i := range at {
		b.WriteString(s[last:i])
		b.WriteByte('\\')
		last = i
	}
	b.WriteString(s[last:])
	return b.String()
}

// Bullet is a list mark ("-" or "*") that does not continue a list with which s
// ends.
func Bullet(s string) string {
	if strings.Contains(s, "- ") && !tooCostly(s) {
		if list, ok := parse([]byte(s)).LastChild().(*ast.List); ok && list.Marker == '-' {
			return "*"
		}
	}
	return "-"
}

// Fence wraps s into a fenced code block whose fence is longer than any inside.
// The info string is reduced to a word.
func Fence(s, info string) string {
	s = Plain(s)
	mark := strings.Repeat("`", max(3, longestRun(s, '`')+1))
	info = strings.Map(func(r rune) rune {
		if r == '`' || r <= ' ' {
			return -1
		}
		return r
	}, info)
	if !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return mark + info + "\n" + s + mark
}

// Code wraps one line of text into a code span.
func Code(s string) string {
	s = Line(s)
	if s == "" {
		return ""
	}
	mark := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return mark + s + mark
}

func longestRun(s string, mark byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != mark {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// Escape writes one line of text so that Markdown shows exactly that.
func Escape(s string) string {
	s = Line(s)
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte("\\`*_{}[]<>#|~&!", s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	out := b.String()
	if strings.HasPrefix(out, "+ ") || strings.HasPrefix(out, "- ") || strings.HasPrefix(out, "=") {
		return `\` + out
	}
	return out
}
