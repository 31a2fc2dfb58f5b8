package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold/bench"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp"
)

// When the test binary is started as retold, it answers as `retold mcp` does.
func TestMain(m *testing.M) {
	if !slices.Contains(os.Args, "mcp") {
		os.Exit(m.Run())
	}
	if err := answer(context.Background(), os.Args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answer(ctx context.Context, args []string) (err error) {
	l, err := library.Open(ctx, library.Options{CursorUser: []string{args[2]}, CursorHome: []string{args[4]}, Home: os.Getenv("RETOLD_HOME"), Patience: time.Second})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	return mcp.New(l, mcp.Options{}).RunStdio(ctx, os.Stdin, os.Stdout)
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
	data, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	temp, file := t.TempDir(), filepath.Join(t.TempDir(), "made.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), []string{"-made", file, "-retold", self, "-temp", temp, "-queries", "3", "-n", "2", "-settle", "0"}, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{
		"everything read after", "memory after the first sync", "| start until initialize is answered | 2 |", "| `list_sessions` | 2 |", "first 50 | 2 |", "| `search_sessions`: rare word | 3 |", "memory after all of this",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
