package cursor

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/retold-history/retold/internal/jscan"
)

// shapeTable says what the parameters and results of Cursor's tools may hold
// (formats C.5). One line is a tool ("tool 40 ReadFileV2Params ReadFileV2Result"),
// an enum ("#Name VALUE VALUE") or a message ("Name member:type …"; * repeated,
// map: a map's value). Cursor parses both strictly: a member that the message does
// not have makes the whole message of the conversation vanish.
//
//go:embed writefields.txt
var shapeTable string

// A toolShape names the messages of one tool; "" when it has none.
type toolShape struct{ params, result string }

type shapes struct {
	tools    map[int64]toolShape
	messages map[string]map[string]string // member → type
	enums    map[string][]string
}

// toolShapes parses the table once, when the first call is written.
var toolShapes = sync.OnceValue(func() shapes {
	s := shapes{map[int64]toolShape{}, map[string]map[string]string{}, map[string][]string{}}
	for line := range strings.Lines(shapeTable) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "tool" && len(words) == 4:
			if id, err := strconv.ParseInt(words[1], 10, 64); err == nil {
				s.tools[id] = toolShape{strings.Trim(words[2], "-"), strings.Trim(words[3], "-")}
			}
		case words[0][0] == '#':
			s.enums[words[0]] = words[1:]
		default:
			members := map[string]string{}
			for _, w := range words[1:] {
				name, kind, _ := strings.Cut(w, ":")
				members[name] = kind
			}
			s.messages[words[0]] = members
		}
	}
	return s
})

// fits reports whether a value is what Cursor's parser takes for a type.
func (s shapes) fits(kind string, v jscan.Value) bool {
	if v.Kind() == jscan.Null {
		return true // absent, in protobuf's JSON
	}
	if item, repeated := strings.CutSuffix(kind, "*"); repeated {
		return v.Kind() == jscan.Array && s.each(item, v)
	}
	if value, isMap := strings.CutPrefix(kind, "map:"); isMap {
		return v.Kind() == jscan.Object && s.every(v, func(string) string { return value })
	}
	switch kind {
	case "string", "bytes":
		return v.Kind() == jscan.String
	case "bool":
		return v.Kind() == jscan.Bool
	case "double", "float":
		return v.Kind() == jscan.Number
	case "int32", "uint32", "int64", "uint64":
		return fitsInt(kind, v)
	case "gp.Struct":
		return v.Kind() == jscan.Object
	}
	if strings.HasPrefix(kind, "#") {
		return v.Kind() == jscan.String && slices.Contains(s.enums[kind], v.Str())
	}
	members, known := s.messages[kind]
	if !known { // a message that no description is known of
		return v.Kind() == jscan.Object || strings.HasPrefix(kind, "gp.")
	}
	return v.Kind() == jscan.Object && s.every(v, func(name string) string { return members[name] })
}

func fitsInt(kind string, v jscan.Value) bool {
	n, ok := v.Int()
	f, _ := v.Float()
	switch {
	case !ok || float64(n) != f || strings.HasPrefix(kind, "u") && n < 0:
		return false
	case strings.HasSuffix(kind, "64"):
		return true
	case kind == "uint32":
		return v.Kind() == jscan.Number && n <= 1<<32-1
	}
	return v.Kind() == jscan.Number && n >= -1<<31 && n < 1<<31
}

func (s shapes) each(kind string, v jscan.Value) bool {
	for item := range v.Items() {
		if item.Kind() == jscan.Null || !s.fits(kind, item) {
			return false
		}
	}
	return true
}

// every wants all members of an object to be known, once, and to fit.
func (s shapes) every(v jscan.Value, kind func(name string) string) bool {
	seen := map[string]bool{}
	for name, m := range v.Members() {
		k := kind(string(name))
		if k == "" || seen[string(name)] || !s.fits(k, m) {
			return false
		}
		seen[string(name)] = true
	}
	return true
}

// fitting is the part of an object that fits a message, and how many of its
// members that are.
func (s shapes) fitting(message string, v jscan.Value) (doc []byte, kept int) {
	members := s.messages[message]
	doc = []byte{'{'}
	seen := map[string]bool{}
	for name, m := range v.Members() {
		k := string(name)
		if members[k] == "" || seen[k] || m.Kind() == jscan.Null || !s.fits(members[k], m) {
			continue
		}
		seen[k] = true
		if kept++; kept > 1 {
			doc = append(doc, ',')
		}
		doc = append(append(doc, quoted(k)+":"...), m.Raw()...)
	}
	return append(doc, '}'), kept
}
