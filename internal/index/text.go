package index

import (
	"bytes"
	"iter"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/retold-history/retold"
)

// Texts yields every searchable text of a message, the most telling first: what
// was said, the tool's name, the strings and numbers in its parameters and
// result (values, at any depth, never member names), the files it touched, the
// lines that its diff adds or removes, and of each attachment name, path and
// text. Empty texts are left out.
func Texts(m *retold.Message) iter.Seq[string] {
	return func(yield func(string) bool) {
		var scratch []byte
		if !plainTexts(m, yield) || m.Tool == nil {
			return
		}
		own := func(b []byte) bool { return yield(string(b)) }
		if !jsonTexts(m.Tool.Params, &scratch, own) || !jsonTexts(m.Tool.Result, &scratch, own) {
			return
		}
		lateTexts(m, yield)
	}
}

// plainTexts yields the texts before the parameters of a tool; for a message
// without a tool these are all.
func plainTexts(m *retold.Message, yield func(string) bool) bool {
	if m.Content != "" && !yield(m.Content) {
		return false
	}
	if m.Tool == nil {
		return lateTexts(m, yield)
	}
	return m.Tool.Name == "" || yield(m.Tool.Name)
}

func lateTexts(m *retold.Message, yield func(string) bool) bool {
	if m.Tool != nil {
		for _, f := range m.Tool.Files {
			if f != "" && !yield(f) {
				return false
			}
		}
		if lines := changedLines(m.Tool.Diff); lines != "" && !yield(lines) {
			return false
		}
	}
	for i := range m.Attachments {
		a := &m.Attachments[i]
		for _, s := range [...]string{a.Name, a.Path, a.Text} {
			if s != "" && !yield(s) {
				return false
			}
		}
	}
	return true
}

// changedLines are the lines that a unified diff adds or removes, without their
// signs. What surrounds them was there before and is not what was done.
func changedLines(diff string) string {
	at := 0
	if !strings.HasPrefix(diff, "@@ ") {
		at = strings.Index(diff, "\n@@ ") + 1
		if at == 0 {
			return diff // no hunks: whatever it is, it is all there is
		}
	}
	var b strings.Builder
	b.Grow(len(diff) / 2)
	for line := range strings.Lines(diff[at:]) {
		if line[0] == '+' || line[0] == '-' {
			b.WriteString(line[1:])
		}
	}
	return b.String()
}

// jsonTexts yields the strings and numbers that are values in a document. Bytes
// yielded are only good until the next. It looks at each byte once and keeps no
// stack: a string before a colon is a member's name, any other a value.
func jsonTexts(doc []byte, scratch *[]byte, yield func([]byte) bool) bool {
	for i := 0; i < len(doc); {
		switch c := doc[i]; {
		case c == '"':
			end := closing(doc, i+1)
			body := doc[i+1 : end]
			i = min(end+1, len(doc))
			next := i
			for next < len(doc) && (doc[next] == ' ' || doc[next] == '\n' || doc[next] == '\t' || doc[next] == '\r') {
				next++
			}
			if next < len(doc) && doc[next] == ':' {
				i = next + 1
				continue
			}
			if bytes.IndexByte(body, '\\') >= 0 {
				*scratch = unescape((*scratch)[:0], body)
				body = *scratch
			}
			if len(body) > 0 && !yield(body) {
				return false
			}
		case c == '-' || c >= '0' && c <= '9':
			start := i
			for i < len(doc) && number[doc[i]] {
				i++
			}
			if !yield(doc[start:i]) {
				return false
			}
		default:
			i++
		}
	}
	return true
}

var number = func() (set [256]bool) {
	for _, c := range []byte("0123456789+-.eE") {
		set[c] = true
	}
	return set
}()

// closing returns the index of the quote that ends a string whose text starts
// at i, or the end of the document.
func closing(doc []byte, i int) int {
	for from := i; ; {
		q := bytes.IndexByte(doc[from:], '"')
		if q < 0 {
			return len(doc)
		}
		q += from
		slashes := 0
		for p := q - 1; p >= i && doc[p] == '\\'; p-- {
			slashes++
		}
		if slashes%2 == 0 {
			return q
		}
		from = q + 1
	}
}

var escapes = [256]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', '"': '"', '\\': '\\', '/': '/'}

// unescape appends the text of a JSON string's body. A lone surrogate becomes
// U+FFFD; an escape that JSON does not know stands for its letter.
func unescape(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 || i+1 >= len(b) {
			if i >= 0 {
				b = b[:i]
			}
			return append(dst, b...)
		}
		dst = append(dst, b[:i]...)
		c := b[i+1]
		b = b[i+2:]
		switch {
		case c == 'u':
			var r rune
			r, b = escaped(b)
			dst = utf8.AppendRune(dst, r)
		case escapes[c] != 0:
			dst = append(dst, escapes[c])
		default:
			dst = append(dst, c)
		}
	}
}

// escaped reads what follows \u: four digits, and a second escape where the two
// make one character.
func escaped(b []byte) (rune, []byte) {
	high, ok := hex4(b)
	if !ok {
		return utf8.RuneError, b
	}
	b = b[4:]
	if !utf16.IsSurrogate(high) {
		return high, b
	}
	if len(b) >= 6 && b[0] == '\\' && b[1] == 'u' {
		if low, ok := hex4(b[2:]); ok {
			if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
				return r, b[6:]
			}
		}
	}
	return utf8.RuneError, b
}

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if d < 0 || c < '0' {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}
