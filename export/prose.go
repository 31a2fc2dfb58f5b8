package export

import (
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/render"
)

// prose is a message's text as Markdown in which no image is fetched from
// anywhere when the file is looked at, and no line of a person's own is taken
// for the heading of a turn. Code stays as it is.
func prose(m *retold.Message) string {
	text := render.Markdown(m.Content)
	headings := m.Role == retold.RoleUser
	if !strings.Contains(text, "![") && (!headings || !strings.Contains(text, "#")) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 64)
	var f fence
	doubt := false // a code span may reach into the line from one before it
	for line := range strings.Lines(text) {
		if f.holds(line) {
			b.WriteString(line)
			doubt = false
			continue
		}
		if strings.TrimSpace(line) == "" {
			doubt = false
		}
		body := strings.TrimLeft(line, " \t")
		if headings && strings.HasPrefix(body, "#") {
			b.WriteString(line[:len(line)-len(body)])
			b.WriteByte('\\')
			line = body
		}
		doubt = stillImages(&b, line, doubt)
	}
	return b.String()
}

// A fence tells lines of code blocks from others. Where a block may have ended
// unseen, with the list it stood in, a line counts as outside.
type fence struct {
	mark   string // "```" or longer, "~~~"; "" outside
	indent int
}

// holds reports whether the line belongs to a fenced block, marks included.
func (f *fence) holds(line string) bool {
	body := strings.TrimLeft(line, " ")
	indent := len(line) - len(body)
	if f.mark == "" {
		if indent > 3 || !strings.HasPrefix(body, "```") && !strings.HasPrefix(body, "~~~") {
			return false
		}
		info := strings.TrimLeft(body, body[:1])
		if body[0] == '`' && strings.Contains(info, "`") {
			return false
		}
		f.mark, f.indent = body[:len(body)-len(info)], indent
		return true
	}
	if strings.TrimSpace(body) != "" && indent < f.indent {
		return false
	}
	rest := strings.TrimLeft(body, f.mark[:1])
	if indent <= 3 && len(body)-len(rest) >= len(f.mark) && strings.TrimSpace(rest) == "" {
		f.mark = ""
	}
	return true
}

// stillImages writes a line with the "!" of images escaped outside code spans,
// and reports whether a code span may go on in the next line. In doubt it
// escapes: a backslash too many hurts nobody.
func stillImages(b *strings.Builder, line string, doubt bool) bool {
	doubt = doubt || strings.Contains(line, "\\`")
	for i := 0; i < len(line); {
		switch {
		case line[i] == '`':
			run := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
			end := closing(line[i+run:], run)
			switch {
			case end < 0:
				doubt = true
				end = 0
			case doubt:
				end = 0
			}
			b.WriteString(line[i : i+run+end])
			i += run + end
		case line[i] == '\\' && i+1 < len(line):
			b.WriteString(line[i : i+2])
			i += 2
		case strings.HasPrefix(line[i:], "!["):
			b.WriteString("\\!")
			i++
		default:
			b.WriteByte(line[i])
			i++
		}
	}
	return doubt
}

// closing returns where a code span opened by run backticks ends in s, or -1.
func closing(s string, run int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		n := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		i += n
		if n == run {
			return i
		}
	}
	return -1
}

// mark shows how a tool call ended, for eyes that see no colour.
func mark(m *retold.Message) string {
	switch {
	case m.Failed():
		return "✗"
	case m.Tool == nil:
		return "·"
	case m.Tool.Status == retold.StatusCompleted:
		return "✓"
	case m.Tool.Status == retold.StatusPending:
		return "…"
	case m.Tool.Status == retold.StatusCancelled:
		return "–"
	}
	return "·"
}
