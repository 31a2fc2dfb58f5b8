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
	body := v[1:]
	if n := len(body); n > 0 && body[n-1] == '"' && !escapedEnd(body) {
		body = body[:n-1]
	}
	if bytes.IndexByte(body, '\\') < 0 {
		return string(body)
	}
	return string(unescape(body))
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

func unescape(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 || i+1 >= len(b) {
			if i >= 0 {
				b = b[:i]
			}
			return append(out, b...)
		}
		out = append(out, b[:i]...)
		c := b[i+1]
		b = b[i+2:]
		switch c {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			var r rune
			r, b = codePoint(b)
			out = utf8.AppendRune(out, r)
		default: // \" \\ \/ and what no writer should have escaped
			out = append(out, c)
		}
	}
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
	if v.Kind() != String {
		return v
	}
	inner, err := Parse([]byte(v.Str()))
	if err != nil {
		return v
	}
	return inner
}

// Raw returns the value as JSON that every decoder accepts; what is not valid
// JSON becomes a string holding it. Nil for an absent value.
func (v Value) Raw() json.RawMessage {
	if len(v) == 0 {
		return nil
	}
	b := []byte(v)
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("\ufffd"))
	}
	if json.Valid(b) {
		return json.RawMessage(bytes.Clone(b))
	}
	text := string(b)
	if v.Kind() == String {
		text = strings.ToValidUTF8(v.Str(), "\ufffd")
	}
	quoted, err := json.Marshal(text)
	if err != nil { // a string always marshals
		return nil
	}
	return quoted
}

// RawObject returns the value as a JSON object; one that is none is wrapped as
// {"_raw": value}. Nil for an absent or null value.
func (v Value) RawObject() json.RawMessage {
	if v.Kind() <= Null && len(v) < 5 {
		return nil
	}
	raw := v.Raw()
	if len(raw) > 0 && raw[0] == '{' {
		return raw
	}
	return json.RawMessage(`{"_raw":` + string(raw) + `}`)
}
