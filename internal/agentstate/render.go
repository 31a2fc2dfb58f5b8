package agentstate

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// Limits of rendering: messages nest in messages (a task's steps hold tool
// calls), and bytes are pictures more often than anything else.
const (
	maxRenderDepth = 40
	maxRenderBytes = 4096
)

// renderMessage writes a message as protobuf's JSON mapping would: camelCase
// names, enums by name, 64-bit numbers as strings, bytes in base64. Fields appear
// in the order of the wire; those the table does not know keep their number as
// name. The result is a valid JSON object whatever the bytes are.
func renderMessage(b []byte, name string) json.RawMessage {
	return appendMessage(nil, b, name, 0)
}

func appendMessage(out, b []byte, name string, depth int) []byte {
	if depth > maxRenderDepth {
		return appendString(append(out, `{"_tooDeep":`...), base64.StdEncoding.EncodeToString(head(b)), '}')
	}
	switch name {
	case "gp.Value":
		return appendValue(out, b, depth)
	case "gp.Struct":
		m, _ := parse(b)
		return appendMap(out, m.only(1), "gp.Value", depth+1)
	case "gp.ListValue":
		m, _ := parse(b)
		return appendList(out, m.only(1), fieldType{kind: "gp.Value"}, depth+1)
	}
	known := fields().messages[name]
	m, err := parse(b)
	groups := group(m)
	out = append(out, '{')
	for i, g := range groups {
		if i > 0 {
			out = append(out, ',')
		}
		ft, ok := known[g[0].num]
		if !ok {
			out = append(appendString(out, strconv.Itoa(int(g[0].num))), ':')
			out = appendUnknown(out, g, depth)
			continue
		}
		out = append(appendString(out, ft.name), ':')
		switch {
		case ft.mapValue:
			out = appendMap(out, g, ft.kind, depth)
		case ft.repeated:
			out = appendList(out, g, ft, depth)
		default: // of a repeated scalar the last counts
			out = appendField(out, g[len(g)-1], ft, depth)
		}
	}
	if err != nil { // what follows the fault cannot be told apart
		if len(groups) > 0 {
			out = append(out, ',')
		}
		out = appendString(append(out, `"_malformed":`...), err.Error())
	}
	return append(out, '}')
}

// group gathers the fields of each number, in the order in which the numbers
// first appear.
func group(m message) []message {
	at := make(map[protowire.Number]int, min(len(m), 16))
	var groups []message
	for _, f := range m {
		i, ok := at[f.num]
		if !ok {
			i = len(groups)
			at[f.num] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

func appendMap(out []byte, m message, kind string, depth int) []byte {
	out = append(out, '{')
	last := map[string]int{} // of equal keys the last wins
	var keys []string
	var values []message
	for i := range m {
		entry, _ := parse(m[i].b)
		key := entry.text(1)
		if f, ok := entry.get(1); ok && f.typ == protowire.VarintType {
			key = strconv.FormatUint(f.n, 10)
		}
		if at, ok := last[key]; ok {
			values[at] = entry
			continue
		}
		last[key] = len(keys)
		keys, values = append(keys, key), append(values, entry)
	}
	for i, key := range keys {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendString(out, key), ':')
		f, ok := values[i].get(2)
		if !ok {
			f.typ = protowire.BytesType
		}
		out = appendField(out, f, fieldType{kind: kind}, depth)
	}
	return append(out, '}')
}

func appendList(out []byte, m message, ft fieldType, depth int) []byte {
	out = append(out, '[')
	n := 0
	comma := func() {
		if n++; n > 1 {
			out = append(out, ',')
		}
	}
	for _, f := range m {
		if f.typ != protowire.BytesType || !packable(ft.kind) {
			comma()
			out = appendField(out, f, ft, depth)
			continue
		}
		for rest := f.b; len(rest) > 0; {
			one := field{num: f.num, typ: protowire.VarintType}
			size := 0
			switch ft.kind {
			case "double", "fixed64", "sfixed64":
				one.typ = protowire.Fixed64Type
				one.n, size = protowire.ConsumeFixed64(rest)
			case "float", "fixed32", "sfixed32":
				one.typ = protowire.Fixed32Type
				var v uint32
				v, size = protowire.ConsumeFixed32(rest)
				one.n = uint64(v)
			default:
				one.n, size = protowire.ConsumeVarint(rest)
			}
			if size < 0 {
				break
			}
			rest = rest[size:]
			comma()
			out = appendField(out, one, ft, depth)
		}
	}
	return append(out, ']')
}

func packable(kind string) bool {
	switch kind {
	case "bool", "int32", "int64", "uint32", "uint64", "sint32", "sint64",
		"fixed32", "fixed64", "sfixed32", "sfixed64", "float", "double":
		return true
	}
	return kind != "" && kind[0] == '#'
}

// appendUnknown writes all fields of a number that the table does not know.
func appendUnknown(out []byte, m message, depth int) []byte {
	if len(m) > 1 {
		out = append(out, '[')
	}
	for i, f := range m {
		if i > 0 {
			out = append(out, ',')
		}
		if f.typ == protowire.BytesType {
			out = appendRaw(out, f.b, depth)
		} else {
			out = strconv.AppendUint(out, f.n, 10)
		}
	}
	if len(m) > 1 {
		out = append(out, ']')
	}
	return out
}

// appendRaw writes bytes of unknown meaning: text if they read as text, a
// message if they parse as one, else base64.
func appendRaw(out, b []byte, depth int) []byte {
	if isText(b) {
		return appendString(out, string(b))
	}
	if m, err := parse(b); err == nil && len(m) > 0 && depth < maxRenderDepth {
		return appendMessage(out, b, "", depth+1)
	}
	if len(b) > maxRenderBytes {
		return appendPicture(out, b)
	}
	return appendString(append(out, `{"base64":`...), base64.StdEncoding.EncodeToString(b), '}')
}

func isText(b []byte) bool {
	if !utf8.Valid(b) {
		return false
	}
	for _, r := range string(b) {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' && r != '\x1b' {
			return false
		}
	}
	return true
}

func head(b []byte) []byte { return b[:min(len(b), maxRenderBytes)] }
