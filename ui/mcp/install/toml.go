package install

import (
	"bytes"
	"strings"
)

// tomlLine is a key with its value, or the header of a table, and where it
// stands.
type tomlLine struct {
	path       []string // from the root
	header     bool     // "[path]"
	list       bool     // "[[path]]"
	start, end int      // with the white space before it, to the end of its line, without it
	value      [2]int   // from and to; of a key
}

// tomlReader finds keys and headers in a text that is known to be good TOML.
type tomlReader struct {
	src []byte
	at  int
}

// readTOML lists what a text says in the order of its lines. The text must be
// good TOML; of another it says something or other, but ends.
func readTOML(src []byte) (out []tomlLine) {
	r := &tomlReader{src: src}
	if bytes.HasPrefix(src, bom) {
		r.at = len(bom)
	}
	var table []string
	for r.at < len(src) {
		start := r.at
		r.pass(" \t")
		switch c := r.peek(); {
		case r.at >= len(src):
		case c == '\n' || c == '\r':
			r.at++
		case c == '#':
			r.line()
		case c == '[':
			l := tomlLine{header: true, list: bytes.HasPrefix(src[r.at:], []byte("[[")), start: start}
			r.pass("[")
			table = r.key()
			r.line()
			l.path, l.end = table, r.at
			out = append(out, l)
		default:
			key := r.key()
			r.pass(" \t=")
			from := r.at
			r.value(0)
			to := from + len(bytes.TrimRight(src[from:r.at], " \t\r"))
			r.line()
			out = append(out, tomlLine{path: append(append([]string{}, table...), key...), start: start, end: r.at, value: [2]int{from, to}})
		}
	}
	return out
}

func (r *tomlReader) peek() byte {
	if r.at < len(r.src) {
		return r.src[r.at]
	}
	return 0
}

// pass passes any of the bytes in set.
func (r *tomlReader) pass(set string) {
	for r.at < len(r.src) && strings.IndexByte(set, r.src[r.at]) >= 0 {
		r.at++
	}
}

// line goes to the end of the line.
func (r *tomlReader) line() {
	if n := bytes.IndexByte(r.src[r.at:], '\n'); n >= 0 {
		r.at += n
		if r.at > 0 && r.src[r.at-1] == '\r' {
			r.at--
		}
		return
	}
	r.at = len(r.src)
}

// key reads a key of one or several parts.
func (r *tomlReader) key() (parts []string) {
	for {
		r.pass(" \t")
		start := r.at
		switch r.peek() {
		case '"', '\'':
			r.text()
			parts = append(parts, unquoteKey(r.src[start:r.at]))
		default:
			for r.at < len(r.src) && bytes.IndexByte([]byte(" \t\r\n.=]#"), r.src[r.at]) < 0 {
				r.at++
			}
			parts = append(parts, string(r.src[start:r.at]))
		}
		r.pass(" \t")
		if r.peek() != '.' {
			return parts
		}
		r.at++
	}
}

// value passes a value.
func (r *tomlReader) value(depth int) {
	switch c := r.peek(); c {
	case '"', '\'':
		r.text()
	case '[', '{':
		r.nested(depth)
	default:
		for r.at < len(r.src) && bytes.IndexByte([]byte("\n#,]}"), r.src[r.at]) < 0 {
			r.at++
		}
	}
}

// nested passes an array or an inline table.
func (r *tomlReader) nested(depth int) {
	for r.at++; r.at < len(r.src); {
		switch c := r.peek(); {
		case c == ']' || c == '}':
			r.at++
			return
		case c == '"' || c == '\'':
			r.text()
		case c == '#':
			r.line()
		case (c == '[' || c == '{') && depth < maxDepth:
			r.nested(depth + 1)
		default:
			r.at++
		}
	}
}

// text passes a string of any of the four kinds.
func (r *tomlReader) text() {
	quote := r.src[r.at : r.at+1]
	if long := bytes.Repeat(quote, 3); bytes.HasPrefix(r.src[r.at:], long) {
		quote = long
	}
	for r.at += len(quote); r.at < len(r.src); r.at++ {
		switch {
		case r.src[r.at] == '\\' && quote[0] == '"':
			r.at++
		case bytes.HasPrefix(r.src[r.at:], quote):
			r.at += len(quote)
			for len(quote) == 3 && r.peek() == quote[0] { // up to two more belong to the text
				r.at++
			}
			return
		}
	}
	r.at = min(r.at, len(r.src))
}
