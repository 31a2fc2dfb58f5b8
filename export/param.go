package export

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
)

// params are the members of a JSON object; nil when it is none.
type params map[string]json.RawMessage

// paramsOf reads an object, or a string that holds one.
func paramsOf(raw json.RawMessage) params {
	var p params
	if s := asText(raw); strings.HasPrefix(s, "{") {
		raw = json.RawMessage(s)
	}
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &p) != nil {
		return nil
	}
	return p
}

// asText is the value of a JSON string, "" for any other value.
func asText(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// text is the first non-empty string or number among the named members.
func (p params) text(names ...string) string {
	for _, name := range names {
		raw := p[name]
		if s := asText(raw); s != "" {
			return s
		}
		if len(raw) > 0 && strings.IndexByte("-0123456789", raw[0]) >= 0 {
			return string(raw)
		}
	}
	return ""
}

func (p params) number(names ...string) int {
	n, err := strconv.ParseFloat(p.text(names...), 64)
	if err != nil || n < 0 || n > 1e9 {
		return 0
	}
	return int(n)
}

func (p params) flag(names ...string) bool {
	for _, name := range names {
		if string(p[name]) == "true" {
			return true
		}
	}
	return false
}

// list is the first named member that is a list of objects, or a string that
// holds one.
func (p params) list(names ...string) []params {
	for _, name := range names {
		raw := p[name]
		if s := asText(raw); s != "" {
			raw = json.RawMessage(s)
		}
		var items []params
		if len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &items) == nil && len(items) > 0 {
			return items
		}
	}
	return nil
}

// fileList names the files of a call: three of them and how many more.
func fileList(t *retold.ToolCall, p params, workspace string) string {
	files := t.Files
	if len(files) == 0 {
		one := p.text("targetFile", "target_file", "relativeWorkspacePath", "file_path", "filePath", "path", "effectiveUri")
		if one == "" {
			return ""
		}
		files = []string{one}
	}
	const shown = 3
	var names []string
	for _, f := range files[:min(len(files), shown)] {
		names = append(names, relative(head(f, 400), workspace))
	}
	out := strings.Join(names, ", ")
	if more := len(files) - shown; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

// lineRange is ":10–20" where a read was of a part.
func lineRange(p params) string {
	first := p.number("startLineOneIndexed", "start_line_one_indexed", "offset", "startLine")
	last := p.number("endLineOneIndexedInclusive", "end_line_one_indexed_inclusive", "endLine")
	if limit := p.number("limit"); last == 0 && limit > 0 {
		last = max(first, 1) + limit - 1
	}
	if p.flag("readEntireFile", "should_read_entire_file") || first == 0 && last == 0 {
		return ""
	}
	first = max(first, 1)
	if last <= first {
		return fmt.Sprintf(":%d", first)
	}
	return fmt.Sprintf(":%d–%d", first, last)
}

// relative writes a path below the workspace relative to it.
func relative(path, workspace string) string {
	ws := strings.TrimRight(strings.ReplaceAll(workspace, `\`, "/"), "/")
	slashed := strings.ReplaceAll(path, `\`, "/")
	if ws == "" || len(slashed) <= len(ws)+1 || slashed[len(ws)] != '/' || !strings.EqualFold(slashed[:len(ws)], ws) {
		return path
	}
	return path[len(ws)+1:]
}
