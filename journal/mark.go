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

// hidden reports whether a character only changes how others look: control
// characters, and those that turn the direction of a text around.
func hidden(r rune) bool {
	return unicode.IsControl(r) || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// oneLine is a text on one line, without hidden characters.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || hidden(r) }), " ")
}

// plain is a text on one line that Markdown shows as it is; what it has between
// backticks stays code.
func plain(s string) string {
	s = oneLine(s)
	parts := strings.Split(s, "`")
	if len(parts)%2 == 0 || strings.Contains(s, "``") {
		return escaped(strings.ReplaceAll(s, "`", "\x00"))
	}
	var b strings.Builder
	for i, part := range parts {
		if i%2 == 1 {
			b.WriteString("`" + part + "`")
		} else if part != "" {
			b.WriteString(escaped(part))
		}
	}
	return b.String()
}

// escaped puts a backslash before what Markdown would take for a mark, and no
// others: names should still be found by searching. NUL stands for a backtick.
func escaped(s string) string {
	var b strings.Builder
	links := strings.Contains(s, "](") || strings.Contains(s, "][") || strings.Contains(s, "]:")
	ordinal := strings.TrimLeft(s, "0123456789")
	runes := []rune(s)
	for i, r := range runes {
		var before, after rune
		if i > 0 {
			before = runes[i-1]
		}
		if i+1 < len(runes) {
			after = runes[i+1]
		}
		special := false
		switch r {
		case 0:
			special, r = true, '`'
		case '*', '~', '|':
			special = true
		case '_':
			special = !inWord(before) || !inWord(after)
		case '<':
			special = unicode.IsLetter(after) || after == '/' || after == '!' || after == '?'
		case '&':
			special = unicode.IsLetter(after) || after == '#'
		case '\\':
			special = after == 0 || after < unicode.MaxASCII && (unicode.IsPunct(after) || unicode.IsSymbol(after))
		case '[':
			special = links || i == 0
		case '#', '>', '-', '+', '=':
			special = i == 0
		case '.', ')':
			special = i > 0 && len(ordinal) < len(s) && i == len(s)-len(ordinal)
		}
		if special {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// code is a text on one line as code.
func code(s string) string {
	s = oneLine(s)
	ticks := "`"
	for strings.Contains(s, ticks) {
		ticks += "`"
	}
	if s == "" || s[0] == '`' || s[len(s)-1] == '`' {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// contained is a text of many lines, each behind a prefix: no line of it can be a
// mark, a heading of the journal or the end of a fence. Hidden characters go.
func contained(prefix, s string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(strings.TrimRight(s, "\r\n"), "\r\n", "\n")) {
		line = strings.Map(func(r rune) rune {
			if hidden(r) && r != '\t' {
				return -1
			}
			return r
		}, line)
		b.WriteString(strings.TrimRight(prefix+line, " ") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// quoted is a text as a quotation, each line of it as it was written; only HTML is
// none in it.
func quoted(s string) string {
	var b strings.Builder
	for i, r := range s {
		if r == '<' && strings.IndexFunc(s[i+1:], func(r rune) bool { return unicode.IsLetter(r) || r == '!' || r == '/' || r == '?' }) == 0 {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return contained("> ", b.String())
}

// fence is a text in a fence that is longer than any in it, in an item of a list.
func fence(s string) string {
	ticks := "````"
	for strings.Contains(s, ticks) {
		ticks += "`"
	}
	return "  " + ticks + "text\n" + contained("  ", s) + "\n  " + ticks
}

// stripped is a text as git keeps notes: no blanks at the ends of lines, no blank
// lines in a row, none at either end.
func stripped(s string) string {
	var b strings.Builder
	blank := false
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, " \t\n\v\f\r")
		if line == "" {
			blank = b.Len() > 0
			continue
		}
		if blank {
			b.WriteByte('\n')
		}
		blank = false
		b.WriteString(line + "\n")
	}
	return b.String()
}

// shortCommit is a commit's id as people are shown it.
func shortCommit(id string) string { return id[:min(len(id), 12)] }
