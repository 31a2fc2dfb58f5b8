package cursorcli

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/paths"
)

// folderNames are folders that sessions were about, by what is named after them.
// Of folders of one name the first counts.
type folderNames struct {
	seen           map[string]bool
	byHash, bySlug map[string]string
}

func (n *folderNames) add(dir string) {
	if dir == "" || n.seen[dir] {
		return
	}
	if n.seen == nil {
		n.seen, n.byHash, n.bySlug = map[string]bool{}, map[string]string{}, map[string]string{}
	}
	n.seen[dir] = true
	if hash := paths.MD5(strings.TrimRight(dir, "/")); n.byHash[hash] == "" {
		n.byHash[hash] = dir
	}
	if slug := paths.Slug(dir); n.bySlug[slug] == "" {
		n.bySlug[slug] = dir
	}
}

// learnFolders notes which folders sessions were about. Hashes and slugs cannot
// be turned back into paths, but a path can be tried against them.
func (c *catalog) learnFolders() {
	for _, id := range c.ids() {
		for _, s := range c.records[id].stores {
			if s.facts != nil {
				c.known.add(s.facts.cwd)
			} else if side, _ := s.sidecar(); side.found { // its problems are told with its own session
				c.known.add(side.cwd)
			}
			if s.sdk != nil {
				c.known.add(s.sdk.cwd)
			}
		}
	}
}

// folderOf finds the folder of a session none of whose stores names it: a known
// folder with the same hash or slug, or the one that the project's trust marker
// names, if the slug agrees.
func (c *catalog) folderOf(ctx context.Context, r *record) string {
	for _, s := range r.stores {
		if dir := c.known.byHash[s.hash]; s.hash != "" && dir != "" {
			return dir
		}
	}
	for _, t := range r.transcripts {
		if dir := c.known.bySlug[paths.Slug(t.slug)]; dir != "" {
			return dir
		}
		if dir := c.trusted(ctx, t.slug); dir != "" {
			return dir
		}
	}
	return ""
}

// trusted reads .workspace-trusted of a project folder, where there is one, once.
func (c *catalog) trusted(ctx context.Context, slug string) string {
	dir, ok := c.markers[slug]
	if ok {
		return dir
	}
	if dir = c.marker(ctx, filepath.Join(c.slugs[slug], ".workspace-trusted")); dir != "" && paths.Slug(dir) != paths.Slug(slug) {
		dir = ""
	}
	c.markers[slug] = dir
	return dir
}

// marker is the folder that a trust marker names.
func (c *catalog) marker(ctx context.Context, path string) string {
	if !c.exists(path) { // most projects have none
		return ""
	}
	stamp := c.view.stamp(path)
	if data, ok := c.view.recall(noteTrusted, path, stamp); ok {
		return string(data)
	}
	c.view.settle(ctx)
	b, err := readSmall(path)
	if err != nil {
		return ""
	}
	v, _ := jscan.Parse(b) // an odd file names nothing
	dir := v.Get("workspacePath").Str()
	c.view.keep(noteTrusted, path, stamp, []byte(dir))
	return dir
}

// folderFromFiles tries the folders above the files that a session touched
// against the hash of its store's folder and the slug of its transcripts'. A slug
// drops what is not ASCII, so several may fit: the one that holds most of the
// files counts, and of equals the deepest.
func folderFromFiles(r *record, messages []retold.Message) string {
	fits, holds := map[string]bool{}, map[string]int{}
	best := ""
	for i := range messages {
		if messages[i].Tool == nil {
			continue
		}
		for _, file := range messages[i].Tool.Files {
			for dir := parent(file); dir != ""; dir = parent(dir) {
				if _, tried := fits[dir]; !tried {
					fits[dir] = r.isOf(dir)
				}
				if !fits[dir] {
					continue
				}
				holds[dir]++
				if holds[dir] > holds[best] || holds[dir] == holds[best] && len(dir) > len(best) {
					best = dir
				}
			}
		}
	}
	return best
}

// isOf reports whether one of the session's folders is named after dir.
func (r *record) isOf(dir string) bool {
	return slices.ContainsFunc(r.stores, func(s *storeRef) bool { return s.hash != "" && s.hash == paths.MD5(dir) }) ||
		slices.ContainsFunc(r.transcripts, func(t transcriptRef) bool { return paths.Slug(t.slug) != "" && paths.Slug(t.slug) == paths.Slug(dir) })
}

// parent is the folder above a path in either notation, "" at the top.
func parent(p string) string {
	at := strings.LastIndexAny(strings.TrimRight(p, `/\`), `/\`)
	if at <= 0 {
		return ""
	}
	return p[:at]
}
