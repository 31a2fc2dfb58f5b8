package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retold-history/retold/bench"
)

func TestRunCancelsEverything(t *testing.T) {
	made, err := bench.Make(t.Context(), t.TempDir(), bench.Options{Size: 24 << 20, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	temp, file := t.TempDir(), filepath.Join(t.TempDir(), "made.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), []string{"-made", file, "-temp", temp, "-queries", "5", "-n", "2", "-after", "1us"}, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"| first sync | 2 | ", "| search: rare word | 5 | ", "| count: very common word | 5 | ", "| export all | 2 | ", "| full sync | 2 | "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
