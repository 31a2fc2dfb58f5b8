package journal

import (
	"cmp"
	"context"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/internal/jscan"
)

// A root is a folder that holds the working tree of a repository, or held it.
type root struct {
	path  string // slashed
	place int    // roots of one working tree share it
}

// A scope says which sessions were about a repository: those whose workspace is
// one of its working trees, lies in one, or holds one. It never guesses: a
// workspace that only has the repository's name is another.
type scope struct {
	roots   []root // longest first
	remotes map[string]bool
	firsts  map[string]bool // first commits
	names   []string        // folder names that Cursor's own worktrees would bear
	fold    bool
	clones  *clones

	mu    sync.Mutex
	known map[string]*setting
}

// A setting is where a session stood with respect to the repository.
type setting struct {
	base  string // what its relative paths are relative to; "" when unknown
	roots []root
	weak  bool // only its name says that it is this repository
}

func newScope(ctx context.Context, repo *git.Repo, former []string, known *clones) (*scope, error) {
	s := &scope{
		remotes: map[string]bool{}, firsts: map[string]bool{}, known: map[string]*setting{}, clones: known,
		fold: runtime.GOOS == "darwin" || runtime.GOOS == "windows",
	}
	trees, err := repo.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range append([]string{repo.Root}, trees...) {
		s.add(t)
	}
	id, err := known.identity(ctx, repo)
	if err != nil {
		return nil, err
	}
	for _, first := range id.Firsts {
		s.firsts[first] = true
	}
	for _, url := range id.Remotes {
		if url = remoteKey(url); url != "" {
			s.remotes[url] = true
			s.names = append(s.names, path.Base(url))
		}
	}
	for _, t := range trees {
		s.names = append(s.names, path.Base(slashed(t)))
	}
	for _, f := range former {
		s.add(f)
	}
	s.sort()
	return s, nil
}

