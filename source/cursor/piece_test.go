package cursor_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/source/cursor"
)

// A backup gets the databases, what their workspaces are, images and file states,
// and nothing of settings and extensions; where the global database is gone,
// Cursor's own copy of it.
func TestPieces(t *testing.T) {
	user := filepath.Join(t.TempDir(), "User")
	for _, name := range []string{
		"globalStorage/state.vscdb", "globalStorage/state.vscdb-wal", "globalStorage/state.vscdb.backup", "globalStorage/storage.json",
		"globalStorage/other.extension/secrets.json", "globalStorage/anysphere.cursor-commits/checkpoints/r/metadata.json",
		"workspaceStorage/w/state.vscdb", "workspaceStorage/w/workspace.json", "workspaceStorage/w/images/a.png", "workspaceStorage/w/other.extension/x",
		"profiles/p/globalStorage/state.vscdb", "settings.json", "History/h/entries.json",
	} {
		path := filepath.Join(user, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("x"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	s := cursor.New(cursor.Options{User: []string{user}, Env: paths.Env{GOOS: "linux", Home: t.TempDir()}})
	list := func() map[string]retold.PieceKind {
		got := map[string]retold.PieceKind{}
		for p, err := range s.Pieces(t.Context(), retold.Place{Path: user, Kind: "user"}) {
			if err != nil {
				t.Fatal(err)
			}
			got[p.Name] = p.Kind
			if kind, ok := s.Holds("user", p.Name); kind != p.Kind || !ok {
				t.Errorf("%s: %q, %v", p.Name, kind, ok)
			}
			if p.Kind == retold.PieceDatabase && len(p.Except) == 0 {
				t.Errorf("%s goes with its credentials", p.Name)
			}
		}
		return got
	}
	want := map[string]retold.PieceKind{
		"globalStorage/state.vscdb": retold.PieceDatabase, "globalStorage/storage.json": retold.PieceFile,
		"globalStorage/anysphere.cursor-commits/checkpoints/r/metadata.json": retold.PieceFile,
		"workspaceStorage/w/state.vscdb":                                     retold.PieceDatabase, "workspaceStorage/w/workspace.json": retold.PieceFile,
		"workspaceStorage/w/images/a.png": retold.PieceFile, "profiles/p/globalStorage/state.vscdb": retold.PieceDatabase,
	}
	if diff := cmp.Diff(want, list()); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{
		"settings.json", "keybindings.json", "globalStorage/state.vscdb-wal", "globalStorage/other.extension/x", "workspaceStorage/w", "workspaceStorage/w/images",
		"workspaceStorage/w/other.extension/x", "profiles/p/settings.json", "History/h/entries.json", "a", "",
	} {
		if kind, ok := s.Holds("user", name); ok {
			t.Errorf("%s: %q", name, kind)
		}
	}
	if err := os.Remove(filepath.Join(user, "globalStorage", "state.vscdb")); err != nil {
		t.Fatal(err)
	}
	if got := list(); got["globalStorage/state.vscdb.backup"] != retold.PieceDatabase {
		t.Error(got)
	}
}
