package journal_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var updateEntries = flag.Bool("update-entries", false, "rewrite testdata/entry")

// TestEntry: a talk and a commit in, the entry as JSON and Markdown out.
func TestEntry(t *testing.T) {
	files, err := filepath.Glob("testdata/entry/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sc := enact(t, ar)
			e, err := sc.journal().Compose(t.Context(), sc.repo, sc.last())
			if err != nil {
				t.Fatal(err)
			}
			e.Repo.Name = "tidepool" // a temporary folder
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			if err := enc.Encode(e); err != nil {
				t.Fatal(err)
			}
			got := map[string]string{"entry.json": strings.ReplaceAll(b.String(), sc.repo.Root, "ROOT"), "entry.md": strings.ReplaceAll(e.Markdown(time.UTC), sc.repo.Root, "ROOT")}
			if *updateEntries {
				rewriteArchive(t, file, ar, got)
				return
			}
			want := map[string]string{}
			for _, f := range ar.Files {
				if _, ok := got[f.Name]; ok {
					want[f.Name] = string(f.Data)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func rewriteArchive(t *testing.T, file string, ar *txtar.Archive, got map[string]string) {
	t.Helper()
	var kept []txtar.File
	for _, f := range ar.Files {
		if _, ok := got[f.Name]; !ok {
			kept = append(kept, f)
		}
	}
	for _, name := range []string{"entry.md", "entry.json"} {
		kept = append(kept, txtar.File{Name: name, Data: []byte(got[name])})
	}
	ar.Files = kept
	if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}
