package cursorcli_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/source/cursorcli"
	"github.com/retold-history/retold/source/sourcetest"
)

const sdkHome = "testdata/sdk/home/.cursor"

func source(home ...string) *cursorcli.Source {
	return cursorcli.New(cursorcli.Options{Home: home, Env: paths.Env{GOOS: "linux", Home: "/nowhere"}})
}

// copyOf gives a test its own copy of a folder of testdata.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestConformance(t *testing.T) {
	home := copyOf(t, sdkHome)
	sourcetest.Run(t, func() retold.Source { return source(home) }, home)
}

func TestConformanceOfReadOnlyHome(t *testing.T) {
	home := copyOf(t, sdkHome)
	readOnly(t, home)
	sourcetest.Run(t, func() retold.Source { return source(home) }, home)
}

// readOnly takes every write permission from a tree until the test ends.
func readOnly(t *testing.T, root string) {
	t.Helper()
	var all []string
	err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		all = append(all, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Backward(all) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, info.Mode()&^0o222); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, path := range all {
			if err := os.Chmod(path, 0o700); err != nil {
				t.Error(err)
			}
		}
	})
}

// read reads one session of a home, and checks it against the contract.
func read(t *testing.T, home, id string) *retold.SessionDetail {
	t.Helper()
	d, err := source(home).Session(t.Context(), retold.Ref{Agent: "cursor-cli", Place: home, ID: id})
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.CheckDetail(t, d)
	return d
}
