package paths_test

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold/internal/paths"
)

func TestParseURI(t *testing.T) {
	ssh := hex.EncodeToString([]byte(`{"hostName":"build.example"}`))
	box := hex.EncodeToString([]byte(`/home/ada/tidepool`))
	for in, want := range map[string]paths.Location{
		"":                                  {},
		"file:///Users/lin/My%20Proj":       {Path: "/Users/lin/My Proj", Name: "My Proj", Scheme: "file"},
		"file:///home/ada/caf%C3%A9/":       {Path: "/home/ada/café", Name: "café", Scheme: "file"},
		"file:///c%3A/Users/lin/p":          {Path: `C:\Users\lin\p`, Name: "p", Scheme: "file"},
		"file:///d:/":                       {Path: `D:\`, Name: "D:", Scheme: "file"},
		"file://server/share/p":             {Path: `\\server\share\p`, Name: "p", Scheme: "file"},
		"file://wsl.localhost/Ubuntu/h":     {Path: `\\wsl.localhost\Ubuntu\h`, Name: "h", Scheme: "file"},
		"/home/ada/plain":                   {Path: "/home/ada/plain", Name: "plain", Scheme: "file"},
		`C:\Users\lin\p`:                    {Path: `C:\Users\lin\p`, Name: "p", Scheme: "file"},
		"file:///home/ada/x.code-workspace": {Path: "/home/ada/x.code-workspace", Name: "x", Scheme: "file"},
		"file:///home/ada/100%":             {Path: "/home/ada/100%", Name: "100%", Scheme: "file"},
		"vscode-remote://wsl%2Bubuntu/home/ada/x": {
			Path: "vscode-remote://wsl+ubuntu/home/ada/x", Name: "x", Scheme: "vscode-remote", Authority: "wsl+ubuntu",
		},
		"vscode-remote://wsl+Ubuntu/home/ada/x": {
			Path: "vscode-remote://wsl+Ubuntu/home/ada/x", Name: "x", Scheme: "vscode-remote", Authority: "wsl+Ubuntu",
		},
		"vscode-remote://ssh-remote%2Bbox/srv/app": {
			Path: "vscode-remote://ssh-remote+box/srv/app", Name: "app", Scheme: "vscode-remote", Authority: "ssh-remote+box",
		},
		"vscode-remote://ssh-remote%2B" + ssh + "/srv/app": {
			Path: "vscode-remote://ssh-remote+build.example/srv/app", Name: "app", Scheme: "vscode-remote", Authority: "ssh-remote+build.example",
		},
		"vscode-remote://dev-container%2B" + box + "/workspaces/tidepool": {
			Path: "vscode-remote://dev-container+/home/ada/tidepool/workspaces/tidepool", Name: "tidepool",
			Scheme: "vscode-remote", Authority: "dev-container+/home/ada/tidepool",
		},
		"vscode-vfs://github/ada/tidepool": {
			Path: "vscode-vfs://github/ada/tidepool", Name: "tidepool", Scheme: "vscode-vfs", Authority: "github",
		},
	} {
		if diff := cmp.Diff(want, paths.ParseURI(in)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", in, diff)
		}
	}
}

func TestConfigRoots(t *testing.T) {
	vars := func(m map[string]string) func(string) string { return func(k string) string { return m[k] } }
	for _, c := range []struct {
		env          paths.Env
		config, home string
	}{
		{paths.Env{GOOS: "linux", Home: "/home/ada"}, "/home/ada/.config", "/home/ada/.local/share/retold"},
		{paths.Env{GOOS: "linux", Home: "/home/ada", Getenv: vars(map[string]string{"XDG_CONFIG_HOME": "/cfg", "XDG_DATA_HOME": "/data"})}, "/cfg", "/data/retold"},
		{paths.Env{GOOS: "darwin", Home: "/Users/lin"}, "/Users/lin/Library/Application Support", "/Users/lin/Library/Application Support/retold"},
		{paths.Env{GOOS: "windows", Home: "C:/Users/lin", Getenv: vars(map[string]string{"APPDATA": "C:/R", "LOCALAPPDATA": "C:/L"})}, "C:/R", "C:/L/retold"},
		{paths.Env{GOOS: "linux", Home: "/home/ada", Getenv: vars(map[string]string{"RETOLD_HOME": "~/mine"})}, "/home/ada/.config", "/home/ada/mine"},
	} {
		if got := filepath.ToSlash(c.env.ConfigRoot()); got != c.config {
			t.Errorf("%s: config %s, want %s", c.env.GOOS, got, c.config)
		}
		if got := filepath.ToSlash(c.env.RetoldHome()); got != c.home {
			t.Errorf("%s: home %s, want %s", c.env.GOOS, got, c.home)
		}
	}
}

func TestWindowsHomes(t *testing.T) {
	root := t.TempDir()
	for _, d := range []string{"mnt/c/Users/lin/AppData", "mnt/c/Users/Public", "mnt/d/Users/ada/AppData"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := paths.Env{GOOS: "linux", Home: "/home/ada", Root: root}
	if got := env.WindowsHomes(); got != nil {
		t.Errorf("not WSL, got %v", got)
	}
	env.Getenv = func(k string) string { return map[string]string{"WSL_DISTRO_NAME": "Ubuntu"}[k] }
	want := []string{filepath.Join(root, "mnt/c/Users/lin"), filepath.Join(root, "mnt/d/Users/ada")}
	if diff := cmp.Diff(want, env.WindowsHomes()); diff != "" {
		t.Error(diff)
	}
}

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{
		"/home/dev/projects/shop.api": "home-dev-projects-shop-api",
		`d:\1\Backend`:                "d-1-Backend",
		"/home/ada/_x__y/":            "home-ada-x-y",
		"/Users/lin/проект":           "Users-lin",
	} {
		if got := paths.Slug(in); got != want {
			t.Errorf("Slug(%q) = %q, want %q", in, got, want)
		}
	}
	if got := paths.MD5("/home/dev/projects/hello_app"); got != "2ba41082cc734f7560ba1279df8d00f9" {
		t.Errorf("MD5 = %s", got)
	}
}

func FuzzParseURI(f *testing.F) {
	for _, s := range []string{"file:///c%3A/x", "vscode-remote://ssh-remote%2B7b7d/x", "//", "file:", "a://b", "%", "vscode-remote://a+/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if l := paths.ParseURI(s); s != "" && l.Scheme == "" {
			t.Errorf("%q has no scheme", s)
		}
	})
}
