package jscan

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Str returns a string's text, unescaped; "" for every other kind. A lone
// surrogate becomes U+FFFD; bytes that are not UTF-8 are kept.
func (v Value) Str() string {
	if len(v) == 0 || v[0] != '"' {
		return ""
	}
	body := v.body()
	if bytes.IndexByte(body, '\\') < 0 {
		return string(body)
	}
	return unescapeString(body)
}

// body is what stands between a string's quotes, of which the last may be cut
// off.
func (v Value) body() []byte {
	body := v[1:]
	if n := len(body); n > 0 && body[n-1] == '"' && !escapedEnd(body) {
		body = body[:n-1]
	}
	return body
}

// escapedEnd reports whether the last byte is an escaped quote, as it is when
// the string was cut there.
func escapedEnd(b []byte) bool {
	slashes := 0
	for p := len(b) - 2; p >= 0 && b[p] == '\\'; p-- {
		slashes++
	}
	return slashes%2 == 1
}

// Text is Str for strings, the spelling of numbers and booleans, and "" for the
// rest.
func (v Value) Text() string {
	switch v.Kind() {
	case String:
		return v.Str()
	case Number, Bool:
		return string(v)
	}
	return ""
}

// unescape never needs more bytes than it is given: even \u takes six for three.
func unescape(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		var plain []byte
		var r rune
		plain, r, b = cutEscape(b)
		if out = append(out, plain...); r >= 0 {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// unescapeString is unescape without a second copy.
func unescapeString(b []byte) string {
	var out strings.Builder
	out.Grow(len(b))
	for len(b) > 0 {
		var plain []byte
		var r rune
		plain, r, b = cutEscape(b)
		out.Write(plain)
		if r >= 0 {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// cutEscape returns what stands before the first escape, what that stands for,
// and what follows. Less than zero stands for nothing: there is none, it was cut
// off, or it escapes what follows, as \" and \/ do, and what no writer should
// have escaped.
func cutEscape(b []byte) (plain []byte, r rune, rest []byte) {
	i := bytes.IndexByte(b, '\\')
	if i < 0 {
		return b, -1, nil
	}
	if i+1 >= len(b) {
		return b[:i], -1, nil
	}
	plain, rest = b[:i], b[i+2:]
	switch b[i+1] {
	case '\\':
		return plain, '\\', rest
	case 'n':
		return plain, '\n', rest
	case 't':
		return plain, '\t', rest
	case 'r':
		return plain, '\r', rest
	case 'b':
		return plain, '\b', rest
	case 'f':
		return plain, '\f', rest
	case 'u':
		r, rest = codePoint(rest)
		return plain, r, rest
	}
	return plain, -1, b[i+1:]
}

// codePoint reads the four digits behind \u, and a second escape where the two
// make one character.
func codePoint(b []byte) (rune, []byte) {
	hi, ok := hex4(b)
	if !ok {
		return utf8.RuneError, b
	}
	b = b[4:]
	if !utf16.IsSurrogate(hi) {
		return hi, b
	}
	if len(b) >= 6 && b[0] == '\\' && b[1] == 'u' {
		if lo, ok := hex4(b[2:]); ok {
			if r := utf16.DecodeRune(hi, lo); r != utf8.RuneError {
				return r, b[6:]
			}
		}
	}
	return utf8.RuneError, b
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(n), err == nil
}

// Float returns a number, also one written as a string.
func (v Value) Float() (float64, bool) {
	s := ""
	switch v.Kind() {
	case Number:
		s = string(v)
	case String:
		s = strings.TrimSpace(v.Str())
	default:
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// Int returns a whole number: 7, 7.0, 1.7e12 and "7" alike. Fractions are cut.
func (v Value) Int() (int64, bool) {
	if k := v.Kind(); k == Number || k == String {
		if n, err := strconv.ParseInt(strings.TrimSpace(v.Text()), 10, 64); err == nil {
			return n, true
		}
	}
	f, ok := v.Float()
	if !ok || math.Abs(f) >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}

// Bool reports whether the value is true. Everything else is false.
func (v Value) Bool() bool { return string(v) == "true" }

// Embedded returns the JSON inside a string that holds JSON, and any other value
// as it is. A string that holds plain text stays that string.
func (v Value) Embedded() Value {
	inner, _ := v.Open()
	return inner
}

// Open is Embedded that also reports whether the value's bytes are its own, not
// the document's: such a value can be kept without keeping a document alive.
func (v Value) Open() (inner Value, own bool) {
	if v.Kind() != String {
		return v, false
	}
	text := v.body()
	if own = bytes.IndexByte(text, '\\') >= 0; own {
		text = unescape(text)
	}
	inner, err := Parse(text)
	if err != nil {
		return v, false
	}
	return inner, own
}

// Raw returns the value as JSON that every decoder accepts; what is not valid
// JSON becomes a string holding it. Nil for an absent value. The bytes are a
// copy.
func (v Value) Raw() json.RawMessage {
	raw, shared := v.raw()
	if shared {
		return bytes.Clone(raw)
	}
	return raw
}

// RawShared is Raw whose bytes may be those of the value itself: for one that
// [Value.Open] reports as its own.
func (v Value) RawShared() json.RawMessage {
	raw, _ := v.raw()
	return raw
}

func (v Value) raw() (raw json.RawMessage, shared bool) {
	if len(v) == 0 {
		return nil, false
	}
	b := []byte(v)
	if shared = utf8.Valid(b); !shared {
		b = bytes.ToValidUTF8(b, []byte("\ufffd"))
	}
	if Valid(b) {
		return b, shared
	}
	text := string(b)
	if v.Kind() == String {
		text = strings.ToValidUTF8(v.Str(), "\ufffd")
	}
	quoted, err := json.Marshal(text)
	if err != nil { // a string always marshals
		return nil, false
	}
	return quoted, false
}

// RawObject returns the value as a JSON object; one that is none is wrapped as
// {"_raw": value}. Nil for an absent or null value. The bytes are a copy.
func (v Value) RawObject() json.RawMessage { return v.rawObject(v.Raw) }

// RawObjectShared is RawObject as [Value.RawShared] is Raw.
func (v Value) RawObjectShared() json.RawMessage { return v.rawObject(v.RawShared) }

func (v Value) rawObject(get func() json.RawMessage) json.RawMessage {
	if v.Kind() <= Null && len(v) < 5 {
		return nil
	}
	raw := get()
	if len(raw) > 0 && raw[0] == '{' {
		return raw
	}
	return json.RawMessage(`{"_raw":` + string(raw) + `}`)
}
