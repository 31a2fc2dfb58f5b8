package mcp_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/redact/redacttest"
	"github.com/retold-history/retold/ui/mcp"
)

type exported struct {
	Written     bool
	Fingerprint *string
	Path        *string
	Content     *string
}

// realDir is a folder without a symbolic link on the way to it.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A file is written once, by its owner's leave, and never over another.
func TestExportToFile(t *testing.T) {
	token := redacttest.Tokens(5)[0]
	s := &tales{}
	s.tell(retold.Session{ID: "one-session", Title: "harbour"}, said(retold.RoleUser, "harbour "+token.Value))
	c := serveTales(t, s)
	path := filepath.Join(realDir(t), "harbour.md")
	args := fmt.Sprintf(`"session": "one-session", "path": %q`, path)
	ask := func(more string) result { return c.call("export_session", "{"+args+more+"}") }

	plan := ask("")
	x := decode[exported](t, plan)
	if plan.isError || x.Written || x.Fingerprint == nil || !strings.Contains(plan.text, *x.Fingerprint) {
		t.Fatalf("dry run: %s", plan.text)
	}
	if again := decode[exported](t, ask("")); *again.Fingerprint != *x.Fingerprint {
		t.Error("two dry runs differ")
	}
	for _, more := range []string{`, "confirm": true`, `, "confirm": true, "fingerprint": "0123456789abcdef"`, fmt.Sprintf(`, "confirm": true, "fingerprint": %q, "tools": "none", "roles": "tool"`, *x.Fingerprint), fmt.Sprintf(`, "fingerprint": %q`, *x.Fingerprint)} {
		r := ask(more)
		if _, err := os.Lstat(path); err == nil {
			t.Fatalf("%s wrote a file: %s", more, r.text)
		}
		if strings.Contains(more, "confirm") && !r.isError {
			t.Errorf("%s: %s", more, r.text)
		}
	}
	r := ask(fmt.Sprintf(`, "confirm": true, "fingerprint": %q`, *x.Fingerprint))
	if r.isError || !decode[exported](t, r).Written {
		t.Fatal(r.text)
	}
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), "harbour") || strings.Contains(string(data), token.Value) {
		t.Errorf("%v: %s", err, data)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := ask(fmt.Sprintf(`, "confirm": true, "fingerprint": %q`, *x.Fingerprint)); !r.isError {
		t.Error("written over a file")
	}
	if data, _ := os.ReadFile(path); string(data) != "mine" {
		t.Errorf("%s", data)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".retold*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Paths that are refused, before anything is read.
func TestExportPaths(t *testing.T) {
	s := harbours()
	c := attach(t, mcp.New(s.open(t), mcp.Options{Dir: "/home/ada/work", Now: func() time.Time { return demoDay }}), nil)
	dir := realDir(t)
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(filepath.Join(dir, "real"), 0o700))
	must(os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	must(os.WriteFile(filepath.Join(dir, "taken.md"), []byte("mine"), 0o600))
	paths := map[string]string{
		"notes/x.md":                                   "/home/ada/work/notes/x.md",
		"../x.md":                                      "absolute",
		filepath.Join(dir, "taken.md"):                 "not taken",
		filepath.Join(dir, "none", "x.md"):             "make the folder",
		filepath.Join(dir, "file", "x.md"):             "another",
		filepath.Join(dir, "authorized_keys"):          "authorized_keys.md",
		filepath.Join(dir, "x.html"):                   "x.md",
		filepath.Join(dir, "x"):                        "x.md",
		filepath.Join(dir, "CLAUDE.md"):                "another name",
		filepath.Join(dir, "agents.md"):                "another name",
		filepath.Join(dir, ".hidden.md"):               "dot",
		filepath.Join(dir, ".cursor", "rules", "x.md"): "dot",
		dir + "/real/../x.md":                          "x.md",
		dir + "//x.md":                                 "x.md",
		"/made/up/x.md":                                "folder of your own",
		dir + "/x\ny.md":                               "",
		dir + "/x\u202edm.md":                          "",
		dir + "/x\u2028y.md":                           "",
		dir + "/x\u200by.md":                           "",
	}
	for _, name := range []string{
		"CLAUDE.local", "AGENTS.override", "QWEN", "CRUSH", "CONVENTIONS", "go.instructions", "x.prompt", "x.chatmode", "x.agent", "Copilot-Instructions",
	} {
		paths[filepath.Join(dir, name+".md")] = "another name"
	}
	if runtime.GOOS != "windows" {
		must(os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, "link")))
		must(os.Symlink(filepath.Join(dir, "victim.md"), filepath.Join(dir, "dangling.md")))
		paths[filepath.Join(dir, "link", "x.md")] = filepath.Join(dir, "real", "x.md")
		paths[filepath.Join(dir, "dangling.md")] = "not taken"
	}
	for path, hint := range paths {
		r := c.call("export_session", fmt.Sprintf(`{"session": "old-one", "path": %q}`, path))
		if !r.isError || !strings.Contains(string(r.body), `"usage"`) || !strings.Contains(r.text, hint) {
			t.Errorf("%q: %s", path, r.text)
		}
	}
	for _, name := range []string{"mcp", "opencode", "settings", "package", "tsconfig", "tsconfig.build", "claude_desktop_config", ".mcp", "x.mcp", "launch"} {
		r := c.call("export_session", fmt.Sprintf(`{"session": "old-one", "format": "json", "path": %q}`, filepath.Join(dir, name+".json")))
		if !r.isError {
			t.Errorf("%s.json: %s", name, r.text)
		}
	}
	found := 0
	must(filepath.WalkDir(dir, func(string, fs.DirEntry, error) error { found++; return nil }))
	if want := 4; found > want+2 {
		t.Errorf("%d files, something was written", found)
	}
}

// Neither retold's own folder nor one of Cursor's, that beside its User folder
// among them, takes an export.
func TestExportToOwnedFolders(t *testing.T) {
	dir := realDir(t)
	home, user := filepath.Join(dir, "retold"), filepath.Join(dir, "Cursor", "User")
	for _, d := range []string{home, user, filepath.Join(dir, "Cursor", "logs")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l := harbours().open(t, func(o *library.Options) {
		o.Home = home
	})
	c := connect(t, l, mcp.Options{}, nil)
	if r := c.call("export_session", fmt.Sprintf(`{"session": "old-one", "path": %q}`, filepath.Join(home, "x.md"))); !r.isError || !strings.Contains(r.text, "belongs to retold") {
		t.Error(r.text)
	}
	c = connect(t, openDemo(t, func(o *library.Options) { o.CursorUser = []string{user} }), mcp.Options{}, nil)
	for _, folder := range []string{"logs", "User", ""} {
		path := filepath.Join(dir, "Cursor", folder, "x.md")
		if r := c.call("export_session", fmt.Sprintf(`{"session": "1", "path": %q}`, path)); !r.isError || !strings.Contains(r.text, "belongs to cursor") {
			t.Errorf("%s: %s", path, r.text)
		}
	}
}

// A server that may not write files says so, and exports inline.
func TestNoFiles(t *testing.T) {
	c := connect(t, harbours().open(t), mcp.Options{NoFiles: true}, nil)
	path := filepath.Join(realDir(t), "harbour.md")
	if r := c.call("export_session", fmt.Sprintf(`{"session": "old-one", "path": %q}`, path)); !r.isError || !strings.Contains(r.text, "leave path out") {
		t.Error(r.text)
	}
	if r := c.call("export_session", `{"session": "old-one"}`); r.isError {
		t.Error(r.text)
	}
}
