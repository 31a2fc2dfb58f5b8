package install

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// decodeTOML reads a whole file as values.
func decodeTOML(src []byte) (map[string]any, error) {
	values := map[string]any{}
	if _, err := toml.Decode(string(bytes.TrimPrefix(src, bom)), &values); err != nil {
		return nil, err
	}
	return values, nil
}

func unquoteKey(raw []byte) string {
	var v struct{ K string }
	if _, err := toml.Decode("K = "+string(raw), &v); err != nil {
		return string(raw)
	}
	return v.K
}

// errShape says that an entry is written in a way that is not edited.
var errShape = errors.New("written in a way that only a person should change")

// setTOML returns src with the fields of the table at path set, the keys in drop
// taken out of it, and all else as it was.
func setTOML(src []byte, path []string, fields []field, drop []string) ([]byte, error) {
	values, err := decodeTOML(src)
	if err != nil {
		return nil, err
	}
	for _, key := range drop {
		src = cutTOML(src, append(slices.Clone(path), key))
	}
	for _, f := range fields {
		old := at(values, append(slices.Clone(path), f.key))
		if inner, ok := f.value.([]field); ok {
			src, err = putTable(src, path, f.key, inner, old)
		} else if !reflect.DeepEqual(old, plainTOML(f.value)) {
			src, err = putTOML(src, path, f.key, renderTOML(f.value))
		}
		if err != nil {
			return nil, err
		}
	}
	return src, nil
}

// putTable sets the keys of a table in the table at path: in place where it has
// a header of its own, else as an inline table.
func putTable(src []byte, path []string, key string, fields []field, old any) ([]byte, error) {
	inner := append(slices.Clone(path), key)
	kept, _ := old.(map[string]any)
	if slices.ContainsFunc(readTOML(src), func(l tomlLine) bool { return l.header && slices.Equal(l.path, inner) }) {
		for _, f := range fields {
			if reflect.DeepEqual(kept[f.key], f.value) {
				continue
			}
			var err error
			if src, err = putTOML(src, inner, f.key, renderTOML(f.value)); err != nil {
				return nil, err
			}
		}
		return src, nil
	}
	merged := map[string]any{}
	maps.Copy(merged, kept)
	for _, f := range fields {
		merged[f.key] = f.value
	}
	if reflect.DeepEqual(merged, kept) {
		return src, nil
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(merged)) {
		text, ok := merged[name].(string)
		if !ok {
			return nil, fmt.Errorf("%s: %w", strings.Join(inner, "."), errShape)
		}
		parts = append(parts, renderKey(name)+" = "+renderTOML(text))
	}
	return putTOML(src, path, key, "{ "+strings.Join(parts, ", ")+" }")
}

// putTOML sets one key of the table at path to a value that is written already.
func putTOML(src []byte, path []string, key, value string) ([]byte, error) {
	e := jsonEdit{src: src}
	whole := append(slices.Clone(path), key)
	lines := readTOML(src)
	last := -1 // the last line of the table's own
	below := false
	for i, l := range lines {
		switch {
		case !l.header && slices.Equal(l.path, whole):
			e.cut(l.value[0], l.value[1], value)
			return e.apply(), nil
		case l.header && !l.list && slices.Equal(l.path, path):
			for last = i; last+1 < len(lines) && !lines[last+1].header; last++ {
				continue
			}
		case !l.header && len(l.path) >= len(path) && slices.Equal(l.path[:len(path)], path):
			below = true
		}
	}
	nl := newline(src)
	text := renderKey(key) + " = " + value
	switch {
	case last >= 0:
		at := lines[last].end
		e.cut(at, at, nl+text)
	case below || closed(lines, path):
		return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), errShape)
	default:
		var keys []string
		for _, k := range path {
			keys = append(keys, renderKey(k))
		}
		lead, tail := "", nl
		if rest := bytes.TrimRight(bytes.TrimPrefix(src, bom), " \t\r\n"); len(rest) > 0 {
			lead = nl
			if !bytes.HasSuffix(src, []byte("\n")) {
				lead += nl
				tail = "" // as it was
			}
		}
		e.cut(len(src), len(src), lead+"["+strings.Join(keys, ".")+"]"+nl+text+tail)
	}
	return e.apply(), nil
}

