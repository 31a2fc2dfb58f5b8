package hook

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/retold-history/retold/journal/hook/spool"
)

// PlanUninstall says what would be taken out of the hooks of the repository that a
// folder lies in; Apply does it. It writes nothing. Only what retold put there is taken out: the rest of a
// file keeps its bytes, and a file or folder that retold made goes when nothing
// else is in it. A folder that other repositories share is changed only when
// manage says so.
func PlanUninstall(ctx context.Context, dir string, manage bool) (*Hooks, error) {
	h, err := survey(ctx, dir)
	if err != nil {
		return nil, err
	}
	for _, kind := range spool.Kinds {
		for i, path := range h.candidates(kind) {
			p, err := h.planRemoval(kind, path, manage)
			if err != nil {
				return nil, err
			}
			if i == 0 || p.State != Absent {
				h.Hooks = append(h.Hooks, p)
			}
		}
	}
	p, err := h.planRemoval(spool.PostCommit, filepath.Join(h.Repo, localFile), manage)
	if err == nil && p.State != Absent {
		h.Hooks = append(h.Hooks, p)
	}
	return h, err
}

// candidates are the files in which a block for an event may be: where git looks
// now first, and where it looked when the block was put in.
func (h *Hooks) candidates(kind string) []string {
	all := []string{filepath.Join(h.Dir, kind)}
	for _, dir := range []string{filepath.Join(h.common, "hooks"), filepath.Join(h.Repo, ".husky")} {
		if path := filepath.Join(dir, kind); !slices.Contains(all, path) {
			all = append(all, path)
		}
	}
	return all
}

func (h *Hooks) planRemoval(kind, path string, manage bool) (Hook, error) {
	p := Hook{Event: kind, Path: path, State: Absent}
	now, err := hold(path)
	if err != nil || now.text == nil {
		return p, err
	}
	p.target, p.before, p.after = now.target, now.text, now.text
	rest, found, err := split(*now.text)
	p.Chained = consequent(rest)
	switch {
	case err != nil:
		p.refuse(err.Error() + ": take it out with an editor")
	case found == nil:
	case h.Shared && !manage && filepath.Dir(path) == h.Dir:
		p.refuse("other repositories share this folder of hooks; to write there: --manage")
	case now.mode&0o200 == 0:
		p.refuse("it is write-protected")
	default:
		p.State, p.First, p.Binary = Removed, found.first && p.Chained, binaryOf(found.lines)
		if p.after = &rest; found.made && (rest == fresh || rest == "") {
			p.after, p.folder = nil, found.folder
		}
	}
	return p, nil
}
