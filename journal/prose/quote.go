package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A passage is what stands between quotation marks or backticks.
type passage struct {
	text string
	code bool // between backticks
}

// closings are the marks that end a passage, by the one that begins it.
const (
	openings = "“„«‹「『‘"
	stray    = "”»›」』"
)

var closings = map[rune]string{'“': "”", '„': "“”", '«': "»", '‹': "›", '「': "」", '『': "』", '‘': "’"}

// passages finds what a sentence quotes. It is not ok when a mark has no partner:
// then nobody can say what is quoted.
func passages(text string) (list []passage, ok bool) {
	before := ' '
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		rest := text[size:]
		var end, closing int // where the passage ends, and the length of the mark there
		switch {
		case r == '`':
			fence := text[:len(text)-len(strings.TrimLeft(text, "`"))]
			rest = text[len(fence):]
			end, closing = strings.Index(rest, fence), len(fence)
		case r == '"':
			end, closing = strings.Index(rest, `"`), 1
		case r == '\'':
			if end, closing = single(before, rest, "'"), 1; end < 0 { // an apostrophe
				text, before = rest, r
				continue
			}
		case r == '‘':
			end, closing = single(' ', rest, "’"), len("’")
		case strings.ContainsRune(openings, r):
			if end = strings.IndexAny(rest, closings[r]); end >= 0 {
				_, closing = utf8.DecodeRuneInString(rest[end:])
			}
		case strings.ContainsRune(stray, r):
			return nil, false
		default:
			text, before = rest, r
			continue
		}
		if end < 0 || strings.TrimSpace(rest[:end]) == "" {
			return nil, false
		}
		list = append(list, passage{text: strings.TrimSpace(rest[:end]), code: r == '`'})
		text, before = rest[end+closing:], r
	}
	return list, true
}

// single finds the end of a passage between single marks, which are apostrophes as
// well: one opens before a word and closes behind one. -1: none.
func single(before rune, rest, mark string) int {
	next, _ := utf8.DecodeRuneInString(rest)
	if wordy(before) || rest == "" || unicode.IsSpace(next) {
		return -1
	}
	for from := 0; ; {
		i := strings.Index(rest[from:], mark)
		if i < 0 {
			return -1
		}
		i += from
		last, _ := utf8.DecodeLastRuneInString(rest[:i])
		after, _ := utf8.DecodeRuneInString(rest[i+len(mark):])
		if !unicode.IsSpace(last) && (i+len(mark) == len(rest) || !wordy(after)) {
			return i
		}
		from = i + len(mark)
	}
}

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
