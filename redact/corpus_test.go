package redact_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/redact"
	"github.com/retold-history/retold/redact/redacttest"
)

// TestCorpus wants 99 of 100 texts with a secret masked; it lists those that are
// not, and with -v what was tried.
func TestCorpus(t *testing.T) {
	forms := map[string][2]int{} // masked, all
	providers := map[string]bool{}
	all, leaked := 0, 0
	for seed := range uint64(4) {
		for _, c := range redacttest.Cases(seed) {
			providers[c.Provider] = true
			out := redact.Text(c.Text)
			if json.Valid([]byte(c.Text)) && !json.Valid([]byte(out)) {
				t.Errorf("%s, %s: JSON no more: %q", c.Provider, c.Form, out)
			}
			all++
			n := forms[c.Form]
			n[1]++
			if part := c.Leak(unescaped(out)); part != "" {
				leaked++
				t.Logf("%s, %s: %q is left in %q", c.Provider, c.Form, part, out)
			} else {
				n[0]++
			}
			forms[c.Form] = n
		}
	}
	for _, f := range slices.Sorted(maps.Keys(forms)) {
		t.Logf("%-16s %4d of %4d", f, forms[f][0], forms[f][1])
	}
	t.Logf("%d of %d masked, %d kinds of tokens", all-leaked, all, len(providers))
	if leaked*100 > all || len(providers) < 40 {
		t.Errorf("%d of %d texts leak (%d kinds)", leaked, all, len(providers))
	}
}

// unescaped undoes the escapes that forms write, so that a leak behind them is seen.
func unescaped(s string) string {
	return strings.NewReplacer(`\/`, "/", `\u002b`, "+", `\u003d`, "=", "%2B", "+", "%2F", "/", "%3D", "=", "%3A", ":").Replace(s)
}

// TestCorpusCut cuts titles inside the secret, whatever is around it.
func TestCorpusCut(t *testing.T) {
	all, leaked := 0, 0
	for _, c := range redacttest.Cases(5) {
		at := strings.Index(c.Text, c.Value)
		if at < 0 || c.Prefix+12 >= len(c.Value) {
			continue // in pieces, or escaped
		}
		for _, n := range []int{c.Prefix + 9, c.Prefix + 11, (c.Prefix + len(c.Value)) / 2, len(c.Value) - 1, len(c.Value)} {
			s := retold.Session{Title: strings.Join(strings.Fields(c.Text[:at]+c.Value[:n]), " ") + "…"}
			redact.Session(&s)
			all++
			if part := c.Leak(s.Title); part != "" {
				leaked++
				t.Logf("%s, %s: %q is left in %q", c.Provider, c.Form, part, s.Title)
			}
		}
	}
	t.Logf("%d of %d masked", all-leaked, all)
	if leaked*100 > all {
		t.Errorf("%d of %d leak", leaked, all)
	}
}

// TestCorpusJSON masks the corpus as JSON values.
func TestCorpusJSON(t *testing.T) {
	all, leaked := 0, 0
	for _, c := range redacttest.Cases(7) {
		raw, err := json.Marshal(map[string]string{"out": c.Text, c.Text: "name"})
		if err != nil {
			t.Fatal(err)
		}
		out := redact.JSON(raw)
		if !json.Valid(out) {
			t.Fatalf("not JSON any more: %s", out)
		}
		all++
		var back map[string]string
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatal(err)
		}
		if part := c.Leak(unescaped(fmt.Sprint(back))); part != "" {
			leaked++
			t.Logf("%s, %s: %q is left in %s", c.Provider, c.Form, part, out)
		}
	}
	if leaked*100 > all {
		t.Errorf("%d of %d leak", leaked, all)
	}
}
