// Package paths knows where programs keep their files on each operating system
// and what the addresses of workspaces mean. It decides from values (an Env),
// so every system's rules run on any system.
package paths

import (
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/retold-history/retold"
)

// Env is what the rules for places depend on.
type Env struct {
	GOOS   string // as runtime.GOOS
	Home   string // the user's home folder
	Root   string // put before the absolute paths that are probed (/mnt); "" outside tests
	Getenv func(string) string
}

// System is the Env of this process.
func System() (Env, error) {
	home, err := os.UserHomeDir()
	if err != nil { // a service's environment may lack HOME
		me, lookup := user.Current()
		if lookup != nil || !filepath.IsAbs(me.HomeDir) {
			return Env{}, &retold.Error{Code: retold.CodeUsage, Op: "find the home folder", Err: err, Hint: "set HOME to the folder of whose history you want to see"}
		}
		home = me.HomeDir
	}
	return Env{GOOS: runtime.GOOS, Home: home, Getenv: os.Getenv}, nil
}

// Var returns an environment variable, "" when unset.
func (e Env) Var(name string) string {
	if e.Getenv == nil {
		return ""
	}
	return e.Getenv(name)
}

// ConfigRoot is the folder in which desktop programs keep a folder each:
// Application Support on macOS, %APPDATA% on Windows, $XDG_CONFIG_HOME
// elsewhere.
func (e Env) ConfigRoot() string {
	switch e.GOOS {
	case "darwin":
		return filepath.Join(e.Home, "Library", "Application Support")
	case "windows":
		if dir := e.Var("APPDATA"); dir != "" {
			return dir
		}
		return filepath.Join(e.Home, "AppData", "Roaming")
	}
	if dir := e.Var("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(e.Home, ".config")
}

// RetoldHome is the folder for retold's own files: RETOLD_HOME, else "retold"
// in the system's data folder.
func (e Env) RetoldHome() string {
	if dir := e.Var("RETOLD_HOME"); dir != "" {
		return e.Expand(dir)
	}
	switch e.GOOS {
	case "darwin":
		return filepath.Join(e.Home, "Library", "Application Support", "retold")
	case "windows":
		if dir := e.Var("LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, "retold")
		}
		return filepath.Join(e.Home, "AppData", "Local", "retold")
	}
	if dir := e.Var("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "retold")
	}
	return filepath.Join(e.Home, ".local", "share", "retold")
}

// Expand replaces a leading ~ by the home folder.
func (e Env) Expand(path string) string {
	if path == "~" {
		return e.Home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(e.Home, rest)
	}
	return path
}

// IsWSL reports whether this is Linux inside Windows.
func (e Env) IsWSL() bool {
	return e.GOOS == "linux" && (e.Var("WSL_DISTRO_NAME") != "" || e.Var("WSL_INTEROP") != "")
}

// WindowsHomes are the home folders of the Windows side as WSL mounts them:
// every folder in /mnt/*/Users that holds an AppData.
func (e Env) WindowsHomes() []string {
	if !e.IsWSL() {
		return nil
	}
	var homes []string
	matches, err := filepath.Glob(filepath.Join(e.Root, "/mnt", "*", "Users", "*", "AppData"))
	if err != nil { // the pattern is constant and well formed
		return nil
	}
	for _, m := range matches {
		homes = append(homes, filepath.Dir(m))
	}
	return homes
}
