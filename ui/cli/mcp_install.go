package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/ui/mcp/install"
)

type installOptions struct {
	clients   []string
	project   string
	print     bool
	dryRun    bool
	uninstall bool
	readOnly  bool
}

const mcpInstallLong = `Tell programs that run agents how to start "retold mcp", by an entry named retold
in the configuration of each. Only that entry is written: everything else in the
file keeps its bytes, and what the file was before is kept beside it. Done already,
nothing is changed. A file that cannot be understood is left as it is (status 7).

  cursor          ~/.cursor/mcp.json               .cursor/mcp.json
  claude-code     ~/.claude.json                   .mcp.json
  claude-desktop  claude_desktop_config.json       –
  codex           ~/.codex/config.toml             .codex/config.toml
  vscode          mcp.json in VS Code's user data  .vscode/mcp.json

The last column is where --project DIR writes, below DIR, for that project only.
Folders and --demo given here, or by the environment, are passed on to the server.`

func (a *app) mcpInstallCommand() *cobra.Command {
	var o installOptions
	cmd := &cobra.Command{
		Use: "install", Short: "tell Cursor, Claude Code, Claude Desktop, Codex or VS Code about it", Long: mcpInstallLong, Args: noArgs,
		Example: `  retold mcp install --client cursor --dry-run
  retold mcp install --client claude-code,codex
  retold mcp install --client vscode --project .
  retold mcp install --client cursor --uninstall
  retold mcp install --client claude-code --print`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.mcpInstall(cmd, o) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.clients, "client", nil, "change these `CLIENTS`: cursor, claude-code, claude-desktop, codex, vscode")
	f.StringVar(&o.project, "project", "", "only for the project in the folder `DIR`")
	f.BoolVar(&o.print, "print", false, "print what would be written, and other ways to do it; write nothing")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would change; write nothing")
	f.BoolVar(&o.readOnly, "read-only", false, "have it offer nothing that writes")
	f.BoolVar(&o.uninstall, "uninstall", false, "take the entry out again")
	var ids []string
	for _, c := range install.Clients() {
		ids = append(ids, c.ID)
	}
	complete(cmd, "client", ids...)
	return cmd
}

func (a *app) mcpInstall(cmd *cobra.Command, o installOptions) error {
	if o.print && (o.uninstall || o.dryRun) {
		return usage(cmd, "--print goes with neither --dry-run nor --uninstall")
	}
	server, err := a.mcpServer()
	if err != nil {
		return err
	}
	if o.readOnly {
		server.Args = append(server.Args, "--read-only")
	}
	if o.project != "" {
		if o.project, err = filepath.Abs(a.env.Expand(o.project)); err != nil {
			return fmt.Errorf("find the project: %w", err)
		}
		if info, err := os.Stat(o.project); err != nil || !info.IsDir() {
			return usage(cmd, fmt.Sprintf("--project %s: there is no such folder", o.project))
		}
	}
	clients, err := a.mcpClients(cmd, o)
	if err != nil {
		return err
	}
	if o.print {
		return a.mcpPrint(clients, server, o)
	}
	var changes []*install.Change
	for _, c := range clients { // all are understood before the first is changed
		change, err := install.Plan(c, a.env, o.project, server, o.uninstall)
		if err != nil {
			return forNone(err, c, clients)
		}
		changes = append(changes, change)
	}
	return a.mcpApply(changes, server, o)
}

// forNone says of a client that stands in the way that nothing was written for
// the others either, and how to leave it out.
func forNone(err error, bad install.Client, clients []install.Client) error {
	if len(clients) < 2 {
		return err
	}
	others := slices.DeleteFunc(clientIDs(clients), func(id string) bool { return id == bad.ID })
	e := &retold.Error{Code: retold.CodeOf(err), Err: fmt.Errorf("nothing was written for any client, because of %s: %w", bad.Name, err)}
	e.Hint = "leave it out: --client " + strings.Join(others, ",")
	if known, ok := errors.AsType[*retold.Error](err); ok && known.Hint != "" {
		e.Hint = known.Hint + "; or " + e.Hint
	}
	return e
}

