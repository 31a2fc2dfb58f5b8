package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

// A Client is a program that can run MCP servers.
type Client struct {
	ID   string // as --client names it
	Name string // as people do

	container string   // the key of the list of servers
	typed     bool     // entries say "type": "stdio"
	toml      bool     // else JSON
	comments  bool     // its JSON may hold comments and trailing commas
	project   []string // the file of one project, below it; nil when there is none
	folder    func(paths.Env) (string, error)
	file      string // in folder
	restart   string // what makes it notice
}

// Clients are the clients that can be given the server, in the order in which
// they are offered.
func Clients() []Client {
	return []Client{
		{
			ID: "cursor", Name: "Cursor", container: "mcpServers", comments: true,
			project: []string{".cursor", "mcp.json"}, folder: home(".cursor"), file: "mcp.json",
			restart: "Cursor notices by itself; see Settings, Tools & MCP",
		},
		{
			ID: "claude-code", Name: "Claude Code", container: "mcpServers", typed: true,
			project: []string{".mcp.json"}, folder: claudeCode, file: ".claude.json",
			restart: "a new session of Claude Code has it; see /mcp",
		},
		{
			ID: "claude-desktop", Name: "Claude Desktop", container: "mcpServers",
			folder: claudeDesktop, file: "claude_desktop_config.json",
			restart: "quit Claude Desktop and start it again",
		},
		{
			ID: "codex", Name: "Codex", container: "mcp_servers", toml: true,
			project: []string{".codex", "config.toml"}, folder: codex, file: "config.toml",
			restart: "a new session of Codex has it; see /mcp",
		},
		{
			ID: "vscode", Name: "VS Code", container: "servers", typed: true, comments: true,
			project: []string{".vscode", "mcp.json"}, folder: config("Code", "User"), file: "mcp.json",
			restart: "VS Code notices by itself; see the command MCP: List Servers",
		},
	}
}

// Restart says in a few words when the client will know the server.
func (c Client) Restart() string { return c.restart }

// File is the path of the configuration for all projects, or, with a project's
// folder, for that one. The file need not be there.
func (c Client) File(env paths.Env, project string) (string, error) {
	if project == "" {
		dir, err := c.folder(env)
		if err != nil {
			return "", err
		}
		return filepath.Join(dir, c.file), nil
	}
	if c.project == nil {
		return "", &retold.Error{
			Code: retold.CodeUsage, Err: fmt.Errorf("%s has no configuration for one project", c.Name),
			Hint: "leave --project away",
		}
	}
	return filepath.Join(append([]string{project}, c.project...)...), nil
}

// Present reports whether the client seems to be installed: its configuration or
// the folder it keeps it in is there.
func (c Client) Present(env paths.Env) bool {
	dir, err := c.folder(env)
	if err != nil {
		return true // there more than once
	}
	if _, err := os.Stat(filepath.Join(dir, c.file)); err == nil {
		return true
	}
	if dir == env.Home { // a folder that everybody has says nothing
		dir = filepath.Join(dir, ".claude")
	}
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

func home(below ...string) func(paths.Env) (string, error) {
	return func(env paths.Env) (string, error) {
		return filepath.Join(append([]string{env.Home}, below...)...), nil
	}
}

func config(below ...string) func(paths.Env) (string, error) {
	return func(env paths.Env) (string, error) {
		return filepath.Join(append([]string{env.ConfigRoot()}, below...)...), nil
	}
}

// claudeCode is the folder of .claude.json: the home folder, unless all of
// Claude Code's files were moved.
func claudeCode(env paths.Env) (string, error) {
	if dir := env.Var("CLAUDE_CONFIG_DIR"); dir != "" {
		return env.Expand(dir), nil
	}
	return env.Home, nil
}

func codex(env paths.Env) (string, error) {
	if dir := env.Var("CODEX_HOME"); dir != "" {
		return env.Expand(dir), nil
	}
	return filepath.Join(env.Home, ".codex"), nil
}

// claudeDesktop is the folder of Claude Desktop. Installed as a Windows package
// (as its installer has done since early 2026) it reads from a folder of the
// package, and ignores the one in which older versions kept their files.
func claudeDesktop(env paths.Env) (string, error) {
	plain := filepath.Join(env.ConfigRoot(), "Claude")
	if env.GOOS != "windows" {
		return plain, nil
	}
	local := env.Var("LOCALAPPDATA")
	if local == "" {
		local = filepath.Join(env.Home, "AppData", "Local")
	}
	packages, err := filepath.Glob(filepath.Join(local, "Packages", "Claude_*", "LocalCache", "Roaming", "Claude"))
	switch {
	case err != nil || len(packages) == 0: // a path that is a pattern finds nothing
		return plain, nil
	case len(packages) == 1:
		return packages[0], nil
	}
	return "", &retold.Error{
		Code: retold.CodeUsage, Op: "find the configuration of Claude Desktop in", Path: filepath.Join(local, "Packages"),
		Err:  errors.New("there are several"),
		Hint: "print the entry with `retold mcp install --client claude-desktop --print` and put it where it belongs",
	}
}
