package cursorcli_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/source/sourcetest"
)

var update = flag.Bool("update", false, "rewrite the wanted results of the goldens")

// TestGolden reads one record shape per file: prose, the records in readable form
// (see build_test.go for how they are spelled), and the sessions wanted.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(bytes.TrimSpace(a.Comment)) == 0 {
				t.Error("the golden says nothing about its shape")
			}
			home := t.TempDir()
			build(t, home, a)
			got := everything(t, home)
			last := len(a.Files) - 1
			if *update {
				if a.Files[last].Name != "want.json" {
					a.Files, last = append(a.Files, txtar.File{Name: "want.json"}), last+1
				}
				a.Files[last].Data = got
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if a.Files[last].Name != "want.json" {
				t.Fatal("the golden wants nothing: run with -update")
			}
			if diff := cmp.Diff(string(a.Files[last].Data), string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// everything reads all sessions of a home as the public JSON, with the home's
// path left out.
func everything(t *testing.T, home string) []byte {
	t.Helper()
	s := source(home)
	var all []*retold.SessionDetail
	for _, h := range sourcetest.Headers(t, s) {
		d, err := s.Session(t.Context(), h.Ref)
		if err != nil {
			t.Fatal(err)
		}
		sourcetest.CheckDetail(t, d)
		all = append(all, d)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(all); err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(out.Bytes(), []byte(home), []byte("~/.cursor"))
}