// mcpServer says how a client starts this very program.
func (a *app) mcpServer() (install.Server, error) {
	command, err := os.Executable()
	if err != nil {
		return install.Server{}, fmt.Errorf("find the path of this program: %w", err)
	}
	// The name by which a person starts it outlives an update; what a link behind
	// that name leads to (a folder with a version in its name) does not.
	if named, err := exec.LookPath("retold"); err == nil && sameFile(named, command) {
		if abs, err := filepath.Abs(named); err == nil {
			command = abs
		}
	}
	if strings.Contains(filepath.ToSlash(command), "/go-build") {
		a.note("%s is a temporary program of `go run` and will be gone soon: install retold first (`go install ./cmd/retold`)", command)
	}
	s := install.Server{Command: command}
	switch set := a.settings; {
	case a.flags.demo:
		s.Args = append(s.Args, "--demo")
	default:
		for _, given := range []setting{set.CursorUser, set.CursorHome} {
			for _, folder := range given.folders {
				if abs, err := filepath.Abs(folder); err == nil && given.forNow() {
					s.Args = append(s.Args, "--"+given.name, abs)
				}
			}
		}
	}
	if c := a.settings.Config; c.from == "flag" {
		if abs, err := filepath.Abs(c.value); err == nil {
			s.Args = append(s.Args, "--config", abs)
		}
	}
	s.Args = append(s.Args, "mcp")
	if a.env.Var("RETOLD_HOME") != "" { // programs with windows do not inherit what a shell sets
		if abs, err := filepath.Abs(a.settings.Home.value); err == nil {
			s.Env = append(s.Env, install.Var{Name: "RETOLD_HOME", Value: abs})
		}
	}
	return s, nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// mcpClients are the clients that --client names; without it those on this
// machine that a person says yes to.
func (a *app) mcpClients(cmd *cobra.Command, o installOptions) ([]install.Client, error) {
	all := install.Clients()
	var out []install.Client
	for _, id := range o.clients {
		i := slices.IndexFunc(all, func(c install.Client) bool { return c.ID == id })
		if i < 0 {
			return nil, usage(cmd, fmt.Sprintf("there is no client %q; the clients are %s", id, strings.Join(clientIDs(all), ", ")))
		}
		if !slices.ContainsFunc(out, func(c install.Client) bool { return c.ID == id }) {
			out = append(out, all[i])
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	for _, c := range all {
		if c.Present(a.env) {
			out = append(out, c)
		}
	}
	switch {
	case o.print && len(out) == 0:
		return all, nil
	case o.print || o.dryRun && o.project == "" && len(out) > 0:
		return out, nil
	case len(out) == 0:
		return nil, &retold.Error{
			Code: retold.CodeUsage, Err: errors.New("no client was found on this machine"),
			Hint: "name one with --client: " + strings.Join(clientIDs(all), ", "),
		}
	case a.json || !a.asks() || o.project != "":
		return nil, &retold.Error{
			Code: retold.CodeUsage, Err: errors.New("which clients shall be changed? Found on this machine: " + strings.Join(clientIDs(out), ", ")),
			Hint: "name them with --client " + strings.Join(clientIDs(out), ","),
		}
	}
	return a.askClients(cmd, out, o)
}

// askClients asks for each client.
func (a *app) askClients(cmd *cobra.Command, found []install.Client, o installOptions) (out []install.Client, err error) {
	question := "Install into %s (%s)?"
	if o.uninstall {
		question = "Uninstall from %s (%s)?"
	}
	for _, c := range found {
		path, err := c.File(a.env, "")
		if err != nil {
			path = "in several places"
		}
		yes, err := a.confirm(cmd.Context(), fmt.Sprintf(question, c.Name, oneLine(path)))
		if err != nil {
			return nil, err
		}
		if yes {
			out = append(out, c)
		}
	}
	return out, nil
}

func clientIDs(clients []install.Client) []string {
	var ids []string
	for _, c := range clients {
		ids = append(ids, c.ID)
	}
	return ids
}
