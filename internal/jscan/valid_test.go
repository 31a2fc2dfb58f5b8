package jscan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/retold-history/retold/internal/jscan"
)

var documents = []string{
	`{"a":1,"b":[true,null,"x\ud83d"],"c":{"d":"\u00e9"}}`, `[{"a":{}},[]]`, `"\ud83d\ude00\\\""`, `-1.5e3`, "{\"a\":\"\xff\"}",
	`{"a"`, `{"a":1,}`, `[,]`, `{"a" "b"}`, ``, ` `, `[1 2]`, `01`, `-`, `-0`, `1.`, `.5`, `1e`, `1e+`, `1E-7`, `+1`, `tru`, `truee`, `nul`, `false `,
	`{"a":1}}`, `[}`, `{]`, `[]]`, `{}{}`, `"a`, `"a\`, `"a\u12`, `"a\u12g4"`, `"\x"`, "\"a\nb\"", "\"abcdefg\x1fh\"", `"abcdefgh"`, `"abcdefg\"hijklmnop\\"`,
	"\xef\xbb\xbf{}", "{\"a\"\n:\t1\r, \"b\" : [ ] }", `[[[[[[[[]]]]]]]]`, `{"":{"":{"":[]}}}`, "\"\x7f\u00e9\u3042\"", `{"a":}`, `{:1}`, `{1:1}`, `{"a":1 "b":2}`,
	"[1,\x002]", "\x00", "1\x00", `"12345678` + "\x1f" + `"`, `"!!!!!!!!####[[[[]]]]"`, strings.Repeat(" ", 9) + "0",
}

func TestValidIsWhatTheStandardLibrarySays(t *testing.T) {
	for _, doc := range documents {
		if got, want := jscan.Valid([]byte(doc)), json.Valid([]byte(doc)); got != want {
			t.Errorf("Valid(%q) = %v, want %v", doc, got, want)
		}
	}
	for _, open := range []string{"[", `{"a":`} {
		closing := map[string]string{"[": "]", `{"a":`: "}"}[open]
		for _, depth := range []int{9_999, 10_000, 10_001, 3_000_000} {
			for _, doc := range []string{strings.Repeat(open, depth), strings.Repeat(open, depth) + "1" + strings.Repeat(closing, depth)} {
				if got, want := jscan.Valid([]byte(doc)), json.Valid([]byte(doc)); got != want {
					t.Errorf("%d deep in %s: %v, want %v", depth, open, got, want)
				}
			}
		}
	}
}

func FuzzValid(f *testing.F) {
	for _, doc := range documents {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if got, want := jscan.Valid(doc), json.Valid(doc); got != want {
			t.Fatalf("Valid(%q) = %v, want %v", doc, got, want)
		}
	})
}

func BenchmarkValid(b *testing.B) {
	doc := []byte(`{"contents":"` + strings.Repeat(`func main() {\n\tfmt.Println(\"hello, world\")\n}\n`, 2000) + `"}`)
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if !jscan.Valid(doc) {
			b.Fatal("not valid")
		}
	}
}
