package cursorcli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/source/cursorcli"
)

// TestAuthorship reads Cursor's own record of who wrote what, from real databases.
func TestAuthorship(t *testing.T) {
	files, err := filepath.Glob("testdata/authorship/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			golden, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			home := t.TempDir()
			path := filepath.Join(home, "ai-tracking", "ai-code-tracking.db")
			writeDB(t, path, func(conn *sqlite.Conn) error { return sqlitex.ExecuteScript(conn, string(golden.Files[0].Data), nil) })
			got := authorship(t, home)
			for i := range got.ProblemList {
				got.ProblemList[i].Path = filepath.ToSlash(strings.TrimPrefix(got.ProblemList[i].Path, home))
			}
			text, err := json.MarshalIndent(got, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, '\n')
			if *update {
				golden.Files[1].Data = text
				if err := os.WriteFile(file, txtar.Format(golden), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(golden.Files[1].Data), string(text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func authorship(t *testing.T, home string) *retold.Authorship {
	t.Helper()
	a, err := cursorcli.New(cursorcli.Options{}).Authorship(t.Context(), retold.Place{Agent: "cursor-cli", Path: home, Kind: "home", Used: true})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestNoAuthorship has no record, and one that is no database.
func TestNoAuthorship(t *testing.T) {
	home := t.TempDir()
	if a := authorship(t, home); a != nil {
		t.Errorf("no record says %+v", a)
	}
	writeFile(t, filepath.Join(home, "ai-tracking", "ai-code-tracking.db"), []byte(strings.Repeat("not a database ", 999)))
	if a := authorship(t, home); a == nil || len(a.ProblemList) != 1 || a.ProblemList[0].Kind != retold.ProblemUnreadable || len(a.Wrote) > 0 {
		t.Errorf("a damaged record says %+v", a)
	}
}
