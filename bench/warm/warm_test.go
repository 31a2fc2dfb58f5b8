package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/retold-history/retold/bench"
)

// When the test binary is started as the writer, it is one.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "-write") {
		if err := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestRunMeasuresEverything(t *testing.T) {
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
	before, err := os.ReadFile(made.Database)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), []string{"-made", file, "-temp", temp, "-queries", "5", "-n", "3"}, nil, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"| search: rare word | 5 |", "| search: very common word, again | 5 |", "| sync with nothing new | 3 |", "| … until the last of them is found | 3 |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	after, err := os.ReadFile(made.Database)
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) {
		t.Error("the history itself was written to")
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
