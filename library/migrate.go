package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/migrate"
)

// MigrateOptions say which sessions move where. Either Sessions or From is set.
type MigrateOptions struct {
	Sessions []string // selectors, as Find takes them; their sub-agents go with them
	From     string   // all sessions about this workspace: a path, an address, or a name that only one has
	To       string   // the new folder: an absolute path, or an address (vscode-remote://…)
	Copy     bool     // leave the originals where they are
}

// PlanMigrate plans to make sessions be about another folder, in every store that
// holds them, and writes nothing. What it returns is carried out with Apply and
// taken back with PlanUndo. Close it. Besides the usual errors and those of Find
// it returns a *retold.Error with CodeWorkspaceNotFound or CodeWorkspaceAmbiguous.
func (l *Library) PlanMigrate(ctx context.Context, o MigrateOptions) (c *migrate.Change, err error) {
	defer l.call(&ctx, &err)()
	headers, err := l.Headers(ctx, retold.Filter{Empty: true})
	if err != nil {
		return nil, err
	}
	r := migrate.Request{To: o.To, Copy: o.Copy}
	if o.From != "" {
		if r.From, err = chooseWorkspace(headers, o.From); err != nil {
			return nil, err
		}
		for _, h := range headers {
			if h.WorkspacePath == r.From && !h.Gone {
				r.Sessions = append(r.Sessions, h.ID)
			}
		}
	} else if r.Sessions, err = l.withChildren(ctx, headers, o.Sessions); err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for _, h := range headers {
		ids[h.ID] = true
		if h.Empty && slices.Contains(r.Sessions, h.ID) {
			r.Empty++
		}
	}
	r.Taken = func(id string) (bool, error) { return ids[id], nil }
	var places []migrate.Place
	for _, p := range l.located() {
		if w, ok := p.source.(retold.Writer); ok && p.Used {
			places = append(places, migrate.Place{Path: p.Path, Writer: w})
		}
	}
	if err := standing(r.To); err != nil {
		return nil, err
	}
	return migrate.Plan(ctx, l.desk(), places, r)
}

// standing returns an error when a folder of this machine is not there: what no
// agent can open is nothing to move to.
func standing(to string) error {
	at := paths.ParseAddress(to)
	if !at.IsLocal() || at.IsWindows() || !filepath.IsAbs(at.FSPath()) { // of another machine, seen from WSL, or refused elsewhere
		return nil
	}
	info, err := os.Stat(at.FSPath())
	if err == nil && !info.IsDir() {
		err = errors.New("it is a file")
	}
	if err != nil {
		if cause, ok := errors.AsType[*fs.PathError](err); ok {
			err = cause.Err
		}
		return &retold.Error{Code: retold.CodeWorkspaceNotFound, Op: "find the folder", Path: to, Err: err, Hint: "make the folder first, or name another one"}
	}
	return nil
}

// withChildren finds the sessions that selectors choose, and their sub-agents.
func (l *Library) withChildren(ctx context.Context, headers []retold.Header, selectors []string) ([]string, error) {
	var ids []string
	for _, s := range selectors {
		h, err := l.Find(ctx, s)
		if err != nil {
			return nil, err
		}
		if h.Gone {
			return nil, &retold.Error{
				Code: retold.CodeSessionNotFound, Op: "move", Err: fmt.Errorf("session %s is no longer in its agent's files, only in the library", h.ID),
				Hint: "see `retold show " + h.ID + "`",
			}
		}
		if !slices.Contains(ids, h.ID) {
			ids = append(ids, h.ID)
		}
	}
	for i := 0; i < len(ids); i++ {
		for _, h := range headers {
			if h.ParentID == ids[i] && !h.Gone && !slices.Contains(ids, h.ID) {
				ids = append(ids, h.ID)
			}
		}
	}
	return ids, nil
}

// chooseWorkspace is the path of the one workspace that a person means.
func chooseWorkspace(headers []retold.Header, want string) (string, error) {
	address := paths.ParseAddress(want)
	var found []string
	for _, h := range headers {
		if h.WorkspacePath == "" || slices.Contains(found, h.WorkspacePath) {
			continue
		}
		if h.WorkspacePath == want || paths.ParseAddress(h.WorkspacePath).Same(address) {
			return h.WorkspacePath, nil
		}
		if retold.MatchWorkspace(h.Session, want) {
			found = append(found, h.WorkspacePath)
		}
	}
	switch len(found) {
	case 0:
		return "", &retold.Error{Code: retold.CodeWorkspaceNotFound, Err: fmt.Errorf("no session is about workspace %q", want), Hint: "see `retold workspaces` for what there is"}
	case 1:
		return found[0], nil
	}
	return "", &retold.Error{
		Code: retold.CodeWorkspaceAmbiguous, Err: errors.New(fmt.Sprintf("%q fits several workspaces:\n  ", want) + strings.Join(found, "\n  ")),
		Hint: "give the whole path",
	}
}

// desk is where changes to agents' files are carried out and recorded.
func (l *Library) desk() *change.Desk {
	home := l.options.Home
	if home == "" {
		home = l.options.Env.RetoldHome()
	}
	return &change.Desk{Home: home, Guard: change.System{Env: l.options.Env}, Now: l.options.Now}
}
