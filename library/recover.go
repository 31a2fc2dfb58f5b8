package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/migrate"
)

// A Lost session is kept by its agent and not shown by it any more.
type Lost struct {
	Session retold.Session      `json:"session"`
	Reasons []retold.LostReason `json:"reasons"`
	Folder  *string             `json:"folder"`  // where it can be shown again; nil when nobody knows
	Because *string             `json:"because"` // why there, when that is not its own folder
}

// Doubts about whether a session is lost, from none on.
const (
	ShownNowhere = iota // its agent shows it nowhere
	ShownPerhaps        // an older list names it
	FolderAway          // all that is wrong is that its folder is not on this machine
)

// Doubt is how sure it is that the session is lost: one of the constants above.
func (l Lost) Doubt() int {
	doubt := FolderAway
	for _, r := range l.Reasons {
		switch r.Kind {
		case retold.LostFolder:
		case retold.LostListed:
			doubt = min(doubt, ShownPerhaps)
		default:
			return ShownNowhere
		}
	}
	return doubt
}

// Lost finds the sessions that their agent keeps and does not show, the surest first
// (see Lost.Doubt), then the newest.
// It reads the agent's files as they are now, and writes nothing. It returns the
// error of an ended context, ErrClosed, and that of files that cannot be read.
func (l *Library) Lost(ctx context.Context) (all []Lost, err error) {
	defer l.call(&ctx, &err)()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, p := range l.located() {
		r, ok := p.source.(retold.Recoverer)
		if !ok || !p.Used {
			continue
		}
		found, err := r.Lost(ctx, p.Path)
		if err != nil {
			return nil, fmt.Errorf("look for lost sessions in %s: %w", p.Path, err)
		}
		for _, f := range found {
			all = append(all, Lost{Session: f.Session, Reasons: f.Reasons, Folder: given(f.Folder), Because: given(f.Because)})
		}
	}
	slices.SortStableFunc(all, func(a, b Lost) int {
		return cmp.Or(a.Doubt()-b.Doubt(), b.Session.Touched().Compare(a.Session.Touched()))
	})
	return all, nil
}

func given(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// PlanRecover plans to make an agent show sessions again, named by their whole
// ids, all of them about one folder: an absolute path or an address. It writes
// nothing. What it returns is carried out with Apply and taken back with PlanUndo.
// Close it. Besides the errors of Lost it returns a *retold.Error with
// CodeWorkspaceNotFound for a folder that is not there.
func (l *Library) PlanRecover(ctx context.Context, ids []string, folder string) (c *migrate.Change, err error) {
	defer l.call(&ctx, &err)()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(ids) == 0 || folder == "" {
		return nil, &retold.Error{Code: retold.CodeUsage, Err: errors.New("recover wants sessions and a folder")}
	}
	var places []migrate.RecoverPlace
	for _, p := range l.located() {
		if r, ok := p.source.(retold.Recoverer); ok && p.Used {
			places = append(places, migrate.RecoverPlace{Path: p.Path, Recoverer: r})
		}
	}
	return migrate.PlanRecover(ctx, l.desk(), places, retold.Recovery{Sessions: ids, Folder: folder})
}