// add enters a working tree, by its name as given and by its real one.
func (s *scope) add(folder string) {
	p := slashed(folder)
	if p == "" || slices.ContainsFunc(s.roots, func(r root) bool { return r.path == p }) {
		return
	}
	place := len(s.roots)
	s.roots = append(s.roots, root{p, place})
	for _, other := range aliases(p) {
		s.roots = append(s.roots, root{other, place})
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil && slashed(real) != p {
		s.roots = append(s.roots, root{slashed(real), place})
	}
}

func (s *scope) sort() { s.roots = sorted(s.roots) }

func sorted(roots []root) []root {
	slices.SortStableFunc(roots, func(a, b root) int { return cmp.Compare(len(b.path), len(a.path)) })
	return roots
}

// setting finds out whether a workspace is one of the repository's; nil when not.
// It is asked once for each workspace.
func (s *scope) setting(ctx context.Context, workspace string) *setting {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.known[workspace]
	if !ok {
		found = s.look(ctx, workspace)
		s.known[workspace] = found
	}
	return found
}

func (s *scope) look(ctx context.Context, workspace string) *setting {
	f := folderOf(workspace)
	if workspace == "" {
		return &setting{roots: s.roots} // only edits of absolute paths can tell
	}
	if f.workspace {
		return s.several(ctx, f)
	}
	if f.host != "" {
		return s.container(f)
	}
	if s.holds(f.path) {
		return &setting{base: f.path, roots: s.roots}
	}
	if f.remote {
		return nil
	}
	if real, err := filepath.EvalSymlinks(f.path); err == nil && slashed(real) != f.path && s.holds(slashed(real)) {
		roots := s.roots
		for _, r := range s.roots { // edits name the folder as the session does
			if rest, ok := below(slashed(real), r.path, s.fold); ok {
				if top, ok := strings.CutSuffix(f.path, "/"+rest); ok || rest == "" {
					roots = append(slices.Clip(roots), root{top, r.place})
				}
			}
		}
		return &setting{base: f.path, roots: sorted(slices.Clone(roots))}
	}
	return s.elsewhere(ctx, f.path)
}

// outside is the setting of a session with another workspace on this machine:
// only edits that name a file of the repository by its whole path, or by the way
// there, are in it.
func (s *scope) outside(workspace string) *setting {
	if f := folderOf(workspace); !f.remote && !f.workspace && f.path != "" {
		return &setting{base: f.path, roots: s.roots}
	}
	return nil
}

func (s *scope) holds(p string) bool {
	return slices.ContainsFunc(s.roots, func(r root) bool { return nested(p, r.path, s.fold) })
}

// elsewhere recognises another clone of the repository, and a worktree that Cursor
// made and removed again.
func (s *scope) elsewhere(ctx context.Context, p string) *setting {
	if top := gitTop(p); top != "" {
		if !s.clones.same(ctx, top, s) {
			return nil
		}
		return &setting{base: p, roots: sorted(append(slices.Clone(s.roots), root{slashed(top), len(s.roots)}))}
	}
	parts := strings.Split(p, "/")
	i := slices.Index(parts, "worktrees")
	if i < 1 || parts[i-1] != ".cursor" || len(parts) < i+3 || !slices.Contains(s.names, parts[i+1]) {
		return nil
	}
	if _, err := os.Stat(p); err == nil {
		return nil // it is there, and no working tree of ours
	}
	top := strings.Join(parts[:i+3], "/")
	return &setting{base: p, weak: true, roots: sorted(append(slices.Clone(s.roots), root{top, len(s.roots)}))}
}

// container reads the two folders of a development container: outside, that the
// repository has to be or hold, and inside, where edits are.
func (s *scope) container(f folder) *setting {
	for _, r := range s.roots {
		inside := f.path
		if inside == "" {
			rest, ok := below(f.host, r.path, s.fold)
			if !ok || rest == "" {
				continue
			}
			inside = "/" + rest
		} else if f.host != r.path {
			continue
		}
		return &setting{base: inside, roots: sorted(append(slices.Clone(s.roots), root{inside, r.place}))}
	}
	return nil
}

// several reads a workspace of several folders.
func (s *scope) several(ctx context.Context, f folder) *setting {
	data, err := os.ReadFile(f.path)
	if err != nil || f.remote {
		return &setting{roots: s.roots} // gone: only edits of absolute paths can tell
	}
	doc, err := jscan.Parse(uncommented(data))
	if err != nil {
		return &setting{roots: s.roots}
	}
	var found *setting
	for item := range doc.Get("folders").Items() {
		p := item.Get("path").Str()
		if uri := item.Get("uri").Str(); uri != "" {
			p = folderOf(uri).path
		}
		if p == "" {
			continue
		}
		if p = editPath(p, path.Dir(f.path)); s.holds(p) {
			if found == nil {
				found = &setting{base: p, roots: s.roots}
			}
		} else if other := s.elsewhere(ctx, p); other != nil && !other.weak && found == nil {
			found = other
		}
	}
	return found
}

// uncommented takes the line comments out of a settings file.
func uncommented(data []byte) []byte {
	var b strings.Builder
	for l := range strings.Lines(string(data)) {
		if !strings.HasPrefix(strings.TrimSpace(l), "//") {
			b.WriteString(l)
		}
	}
	return []byte(b.String())
}

// gitTop is the nearest folder at or above p that holds a repository; "" for none.
func gitTop(p string) string {
	for dir := filepath.FromSlash(p); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) || dir == "." {
			return ""
		}
	}
}

// within finds the path of an edit in the repository.
func (s *setting) within(p string, fold bool) (rel string, place int, ok bool) {
	rel, place, ok = s.inside(p, fold)
	return rel, place, ok && rel != ""
}

// inside finds the path of a file or folder in the repository, "" for its top.
func (s *setting) inside(p string, fold bool) (rel string, place int, ok bool) {
	if p = editPath(p, s.base); p == "" {
		return "", 0, false
	}
	for _, r := range s.roots {
		if rest, in := below(p, r.path, fold); in {
			return rest, r.place, true
		}
	}
	return "", 0, false
}
