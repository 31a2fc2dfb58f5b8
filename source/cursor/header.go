package cursor

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
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
		for _, f := range g.flaws {
			if !yield(retold.Header{}, f.asError()) {
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
		Draft:   c.meta.draftText,
	}
	h.Stamp = fmt.Sprintf("%d/%d/%d/%d/%x", c.rowid, h.UpdatedAt.UnixMilli(), c.headers, c.inline, c.sum)
	return h
}

// session is the part of a Session that needs no messages; reading them adds to
// it.
func (g *catalog) session(c *chat) retold.Session {
	place := g.place(c)
	s := retold.Session{
		ID: c.id, Agent: agent, Sources: []string{c.source()}, MessageCount: c.count,
		Title: c.title(), FirstMessagePreview: c.preview,
		WorkspacePath: place.Path, WorkspaceName: place.Name,
		Model: c.meta.model, Mode: c.meta.mode, Branch: c.meta.branch,
		LinesAdded: c.meta.linesAdded, LinesRemoved: c.meta.linesRemoved, FilesChanged: c.meta.filesChanged,
		ParentID: g.parent(c), Archived: c.meta.archived != nil && *c.meta.archived, Problems: len(c.problems),
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
	for _, t := range []time.Time{c.lastAt, c.latest, c.meta.checkpoint, c.meta.updated} {
		if t.After(updated) {
			updated = t
		}
	}
	if created.IsZero() {
		created = updated
	}
	if updated.Before(created) {
		updated = created
	}
	if !created.IsZero() {
		source = cmp.Or(c.createdSource, retold.TimeStored)
	}
	return created, updated, source
}

// parent is the conversation that started this one; where that one is not
// stored, the root of both (formats D.4).
func (g *catalog) parent(c *chat) string {
	parent := c.meta.parent
	if parent == "" || parent == c.id {
		return ""
	}
	p := g.chats[parent]
	if root := c.meta.rootParent; root != "" && root != c.id && (p == nil || !p.stored) {
		return root
	}
	return parent
}
