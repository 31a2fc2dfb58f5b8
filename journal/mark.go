package journal

import (
	"fmt"
	"strings"
	"unicode"
)

// String is how Markdown cites: [1a2b3c4d-5e6f#14].
func (c Cite) String() string { return fmt.Sprintf("[%s#%d]", shortID(c.SessionID), c.MessageIndex) }

// shortID is the beginning of a session's id that people are shown.
func shortID(id string) string { return id[:min(len(id), 13)] }

func orUntitled(title string) string {
	if title == "" {
		return "(no title)"
	}
	return title
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// oneLine is a text on one line, without control characters.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// plain is a text on one line that Markdown shows as it is.
func plain(s string) string {
	var b strings.Builder
	for _, r := range oneLine(s) {
		if strings.ContainsRune("\\`*_{}[]<>#|~", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// ticked is a text for between backticks.
func ticked(s string) string { return strings.ReplaceAll(s, "`", "'") }

// quoted is a text as a quotation, every line of it as it is.
func quoted(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString("> " + plain(line) + "  \n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// fenced4 is a text in a fence that is longer than any in it.
func fenced4(s string) string {
	fence := "````"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
	// The marks of entries must not stand in one.
	clean = strings.ReplaceAll(clean, "<!-- ", "<!—— ")
	return fence + "text\n" + strings.TrimSuffix(clean, "\n") + "\n" + fence
}

// indented is a text as part of a list's item.
func indented(s string) string {
	return "  " + strings.ReplaceAll(s, "\n", "\n  ")
}
