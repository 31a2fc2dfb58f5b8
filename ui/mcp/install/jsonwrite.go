package install

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// jsonEdit collects changes to a text.
type jsonEdit struct {
	src     []byte
	newline string
	unit    string // one step of indentation
	cuts    []cut
}

// cut replaces the bytes from start to end.
type cut struct {
	start, end int
	text       string
}

func (e *jsonEdit) cut(start, end int, text string) { e.cuts = append(e.cuts, cut{start, end, text}) }

func (e *jsonEdit) apply() []byte {
	slices.SortStableFunc(e.cuts, func(a, b cut) int { return cmp.Compare(a.start, b.start) })
	var out []byte
	at := 0
	for _, c := range e.cuts {
		out = append(append(out, e.src[at:c.start]...), c.text...)
		at = c.end
	}
	return append(out, e.src[at:]...)
}

// insert adds a member behind the last one of object.
func (e *jsonEdit) insert(object, root *node, key string, value any) {
	outer := e.indentOf(object.start)
	spread := e.spread(object)
	if len(object.members) == 0 {
		spread = len(root.members) == 0 || e.spread(root)
	}
	inner := outer + e.unit
	if n := len(object.members); n > 0 && e.startsLine(object.members[n-1].at) {
		inner = e.indentOf(object.members[n-1].at)
	}
	text := quote(key) + ": " + e.render(value, inner, spread)
	lead := ""
	if spread {
		lead = e.newline + inner
	}
	if len(object.members) == 0 {
		content := e.src[object.start+1 : object.end-1]
		from := object.start + 1 + len(bytes.TrimRight(content, " \t\r\n"))
		if spread {
			text += e.newline + outer
		}
		e.cut(from, object.end-1, lead+text)
		return
	}
	last := object.members[len(object.members)-1]
	if lead == "" {
		lead = " "
	}
	at := last.value.end
	if last.comma >= 0 {
		at = last.comma + 1
		text += ","
	} else {
		e.cut(at, at, ",")
	}
	at = e.endOfLine(at)
	e.cut(at, at, lead+text)
}

// endOfLine passes the comments that follow on the same line: they belong to
// what they stand behind.
func (e *jsonEdit) endOfLine(at int) int {
	for end := at; end < len(e.src); {
		switch e.src[end] {
		case ' ', '\t':
			end++
		case '/':
			n := comment(e.src[end:])
			if n == 0 || bytes.ContainsAny(e.src[end:end+n], "\r\n") {
				return at
			}
			end += n
			at = end
		default:
			return at
		}
	}
	return at
}

// spread reports whether a value stands on several lines.
func (e *jsonEdit) spread(n *node) bool { return bytes.ContainsRune(e.src[n.start:n.end], '\n') }

// startsLine reports whether only white space stands before at in its line.
func (e *jsonEdit) startsLine(at int) bool {
	line := e.src[bytes.LastIndexByte(e.src[:at], '\n')+1 : at]
	return len(bytes.Trim(line, " \t")) == 0 && len(line) < at
}

// indentOf is the white space at the beginning of the line that at is in.
func (e *jsonEdit) indentOf(at int) string {
	line := bytes.TrimPrefix(e.src[bytes.LastIndexByte(e.src[:at], '\n')+1:at], bom)
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// render writes a value: lists of words on one line, objects one key a line when
// spread.
func (e *jsonEdit) render(value any, indent string, spread bool) string {
	switch v := value.(type) {
	case string:
		return quote(v)
	case []string:
		words := make([]string, 0, len(v))
		for _, s := range v {
			words = append(words, quote(s))
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	lead, sep, end := "", ", ", ""
	if spread {
		lead, sep, end = e.newline+indent+e.unit, ","+e.newline+indent+e.unit, e.newline+indent
	}
	var members []string
	for _, f := range value.([]field) {
		members = append(members, quote(f.key)+": "+e.render(f.value, indent+e.unit, spread))
	}
	return "{" + lead + strings.Join(members, sep) + end + "}"
}

func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be written
	return strings.TrimSuffix(b.String(), "\n")
}

// newline is how the lines of a text end.
func newline(src []byte) string {
	if bytes.Contains(src, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// unit is one step of a text's indentation, as its first member shows it.
func unit(src []byte, root *node) string {
	e := jsonEdit{src: src}
	if len(root.members) > 0 && e.startsLine(root.members[0].at) {
		outer := e.indentOf(root.start)
		if inner, ok := strings.CutPrefix(e.indentOf(root.members[0].at), outer); ok && inner != "" {
			return inner
		}
	}
	return "  "
}
