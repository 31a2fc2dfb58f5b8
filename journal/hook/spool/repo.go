package spool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A place is where a repository lies.
type place struct {
	worktree string // its top; "" when it is not known to have one
	gitDir   string // git's folder of the working tree
	common   string // git's folder of all working trees
}

// errNoRepo says that a folder is in no repository.
var errNoRepo = errors.New("not in a git repository")

// locate finds the repository that git runs a hook for, or that a folder lies in.
// Git starts hooks at the top of the working tree and names its own folder in
// GIT_DIR where that is not the obvious one.
func locate(dir string, getenv func(string) string) (place, error) {
	var p place
	for at := dir; ; at = filepath.Dir(at) {
		found, err := gitFolder(filepath.Join(at, ".git"))
		if err == nil {
			p.worktree, p.gitDir = at, found
			break
		}
		if !errors.Is(err, os.ErrNotExist) {
			return place{}, err
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if given := getenv("GIT_DIR"); given != "" {
		if p.gitDir = given; !filepath.IsAbs(given) {
			p.gitDir = filepath.Join(dir, given)
		}
		if p.worktree == "" && p.gitDir != dir { // else it is bare
			p.worktree = dir
		}
	}
	if tree := getenv("GIT_WORK_TREE"); tree != "" {
		if p.worktree = tree; !filepath.IsAbs(tree) {
			p.worktree = filepath.Join(dir, tree)
		}
	}
	if p.gitDir == "" {
		return place{}, fmt.Errorf("%s: %w", dir, errNoRepo)
	}
	p.common = p.gitDir
	text, err := os.ReadFile(filepath.Join(p.gitDir, "commondir"))
	switch {
	case err == nil:
		if p.common = strings.TrimRight(string(text), "\r\n"); !filepath.IsAbs(p.common) {
			p.common = filepath.Join(p.gitDir, p.common)
		}
	case !errors.Is(err, os.ErrNotExist):
		return place{}, err
	}
	return p, nil
}

// gitFolder is what a .git leads to: itself, or what the file says that stands
// for it in a linked working tree or a submodule.
func gitFolder(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return path, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	to, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("%s does not say where git's folder is", path)
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(path), to)
	}
	return to, nil
}
