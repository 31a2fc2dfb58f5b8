package agentstate

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
)

// fieldTable is the part of Cursor's descriptors that tool calls, steps and user
// messages reach. One line is one message ("Name = 1 name:type;…") or one enum
// ("#Name = 0 VALUE,…"); * repeated, ? explicit presence, <x> member of oneof x.
//
//go:embed fields.txt
var fieldTable string

// fieldType describes a field: its JSON name and what its bytes mean.
type fieldType struct {
	name     string // camelCase
	oneof    string
	kind     string // scalar type, message name, or "#" and an enum's name
	mapValue bool   // a map with string or integer keys; kind is the value's
	repeated bool
	presence bool // a zero is written, not left out
}

type table struct {
	messages map[string]map[protowire.Number]fieldType
	enums    map[string]map[uint64]string
}

// fields parses the table once, when the first tool call needs it.
var fields = sync.OnceValue(func() table {
	t := table{map[string]map[protowire.Number]fieldType{}, map[string]map[uint64]string{}}
	for line := range strings.Lines(fieldTable) {
		name, body, ok := strings.Cut(strings.TrimSpace(line), " =")
		if !ok {
			continue
		}
		if strings.HasPrefix(name, "#") {
			t.enums[name] = parseEnum(body)
		} else {
			t.messages[name] = parseMessage(body)
		}
	}
	return t
})

func parseEnum(body string) map[uint64]string {
	values := map[uint64]string{}
	for v := range strings.SplitSeq(strings.TrimSpace(body), ",") {
		num, name, _ := strings.Cut(v, " ")
		if n, err := strconv.ParseUint(num, 10, 32); err == nil {
			values[n] = name
		}
	}
	return values
}

func parseMessage(body string) map[protowire.Number]fieldType {
	out := map[protowire.Number]fieldType{}
	for f := range strings.SplitSeq(strings.TrimSpace(body), ";") {
		num, rest, _ := strings.Cut(f, " ")
		name, kind, ok := strings.Cut(rest, ":")
		n, err := strconv.ParseInt(num, 10, 32)
		if !ok || err != nil {
			continue
		}
		ft := fieldType{name: camel(name)}
		if rest, ok := strings.CutPrefix(kind, "map<"); ok {
			_, value, _ := strings.Cut(strings.TrimSuffix(rest, ">"), ",")
			ft.kind, ft.mapValue = value, true
		} else {
			kind, oneof, _ := strings.Cut(kind, "<")
			ft.oneof = strings.TrimSuffix(oneof, ">")
			ft.repeated = strings.HasSuffix(kind, "*")
			ft.presence = strings.HasSuffix(kind, "?") || ft.oneof != ""
			ft.kind = strings.TrimRight(kind, "*?")
		}
		out[protowire.Number(n)] = ft
	}
	return out
}

// camel turns a_field_name into aFieldName, as protobuf's JSON does.
func camel(snake string) string {
	var b strings.Builder
	up := false
	for i := range len(snake) {
		c := snake[i]
		switch {
		case c == '_':
			up = true
			continue
		case up && c >= 'a' && c <= 'z':
			c -= 'a' - 'A'
		}
		up = false
		b.WriteByte(c)
	}
	return b.String()
}
