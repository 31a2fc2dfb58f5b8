package cursor

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

// Headers yields every conversation of a User folder: the union of all lists and
// records (formats D.1). Message bodies are read only where a time, a name or a
// folder stands nowhere else.
func (s *Source) Headers(ctx context.Context, place retold.Place) iter.Seq2[retold.Header, error] {
	return func(yield func(retold.Header, error) bool) {
		g, err := buildCatalog(ctx, place.Path)
		if err != nil {
			yield(retold.Header{}, err)
			return
		}
		for _, p := range g.problems {
			if !yield(retold.Header{}, &retold.Error{Code: retold.CodeDatabaseCorrupt, Op: "read", Path: p.Path, Hint: "retold doctor", Err: fmt.Errorf("%s", p.Reason)}) {
				return
			}
		}
		for _, id := range slices.Sorted(maps.Keys(g.chats)) {
			if ctx.Err() != nil {
				yield(retold.Header{}, ctx.Err())
				return
			}
			if !yield(g.header(g.chats[id]), nil) {
				return
			}
		}
	}
}

// header describes a chat.
func (g *catalog) header(c *chat) retold.Header {
	h := retold.Header{
		Session: g.session(c),
		Ref:     retold.Ref{Agent: agent, Place: g.user, ID: c.id},
		Empty:   c.empty(),
		Draft:   c.meta.draft || c.meta.draftText,
	}
	h.Stamp = fmt.Sprintf("%d/%d/%d/%d", c.rowid, h.UpdatedAt.UnixMilli(), c.headers, c.inline)
	return h
}

// session is the part of a Session that needs no messages; reading them adds to
// it.
func (g *catalog) session(c *chat) retold.Session {
	place := g.place(c)
	s := retold.Session{
		ID: c.id, Agent: agent, Sources: []string{c.kind.source()}, MessageCount: -1,
		Title: c.title(), FirstMessagePreview: c.preview,
		WorkspacePath: place.Path, WorkspaceName: place.Name,
		Model: c.meta.model, Mode: c.meta.mode, Branch: c.meta.branch,
		LinesAdded: c.meta.linesAdded, LinesRemoved: c.meta.linesRemoved, FilesChanged: c.meta.filesChanged,
		ParentID: g.parent(c), Archived: c.meta.archived, Problems: len(c.problems),
	}
	s.CreatedAt, s.UpdatedAt, s.TimeSource = c.times()
	return s
}

// title is the stored name, else what the user said first.
func (c *chat) title() string {
	if c.meta.name != nil && strings.TrimSpace(*c.meta.name) != "" {
		return *c.meta.name
	}
	return c.preview
}

// times are the first and the last moment of a chat (formats C.9). A
// lastUpdatedAt is often no later than createdAt, so the last message counts
// too.
func (c *chat) times() (created, updated time.Time, source retold.TimeSource) {
	created = c.meta.created
	for _, t := range []time.Time{c.lastAt, c.meta.checkpoint, c.meta.updated} {
		if t.After(updated) {
			updated = t
		}
	}
	if created.IsZero() {
		created = updated
	}
	if updated.IsZero() {
		updated = created
	}
	if !created.IsZero() {
		source = retold.TimeStored
	}
	return created, updated, source
}

// parent is the conversation that started this one; where that one is not
// stored, the root of both (formats D.4).
func (g *catalog) parent(c *chat) string {
	if root := c.meta.rootParent; root != "" && g.only == "" && g.chats[c.meta.parent] == nil && root != c.id {
		return root
	}
	if c.meta.parent == c.id {
		return ""
	}
	return c.meta.parent
}

// place finds the folder a chat was about, strongest witness first (formats
// C.3): the workspace its record names by id, by address; the workspace in whose
// lists it stands; its Glass project; what its messages say; its repository; the
// files it touched.
func (g *catalog) place(c *chat) paths.Location {
	own := g.workspaces[c.ownID]
	listed := g.workspaces[c.listID]
	tries := []func() paths.Location{
		func() paths.Location { return locationOf(own) },
		func() paths.Location { return c.explicit },
		func() paths.Location { return locationOf(listed) },
		func() paths.Location { return locationOf(c.home) },
		func() paths.Location { return g.projects[g.members[c.id]] },
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
	dir = strings.ReplaceAll(dir, `\`, "/")
	for _, f := range files {
		if strings.HasPrefix(strings.ReplaceAll(f, `\`, "/"), strings.TrimRight(dir, "/")+"/") {
			n++
		}
	}
	return n
}
