package cursorcli_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/source/cursorcli"
	"github.com/retold-history/retold/source/sourcetest"
)

func folder(t *testing.T, elems ...string) string {
	t.Helper()
	dir := filepath.Join(elems...)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// found lists the used places, below root, with their kinds.
func found(t *testing.T, root string, o cursorcli.Options) []string {
	t.Helper()
	places, err := cursorcli.New(o).Places(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range places {
		if p.Used {
			rel, err := filepath.Rel(root, p.Path)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, p.Kind+" "+filepath.ToSlash(rel))
		}
		if p.Reason == "" {
			t.Errorf("place %s has no reason", p.Path)
		}
	}
	return out
}

func TestPlacesFound(t *testing.T) {
	root := t.TempDir()
	home := folder(t, root, "home", "ada")
	folder(t, home, ".cursor", "chats")
	folder(t, home, ".config", "cursor", "chats")
	folder(t, root, "data", "projects")
	folder(t, root, "mnt", "c", "Users", "lin", "AppData")
	folder(t, root, "mnt", "c", "Users", "lin", ".cursor", "chats")
	folder(t, root, "mnt", "c", "Users", "Public", "AppData")
	for name, c := range map[string]struct {
		vars map[string]string
		want []string
	}{
		"plain":           {nil, []string{"home home/ada/.cursor", "chats home/ada/.config/cursor/chats"}},
		"CURSOR_DATA_DIR": {map[string]string{"CURSOR_DATA_DIR": filepath.Join(root, "data")}, []string{"home home/ada/.cursor", "home data", "chats home/ada/.config/cursor/chats"}},
		"WSL": {
			map[string]string{"WSL_DISTRO_NAME": "Ubuntu"},
			[]string{"home home/ada/.cursor", "chats home/ada/.config/cursor/chats", "home mnt/c/Users/lin/.cursor"},
		},
	} {
		env := paths.Env{GOOS: "linux", Home: home, Root: root, Getenv: func(k string) string { return c.vars[k] }}
		if diff := cmp.Diff(c.want, found(t, root, cursorcli.Options{Env: env})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func TestPlacesGiven(t *testing.T) {
	root := t.TempDir()
	folder(t, root, "home", ".cursor", "chats")
	folder(t, root, "home", ".cursor", "projects")
	folder(t, root, "home", ".cursor", "acp-sessions")
	folder(t, root, "other")
	for given, want := range map[string][]string{
		"home/.cursor":              {"home home/.cursor"},
		"home":                      {"home home/.cursor"},
		"home/.cursor/chats":        {"chats home/.cursor/chats"},
		"home/.cursor/projects/":    {"projects home/.cursor/projects"},
		"home/.cursor/acp-sessions": {"acp-sessions home/.cursor/acp-sessions"},
		"other":                     nil,
	} {
		if diff := cmp.Diff(want, found(t, root, cursorcli.Options{Home: []string{root + "/" + given}})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", given, diff)
		}
	}
	for _, given := range []string{"nowhere", "file"} {
		writeFile(t, filepath.Join(root, "file"), []byte("x"))
		_, err := source(filepath.Join(root, given)).Places(t.Context())
		e, ok := errors.AsType[*retold.Error](err)
		if !ok || e.Code != retold.CodeDatabaseNotFound || e.Hint == "" {
			t.Errorf("%s: %v", given, err)
		}
	}
}

// A folder given by hand serves the sessions that it holds.
func TestSessionsOfGivenFolder(t *testing.T) {
	home := copyOf(t, sdkHome)
	for kind, want := range map[string]int{"chats": 7, "acp-sessions": 1, "projects": 4} {
		if got := sourcetest.Headers(t, source(filepath.Join(home, kind))); len(got) != want {
			t.Errorf("%s: %d sessions, want %d", kind, len(got), want)
		}
	}
	d := read(t, filepath.Join(home, "acp-sessions"), "a36a6718-f545-44d8-a689-4fb04b5b885b")
	if len(d.Messages) != 2 {
		t.Errorf("%d messages", len(d.Messages))
	}
}

// What other programs keep beside the history is not read, and a store's key is
// not shown anywhere.
func TestSecretsStayWhereTheyAre(t *testing.T) {
	home := copyOf(t, sdkHome)
	for _, name := range []string{"auth.json", "cli-config.json", "sdk/auth.json", "mcp.json"} {
		writeFile(t, filepath.Join(home, name), []byte(`{"accessToken":"tok_hunter2"}`))
		if err := os.Chmod(filepath.Join(home, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	out := string(everything(t, home))
	s := source(home)
	inv, err := s.Inspect(t.Context(), retold.Place{Path: home, Kind: "home"})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range inv {
		if strings.Contains(i.Path, "auth.json") || strings.Contains(i.Path, "config.json") {
			t.Errorf("%s was inspected", i.Path)
		}
	}
	for _, secret := range []string{"hunter2", "blobEncryptionKey", "2b3d4417bfb3e734", "933fdcd418035a4c"} {
		if strings.Contains(out, secret) {
			t.Errorf("%q is in what is shown", secret)
		}
	}
}

// Damaged stores end nothing but themselves.
func TestDamagedStores(t *testing.T) {
	home := copyOf(t, sdkHome)
	bad := map[string]string{
		"aaaaaaaa-0000-4000-8000-000000000001": "not a database at all, but long enough to look at",
		"aaaaaaaa-0000-4000-8000-000000000002": "",
		"aaaaaaaa-0000-4000-8000-000000000003": "SQLite format 3\x00" + strings.Repeat("\xff", 4080),
	}
	for id, data := range bad {
		writeFile(t, filepath.Join(home, "chats", "0123456789abcdef0123456789abcdef", id, "store.db"), []byte(data))
	}
	folder(t, home, "chats", "0123456789abcdef0123456789abcdef", "aaaaaaaa-0000-4000-8000-000000000004", "store.db")
	writeFile(t, filepath.Join(home, "chats", "stray.txt"), []byte("x"))
	if err := os.Symlink(filepath.Join(home, "chats"), filepath.Join(home, "chats", "loop")); err != nil {
		t.Fatal(err)
	}
	s := source(home)
	good, faults := 0, 0
	for h, err := range s.Headers(t.Context(), retold.Place{Agent: "cursor-cli", Path: home, Kind: "home", Used: true}) {
		switch {
		case err != nil:
			faults++
			if retold.CodeOf(err) != retold.CodeDatabaseCorrupt {
				t.Errorf("%v", err)
			}
		case !strings.HasPrefix(h.ID, "aaaaaaaa"):
			good++
		}
	}
	if good < 9 || faults != 4 {
		t.Errorf("%d good sessions, %d faults; want 9 and 4", good, faults)
	}
	for id := range bad {
		if _, err := s.Session(t.Context(), retold.Ref{Place: home, ID: id}); retold.CodeOf(err) != retold.CodeDatabaseCorrupt {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// A store that cannot be read does not hide its transcript.
func TestTranscriptOfDamagedStore(t *testing.T) {
	home := copyOf(t, sdkHome)
	dir := filepath.Join(home, "chats", "dc93260e7ba3d7ea61f23146f5624e86", idB)
	writeFile(t, filepath.Join(dir, "store.db"), []byte("ruined"))
	d := read(t, home, idB)
	if len(d.Messages) < 8 || d.Title != "Fix failing test" || d.Problems == 0 {
		t.Errorf("%d messages, title %q, problems %v", len(d.Messages), d.Title, d.ProblemList)
	}
}
