package render

import (
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"
)

const (
	reset = "\x1b[0m"
	bold  = "\x1b[1m"
	dim   = "\x1b[2m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	cyan  = "\x1b[36m"
)

// Terminal renders the Markdown of a message for a terminal width columns wide
// (0 or less: lines are left as long as they are). The marks of the Markdown stay
// visible; headings are bold, fenced code is indented, dim and never wrapped,
// quotes and lists keep their indent when they wrap. Without color there are no
// escape sequences. A non-empty result ends with \n.
func Terminal(markdown string, width int, color bool) string {
	text := strings.TrimRight(Plain(markdown), "\n")
	if text == "" {
		return ""
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	fence := fenceState{}
	style := func(on, s string) {
		if color && on != "" && s != "" {
			s = on + s + reset
		}
		b.WriteString(s + "\n")
	}
	for line := range strings.SplitSeq(text, "\n") {
		switch opened := fence.open(); {
		case fence.line(line) || opened:
			if opened && !fence.open() || !opened {
				style(dim, line) // the fence itself
			} else {
				style(dim, "    "+line)
			}
		case isHeading(line):
			for _, part := range wrap(line, width) {
				style(bold, part)
			}
		default:
			for _, part := range wrap(line, width) {
				style("", part)
			}
		}
	}
	return b.String()
}

func isHeading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	n := len(line) - len(rest)
	return n >= 1 && n <= 6 && strings.HasPrefix(rest, " ")
}

// fenceState follows fenced code blocks line by line.
type fenceState struct {
	mark byte
	size int
}

func (f *fenceState) open() bool { return f.size > 0 }

// line takes the next line in and reports whether it opens or closes a fence.
func (f *fenceState) line(line string) bool {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 || s == "" || s[0] != '`' && s[0] != '~' {
		return false
	}
	info := strings.TrimLeft(s, s[:1])
	size := len(s) - len(info)
	switch {
	case f.open():
		if s[0] != f.mark || size < f.size || strings.TrimSpace(info) != "" {
			return false
		}
		*f = fenceState{}
	case size < 3 || s[0] == '`' && strings.Contains(info, "`"):
		return false
	default:
		f.mark, f.size = s[0], size
	}
	return true
}

// wrap breaks a line at spaces so that no part is wider than width columns;
// words wider than that are broken. Parts after the first are indented like the
// text of a list item or quote.
func wrap(line string, width int) []string {
	if width <= 0 || lipgloss.Width(line) <= width {
		return []string{line}
	}
	indent := hanging(line)
	if len(indent) > width/2 {
		indent = ""
	}
	var parts []string
	var cur strings.Builder
	used, fresh := 0, false // fresh: cur holds nothing but an indent
	flush := func() {
		parts = append(parts, strings.TrimRight(cur.String(), " "))
		cur.Reset()
		cur.WriteString(indent)
		used, fresh = len(indent), true
	}
	for _, word := range words(line) {
		w := lipgloss.Width(word)
		if used > 0 && !fresh && used+lipgloss.Width(strings.TrimRight(word, " ")) > width {
			flush()
		}
		if w <= width-used || lipgloss.Width(strings.TrimRight(word, " ")) <= width-used {
			cur.WriteString(word)
			used, fresh = used+w, false
			continue
		}
		for _, r := range word {
			rw := lipgloss.Width(string(r))
			if used+rw > width && !fresh {
				flush()
			}
			cur.WriteRune(r)
			used, fresh = used+rw, false
		}
	}
	return append(parts, strings.TrimRight(cur.String(), " "))
}

// words cuts a line after each run of spaces; nothing is lost. A character of a
// script written without spaces is a word of its own.
func words(line string) []string {
	var out []string
	start, space := 0, false
	for i, r := range line {
		wide := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
		if i > start && (space && r != ' ' || wide) {
			out = append(out, line[start:i])
			start = i
		}
		space = r == ' '
	}
	return append(out, line[start:])
}

// hanging is the indent for what follows the first part of a wrapped line.
func hanging(line string) string {
	s := strings.TrimLeft(line, " ")
	n := len(line) - len(s)
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	switch {
	case len(s) > 1 && strings.IndexByte("-*+>", s[0]) >= 0 && s[1] == ' ':
		n += 2
	case digits > 0 && digits < 5 && len(s) > digits+1 && (s[digits] == '.' || s[digits] == ')') && s[digits+1] == ' ':
		n += digits + 2
	}
	return strings.Repeat(" ", n)
}
