package install_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/ui/mcp/install"
)

var update = flag.Bool("update", false, "rewrite the goldens")

var server = install.Server{Command: "/opt/retold/bin/retold", Args: []string{"mcp"}}

// linux is a machine of ada's whose home is dir.
func linux(dir string) paths.Env {
	return paths.Env{GOOS: "linux", Home: dir, Getenv: func(string) string { return "" }}
}

func client(t testing.TB, id string) install.Client {
	t.Helper()
	i := slices.IndexFunc(install.Clients(), func(c install.Client) bool { return c.ID == id })
	if i < 0 {
		t.Fatalf("no client %s", id)
	}
	return install.Clients()[i]
}

// place writes a client's configuration into a new home and returns its path.
func place(t testing.TB, c install.Client, text []byte) (paths.Env, string) {
	t.Helper()
	env := linux(t.TempDir())
	path, err := c.File(env, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o640); err != nil {
		t.Fatal(err)
	}
	return env, path
}

// Each golden is one odd configuration: "before", then what it is "after" the
// server was installed, then "removed": after it was taken out again. Without
// them, "refused" is the reason why the file is not touched. The comment of the
// archive begins with the client's id.
func TestGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d goldens, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			id, _, _ := strings.Cut(string(archive.Comment), ":")
			c := client(t, id)
			before := odd(part(archive, "before"))
			env, path := place(t, c, before)
			got := &txtar.Archive{Comment: archive.Comment, Files: []txtar.File{{Name: "before", Data: part(archive, "before")}}}
			change, err := install.Plan(c, env, "", server, false)
			if err != nil {
				got.Files = append(got.Files, txtar.File{Name: "refused", Data: []byte(strings.ReplaceAll(err.Error(), path, "FILE") + "\n")})
			} else {
				after := apply(t, change, path)
				got.Files = append(got.Files, txtar.File{Name: "after", Data: even(after)})
				idempotent(t, c, env, path)
				undo, err := install.Plan(c, env, "", server, true)
				if err != nil {
					t.Fatal(err)
				}
				got.Files = append(got.Files, txtar.File{Name: "removed", Data: even(apply(t, undo, path))})
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(got))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// odd writes out what an archive cannot hold: ␍ is a carriage return, ␀ at the
// end no new line, ‹BOM› a byte order mark.
func odd(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("␍"), []byte("\r"))
	text = bytes.ReplaceAll(text, []byte("‹BOM›"), []byte("\xef\xbb\xbf"))
	return bytes.ReplaceAll(text, []byte("␀\n"), nil)
}

func even(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\r"), []byte("␍"))
	text = bytes.ReplaceAll(text, []byte("\xef\xbb\xbf"), []byte("‹BOM›"))
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, "␀\n"...)
	}
	return text
}

func part(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func apply(t testing.TB, change *install.Change, path string) []byte {
	t.Helper()
	if _, err := change.Apply(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func idempotent(t testing.TB, c install.Client, env paths.Env, path string) {
	t.Helper()
	list := names(t, filepath.Dir(path))
	change, err := install.Plan(c, env, "", server, false)
	if err != nil {
		t.Fatalf("the second time: %v", err)
	}
	if change.Status != install.Unchanged || change.Diff() != "" {
		t.Errorf("the second time it is %s: %s", change.Status, change.Diff())
	}
	if backup, err := change.Apply(); backup != "" || err != nil {
		t.Errorf("the second time: %q, %v", backup, err)
	}
	if now := names(t, filepath.Dir(path)); !slices.Equal(now, list) {
		t.Errorf("the second time left %v", now)
	}
}

func names(t testing.TB, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestNewFiles(t *testing.T) {
	for _, c := range install.Clients() {
		t.Run(c.ID, func(t *testing.T) {
			env := linux(t.TempDir())
			path, err := c.File(env, "")
			if err != nil {
				t.Fatal(err)
			}
			change, err := install.Plan(c, env, "", server, false)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(path); err == nil {
				t.Fatal("a plan wrote something")
			}
			text := apply(t, change, path)
			if snippet := c.Ways(server, func(s string) string { return s })[0].Text; string(text) != snippet {
				t.Errorf("printed is %q, written %q", snippet, text)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if got := names(t, filepath.Dir(path)); len(got) != 1 {
				t.Errorf("left %v", got)
			}
			idempotent(t, c, env, path)
		})
	}
}

// What a file was before is kept, each time under a name of its own, whatever
// its mode; the mode of the file stays.
func TestBackups(t *testing.T) {
	c := client(t, "cursor")
	first := []byte(`{"mcpServers": {"tides": {"command": "tides"}}}`)
	env, path := place(t, c, first)
	taken := path + ".before-retold-1"
	if err := os.WriteFile(taken, []byte("an earlier one"), 0o600); err != nil {
		t.Fatal(err)
	}
	change, err := install.Plan(c, env, "", server, false)
	if err != nil {
		t.Fatal(err)
	}
	backup, err := change.Apply()
	if err != nil {
		t.Fatal(err)
	}
	if backup != path+".before-retold-2" {
		t.Errorf("kept as %s", backup)
	}
	for name, want := range map[string]string{taken: "an earlier one", backup: string(first)} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, want := range map[string]fs.FileMode{path: 0o640, backup: 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// A file that another program changes between the plan and the writing is not
// overwritten.
func TestChangedMeanwhile(t *testing.T) {
	c := client(t, "claude-code")
	env, path := place(t, c, []byte("{}"))
	change, err := install.Plan(c, env, "", server, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"numStartups": 7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := change.Apply(); err == nil {
		t.Error("it was overwritten")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != `{"numStartups": 7}` {
		t.Errorf("%s, %v", text, err)
	}
	if got := names(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("left %v", got)
	}
}

// An entry that a person has added to keeps what was added.
func TestEntryKeepsWhatIsNotOurs(t *testing.T) {
	c := client(t, "vscode")
	env, path := place(t, c, []byte(`{"servers": {"retold": {"command": "/old/retold", "args": ["mcp"], "env": {"LANG": "C"}, "dev": {"watch": "x"}}}}`))
	s := install.Server{Command: "/new/retold", Args: []string{"--demo", "mcp"}, Env: []install.Var{{Name: "RETOLD_HOME", Value: "/srv/retold"}}}
	change, err := install.Plan(c, env, "", s, false)
	if err != nil {
		t.Fatal(err)
	}
	if change.Status != install.Updated {
		t.Errorf("it is %s", change.Status)
	}
	var got any
	if err := json.Unmarshal(apply(t, change, path), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"servers": map[string]any{"retold": map[string]any{
		"command": "/new/retold", "args": []any{"--demo", "mcp"}, "type": "stdio", "dev": map[string]any{"watch": "x"},
		"env": map[string]any{"LANG": "C", "RETOLD_HOME": "/srv/retold"},
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
