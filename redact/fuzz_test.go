package redact_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/retold-history/retold/redact"
	"github.com/retold-history/retold/redact/redacttest"
)

func FuzzText(f *testing.F) {
	for i, c := range redacttest.Cases(2) {
		if i%7 == 0 {
			f.Add(c.Text)
		}
	}
	for _, s := range harmless {
		f.Add(s)
	}
	f.Add(redacttest.Key(1, "RSA PRIVATE KEY"))
	f.Fuzz(func(t *testing.T, s string) {
		once := redact.Text(s)
		if json.Valid([]byte(s)) && !json.Valid([]byte(once)) {
			t.Errorf("JSON no more: %s became %s", s, once)
		}
		if twice := redact.Text(once); twice != once {
			t.Errorf("masked again:\n%q\n%q\n%q", s, once, twice)
		}
	})
}

func FuzzJSON(f *testing.F) {
	for i, c := range redacttest.Cases(2) {
		raw, err := json.Marshal(map[string]any{"text": c.Text, c.Name: c.Value})
		if err != nil {
			f.Fatal(err)
		}
		if i%9 == 0 {
			f.Add([]byte(raw))
			f.Add([]byte(c.Text))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		out := redact.JSON(raw)
		if !bytes.Equal(raw, before) {
			t.Fatal("the value was changed")
		}
		if json.Valid(raw) && !json.Valid(out) {
			t.Fatalf("not JSON any more: %s became %s", raw, out)
		}
		if twice := redact.JSON(out); !bytes.Equal(twice, out) {
			t.Errorf("masked again:\n%s\n%s\n%s", raw, out, twice)
		}
	})
}
