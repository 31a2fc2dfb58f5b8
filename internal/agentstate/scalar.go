package agentstate

import (
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// appendField writes one value. A wire type that does not fit the field's kind
// is written as what it is.
func appendField(out []byte, f field, ft fieldType, depth int) []byte {
	if f.typ == protowire.BytesType {
		switch {
		case ft.kind == "string" && (ft.name == "imageData" || ft.name == "screenshot"):
			return appendPicture(out, f.b)
		case ft.kind == "string":
			return appendString(out, string(f.b))
		case ft.kind == "bytes" && len(f.b) > maxRenderBytes:
			return appendPicture(out, f.b)
		case ft.kind == "bytes":
			return appendString(out, base64.StdEncoding.EncodeToString(f.b))
		case packable(ft.kind):
			return appendRaw(out, f.b, depth)
		}
		return appendMessage(out, f.b, ft.kind, depth+1)
	}
	switch ft.kind {
	case "bool":
		return strconv.AppendBool(out, f.n != 0)
	case "int32":
		return strconv.AppendInt(out, int64(int32(f.n)), 10)
	case "sint32":
		return strconv.AppendInt(out, protowire.DecodeZigZag(f.n), 10)
	case "int64":
		return appendString(out, strconv.FormatInt(int64(f.n), 10))
	case "uint64":
		return appendString(out, strconv.FormatUint(f.n, 10))
	case "double":
		return appendFloat(out, math.Float64frombits(f.n), 64)
	case "float":
		return appendFloat(out, float64(math.Float32frombits(uint32(f.n))), 32)
	}
	if name, ok := fields().enums[ft.kind][f.n]; ok {
		return appendString(out, name)
	}
	return strconv.AppendUint(out, f.n, 10)
}

// appendPicture names bytes without copying them.
func appendPicture(out, b []byte) []byte {
	out = append(out, `{"bytes":`...)
	out = strconv.AppendInt(out, int64(len(b)), 10)
	return append(out, '}')
}

func appendFloat(out []byte, v float64, bits int) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return appendString(out, strconv.FormatFloat(v, 'g', -1, 64))
	}
	if bits == 64 && v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.AppendInt(out, int64(v), 10)
	}
	return strconv.AppendFloat(out, v, 'g', -1, bits)
}

// appendValue writes a google.protobuf.Value as the JSON it stands for.
func appendValue(out, b []byte, depth int) []byte {
	m, _ := parse(b)
	if len(m) == 0 {
		return append(out, "null"...)
	}
	f := m[len(m)-1]
	switch f.num {
	case 2:
		return appendField(out, f, fieldType{kind: "double"}, depth)
	case 3:
		return appendField(out, f, fieldType{kind: "string"}, depth)
	case 4:
		return appendField(out, f, fieldType{kind: "bool"}, depth)
	case 5:
		return appendField(out, f, fieldType{kind: "gp.Struct"}, depth)
	case 6:
		return appendField(out, f, fieldType{kind: "gp.ListValue"}, depth)
	}
	return append(out, "null"...)
}

// plainByte tells the characters of ASCII that stand for themselves in a string.
var plainByte = func() (plain [256]bool) {
	for c := ' '; c < 0x7f; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// appendString writes a JSON string; bytes that are not UTF-8 become U+FFFD.
func appendString(out []byte, s string, tail ...byte) []byte {
	const hexDigits = "0123456789abcdef"
	out = append(slices.Grow(out, len(s)+2+len(tail)), '"')
	start := 0 // of what is written as it is
	for i := 0; i < len(s); {
		c := s[i]
		if plainByte[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if r, size := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size != 1 {
				i += size
				continue
			}
		}
		out = append(out, s[start:i]...)
		i++
		start = i
		switch {
		case c >= utf8.RuneSelf:
			out = utf8.AppendRune(out, utf8.RuneError)
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c == '\n':
			out = append(out, '\\', 'n')
		case c == '\t':
			out = append(out, '\\', 't')
		case c == '\r':
			out = append(out, '\\', 'r')
		default:
			out = append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	out = append(out, s[start:]...)
	return append(append(out, '"'), tail...)
}
