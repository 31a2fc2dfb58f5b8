package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold/bench"
)

func TestTable(t *testing.T) {
	at := func(wall, cpu int, rss int64) sample {
		return sample{wall: time.Duration(wall) * time.Millisecond, cpu: time.Duration(cpu) * time.Millisecond, rss: rss << 20}
	}
	got := table([]result{
		{command: command{name: "C: rows", base: -1}, samples: []sample{at(10, 8, 5), at(90, 9, 5), at(11, 9, 6)}},
		{command: command{name: "`list`", base: 0}, samples: []sample{at(22, 30, 40), at(20, 18, 41), at(24, 18, 42)}},
	})
	for _, line := range []string{
		"| C: rows | 11.0 | 9.0 | 5 |  |  |",
		"| `list` | 22.0 | 18.0 | 41 | 2.0 | 2.0 |",
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("no line %q in\n%s", line, got)
		}
	}
}

// When the test binary itself is run as retold or sqlite3, it does nothing.
func TestMain(m *testing.M) {
	if os.Getenv("RETOLD_MEASURE_TEST") != "" {
		fmt.Println(strings.Join(os.Args[1:], " "))
		return
	}
	os.Exit(m.Run())
}

func TestRunMeasuresEveryCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("RETOLD_MEASURE_TEST", "1")
	made := bench.Made{Database: "state.vscdb", CursorUser: "user", CursorHome: "home", Typical: bench.Picked{ID: "a"}}
	results, err := measure(t.Context(), commands(self, self, &made), 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if len(r.samples) != 2 || r.wall() <= 0 {
			t.Errorf("%s: %d samples, %v ms", r.name, len(r.samples), r.wall())
		}
		if r.base >= 0 && !strings.HasPrefix(results[r.base].name, "C: ") {
			t.Errorf("%s is compared with %s", r.name, results[r.base].name)
		}
	}
	data, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "made.json")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{"-made", file, "-retold", self, "-sqlite3", filepath.Join(t.TempDir(), "none")}); err == nil {
		t.Error("measured without a C shell")
	}
}
