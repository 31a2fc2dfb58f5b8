package jscan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold/internal/jscan"
)

func TestWords(t *testing.T) {
	doc := `{"a":"x","b":{"c":["y",{"d":"z"}],"e":1,"f":{"k":"v"}}, "g":["h"]}`
	var got []string
	for w := range jscan.Words([]byte(doc)) {
		kind := "="
		if w.Key {
			kind = ":"
		}
		got = append(got, w.Name+kind+doc[w.Start:w.End])
	}
	want := strings.Fields(`:"a" a="x" :"b" b:"c" c="y" c:"d" d="z" b:"e" b:"f" f:"k" k="v" :"g" g="h"`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSpell(t *testing.T) {
	body := `a\/b\u00e9\"\ud83d\ude00\ud83dx\n`
	plain, at := jscan.Spell([]byte(body))
	if want := jscan.Value(`"` + body + `"`).Str(); string(plain) != want {
		t.Errorf("%q, want %q", plain, want)
	}
	if len(at) != len(plain)+1 || at[1] != 1 || at[2] != 3 || at[len(plain)] != len(body) {
		t.Errorf("%v", at)
	}
}

func TestOffset(t *testing.T) {
	doc := []byte(`{"a": {"b": [1, "two"]}}`)
	v, err := jscan.Parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	for item := range v.At("a", "b").Items() {
		at := jscan.Offset(doc, item)
		if string(doc[at:at+len(item)]) != string(item) {
			t.Errorf("%s at %d", item, at)
		}
	}
}

// FuzzEdit takes every string of a document out and puts it in again.
func FuzzEdit(f *testing.F) {
	for _, s := range []string{`{"a":"b\u0041\\","c":["\/"]}`, `"x`, `{"a`, `[[["`, `{"a":{"b":"\ud800"}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		var same, quoted []jscan.Splice
		for w := range jscan.Words(doc) {
			if w.Start < 0 || w.End > len(doc) || doc[w.Start] != '"' || doc[w.End-1] != '"' {
				t.Fatalf("%+v in %q", w, doc)
			}
			plain, at := jscan.Spell(doc[w.Start+1 : w.End-1])
			if len(at) != len(plain)+1 {
				t.Fatalf("%d places of %d bytes", len(at), len(plain))
			}
			same = append(same, jscan.Splice{Start: w.Start, End: w.End, Text: doc[w.Start:w.End]})
			quoted = append(quoted, jscan.Splice{Start: w.Start + 1, End: w.End - 1, Text: jscan.Quote(plain)})
		}
		if got := jscan.Edit(doc, same); string(got) != string(doc) {
			t.Errorf("%q became %q", doc, got)
		}
		again := jscan.Edit(doc, quoted)
		var a, b any
		if json.Unmarshal(doc, &a) == nil && (json.Unmarshal(again, &b) != nil || !cmp.Equal(a, b)) {
			t.Errorf("%q means something else as %q", doc, again)
		}
	})
}
