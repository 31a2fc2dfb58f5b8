package journal

import (
	"strings"
	"unicode"
)

// sentences yields the sentences of a text, each a part of it as it stands there.
// Code, tables, headings and quotations are no sentences; one longer than a
// quote may be is left out, never cut.
func sentences(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		code := false // in a fence
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
				code = !code
				continue
			}
			if code || line == "" || strings.ContainsRune("#|>", rune(line[0])) {
				continue
			}
			line = unlisted(line)
			for line != "" {
				end := sentenceEnd(line)
				s := strings.TrimSpace(line[:end])
				line = line[end:]
				if s != "" && len([]rune(s)) <= longestQuote && !yield(s) {
					return
				}
			}
		}
	}
}

// sentenceEnd is where the first sentence of a line ends: behind a mark that a
// blank follows, or one that needs none (。！？).
func sentenceEnd(line string) int {
	for i, r := range line {
		switch r {
		case '。', '！', '？':
			return i + len(string(r))
		case '.', '!', '?', '؟':
			rest := line[i+len(string(r)):]
			if rest == "" || strings.HasPrefix(rest, " ") && !shortened(line[:i]) {
				return i + len(string(r))
			}
		}
	}
	return len(line)
}

// shortened reports whether a text ends in a word whose full stop ends no sentence.
func shortened(s string) bool {
	word := s[strings.LastIndexByte(s, ' ')+1:]
	switch strings.ToLower(word) {
	case "e.g", "i.e", "etc", "vs", "cf", "dr", "mr", "mrs", "approx":
		return true
	}
	return len(word) == 1 && unicode.IsUpper(rune(word[0]))
}

// unlisted is a line without the mark of a list.
func unlisted(line string) string {
	for _, mark := range []string{"- [ ] ", "- [x] ", "- ", "* ", "+ ", "• "} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return strings.TrimSpace(rest)
		}
	}
	rest := strings.TrimLeft(line, "0123456789")
	if len(rest) < len(line) && len(rest) > 1 && (rest[0] == '.' || rest[0] == ')') && rest[1] == ' ' {
		return strings.TrimSpace(rest[1:])
	}
	return line
}
