package cursor

import (
	"path"
	"strings"

	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/paths"
)

// place finds the folder a chat was about, strongest witness first (formats
// C.3): the workspace its record names by id, by address; the same of its head;
// the workspace in whose own lists it stands; its Glass project; what its
// messages say; its repository; the files it touched.
func (g *catalog) place(c *chat) paths.Location {
	project := g.projects[g.members[c.id]]
	tries := []func() paths.Location{
		func() paths.Location { return locationOf(g.workspaces[c.ownID]) },
		func() paths.Location { return c.explicit },
		func() paths.Location { return locationOf(g.workspaces[c.headID]) },
		func() paths.Location { return c.headPlace },
		func() paths.Location { return locationOf(g.workspaces[c.listID]) },
		func() paths.Location { return locationOf(c.home) },
		func() paths.Location { return locationOf(g.workspaces[project.workspaceID]) },
		func() paths.Location { return project.location },
		func() paths.Location { return g.placeOfSlug(c.projectDir) },
		func() paths.Location { return c.spoken },
		func() paths.Location { return paths.ParseURI(c.meta.place.repo) },
		func() paths.Location { return paths.ParseURI(c.meta.place.worktree) },
		func() paths.Location { return g.placeOfFiles(c.files) },
	}
	for _, try := range tries {
		if l := try(); l.Path != "" {
			return l
		}
	}
	return paths.Location{}
}

func locationOf(w *workspace) paths.Location {
	if w == nil {
		return paths.Location{}
	}
	return w.location
}

// A glassProject is a folder of the Agents window (formats D.2).
type glassProject struct {
	workspaceID string
	location    paths.Location
}

func project(v jscan.Value) glassProject {
	w := v.Get("workspace")
	return glassProject{w.Get("id").Text(), location(w.First("uri", "configPath"))}
}

// placeOfSlug is the known workspace whose folder below ~/.cursor/projects this
// is. The name is lossy (formats A.6): two folders that share it decide nothing.
func (g *catalog) placeOfSlug(projectDir string) paths.Location {
	slug := path.Base(strings.ReplaceAll(projectDir, `\`, "/"))
	var found paths.Location
	for _, w := range g.workspaces {
		l := w.location
		if l.Path == "" || l.Path == found.Path || !strings.EqualFold(paths.Slug(onDisk(l)), slug) {
			continue
		}
		if found.Path != "" {
			return paths.Location{}
		}
		found = l
	}
	return found
}

// onDisk is the path on the machine where the folder lies.
func onDisk(l paths.Location) string {
	return strings.TrimPrefix(l.Path, l.Scheme+"://"+l.Authority)
}

// placeOfFiles is the known workspace that holds all the files, the deepest of
// several, else their common folder.
func (g *catalog) placeOfFiles(files []string) paths.Location {
	var best paths.Location
	for _, w := range g.workspaces {
		l := w.location
		if l.Path == "" || len(l.Path) <= len(best.Path) {
			continue
		}
		if n := countBelow(l.Path, files); n > 0 && n == len(files) {
			best = l
		}
	}
	if best.Path != "" {
		return best
	}
	return paths.ParseURI(commonFolder(files))
}

func countBelow(dir string, files []string) (n int) {
	dir = strings.TrimRight(strings.ReplaceAll(dir, `\`, "/"), "/") + "/"
	for _, f := range files {
		if strings.HasPrefix(strings.ReplaceAll(f, `\`, "/"), dir) {
			n++
		}
	}
	return n
}

// layoutRoot is the folder that a projectLayouts entry describes: an object, or
// a string of one, whose form changed with the builds.
func layoutRoot(v jscan.Value) paths.Location {
	v = v.Embedded()
	for _, at := range [][]string{
		{"rootPath"}, {"listDirV2Result", "directoryTreeRoot", "absPath"}, {"directoryTreeRoot", "absPath"}, {"absPath"},
	} {
		if p := v.At(at...).Str(); p != "" {
			return paths.ParseURI(p)
		}
	}
	return paths.Location{}
}
