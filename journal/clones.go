package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
)

// An identity is what a repository keeps when it is cloned or moved.
type identity struct {
	Firsts  []string `json:"firsts"`
	Remotes []string `json:"remotes"`
	Stamp   string   `json:"stamp"` // of its configuration when this was read
}

// clones remembers the identities of repositories. Finding the first commits of
// a large one takes git a while.
type clones struct {
	notes Notebook // nil: this process alone remembers

	mu    sync.Mutex
	known map[string]identity
}

const kindIdentity = "repository"

func newClones(notes Notebook) *clones { return &clones{notes: notes, known: map[string]identity{}} }

// identity returns what a repository is known by.
func (c *clones) identity(ctx context.Context, repo *git.Repo) (identity, error) {
	stamp := configStamp(repo)
	c.mu.Lock()
	id, ok := c.known[repo.CommonDir]
	c.mu.Unlock()
	if ok && id.Stamp == stamp && len(id.Firsts) > 0 {
		return id, nil
	}
	if c.notes != nil {
		note, err := c.notes.Note(ctx, kindIdentity, repo.CommonDir)
		if err == nil && json.Unmarshal(note.Value, &id) == nil && id.Stamp == stamp && len(id.Firsts) > 0 {
			c.remember(repo, id)
			return id, nil
		}
		if err != nil && !errors.Is(err, retold.ErrNoNote) {
			return identity{}, err
		}
	}
	firsts, remotes, err := repo.Identity(ctx)
	if err != nil {
		return identity{}, err
	}
	id = identity{firsts, remotes, stamp}
	c.remember(repo, id)
	if c.notes == nil {
		return id, nil
	}
	value, err := json.Marshal(id)
	if err != nil {
		return id, err
	}
	return id, c.notes.PutNotes(ctx, retold.Note{Kind: kindIdentity, Key: repo.CommonDir, Value: value})
}

func (c *clones) remember(repo *git.Repo, id identity) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known[repo.CommonDir] = id
}

// configStamp changes when the configuration of a repository does.
func configStamp(repo *git.Repo) string {
	info, err := os.Stat(filepath.Join(repo.CommonDir, "config"))
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), info.Size())
}

// same reports whether the folder top holds a clone of the repository of s: one
// with a remote in common, one being the other's remote, or, where neither can
// tell, with the same first commit.
func (c *clones) same(ctx context.Context, top string, s *scope) bool {
	repo, err := repoAt(top)
	if err != nil {
		return false
	}
	id, err := c.identity(ctx, repo)
	if err != nil {
		return false
	}
	for _, r := range id.Remotes {
		if s.remotes[remoteKey(r)] || s.holds(slashed(strings.TrimPrefix(r, "file://"))) {
			return true
		}
	}
	if s.remotes[slashed(repo.Root)] || s.remotes[slashed(repo.GitDir)] {
		return true
	}
	return slices.ContainsFunc(id.Firsts, func(first string) bool { return s.firsts[first] })
}

// repoAt finds the folders of the repository whose working tree is top, as git.Open
// does, without asking git: other workspaces are many.
func repoAt(top string) (*git.Repo, error) {
	root, err := filepath.EvalSymlinks(top)
	if err != nil {
		return nil, err
	}
	r := &git.Repo{Root: root, GitDir: filepath.Join(root, ".git")}
	info, err := os.Stat(r.GitDir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() { // a worktree or a submodule
		if r.GitDir, err = namedIn(r.GitDir, "gitdir: ", root); err != nil {
			return nil, err
		}
	}
	r.CommonDir, err = namedIn(filepath.Join(r.GitDir, "commondir"), "", r.GitDir)
	if errors.Is(err, fs.ErrNotExist) {
		r.CommonDir, err = r.GitDir, nil
	}
	return r, err
}

// namedIn is the folder that a file of git's names, behind a mark, from base.
func namedIn(file, mark, base string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	p := filepath.FromSlash(strings.TrimSpace(strings.TrimPrefix(string(data), mark)))
	if !filepath.IsAbs(p) {
		p = filepath.Join(base, p)
	}
	return filepath.EvalSymlinks(p)
}

// remoteKey is an address of a remote without what differs between ways to reach
// it: "git@example.org:shop/api.git" and "https://example.org/shop/api" are one.
func remoteKey(address string) string {
	address = strings.TrimPrefix(strings.TrimSpace(address), "file://")
	var host, p string
	if u, err := url.Parse(address); err == nil && u.Scheme != "" && u.Host != "" {
		host, p = u.Hostname(), u.Path
	} else if before, after, ok := strings.Cut(address, ":"); ok && len(before) > 1 && !strings.ContainsAny(before, `/\`) {
		host, p = before[strings.LastIndexByte(before, '@')+1:], after
	} else {
		return strings.TrimSuffix(slashed(address), ".git")
	}
	p = strings.TrimSuffix(strings.Trim(p, "/"), ".git")
	if p == "" {
		return ""
	}
	return strings.ToLower(host) + "/" + p
}
