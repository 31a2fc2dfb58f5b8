package cli

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/ui/mcp/install"
)

// installed is what became of one client's configuration.
type installed struct {
	Client string         `json:"client"`
	Path   string         `json:"path"`
	Status install.Status `json:"status"`
	Backup *string        `json:"backup"` // null when there was nothing to keep
	Diff   *string        `json:"diff"`   // null unless it is a dry run
	DryRun bool           `json:"dryRun"`
}

// mcpApply writes the changes, or with --dry-run shows them.
func (a *app) mcpApply(changes []*install.Change, server install.Server, o installOptions) error {
	results := []installed{}
	for _, ch := range changes {
		r := installed{Client: ch.Client.ID, Path: ch.Path, Status: ch.Status, DryRun: o.dryRun}
		if o.dryRun {
			diff := ch.Diff()
			r.Diff = &diff
		} else {
			backup, err := ch.Apply()
			if err != nil {
				return after(err, results)
			}
			if backup != "" {
				r.Backup = &backup
			}
		}
		results = append(results, r)
		if !a.json {
			a.installedLine(ch, r)
		}
	}
	switch {
	case a.json:
		return a.printJSON(map[string]any{"clients": results, "server": startedAs(server)})
	case o.dryRun:
		a.note("nothing was written")
	case len(changes) == 0:
		a.note("nothing was changed")
	case o.project != "" && !o.uninstall:
		a.note("the entry holds paths of this machine: think twice before you commit the file, as is often done with those of a project")
	}
	return nil
}

// after says which clients were written before one could not be.
func after(err error, done []installed) error {
	if len(done) == 0 {
		return err
	}
	var paths []string
	for _, r := range done {
		paths = append(paths, r.Path)
	}
	e := &retold.Error{Code: retold.CodeOf(err), Err: fmt.Errorf("%w; done before that: %s", err, strings.Join(paths, ", "))}
	if known, ok := errors.AsType[*retold.Error](err); ok {
		e.Hint = known.Hint
	}
	return e
}

// installedLine says what was done, or would be.
func (a *app) installedLine(ch *install.Change, r installed) {
	if r.Diff != nil {
		a.line("%s", strings.TrimSuffix(plain(*r.Diff), "\n"))
		if *r.Diff == "" {
			a.note("%s: %s", ch.Client.Name, said(ch.Status))
		}
		return
	}
	if !a.tty {
		backup := ""
		if r.Backup != nil {
			backup = *r.Backup
		}
		a.line("%s\t%s\t%s\t%s", r.Status, r.Client, oneLine(r.Path), oneLine(backup))
		return
	}
	a.line("%s: %s in %s", a.style.bold(ch.Client.Name), said(r.Status), oneLine(r.Path))
	if r.Backup != nil {
		a.note("  what it was before: %s", oneLine(*r.Backup))
	}
	if r.Status == install.Installed || r.Status == install.Updated {
		a.note("  %s", ch.Client.Restart())
	}
}

// said is a status as people are told it.
func said(s install.Status) string {
	switch s {
	case install.Unchanged:
		return "already installed"
	case install.Absent:
		return "not installed"
	}
	return string(s)
}

// startedAs is how clients start the server, as JSON has it.
func startedAs(s install.Server) any {
	env := map[string]string{}
	for _, v := range s.Env {
		env[v.Name] = v.Value
	}
	return struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}{s.Command, s.Args, env}
}

// shellWord quotes a word for the person's shell.
func shellWord(word string) string {
	if runtime.GOOS == "windows" && strings.ContainsAny(word, ` "{`) {
		return `"` + strings.ReplaceAll(word, `"`, `\"`) + `"`
	}
	return quoted(word)
}

// mcpPrint prints what would be written for each client, and other ways to do it.
func (a *app) mcpPrint(clients []install.Client, server install.Server, o installOptions) error {
	type printed struct {
		Client string        `json:"client"`
		Path   string        `json:"path"`
		Ways   []install.Way `json:"ways"`
	}
	var all []printed
	for _, c := range clients {
		path, err := c.File(a.env, o.project)
		if err != nil && len(clients) == 1 {
			return err
		}
		all = append(all, printed{c.ID, path, c.Ways(server, shellWord)})
	}
	if a.json {
		return a.printJSON(map[string]any{"clients": all, "server": startedAs(server)})
	}
	for i, p := range all {
		if len(all) > 1 {
			if i > 0 {
				a.line("")
			}
			a.note("%s", clients[i].Name)
		}
		for _, w := range p.Ways {
			if w.What == "configuration" {
				a.note("in %s:", oneLine(p.Path))
			} else {
				a.note("or by %s:", w.What)
			}
			a.line("%s", strings.TrimSuffix(plain(w.Text), "\n"))
		}
	}
	return nil
}
