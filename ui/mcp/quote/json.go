package quote

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/redact"
)

// JSON makes every string of a valid JSON value safe, names of members too, and a
// string of a number that is too large for the readers of most languages, so that
// it does not spoil the whole answer. The rest stays as it is, byte for byte.
func JSON(raw json.RawMessage) json.RawMessage {
	if !harmless(raw) || maybeHuge(raw) {
		raw = each(raw, Safe)
	}
	return redact.JSON(raw) // after it, for what the name of a member says of its value
}

// CleanJSON is JSON that leaves the bytes of images.
func CleanJSON(raw json.RawMessage) json.RawMessage {
	if !harmless(raw) || maybeHuge(raw) {
		raw = each(raw, Clean)
	}
	return redact.JSON(raw)
}

// each makes the strings of a JSON value safe that are not.
func each(raw json.RawMessage, safe func(string) string) json.RawMessage {
	var out []byte
	at := 0
	for i := 0; i < len(raw); i++ {
		if raw[i] == '-' || raw[i] >= '0' && raw[i] <= '9' {
			end := numberEnd(raw, i)
			if _, err := strconv.ParseFloat(string(raw[i:end]), 64); err != nil {
				out = append(append(out, raw[at:i]...), String(string(raw[i:end]))...)
				at = end
			}
			i = end - 1
			continue
		}
		if raw[i] != '"' {
			continue
		}
		end := stringEnd(raw, i)
		if token := raw[i:end]; !harmless(token) {
			out = append(append(out, raw[at:i]...), String(safe(jscan.Value(token).Str()))...)
			at = end
		}
		i = end - 1
	}
	return append(out, raw[at:]...)
}

// String is a text as a JSON string, with < > & as they are.
func String(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil { // a string can always be written
		return json.RawMessage(`""`)
	}
	return bytes.TrimSpace(b.Bytes())
}

// harmless reports that nothing in a JSON text has to be made safe, apart from
// secrets.
func harmless(raw []byte) bool {
	s := string(raw)
	return !escaped(s) && Visible(s) == s && Blobs(s) == s
}

// stringEnd is the end of the JSON string that begins at i.
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

// maybeHuge reports that a number with a long exponent or very many digits may be
// in a JSON text; strings may look like it.
func maybeHuge(raw []byte) bool {
	digits := 0
	for i, c := range raw {
		if c >= '0' && c <= '9' {
			if digits++; digits > 300 {
				return true
			}
			continue
		}
		if (c == 'e' || c == 'E') && digits > 0 {
			if end := numberEnd(raw, i+1); end-i > 3 {
				return true
			}
		}
		digits = 0
	}
	return false
}

// numberEnd is the end of what may belong to the number at i.
func numberEnd(raw []byte, i int) int {
	for i < len(raw) && (raw[i] >= '0' && raw[i] <= '9' || bytes.IndexByte([]byte("+-.eE"), raw[i]) >= 0) {
		i++
	}
	return i
}
