package hook

import (
	"path/filepath"
	"strings"

	"github.com/retold-history/retold/journal/hook/spool"
)

// A Program is how a hook starts retold.
type Program struct {
	Path string   // of the binary, absolute
	Env  []string // NAME=value, what it needs that a shell may not have set
}

// given is what stands for the argument that git passes to a hook; "" when the
// event has none that matters.
var given = map[string]string{spool.PostRewrite: `--given "$1" `, spool.PostMerge: `--given "$1" `}

// line is what a block does for an event. Nothing it prints is seen, nothing it
// returns matters. What git tells a post-rewrite hook on its standard input can be
// read once: a block before the rest leaves it to the rest.
func (p Program) line(kind string, first bool) string {
	var s strings.Builder
	for _, v := range p.Env {
		name, value, _ := strings.Cut(v, "=")
		s.WriteString(name + "=" + quote(value) + " ")
	}
	s.WriteString(quote(filepath.ToSlash(p.Path)) + " ") // Git for Windows brings an sh that wants slashes
	s.WriteString(enqueue(kind, given[kind]))
	if kind != spool.PostRewrite || first {
		s.WriteString(" </dev/null")
	}
	s.WriteString(" >/dev/null 2>&1 || true\n")
	return s.String()
}

// portable is the line for a file that others get too: it finds retold in the
// PATH, and does nothing where there is none.
func portable(kind string) string {
	return "command -v retold >/dev/null 2>&1 && retold " + enqueue(kind, given[kind]) + " </dev/null >/dev/null 2>&1 || true\n"
}

// enqueue is the command of retold that notes an event.
func enqueue(kind, given string) string {
	return "journal enqueue --event " + kind + " " + given + "HEAD"
}

// binaryOf is the program that a block starts; "" when it is looked for in the
// PATH.
func binaryOf(lines string) string {
	for line := range strings.Lines(lines) {
		all := words(strings.TrimRight(line, "\r\n"))
		for i := 1; i+1 < len(all); i++ {
			if all[i] == "journal" && all[i+1] == "enqueue" {
				if all[i-1] == "retold" {
					return ""
				}
				return filepath.FromSlash(all[i-1])
			}
		}
	}
	return ""
}
