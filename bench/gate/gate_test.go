package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold/bench"
	"github.com/retold-history/retold/bench/cost"
)

func TestLimits(t *testing.T) {
	samples := func(list ...int) (out []cost.Sample) {
		for _, n := range list {
			out = append(out, cost.Sample{Wall: time.Duration(n) * time.Millisecond, CPU: time.Duration(n) * time.Millisecond, Peak: int64(n) << 20})
		}
		return out
	}
	for _, c := range []struct {
		name    string
		was, is []cost.Sample
		want    string // what is over the limit
	}{
		{"search", samples(100, 101, 102), samples(100, 101, 102), ""},
		{"search", samples(100, 101, 102), samples(110, 300, 109), ""},
		{"search", samples(100, 101, 102), samples(118, 120, 119), "search, processors"},
		{"search", samples(100, 101, 102), samples(160, 161, 162), "search, clock search, processors"},
		{"list", samples(4, 4, 4), samples(5, 5, 5), ""},
		{"list", samples(4, 4, 4), samples(10, 10, 10), "list, clock list, processors"},
		{"first sync", samples(100, 100, 100), samples(160, 160, 160), "first sync, clock first sync, processors first sync, memory"},
		{"watch", nil, samples(100), ""},
	} {
		var over []string
		verdicts := weigh(c.name, c.was, c.is)
		for _, v := range verdicts {
			if v.tooMuch() {
				over = append(over, v.name)
			}
		}
		if got := strings.Join(over, " "); got != c.want {
			t.Errorf("%s: over the limit is %q, want %q\n%s", c.name, got, c.want, table(verdicts))
		}
		if err := judge(verdicts); (err != nil) != (c.want != "") {
			t.Errorf("%s: judged %v", c.name, err)
		}
	}
}

// When the test binary is run as retold, its name says how it behaves.
func TestMain(m *testing.M) {
	name := filepath.Base(os.Args[0])
	if !strings.HasPrefix(name, "retold-") {
		os.Exit(m.Run())
	}
	search := slices.Contains(os.Args, "search")
	switch {
	case strings.Contains(name, "before") && search:
		os.Exit(usage)
	case strings.Contains(name, "slow") && search:
		for start := time.Now(); time.Since(start) < 30*time.Millisecond; {
			continue
		}
	case slices.Contains(os.Args, "sync"):
		if err := os.WriteFile(filepath.Join(os.Getenv("RETOLD_HOME"), "library.db"), make([]byte, 1<<20), 0o600); err != nil {
			os.Exit(1)
		}
	}
}

func TestCompare(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	made, err := bench.Make(t.Context(), filepath.Join(dir, "history"), bench.Options{Size: 24 << 20, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	sideOf := func(name string) *side {
		binary := filepath.Join(dir, "retold-"+name+filepath.Ext(self))
		data, err := os.ReadFile(self)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(binary, data, 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
		return &side{binary: binary, home: filepath.Join(dir, "library-"+name)}
	}
	verdicts, err := compare(t.Context(), made, sideOf("quick"), sideOf("slow"), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := judge(verdicts); err == nil || !strings.Contains(err.Error(), "search: rare word, clock") || strings.Contains(err.Error(), "library") {
		t.Errorf("a slow search is judged %v\n%s", err, table(verdicts))
	}
	verdicts, err = compare(t.Context(), made, sideOf("before"), sideOf("quick"), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range verdicts {
		if v.unheard != strings.HasPrefix(v.name, "search") {
			t.Errorf("%s: unheard of is %v", v.name, v.unheard)
		}
	}
	if _, err := compare(t.Context(), made, sideOf("quick"), sideOf("before"), 1); err == nil {
		t.Error("a revision that lost a command passes")
	}
}

func TestBuildSaysWhichRevisionIsNone(t *testing.T) {
	dir := t.TempDir()
	err := build(t.Context(), "no-such-revision", filepath.Join(dir, "tree"), filepath.Join(dir, "retold"))
	if err == nil || !strings.Contains(err.Error(), "no-such-revision") {
		t.Errorf("the error is %v", err)
	}
}
