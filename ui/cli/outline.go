package cli

import (
	"encoding/json"
	"strings"

	"github.com/retold-history/retold/internal/jscan"
)

// deepest is how deep an outline goes before it prints JSON as it is.
const deepest = 8

// outline writes a JSON value for reading: one member a line, texts of several
// lines as a block below their name, so that a command's output looks as it did.
// The result holds whatever the value's texts hold.
func outline(raw json.RawMessage) string {
	v, err := jscan.Parse(raw)
	if err != nil {
		return string(raw)
	}
	var b strings.Builder
	writeValue(&b, v, 0)
	return strings.Trim(b.String(), "\n")
}

// writeValue writes a value that stands at the end of a line (a scalar) or
// below it (all else), indented by depth.
func writeValue(b *strings.Builder, v jscan.Value, depth int) {
	indent := strings.Repeat("  ", depth)
	switch kind := v.Kind(); {
	case kind == jscan.String:
		text := strings.TrimRight(v.Str(), "\n")
		if !strings.Contains(text, "\n") {
			b.WriteString(" " + text + "\n")
			return
		}
		b.WriteByte('\n')
		for line := range strings.SplitSeq(text, "\n") {
			b.WriteString(indent + line + "\n")
		}
	case kind != jscan.Object && kind != jscan.Array, v.Len() == 0, depth >= deepest:
		b.WriteString(" " + strings.TrimSpace(string(v)) + "\n")
	case kind == jscan.Object:
		b.WriteByte('\n')
		for name, member := range v.Members() {
			b.WriteString(indent + string(name) + ":")
			writeValue(b, member, depth+1)
		}
	default:
		b.WriteByte('\n')
		for item := range v.Items() {
			b.WriteString(indent + "-")
			writeValue(b, item, depth+1)
		}
	}
}
