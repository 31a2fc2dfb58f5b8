package git

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/retold-history/retold"
)

// Resolve returns the full id of the commit that a revision names. One that
// names none is a *retold.Error with CodeCommitNotFound and ErrNotFound in its tree.
func (r *Repo) Resolve(ctx context.Context, rev string) (string, error) {
	out, err := r.run(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	if ctx.Err() != nil || status(err) < 0 {
		return "", err
	}
	return "", &retold.Error{
		Code: retold.CodeCommitNotFound, Op: "find commit", Path: rev, Hint: "git log shows the commits of " + r.Root,
		Err: fmt.Errorf("no commit of this repository is called that: %w", ErrNotFound),
	}
}

// List returns the ids of the commits that revisions and ranges name, every commit
// after its parents.
func (r *Repo) List(ctx context.Context, revs ...string) ([]string, error) {
	args := append([]string{"rev-list", "--topo-order", "--reverse", "--end-of-options"}, revs...)
	out, err := r.run(ctx, nil, append(args, "--")...)
	if err != nil {
		if ctx.Err() == nil && status(err) > 0 {
			err = &retold.Error{Code: retold.CodeUsage, Op: "list commits", Path: strings.Join(revs, " "), Hint: "a range is FROM..TO; git log FROM..TO shows what is in it", Err: err}
		}
		return nil, err
	}
	return strings.Fields(string(out)), nil
}

// File returns a file's bytes as of a revision; ErrNotFound when it has none such.
func (r *Repo) File(ctx context.Context, rev, path string) ([]byte, error) {
	if err := option(rev); err != nil {
		return nil, err
	}
	out, err := r.run(ctx, nil, "cat-file", "blob", rev+":"+path)
	if err != nil && ctx.Err() == nil && status(err) > 0 {
		return nil, fmt.Errorf("%s in %s: %w", path, rev, ErrNotFound)
	}
	return out, err
}

// Identity returns what stays the same when a repository is cloned or moved: the
// ids of its first commits, in byte order, and the addresses of its remotes as
// configured. A shallow clone has no first commits to tell.
func (r *Repo) Identity(ctx context.Context) (roots, remotes []string, err error) {
	shallow, err := r.run(ctx, nil, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return nil, nil, err
	}
	if strings.TrimSpace(string(shallow)) != "true" {
		// An unborn branch has no commits, and that is no error.
		if out, err := r.run(ctx, nil, "rev-list", "--max-parents=0", "HEAD", "--"); err == nil {
			roots = strings.Fields(string(out))
		} else if status(err) < 0 {
			return nil, nil, err
		}
	}
	out, err := r.config(ctx, "--get-regexp", `^remote\..*\.url$`)
	if err != nil {
		return nil, nil, err
	}
	for _, entry := range out {
		_, url, _ := strings.Cut(entry, "\n")
		remotes = append(remotes, url)
	}
	return roots, remotes, nil
}

// UserEmail returns the address that git puts on commits made here; "" when
// nobody configured one.
func (r *Repo) UserEmail(ctx context.Context) (string, error) {
	return r.Config(ctx, "user.email")
}

// Config returns a setting as git has it for this repository, from all its files;
// "" when it is not set.
func (r *Repo) Config(ctx context.Context, key string) (string, error) {
	out, err := r.config(ctx, "--get", key)
	if err != nil || len(out) == 0 {
		return "", err
	}
	return out[0], nil
}

// ConfigAll returns all values of a setting that may be there more than once.
func (r *Repo) ConfigAll(ctx context.Context, key string) ([]string, error) {
	return r.config(ctx, "--get-all", key)
}

// config asks git config and returns its NUL-ended answers; none when nothing is set.
func (r *Repo) config(ctx context.Context, args ...string) ([]string, error) {
	out, err := r.run(ctx, nil, append([]string{"config", "-z"}, args...)...)
	if err != nil {
		if status(err) == 1 {
			return nil, nil
		}
		return nil, err
	}
	return split(out), nil
}

// split cuts NUL-ended strings apart.
func split(out []byte) (list []string) {
	for part := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		if len(out) > 0 {
			list = append(list, string(part))
		}
	}
	return list
}

// Worktrees returns the tops of all working trees of the repository, the main one
// first. Some may be gone from the disk.
func (r *Repo) Worktrees(ctx context.Context) (list []string, err error) {
	out, err := r.run(ctx, nil, "worktree", "list", "--porcelain")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		if path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "worktree "); ok {
			list = append(list, path)
		}
	}
	return list, nil
}

// Submodules returns the paths of the submodules of the working tree, relative to
// Root, with slashes, as .gitmodules has them.
func (r *Repo) Submodules(ctx context.Context) (list []string, err error) {
	if r.Bare {
		return nil, nil
	}
	out, err := r.config(ctx, "-f", ".gitmodules", "--get-regexp", `^submodule\..*\.path$`)
	for _, entry := range out {
		if _, path, ok := strings.Cut(entry, "\n"); ok {
			list = append(list, path)
		}
	}
	return list, err
}

// Superproject returns the top of the repository that this one is a submodule of;
// "" when it is none.
func (r *Repo) Superproject(ctx context.Context) (string, error) {
	out, err := r.run(ctx, nil, "rev-parse", "--show-superproject-working-tree")
	return strings.TrimSuffix(string(out), "\n"), err
}

// HooksDir returns the folder in which git looks for hooks, absolute, whether it
// exists or not: core.hooksPath, else that of the common folder.
func (r *Repo) HooksDir(ctx context.Context) (string, error) {
	out, err := r.run(ctx, nil, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
	return strings.TrimSuffix(string(out), "\n"), err
}

// PatchID returns what stays the same when a commit's change is applied elsewhere;
// "" for one that changes nothing.
func (r *Repo) PatchID(ctx context.Context, id string) (string, error) {
	patch, err := r.run(ctx, nil, "diff-tree", "-p", "--root", "--no-ext-diff", "--no-textconv", "--end-of-options", id)
	if err != nil {
		return "", err
	}
	out, err := r.run(ctx, bytes.NewReader(patch), "patch-id", "--stable")
	if err != nil {
		return "", err
	}
	patchID, _, _ := strings.Cut(string(out), " ")
	return patchID, nil
}
