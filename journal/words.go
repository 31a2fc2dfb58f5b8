package journal

import (
	"iter"
	"strings"
)

// tellingWords yields the hashes of the words that name something in particular:
// issues (#123, SHOP-42), and identifiers as no sentence spells them (retryDelay,
// retry_delay, api.Retry, retry()).
func tellingWords(text string) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		text = text[:min(len(text), longestOutput)]
		for i := 0; i < len(text); {
			if !wordByte(text[i]) && text[i] != '#' {
				i++
				continue
			}
			start := i
			for i++; i < len(text) && wordByte(text[i]); i++ {
			}
			w := strings.Trim(text[start:i], ".-")
			call := strings.HasPrefix(text[i:], "(")
			if len(w) <= 64 && tellingWord(w, call) && !yield(hash(w)) {
				return
			}
		}
	}
}

func wordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-'
}

func tellingWord(w string, call bool) bool {
	if rest, ok := strings.CutPrefix(w, "#"); ok {
		return len(rest) > 0 && strings.Trim(rest, "0123456789") == ""
	}
	if len(w) < 4 {
		return false
	}
	if call || strings.Contains(w, "_") {
		return strings.Trim(w, "_") != ""
	}
	if key, n, ok := strings.Cut(w, "-"); ok && key == strings.ToUpper(key) && n != "" && strings.Trim(n, "0123456789") == "" && strings.Trim(key, "0123456789") != "" {
		return true // an issue of a tracker
	}
	for i := 1; i < len(w); i++ {
		if w[i] >= 'A' && w[i] <= 'Z' && w[i-1] >= 'a' && w[i-1] <= 'z' {
			return true // camelCase
		}
		if w[i] == '.' && i+1 < len(w) && (w[i+1]|0x20 >= 'a' && w[i+1]|0x20 <= 'z') && i > 1 {
			return true // a.b, file.go
		}
	}
	return false
}

// fenced are the lines of the code blocks of an answer.
func fenced(text string) (lines []string) {
	in := false
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		if strings.HasPrefix(strings.TrimSpace(l), "```") {
			in = !in
			continue
		}
		if in {
			lines = append(lines, l)
		}
	}
	return lines
}
