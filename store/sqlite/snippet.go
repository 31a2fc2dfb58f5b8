package sqlite

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
)

// snippetLength is the most characters of a snippet, ellipses included.
const snippetLength = 160

// snippet shows where a message is met: of its texts the one that holds most
// different words of the query, the most telling one among equals.
func snippet(m *index.Matcher, message *retold.Message) (string, [][2]int) {
	text, most := "", 0
	var spans [][2]int
	for t := range index.Texts(message) {
		if most == 0 && (text == "" || message.Tool != nil && text == message.Tool.Name) && strings.TrimSpace(t) != "" {
			text = t
		}
		found := m.Spans(t)
		if n := different(t, found); n > most {
			text, spans, most = t, found, n
		}
	}
	return cutSnippet(text, spans)
}

// different counts how many different words spans mark.
func different(text string, spans [][2]int) int {
	if len(spans) < 2 {
		return len(spans)
	}
	seen := map[string]bool{}
	for _, s := range spans {
		seen[strings.ToLower(text[s[0]:min(s[1], s[0]+snippetLength)])] = true
	}
	return len(seen)
}

// cutSnippet makes one line of the part of a text around its spans: at most
// snippetLength characters of valid UTF-8, white space and control characters
// folded to single spaces, cut between words where that is possible, with an
// ellipsis at each cut. The ranges returned are those spans in it that it shows.
func cutSnippet(text string, spans [][2]int) (string, [][2]int) {
	from, to := focus(text, spans)
	start := before(text, from, min(50, max(snippetLength-2-(to-from), 0)/3))
	l := &line{text: text, spans: spans, least: to}
	if strings.TrimFunc(text[:start], folds) != "" {
		l.out.WriteString("…")
		l.n++
	}
	return l.build(start)
}

// folds reports whether a character is shown as a space.
func folds(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// focus is the stretch of text to be shown by all means: the group of spans
// near one another that marks most different words, the first such group.
func focus(text string, spans [][2]int) (from, to int) {
	best := 0
	for i, s := range spans {
		seen := map[string]bool{}
		end := s[1]
		for _, next := range spans[i:min(len(spans), i+32)] {
			if next[1]-s[0] > snippetLength*3/4 && next != s {
				break
			}
			end = next[1]
			seen[strings.ToLower(text[next[0]:min(next[1], next[0]+snippetLength)])] = true
		}
		if len(seen) > best {
			best, from, to = len(seen), s[0], end
		}
		if i > 2000 { // a page of one word: the first groups will do
			break
		}
	}
	return from, to
}

// before goes back about n characters from a place in text, runs of white space
// counted as one, to the beginning of a word.
func before(text string, from, n int) int {
	at, space := from, false
	for at > 0 && n > 0 && from-at < 4096 {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		if !folds(r) || !space {
			n--
		}
		space = folds(r)
		at -= size
	}
	if at == 0 || !inWord(text, at) {
		return at
	}
	for p := at; p < from; {
		_, size := utf8.DecodeRuneInString(text[p:])
		p += size
		if !inWord(text, p) {
			return p
		}
	}
	return at // inside one long word
}

// inWord reports whether a cut at a place would cut a word.
func inWord(text string, at int) bool {
	a, _ := utf8.DecodeLastRuneInString(text[:at])
	b, _ := utf8.DecodeRuneInString(text[at:])
	return at > 0 && at < len(text) && joins(a) && joins(b)
}

// joins reports whether a character forms words with its neighbours. Where words
// are written without spaces, every place is good for a cut.
func joins(r rune) bool {
	if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
		return false
	}
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// A line is a snippet in the making.
type line struct {
	text  string
	spans [][2]int
	least int // byte of text up to which a cut between words must not go back

	out     strings.Builder
	n       int // characters in out
	space   bool
	marks   [][2]int
	opened  bool // inside a span
	mark    int  // where its first character was written; -1: none yet
	goodOut int  // where out may be cut, and how much of the text that is
	goodEnd int
}

// build writes characters from a place on until the line is full.
func (l *line) build(at int) (string, [][2]int) {
	span := 0
	for span < len(l.spans) && l.spans[span][1] <= at {
		span++
	}
	full := false
	for at < len(l.text) && !full {
		span = l.mind(span, at)
		r, size := utf8.DecodeRuneInString(l.text[at:])
		if folds(r) {
			l.space = l.n > 0 && l.out.String() != "…"
		} else if full = l.n >= snippetLength-2; full {
			break // one place for a space, one for the ellipsis
		} else {
			l.write(r)
		}
		at += size
		if !inWord(l.text, at) {
			l.goodOut, l.goodEnd = l.out.Len(), at
		}
	}
	l.mind(span, at)
	l.close()
	out := l.out.String()
	if !full {
		return out, l.marks
	}
	if inWord(l.text, at) && l.goodEnd >= l.least && l.goodOut > len("…") {
		out = out[:l.goodOut]
	}
	for len(l.marks) > 0 && l.marks[len(l.marks)-1][1] > len(out) {
		last := &l.marks[len(l.marks)-1]
		if last[1] = len(out); last[0] >= len(out) {
			l.marks = l.marks[:len(l.marks)-1]
		}
	}
	return out + "…", l.marks
}

func (l *line) write(r rune) {
	if l.space {
		l.out.WriteByte(' ')
		l.n++
		l.space = false
	}
	if l.opened && l.mark < 0 {
		l.mark = l.out.Len()
	}
	l.out.WriteRune(r) // a byte that is no UTF-8 becomes U+FFFD
	l.n++
}

// mind opens and closes marks at a place of the text and returns the span that
// is next.
func (l *line) mind(span, at int) int {
	for span < len(l.spans) {
		if l.opened && l.spans[span][1] <= at {
			l.close()
			span++
			continue
		}
		if !l.opened && l.spans[span][0] <= at && l.spans[span][1] > at {
			l.opened, l.mark = true, -1
		}
		if !l.opened && l.spans[span][1] <= at {
			span++
			continue
		}
		break
	}
	return span
}

func (l *line) close() {
	if l.opened && l.mark >= 0 && l.mark < l.out.Len() {
		l.marks = append(l.marks, [2]int{l.mark, l.out.Len()})
	}
	l.opened = false
}
