package git

import (
	"context"
	"strings"
)

// Reachable reports whether a commit, by its full id, is on a branch or tag, or
// leads to what is checked out in a working tree. One that git does not know is on none.
func (r *Repo) Reachable(ctx context.Context, id string) (bool, error) {
	out, err := r.run(ctx, nil, "rev-list", "--max-count=1", id, "--not", "--exclude=refs/notes/*", "--exclude=refs/stash", "--all", "--")
	if err != nil {
		if ctx.Err() == nil && status(err) > 0 {
			return false, nil
		}
		return false, err
	}
	return strings.TrimSpace(string(out)) == "", nil
}

// OnBranch reports whether a commit, by its full id, is on a branch of this
// repository itself or on a tag; what only a remote's branch is known to hold is not.
func (r *Repo) OnBranch(ctx context.Context, id string) (bool, error) {
	out, err := r.run(ctx, nil, "rev-list", "--max-count=1", id, "--not", "--branches", "--tags", "--")
	if err != nil {
		if ctx.Err() == nil && status(err) > 0 {
			return false, nil
		}
		return false, err
	}
	return strings.TrimSpace(string(out)) == "", nil
}
