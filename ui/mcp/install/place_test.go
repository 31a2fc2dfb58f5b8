package install_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/ui/mcp/install"
)

func TestFiles(t *testing.T) {
	with := func(goos, home string, vars ...string) paths.Env {
		return paths.Env{GOOS: goos, Home: home, Getenv: func(name string) string {
			for i := 0; i < len(vars); i += 2 {
				if vars[i] == name {
					return vars[i+1]
				}
			}
			return ""
		}}
	}
	ada, win := with("linux", "/home/ada"), with("windows", "/c/Users/ada", "APPDATA", "/c/Users/ada/AppData/Roaming")
	mac := with("darwin", "/Users/ada")
	for _, c := range []struct {
		client  string
		env     paths.Env
		project string
		want    string
	}{
		{"cursor", ada, "", "/home/ada/.cursor/mcp.json"},
		{"cursor", win, "", "/c/Users/ada/.cursor/mcp.json"},
		{"cursor", ada, "/home/ada/tidepool", "/home/ada/tidepool/.cursor/mcp.json"},
		{"claude-code", mac, "", "/Users/ada/.claude.json"},
		{"claude-code", with("linux", "/home/ada", "CLAUDE_CONFIG_DIR", "/srv/claude"), "", "/srv/claude/.claude.json"},
		{"claude-code", ada, "/home/ada/tidepool", "/home/ada/tidepool/.mcp.json"},
		{"claude-desktop", ada, "", "/home/ada/.config/Claude/claude_desktop_config.json"},
		{"claude-desktop", mac, "", "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude-desktop", win, "", "/c/Users/ada/AppData/Roaming/Claude/claude_desktop_config.json"},
		{"codex", ada, "", "/home/ada/.codex/config.toml"},
		{"codex", with("linux", "/home/ada", "CODEX_HOME", "~/codex"), "", "/home/ada/codex/config.toml"},
		{"codex", ada, "/home/ada/tidepool", "/home/ada/tidepool/.codex/config.toml"},
		{"vscode", ada, "", "/home/ada/.config/Code/User/mcp.json"},
		{"vscode", with("linux", "/home/ada", "XDG_CONFIG_HOME", "/srv/config"), "", "/srv/config/Code/User/mcp.json"},
		{"vscode", mac, "", "/Users/ada/Library/Application Support/Code/User/mcp.json"},
		{"vscode", win, "", "/c/Users/ada/AppData/Roaming/Code/User/mcp.json"},
		{"vscode", ada, "/home/ada/tidepool", "/home/ada/tidepool/.vscode/mcp.json"},
	} {
		got, err := client(t, c.client).File(c.env, c.project)
		if err != nil || filepath.ToSlash(got) != c.want {
			t.Errorf("%s on %s: %s, %v; want %s", c.client, c.env.GOOS, got, err, c.want)
		}
	}
	if _, err := client(t, "claude-desktop").File(ada, "/home/ada/tidepool"); !errors.As(err, new(*retold.Error)) {
		t.Errorf("Claude Desktop for a project: %v", err)
	}
}

// Claude Desktop as a Windows package reads from the package's folder; with
// several packages a person has to decide.
func TestClaudeDesktopPackages(t *testing.T) {
	local := t.TempDir()
	env := paths.Env{GOOS: "windows", Home: "/c/Users/ada", Getenv: func(name string) string {
		return map[string]string{"LOCALAPPDATA": local, "APPDATA": "/c/Users/ada/AppData/Roaming"}[name]
	}}
	c := client(t, "claude-desktop")
	if c.Present(env) {
		t.Error("found where there is nothing")
	}
	one := filepath.Join(local, "Packages", "Claude_0123456789abc", "LocalCache", "Roaming", "Claude")
	if err := os.MkdirAll(one, 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := c.File(env, ""); err != nil || got != filepath.Join(one, "claude_desktop_config.json") {
		t.Errorf("%s, %v", got, err)
	}
	if !c.Present(env) {
		t.Error("not found")
	}
	two := filepath.Join(local, "Packages", "Claude_beta", "LocalCache", "Roaming", "Claude")
	if err := os.MkdirAll(two, 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := c.File(env, ""); err == nil {
		t.Errorf("chose %s of two", got)
	}
}

// A link keeps being one; what it leads to is changed, and the copy of what that
// was lies beside the link.
func TestLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	c := client(t, "cursor")
	env, path := place(t, c, []byte("{}"))
	dotfiles := filepath.Join(t.TempDir(), "cursor-mcp.json")
	if err := errors.Join(os.Rename(path, dotfiles), os.Symlink(dotfiles, path)); err != nil {
		t.Fatal(err)
	}
	change, err := install.Plan(c, env, "", server, false)
	if err != nil {
		t.Fatal(err)
	}
	backup, err := change.Apply()
	if err != nil || backup != path+".before-retold-1" {
		t.Fatalf("%q, %v", backup, err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link became a file")
	}
	if text, err := os.ReadFile(dotfiles); err != nil || !strings.Contains(string(text), "retold") {
		t.Errorf("%s, %v", text, err)
	}
	if got := names(t, filepath.Dir(dotfiles)); len(got) != 1 {
		t.Errorf("left %v", got)
	}
}

// What is not a plain file, leads nowhere or out of a project, or is protected is
// not touched.
func TestRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	c := client(t, "cursor")
	outside := t.TempDir()
	elsewhere := filepath.Join(outside, "mcp.json")
	for name, make := range map[string]func(folder, path string) error{
		"a link that leads nowhere": func(folder, path string) error {
			return errors.Join(os.Mkdir(folder, 0o700), os.Symlink(filepath.Join(outside, "none"), path))
		},
		"a link out of the project": func(folder, path string) error {
			return errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(elsewhere, []byte("{}"), 0o600), os.Symlink(elsewhere, path))
		},
		"a folder that is a link out of the project": func(folder, _ string) error { return os.Symlink(outside, folder) },
		"a folder that is a link to none":            func(folder, _ string) error { return os.Symlink(filepath.Join(outside, "none"), folder) },
		"a folder":                                   func(_, path string) error { return os.MkdirAll(path, 0o700) },
		"a ring of links": func(folder, path string) error {
			return errors.Join(os.Mkdir(folder, 0o700), os.Symlink(path, path))
		},
		"a protected file": func(folder, path string) error {
			return errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(path, []byte("{}"), 0o400))
		},
	} {
		t.Run(name, func(t *testing.T) {
			project := t.TempDir()
			folder := filepath.Join(project, ".cursor")
			if err := make(folder, filepath.Join(folder, "mcp.json")); err != nil {
				t.Fatal(err)
			}
			before := names(t, outside)
			change, err := install.Plan(c, linux(t.TempDir()), project, server, false)
			if err == nil {
				_, err = change.Apply()
			}
			if err == nil {
				t.Error("it was changed")
			}
			if after := names(t, outside); len(after) != len(before) {
				t.Errorf("outside there are %v", after)
			}
			if text, err := os.ReadFile(elsewhere); err == nil && string(text) != "{}" {
				t.Errorf("outside became %s", text)
			}
		})
	}
}
