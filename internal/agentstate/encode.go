package agentstate

import (
	"encoding/base64"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/retold-history/retold/internal/jscan"
)

// encodeMessage is the inverse of renderMessage: the fields of a message that a
// JSON object has members for, in the order of their numbers. whole is false when
// a member has no field, or its value does not fit it; the rest is there.
func encodeMessage(doc jscan.Value, name string, depth int) (out []byte, whole bool) {
	switch name {
	case "gp.Value":
		return encodeValue(doc, depth)
	case "gp.Struct":
		return encodeMap(doc, 1, "gp.Value", depth)
	case "gp.ListValue":
		return encodeList(doc, 1, fieldType{kind: "gp.Value", repeated: true}, depth)
	}
	known := fields().messages[name]
	if doc.Kind() != jscan.Object || depth > maxRenderDepth {
		return nil, false
	}
	byName := make(map[string]protowire.Number, len(known))
	for num, ft := range known {
		byName[ft.name] = num
	}
	given := map[protowire.Number]jscan.Value{}
	chosen := map[string]bool{} // oneofs
	whole = true
	for member, v := range doc.Members() {
		num, ok := byName[string(member)]
		oneof := known[num].oneof
		if _, twice := given[num]; !ok || twice || oneof != "" && chosen[oneof] {
			whole = false
			continue
		}
		given[num] = v
		chosen[oneof] = true
	}
	for _, num := range slices.Sorted(maps.Keys(given)) {
		b, ok := encodeField(given[num], num, known[num], depth)
		out = append(out, b...)
		whole = whole && ok
	}
	return out, whole
}

// encodeField writes a member: as many fields as it has values.
func encodeField(v jscan.Value, num protowire.Number, ft fieldType, depth int) (out []byte, ok bool) {
	switch {
	case ft.mapValue:
		return encodeMap(v, num, ft.kind, depth)
	case ft.repeated:
		return encodeList(v, num, ft, depth)
	}
	out, ok = encodeOne(v, num, ft.kind, depth)
	if ok && !ft.presence && isZero(v, ft.kind) {
		return nil, true // proto3 leaves it out
	}
	return out, ok
}

// isZero reports whether a value is what a field has that is not there.
func isZero(v jscan.Value, kind string) bool {
	if kind == "string" || kind == "bytes" {
		return v.Str() == ""
	}
	n, isNumber, _ := wholeNumber(v, kind)
	f, _ := v.Float()
	return isNumber && n == 0 || kind == "bool" && !v.Bool() || (kind == "double" || kind == "float") && f == 0
}

func encodeMap(v jscan.Value, num protowire.Number, kind string, depth int) (out []byte, whole bool) {
	if v.Kind() != jscan.Object {
		return nil, false
	}
	whole = true
	seen := map[string]bool{}
	for key, item := range v.Members() {
		entry := appendText(nil, 1, string(key))
		value, ok := encodeOne(item, 2, kind, depth+1)
		if ok && isZero(item, kind) {
			value = nil
		}
		if seen[string(key)] || !ok && len(value) == 0 {
			whole = false
			continue
		}
		seen[string(key)] = true
		whole = whole && ok
		out = appendBytes(out, num, append(entry, value...))
	}
	return out, whole
}

func encodeList(v jscan.Value, num protowire.Number, ft fieldType, depth int) (out []byte, whole bool) {
	if v.Kind() != jscan.Array {
		return nil, false
	}
	whole = true
	for item := range v.Items() {
		b, ok := encodeOne(item, num, ft.kind, depth+1)
		out = append(out, b...)
		whole = whole && ok
	}
	return out, whole
}

// encodeOne writes one value of a kind: nothing where it does not fit, but for a
// message, of which it writes what does.
func encodeOne(v jscan.Value, num protowire.Number, kind string, depth int) (out []byte, ok bool) {
	if want, scalar := scalarKinds[kind]; scalar && v.Kind() != want {
		return nil, false
	}
	switch kind {
	case "string":
		return appendText(nil, num, v.Str()), true
	case "bytes":
		b, err := base64.StdEncoding.DecodeString(v.Str())
		if err != nil {
			return nil, false
		}
		return appendBytes(nil, num, b), true
	case "bool":
		return appendNumber(nil, num, protowire.EncodeBool(v.Bool())), true
	case "double":
		f, ok := v.Float()
		return protowire.AppendFixed64(protowire.AppendTag(nil, num, protowire.Fixed64Type), math.Float64bits(f)), ok
	case "float":
		f, ok := v.Float()
		return protowire.AppendFixed32(protowire.AppendTag(nil, num, protowire.Fixed32Type), math.Float32bits(float32(f))), ok
	}
	if n, isNumber, ok := wholeNumber(v, kind); isNumber {
		if !ok {
			return nil, false
		}
		return appendNumber(nil, num, n), true
	}
	if v.Kind() != jscan.Object && !strings.HasPrefix(kind, "gp.") {
		return nil, false
	}
	body, ok := encodeMessage(v, kind, depth+1)
	return appendBytes(nil, num, body), ok
}

// scalarKinds are the kinds of fields that a value of one kind only fits.
var scalarKinds = map[string]jscan.Kind{"string": jscan.String, "bytes": jscan.String, "bool": jscan.Bool, "double": jscan.Number, "float": jscan.Number}

// wholeNumber is a value as a varint of a kind; isNumber is false for kinds that
// are no numbers.
func wholeNumber(v jscan.Value, kind string) (n uint64, isNumber, ok bool) {
	if strings.HasPrefix(kind, "#") {
		for value, name := range fields().enums[kind] {
			if v.Kind() == jscan.String && name == v.Str() {
				return value, true, true
			}
		}
		i, ok := v.Int()
		return uint64(i), true, ok && i >= 0 && i <= math.MaxInt32 && v.Kind() == jscan.Number
	}
	if !slices.Contains([]string{"int32", "uint32", "sint32", "int64", "uint64"}, kind) {
		return 0, false, false
	}
	text := strings.Trim(string(v), `"`)
	size := 64
	if strings.HasSuffix(kind, "32") {
		size = 32
	}
	if kind[0] == 'u' {
		n, err := strconv.ParseUint(text, 10, size)
		return n, true, err == nil
	}
	i, err := strconv.ParseInt(text, 10, size)
	if kind[0] == 's' {
		return protowire.EncodeZigZag(i), true, err == nil
	}
	return uint64(i), true, err == nil
}

// encodeValue writes a google.protobuf.Value.
func encodeValue(v jscan.Value, depth int) (out []byte, ok bool) {
	switch v.Kind() {
	case jscan.Null:
		return appendNumber(nil, 1, 0), true
	case jscan.Number:
		return encodeOne(v, 2, "double", depth)
	case jscan.String:
		return encodeOne(v, 3, "string", depth)
	case jscan.Bool:
		return encodeOne(v, 4, "bool", depth)
	case jscan.Object:
		return encodeOne(v, 5, "gp.Struct", depth)
	case jscan.Array:
		body, ok := encodeList(v, 1, fieldType{kind: "gp.Value"}, depth)
		return appendBytes(nil, 6, body), ok
	}
	return nil, false
}

func appendBytes(out []byte, num protowire.Number, b []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, num, protowire.BytesType), b)
}

// appendText writes a string, which protobuf wants to be UTF-8.
func appendText(out []byte, num protowire.Number, s string) []byte {
	return appendBytes(out, num, []byte(strings.ToValidUTF8(s, "\uFFFD")))
}

func appendNumber(out []byte, num protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(out, num, protowire.VarintType), n)
}
