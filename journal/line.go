package journal

import "strings"

// A line of a file, as far as two lines can be told apart: what it says with
// white space evened out, and with none at all.
type line struct {
	norm  uint64 // ends trimmed, runs of white space as one blank
	tight uint64 // without white space
	plain bool   // says enough to tell where it comes from, see telling
	stood bool   // it was there before the edit: the session had read it
}

// noText is the hash of a line with nothing in it.
const noText uint64 = 14695981039346656037

// FNV-1a: its hashes are kept in notes, so they have to be the same for good.
const fnvPrime = 1099511628211

func lineOf(s string) line {
	l := line{norm: noText, tight: noText}
	gap := false
	for i := range len(s) {
		c := s[i]
		if c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v' {
			gap = l.tight != noText
			continue
		}
		if gap {
			l.norm = (l.norm ^ ' ') * fnvPrime
			gap = false
		}
		l.norm = (l.norm ^ uint64(c)) * fnvPrime
		l.tight = (l.tight ^ uint64(c)) * fnvPrime
	}
	l.plain = telling(s)
	return l
}

func linesOf(texts []string) []line {
	if len(texts) == 0 {
		return nil
	}
	lines := make([]line, len(texts))
	for i, s := range texts {
		lines[i] = lineOf(s)
	}
	return lines
}

// hash is that of any text.
func hash(s string) uint64 {
	h := noText
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return h
}

// cut splits a text into lines without their ends. A line end at the text's end
// begins no further line.
func cut(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}

// tightText is a text without white space, and without the commas and
// semicolons that formatters add where they break lines.
func tightText(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		for i := range len(l) {
			switch c := l[i]; c {
			case ' ', '\t', '\r', '\n', '\f', '\v', ',', ';':
			case '\'', '`':
				b.WriteByte('"') // formatters change quotes, too
			default:
				b.WriteByte(c)
			}
		}
	}
	return b.String()
}
