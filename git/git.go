// Package git is the git command, typed: commits with what they changed, blame,
// worktrees, hooks folders, notes. It runs the git that the person uses, so that
// worktrees, submodules, object formats and partial clones behave as theirs do.
//
// Reading takes no lock, asks nobody for a password, fetches nothing over the
// network and pays no attention to the GIT_* environment: a hook's GIT_DIR
// does not redirect it. What a person has configured for display (colours, prefixes, external
// diff programs) does not reach it. Everything is read by commit id or by the
// revision that was asked for.
//
// A repository may be hostile: unpacked from an archive, or a bare one that lies
// among the files of another. No program that its configuration names is run, be it
// a monitor, a filter, a converter, a signature's verifier, a hook or what fetches
// over a network; hostile_test.go sets all of these traps.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/retold-history/retold"
)

// ErrNotFound says that there is no such revision, file or note.
var ErrNotFound = errors.New("not found")

// A Repo is a repository with a working tree, or a bare one. It is safe for
// concurrent use.
type Repo struct {
	Root      string // top of the working tree, symbolic links resolved; GitDir for a bare repository
	GitDir    string // of this working tree
	CommonDir string // shared by all its working trees
	Bare      bool
}

// Open finds the repository that a folder lies in. That there is none is a
// *retold.Error with CodeUsage.
func Open(ctx context.Context, dir string) (*Repo, error) {
	r := &Repo{Root: dir}
	out, err := r.run(ctx, nil, "rev-parse", "--is-bare-repository", "--absolute-git-dir", "--git-common-dir", "--show-cdup")
	if err != nil {
		return nil, openError(dir, err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) < 3 {
		return nil, fmt.Errorf("git rev-parse in %s answered %q", dir, out)
	}
	r.GitDir, r.CommonDir = lines[1], lines[2]
	if !filepath.IsAbs(r.CommonDir) {
		r.CommonDir = filepath.Join(dir, r.CommonDir)
	}
	if r.Bare = lines[0] == "true" || len(lines) < 4; r.Bare {
		r.Root = r.GitDir
	} else {
		r.Root = filepath.Join(dir, lines[3])
	}
	for _, p := range []*string{&r.Root, &r.GitDir, &r.CommonDir} {
		if *p, err = filepath.Abs(*p); err != nil {
			return nil, err
		}
		if real, err := filepath.EvalSymlinks(*p); err == nil {
			*p = real
		}
	}
	return r, nil
}

// openError says why a folder could not be opened as a repository.
func openError(dir string, err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return &retold.Error{Code: retold.CodeUsage, Op: "run git", Hint: "install git; it has to be in the PATH", Err: err}
	}
	if _, stat := os.Stat(dir); stat != nil {
		return &retold.Error{Code: retold.CodeUsage, Op: "open repository", Path: dir, Hint: "name a folder in a git repository", Err: stat}
	}
	hint := "run it in a git repository, or name one with --repo"
	if strings.Contains(err.Error(), "dubious ownership") {
		hint = "git does not trust a folder that belongs to somebody else: git config --global --add safe.directory " + dir
	}
	return &retold.Error{Code: retold.CodeUsage, Op: "open repository", Path: dir, Hint: hint, Err: err}
}

// settings keep what a person configured from changing what is read.
var settings = []string{
	"--no-pager", "--no-optional-locks", "--literal-pathspecs",
	"-c", "core.quotePath=false", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "log.follow=false",
	"-c", "diff.relative=false", "-c", "diff.orderFile=" + os.DevNull, "-c", "diff.interHunkContext=0", "-c", "diff.algorithm=default",
	"-c", "diff.suppressBlankEmpty=false", "-c", "color.ui=false", "-c", "protocol.allow=never",
	"-c", "mailmap.file=", "-c", "mailmap.blob=", "-c", "log.diffMerges=off",
}

// command makes a git process for the repository. Its environment is this
// process's without any GIT_ variable, see the package comment.
func (r *Repo) command(ctx context.Context, args ...string) *exec.Cmd {
	dir := r.Root
	cmd := exec.CommandContext(ctx, "git", append(append([]string{}, settings...), args...)...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(strings.ToUpper(name), "GIT_") || keep[name] {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_ALLOW_PROTOCOL=none") // a list of what may be used, over all that is configured
	return cmd
}

// keep are the variables that say which configuration is a person's, not which
// repository is meant.
var keep = map[string]bool{"GIT_CONFIG_GLOBAL": true, "GIT_CONFIG_SYSTEM": true, "GIT_CONFIG_NOSYSTEM": true, "GIT_CEILING_DIRECTORIES": true, "GIT_EXEC_PATH": true}

// run runs git and returns what it printed.
func (r *Repo) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	return r.runWith(ctx, nil, stdin, args...)
}

// runWith is run with more settings.
func (r *Repo) runWith(ctx context.Context, more []setting, stdin io.Reader, args ...string) ([]byte, error) {
	cmd := r.command(ctx, args...)
	cmd.Env = append(cmd.Env, environment(more)...)
	cmd.Stdin = stdin
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return nil, runError(ctx, args, complaint.Bytes(), err)
	}
	return out.Bytes(), nil
}

// runError is the error of a git process: ctx's own when that ended it, else with
// what git said.
func runError(ctx context.Context, args []string, complaint []byte, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	said := strings.TrimPrefix(strings.TrimSpace(string(complaint)), "fatal: ")
	if said, _, _ = strings.Cut(said, "\n"); said != "" {
		return fmt.Errorf("git %s: %s: %w", args[0], said, err)
	}
	return fmt.Errorf("git %s: %w", args[0], err)
}

// status is the exit status of a git process that ran; -1 for any other error.
func status(err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	return -1
}
