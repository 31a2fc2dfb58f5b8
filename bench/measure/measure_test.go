package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold/bench"
	"github.com/retold-history/retold/bench/cost"
)

func TestTable(t *testing.T) {
	at := func(wall, cpu int, rss int64) cost.Sample {
		return cost.Sample{Wall: time.Duration(wall) * time.Millisecond, CPU: time.Duration(cpu) * time.Millisecond, Peak: rss << 20}
	}
	got := table([]result{
		{command: command{name: "C: rows", base: -1, start: -1}, samples: []cost.Sample{at(10, 8, 5), at(90, 9, 5), at(11, 9, 6)}},
		{command: command{name: "`list`", base: 0, start: 0}, samples: []cost.Sample{at(22, 30, 40), at(20, 18, 41), at(24, 18, 42)}},
	})
	for _, line := range []string{
		"| C: rows | 11.0 | 9.0 | 5 |  |  |  |",
		"| `list` | 22.0 | 18.0 | 41 | 2.0 | 2.0 | 11.0 |",
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("no line %q in\n%s", line, got)
		}
	}
}

// When the test binary itself is run as retold or sqlite3, it says what it was
// asked, finds three hits for all but one query, and keeps a library of one byte.
func TestMain(m *testing.M) {
	if os.Getenv("RETOLD_MEASURE_TEST") == "" {
		os.Exit(m.Run())
	}
	switch {
	case slices.Contains(os.Args, "search") && slices.Contains(os.Args, "the"):
		fmt.Println(`{"data":[],"pagination":{"total":0}}`)
	case slices.Contains(os.Args, "search"):
		fmt.Println(`{"data":[{}],"pagination":{"total":3}}`)
	case slices.Contains(os.Args, "sync"):
		if err := os.WriteFile(filepath.Join(os.Getenv("RETOLD_HOME"), "library.db"), []byte("x"), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		fmt.Println(strings.Join(os.Args[1:], " "))
	}
}

func TestRunMeasuresEverything(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	made, err := bench.Make(t.Context(), t.TempDir(), bench.Options{Size: 24 << 20, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("RETOLD_MEASURE_TEST", "1")
	data, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	home, file := t.TempDir(), filepath.Join(t.TempDir(), "made.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), []string{"-made", file, "-retold", self, "-sqlite3", self, "-n", "2", "-syncs", "1", "-queries", "5", "-home", home}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| first `sync` |", "Library: 1 bytes in 1 files", "| `list --limit 20` |", "| `export --all`, JSON lines |",
		"| rare word (5) | 3–3 |", "| very common word (5) | 0–3 |", `very common word: nothing found for ["the"]`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := run(t.Context(), []string{"-made", file, "-retold", self, "-sqlite3", filepath.Join(t.TempDir(), "none")}, &out); err == nil {
		t.Error("measured without a C shell")
	}
}

// Every command is compared with one that reads the same rows, and its process
// start is a process start.
func TestBases(t *testing.T) {
	p := plan{retold: "retold", shell: "sqlite3", home: "home", made: bench.Made{Typical: bench.Picked{ID: "a"}}}
	list := p.commands()
	for _, c := range list {
		if c.base >= 0 && !strings.HasPrefix(list[c.base].name, "C: ") {
			t.Errorf("%s is compared with %s", c.name, list[c.base].name)
		}
		if c.start >= 0 && list[c.start].args[1] != "version" {
			t.Errorf("%s starts as %s", c.name, list[c.start].name)
		}
	}
}