// closed reports whether path leads through a value or an array of tables, to
// which a header adds nothing, or something else. Not every reader of TOML says
// so: ours accepts a header that adds to an inline table.
func closed(lines []tomlLine, path []string) bool {
	return slices.ContainsFunc(lines, func(l tomlLine) bool {
		return (!l.header || l.list) && len(l.path) <= len(path) && slices.Equal(l.path, path[:len(l.path)])
	})
}

// cutTOML takes out everything at and below path: headers with what stands below
// them, and keys.
func cutTOML(src []byte, path []string) []byte {
	e := jsonEdit{src: src}
	inside := func(l tomlLine) bool { return len(l.path) >= len(path) && slices.Equal(l.path[:len(path)], path) }
	lines := readTOML(src)
	for i, l := range lines {
		if !inside(l) {
			continue
		}
		start, end := l.start, l.end
		if i > 0 && inside(lines[i-1]) {
			start = lines[i-1].end // comments between two lines of the entry go with it
		} else if l.header {
			before := bytes.TrimRight(src[:start], " \t\r\n")
			if blank := bytes.Count(src[len(before):start], []byte("\n")); blank > 1 && len(before) > 0 {
				start -= len(newline(src)) // the empty line that set it apart
			}
		}
		if n := bytes.IndexByte(src[end:], '\n'); n >= 0 {
			end += n + 1
		}
		if n := len(e.cuts); n > 0 && e.cuts[n-1].end > start {
			start = e.cuts[n-1].end
		}
		e.cut(start, max(start, end), "")
	}
	out := e.apply()
	if !bytes.HasSuffix(src, []byte("\n")) { // as it was
		out = bytes.TrimSuffix(bytes.TrimSuffix(out, []byte("\n")), []byte("\r"))
	}
	return out
}

// at is the value that path leads to, nil when it leads nowhere.
func at(values any, path []string) any {
	for _, key := range path {
		table, ok := values.(map[string]any)
		if !ok {
			return nil
		}
		values = table[key]
	}
	return values
}

// plainTOML is a value as reading it gives it.
func plainTOML(value any) any {
	if list, ok := value.([]string); ok {
		out := make([]any, 0, len(list))
		for _, s := range list {
			out = append(out, s)
		}
		return out
	}
	return value
}

// sameTOML reports whether two texts hold the same values outside path.
func sameTOML(before, after []byte, path []string) error {
	a, err := decodeTOML(before)
	if err != nil {
		return err
	}
	b, err := decodeTOML(after)
	if err != nil {
		return err
	}
	for _, values := range []map[string]any{a, b} {
		if table, ok := at(values, path[:len(path)-1]).(map[string]any); ok {
			delete(table, path[len(path)-1])
			if len(table) == 0 {
				delete(values, path[0])
			}
		}
	}
	if !reflect.DeepEqual(a, b) {
		return errors.New("other values changed")
	}
	return nil
}

func renderTOML(value any) string {
	if list, ok := value.([]string); ok {
		words := make([]string, 0, len(list))
		for _, s := range list {
			words = append(words, renderTOML(s))
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	s := value.(string)
	if strings.Contains(s, `\`) && !strings.Contains(s, "'") && !strings.ContainsFunc(s, control) {
		return "'" + s + "'" // a path of Windows stays readable
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case control(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func control(r rune) bool { return r < 0x20 || r == 0x7f }

// renderKey quotes a key where it has to be.
func renderKey(key string) string {
	bare := func(r rune) bool {
		return r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if key != "" && strings.IndexFunc(key, func(r rune) bool { return !bare(r) }) < 0 {
		return key
	}
	return renderTOML(key)
}
