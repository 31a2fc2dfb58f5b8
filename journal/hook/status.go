package hook

import (
	"context"
	"path/filepath"
	"runtime"

	"github.com/retold-history/retold/journal/hook/spool"
)

// Look says which hooks of the repository that a folder lies in tell retold of
// commits, and what else is in them. program is what would be installed now: a block that differs is
// Outdated.
func Look(ctx context.Context, dir string, program Program) (*Hooks, error) {
	h, err := PlanInstall(ctx, dir, InstallOptions{Program: program, Manage: true})
	if err != nil {
		return nil, err
	}
	for i := range h.Hooks {
		p := &h.Hooks[i]
		if p.Path == filepath.Join(h.Repo, localFile) {
			p.State = planned[p.State]
			continue
		}
		now, err := hold(p.Path)
		if err != nil {
			return nil, err
		}
		*p = looked(*p, now)
	}
	return h, nil
}

// planned is what is there when that is what would be done.
var planned = map[State]State{Unchanged: Installed, Installed: Absent, Updated: Outdated, ByHand: Absent}

func looked(p Hook, now held) Hook {
	out := Hook{Event: p.Event, Path: p.Path, State: Absent}
	if now.text == nil {
		return out
	}
	rest, found, err := split(*now.text)
	out.Chained = consequent(rest)
	switch {
	case err != nil:
		out.State, out.Reason = Idle, err.Error()
	case found == nil:
	default:
		out.State, out.First, out.Binary = Installed, found.first && out.Chained, binaryOf(found.lines)
		if p.State == Updated || found.version != blockVersion {
			out.State = Outdated
		}
		if runtime.GOOS != "windows" && now.mode&0o111 == 0 && filepath.Base(filepath.Dir(p.Path)) != ".husky" {
			out.State, out.Reason = Idle, "git does not run it: it is not executable"
		}
		out.Missing = out.Binary != "" && !exists(out.Binary)
	}
	return out
}

// Working reports whether git tells retold of commits.
func (h *Hooks) Working() bool {
	for _, p := range h.Hooks {
		if p.Event == spool.PostCommit && (p.State == Installed || p.State == Outdated || p.State == Unchanged || p.State == Updated) && !p.Missing {
			return true
		}
	}
	return false
}
