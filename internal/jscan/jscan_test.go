package jscan_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/retold-history/retold/internal/jscan"
)

func TestOddDocuments(t *testing.T) {
	for name, c := range map[string]struct{ doc, want string }{
		"plain":                   {`{"text":"hi"}`, "hi"},
		"byte order mark":         {"\xef\xbb\xbf {\"text\":\"hi\"}", "hi"},
		"last duplicate wins":     {`{"text":"a","text":"b"}`, "b"},
		"case matters":            {`{"Text":"a","text":"b","TEXT":"c"}`, "b"},
		"escaped key":             {`{"\u0074ext":"a"}`, "a"},
		"escapes":                 {`{"text":"a\n\t\"\\\/\u00e9\ud83d\ude00"}`, "a\n\t\"\\/é😀"},
		"lone high surrogate":     {`{"text":"a\ud83d b"}`, "a\ufffd b"},
		"lone low surrogate":      {`{"text":"\udc00"}`, "\ufffd"},
		"two high surrogates":     {`{"text":"\ud83d\ud83d\ude00"}`, "\ufffd😀"},
		"raw control characters":  {"{\"text\":\"a\nb\x00c\"}", "a\nb\x00c"},
		"invalid UTF-8":           {"{\"text\":\"a\xffb\"}", "a\xffb"},
		"truncated later":         {`{"text":"kept","more":{"x":[1,2`, "kept"},
		"truncated inside":        {`{"text":"kep`, "kep"},
		"number where text":       {`{"text":5}`, "5"},
		"huge number beside":      {`{"n":1e999,"text":"x"}`, "x"},
		"null":                    {`{"text":null}`, ""},
		"braces in strings":       {`{"a":"}]\"{","text":"x"}`, "x"},
		"trailing backslashes":    {`{"a":"\\\\","text":"x"}`, "x"},
		"white space everywhere":  {" {\n\"text\" :\t\"x\" , \"b\" : [ ] } ", "x"},
		"not an object":           {`[1,2]`, ""},
		"a cut escape at the end": {`{"text":"ab\`, "ab"},
	} {
		v, _ := jscan.Parse([]byte(c.doc))
		if got := v.Get("text").Text(); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for doc, want := range map[string]error{
		`{}`: nil, ` 12 `: nil, ``: jscan.ErrEmpty, " \n": jscan.ErrEmpty, `{"a":1`: jscan.ErrTruncated,
		`"abc`: jscan.ErrTruncated, `{} {}`: jscan.ErrTrailing, `hello`: jscan.ErrSyntax, "\x00": jscan.ErrSyntax,
	} {
		if _, err := jscan.Parse([]byte(doc)); !errors.Is(err, want) {
			t.Errorf("Parse(%q) = %v, want %v", doc, err, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for doc, want := range map[string]int64{
		`7`: 7, `7.0`: 7, `"7"`: 7, `1.7e12`: 1700000000000, `-3`: -3, `9007199254740993`: 9007199254740993, `" 12 "`: 12,
	} {
		if got, ok := jscan.Value(doc).Int(); !ok || got != want {
			t.Errorf("%s: %d %v", doc, got, ok)
		}
	}
	for _, doc := range []string{`1e999`, `"x"`, `null`, `{}`, `true`, ``, `"NaN"`, `99999999999999999999999999`} {
		if got, ok := jscan.Value(doc).Int(); ok {
			t.Errorf("%s: got %d", doc, got)
		}
	}
}

func TestDepthCostsNoStack(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 2_000_000)
	v, err := jscan.Parse([]byte(`{"x":` + deep))
	if !errors.Is(err, jscan.ErrTruncated) || v.Get("x").Kind() != jscan.Object {
		t.Fatalf("%v %v", err, v.Kind())
	}
}

func TestEmbedded(t *testing.T) {
	v := jscan.Value(`"{\"a\":\"x\\ny\"}"`)
	if got := v.Embedded().Get("a").Str(); got != "x\ny" {
		t.Errorf("got %q", got)
	}
	if v := jscan.Value(`"plain text"`); string(v.Embedded()) != string(v) {
		t.Error("plain text is not embedded JSON")
	}
}

// What Open calls its own stays as it is when the document is written over.
func TestOpenOwns(t *testing.T) {
	for doc, want := range map[string]bool{`"{\"a\":1}"`: true, `"[1]"`: false, `{"a":1}`: false, `"plain"`: false, `"pl\nain"`: false, `"{\"a\""`: false} {
		v, own := jscan.Value(doc).Open()
		if own != want || string(v) != string(jscan.Value(doc).Embedded()) {
			t.Errorf("%s opens to %s, own %v", doc, v, own)
		}
	}
	doc := []byte(`"{\"a\":1}"`)
	v, _ := jscan.Value(doc).Open()
	raw, text := v.RawShared(), jscan.Value(doc).Str()
	clear(doc)
	if string(raw) != `{"a":1}` || text != `{"a":1}` {
		t.Errorf("after the document is gone: %s, %s", raw, text)
	}
	doc = []byte(`{"a":[1]}`)
	copied := jscan.Value(doc).Raw()
	clear(doc)
	if string(copied) != `{"a":[1]}` {
		t.Errorf("Raw shares the document: %s", copied)
	}
}

func TestRawObject(t *testing.T) {
	for doc, want := range map[string]string{
		`{"a":1}`: `{"a":1}`, `[1]`: `{"_raw":[1]}`, `"x"`: `{"_raw":"x"}`, `null`: ``, ``: ``, `{"a":`: `{"_raw":"{\"a\":"}`,
	} {
		if got := string(jscan.Value(doc).RawObject()); got != want {
			t.Errorf("%s: got %s, want %s", doc, got, want)
		}
	}
}

// FuzzValue holds the scanner to what encoding/json says wherever that accepts
// the document, and to not failing anywhere else.
func FuzzValue(f *testing.F) {
	for _, s := range []string{
		`{"a":1,"b":[true,null,"x\ud83d"],"c":{"d":"\u00e9"}}`, `[{"a":{}},[]]`, `"\ud83d\ude00\\\""`, `-1.5e3`,
		"{\"a\":\"\xff\"}", `{"a":"{\"b\":1}"}`, `{"a"`, `{"a":1,}`, `[,]`, `{"a" "b"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		v, err := jscan.Parse(doc)
		if json.Valid(doc) && err != nil {
			t.Fatalf("valid JSON refused: %v", err)
		}
		walk(v, 0)
		if raw := v.Raw(); raw != nil && (!json.Valid(raw) || !utf8.Valid(raw)) {
			t.Fatalf("Raw is not JSON: %q", raw)
		}
		var want map[string]any
		if utf8.Valid(doc) && json.Unmarshal(doc, &want) == nil {
			for k, w := range want {
				if s, ok := w.(string); ok && v.Get(k).Str() != s {
					t.Fatalf("%q: got %q, want %q", k, v.Get(k).Str(), s)
				}
			}
		}
	})
}

func walk(v jscan.Value, depth int) {
	_, _ = v.Int()
	_, _, _ = v.Text(), v.Empty(), v.Embedded()
	if raw := v.RawObject(); raw != nil && !json.Valid(raw) {
		panic("RawObject is not JSON: " + string(raw))
	}
	if string(v.Raw()) != string(v.RawShared()) || string(v.RawObject()) != string(v.RawObjectShared()) {
		panic("sharing bytes changes them")
	}
	if depth > 8 {
		return
	}
	for _, m := range v.Members() {
		walk(m, depth+1)
	}
	for m := range v.Items() {
		walk(m, depth+1)
	}
}
