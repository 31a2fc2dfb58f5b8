package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// node is a JSON value and where it stands, so that a file can be changed in one
// place and keep all its other bytes.
type node struct {
	start, end int
	members    []member // of an object
	items      []*node  // of an array
	object     bool
	array      bool
}

type member struct {
	key   string
	at    int // of the key
	value *node
	comma int // offset of the comma behind the value; -1 for none
}

// lookup returns the value of a key, nil when there is none. A key that is there
// twice is an error: programs disagree about which one counts.
func (n *node) lookup(key string) (found *node, err error) {
	for _, m := range n.members {
		if m.key != key {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%q is there twice", key)
		}
		found = m.value
	}
	return found, nil
}

// maxDepth is how deep values may be nested; no configuration is.
const maxDepth = 200

// jsonReader reads JSON, with comments and trailing commas where they are
// allowed.
type jsonReader struct {
	src      []byte
	at       int
	comments bool
}

var bom = []byte("\xef\xbb\xbf")

// readJSON reads a whole file. An empty one is nil.
func readJSON(src []byte, comments bool) (*node, error) {
	if !utf8.Valid(src) {
		return nil, fmt.Errorf("the text is not UTF-8")
	}
	r := &jsonReader{src: src, comments: comments}
	if bytes.HasPrefix(src, bom) {
		r.at = len(bom)
	}
	if err := r.space(); err != nil {
		return nil, err
	}
	if r.at == len(src) {
		return nil, nil
	}
	n, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if err := r.space(); err != nil {
		return nil, err
	}
	if r.at < len(src) {
		return nil, r.bad("more after the end")
	}
	return n, nil
}

// bad is an error at the place the reader is at.
func (r *jsonReader) bad(what string) error {
	line := 1 + bytes.Count(r.src[:r.at], []byte("\n"))
	return fmt.Errorf("line %d: %s", line, what)
}

// peek is the byte the reader is at, 0 at the end.
func (r *jsonReader) peek() byte {
	if r.at < len(r.src) {
		return r.src[r.at]
	}
	return 0
}

// space passes white space and comments.
func (r *jsonReader) space() error {
	for r.at < len(r.src) {
		switch c := r.src[r.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			r.at++
		case c == '/' && r.comments:
			n := comment(r.src[r.at:])
			if n == 0 {
				return r.bad("a comment without an end")
			}
			r.at += n
		default:
			return nil
		}
	}
	return nil
}

// comment is the length of the comment that src begins with, without the end of
// its line; 0 when there is none or it has no end.
func comment(src []byte) int {
	switch {
	case bytes.HasPrefix(src, []byte("//")):
		if n := bytes.IndexAny(src, "\r\n"); n >= 0 {
			return n
		}
		return len(src)
	case bytes.HasPrefix(src, []byte("/*")):
		if n := bytes.Index(src[2:], []byte("*/")); n >= 0 {
			return n + 4
		}
	}
	return 0
}

func (r *jsonReader) value(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, r.bad("nested too deep")
	}
	n := &node{start: r.at}
	var err error
	switch r.peek() {
	case '{':
		n.object = true
		err = r.list('}', func() error { return r.member(n, depth) }, func(at int) { n.members[len(n.members)-1].comma = at })
	case '[':
		n.array = true
		err = r.list(']', func() error {
			item, err := r.value(depth + 1)
			n.items = append(n.items, item)
			return err
		}, func(int) {})
	case '"':
		_, err = r.text()
	default:
		err = r.scalar()
	}
	n.end = r.at
	return n, err
}

// list reads what stands between brackets: one item after the other, with commas
// between them.
func (r *jsonReader) list(end byte, item func() error, comma func(at int)) error {
	r.at++
	for first := true; ; first = false {
		if err := r.space(); err != nil {
			return err
		}
		if r.peek() == end && (first || r.comments) {
			r.at++
			return nil
		}
		if err := item(); err != nil {
			return err
		}
		if err := r.space(); err != nil {
			return err
		}
		switch r.peek() {
		case ',':
			comma(r.at)
			r.at++
		case end:
			r.at++
			return nil
		default:
			return r.bad(fmt.Sprintf("wants a comma or %q", end))
		}
	}
}

func (r *jsonReader) member(n *node, depth int) error {
	m := member{at: r.at, comma: -1}
	var err error
	if m.key, err = r.text(); err != nil {
		return err
	}
	if err := r.space(); err != nil {
		return err
	}
	if r.peek() != ':' {
		return r.bad("wants a colon")
	}
	r.at++
	if err := r.space(); err != nil {
		return err
	}
	m.value, err = r.value(depth + 1)
	n.members = append(n.members, m)
	return err
}

// text reads a string.
func (r *jsonReader) text() (s string, err error) {
	start := r.at
	if r.peek() != '"' {
		return "", r.bad("wants a string in double quotes")
	}
	for r.at++; r.peek() != '"'; r.at++ {
		if r.peek() == '\\' {
			r.at++
		}
		if r.at >= len(r.src) {
			r.at = start
			return "", r.bad("a string without an end")
		}
	}
	r.at++
	if json.Unmarshal(r.src[start:r.at], &s) != nil {
		r.at = start
		return "", r.bad("not a string")
	}
	return s, nil
}

// scalar reads a number, true, false or null.
func (r *jsonReader) scalar() error {
	start := r.at
	for r.at < len(r.src) && bytes.IndexByte([]byte(" \t\r\n,]}/:\"[{"), r.src[r.at]) < 0 {
		r.at++
	}
	if !json.Valid(r.src[start:r.at]) {
		r.at = start
		return r.bad("not a value")
	}
	return nil
}
