package cursorcli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/paths"
)

// learnFolders notes which folders sessions were about. Hashes and slugs cannot
// be turned back into paths, but a path can be tried against them.
func (c *catalog) learnFolders() {
	for _, id := range c.ids() {
		for _, s := range c.records[id].stores {
			cwd := ""
			if s.facts != nil {
				cwd = s.facts.cwd
			} else if side, _ := s.sidecar(); side.found { // its problems are told with its own session
				cwd = side.cwd
			}
			if cwd != "" && !slices.Contains(c.known, cwd) {
				c.known = append(c.known, cwd)
			}
			if s.sdk != nil && s.sdk.cwd != "" && !slices.Contains(c.known, s.sdk.cwd) {
				c.known = append(c.known, s.sdk.cwd)
			}
		}
	}
}

// folderOf finds the folder of a session none of whose stores names it: a known
// folder with the same hash or slug, or the one that the project's trust marker
// names, if the slug agrees.
func (c *catalog) folderOf(r *record) string {
	for _, s := range r.stores {
		for _, dir := range c.known {
			if s.hash != "" && paths.MD5(strings.TrimRight(dir, "/")) == s.hash {
				return dir
			}
		}
	}
	for _, t := range r.transcripts {
		for _, dir := range c.known {
			if paths.Slug(dir) == paths.Slug(t.slug) {
				return dir
			}
		}
		if dir := c.trusted(t.slug); dir != "" {
			return dir
		}
	}
	return ""
}

// trusted reads .workspace-trusted of a project folder, where there is one.
func (c *catalog) trusted(slug string) string {
	b, err := readSmall(filepath.Join(c.slugs[slug], ".workspace-trusted"))
	if err != nil { // most projects have none
		return ""
	}
	v, _ := jscan.Parse(b) // an odd file names nothing
	dir := v.Get("workspacePath").Str()
	if dir == "" || paths.Slug(dir) != paths.Slug(slug) {
		return ""
	}
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
