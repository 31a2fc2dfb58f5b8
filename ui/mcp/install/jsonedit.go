package install

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// setJSON returns src with the fields of the entry at path set, the keys in drop
// taken out of it, and all else as it was.
func setJSON(src []byte, comments bool, path []string, fields []field, drop []string) ([]byte, error) {
	if root, err := readJSON(src, comments); err != nil {
		return nil, err
	} else if root == nil {
		src = slices.Concat(bytes.TrimRight(src, " \t\r\n"), []byte("\n{}\n")) // behind comments, if any
		src = bytes.TrimPrefix(src, []byte("\n"))
	}
	for _, key := range drop {
		var err error
		if src, err = removeJSON(src, comments, append(slices.Clone(path), key)); err != nil {
			return nil, err
		}
	}
	for _, f := range flatten(path, fields) {
		var err error
		if src, err = putJSON(src, comments, f.path, f.value); err != nil {
			return nil, err
		}
	}
	return src, nil
}

// placed is a value and the keys that lead to it.
type placed struct {
	path  []string
	value any
}

// flatten gives every field that is no object its own path, so that objects are
// filled and not replaced.
func flatten(path []string, fields []field) (out []placed) {
	for _, f := range fields {
		at := append(slices.Clone(path), f.key)
		if inner, ok := f.value.([]field); ok {
			out = append(out, flatten(at, inner)...)
		} else {
			out = append(out, placed{at, f.value})
		}
	}
	return out
}

// descend follows path as far as it goes and returns the last object and the
// keys that are missing from there; with none missing, value is what path leads
// to.
func descend(root *node, path []string) (object, value *node, missing []string, err error) {
	object = root
	for i, key := range path {
		if !object.object {
			return nil, nil, nil, fmt.Errorf("%s is not an object", cmp.Or(strings.Join(path[:i], "."), "the whole"))
		}
		next, err := object.lookup(key)
		if err != nil {
			return nil, nil, nil, err
		}
		if next == nil {
			return object, nil, path[i:], nil
		}
		if i == len(path)-1 {
			return object, next, nil, nil
		}
		object = next
	}
	return object, object, nil, nil
}

// putJSON sets one value.
func putJSON(src []byte, comments bool, path []string, value any) ([]byte, error) {
	root, err := readJSON(src, comments)
	if err != nil {
		return nil, err
	}
	object, old, missing, err := descend(root, path)
	if err != nil {
		return nil, err
	}
	e := jsonEdit{src: src, newline: newline(src), unit: unit(src, root)}
	if old != nil {
		if holds(src[old.start:old.end], value) {
			return src, nil
		}
		e.cut(old.start, old.end, e.render(value, e.indentOf(old.start), e.spread(old)))
		return e.apply(), nil
	}
	for _, key := range slices.Backward(missing[1:]) {
		value = []field{{key, value}}
	}
	e.insert(object, root, missing[0], value)
	return e.apply(), nil
}

// removeJSON takes a key out. One that is not there is no error.
func removeJSON(src []byte, comments bool, path []string) ([]byte, error) {
	root, err := readJSON(src, comments)
	if err != nil || root == nil {
		return src, err
	}
	object, value, _, err := descend(root, path)
	if err != nil || value == nil {
		return src, err
	}
	i := slices.IndexFunc(object.members, func(m member) bool { return m.value == value })
	e := jsonEdit{src: src}
	m := object.members[i]
	end := value.end
	if m.comma >= 0 {
		end = m.comma + 1
	}
	before, after := src[object.start+1:m.at], src[end:object.end-1]
	switch {
	case len(object.members) == 1 && len(bytes.TrimSpace(before))+len(bytes.TrimSpace(after)) == 0:
		e.cut(object.start+1, object.end-1, "")
	case i > 0 && m.comma < 0:
		comma := object.members[i-1].comma
		e.cut(comma, comma+1, "")
		fallthrough
	default:
		e.cut(m.at-trailingSpace(before), end, "")
	}
	return e.apply(), nil
}

// trailingSpace is the length of the white space at the end of text, up to and
// with the end of the line before.
func trailingSpace(text []byte) int {
	trimmed := bytes.TrimRight(text, " \t")
	if t, ok := bytes.CutSuffix(trimmed, []byte("\n")); ok {
		trimmed = bytes.TrimSuffix(t, []byte("\r"))
	}
	return len(text) - len(trimmed)
}

// holds reports whether raw is value already.
func holds(raw []byte, value any) bool {
	switch v := value.(type) {
	case string:
		var s string
		return raw[0] == '"' && json.Unmarshal(raw, &s) == nil && s == v
	case []string:
		var list []string
		return raw[0] == '[' && json.Unmarshal(raw, &list) == nil && slices.Equal(list, v)
	}
	return false
}

// sameJSON reports whether two texts hold the same values in the same order
// outside the places that were touched.
func sameJSON(before, after []byte, comments bool, touched [][]string) error {
	a, err := readJSON(before, comments)
	if err != nil {
		return err
	}
	b, err := readJSON(after, comments)
	if err != nil {
		return err
	}
	if x, y := leaves(before, a, nil, touched), leaves(after, b, nil, touched); !slices.Equal(x, y) {
		return fmt.Errorf("%d values became %d", len(x), len(y))
	}
	return nil
}

// leaves lists the values below n that are outside touched, with their paths.
func leaves(src []byte, n *node, path []string, touched [][]string) (out []string) {
	if n == nil {
		return nil
	}
	onTheWay := false
	for _, t := range touched {
		if len(path) >= len(t) && slices.Equal(path[:len(t)], t) {
			return nil
		}
		onTheWay = onTheWay || len(path) < len(t) && slices.Equal(path, t[:len(path)])
	}
	for _, m := range n.members {
		out = append(out, leaves(src, m.value, append(slices.Clip(path), m.key), touched)...)
	}
	for i, item := range n.items {
		out = append(out, leaves(src, item, append(slices.Clip(path), fmt.Sprint(i)), touched)...)
	}
	if len(n.members)+len(n.items) == 0 && !onTheWay {
		raw := string(src[n.start:n.end])
		if n.object || n.array {
			raw = raw[:1] // comments inside are no value
		}
		out = append(out, fmt.Sprintf("%q=%s", path, raw))
	}
	return out
}
