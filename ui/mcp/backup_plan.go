package mcp

import (
	"context"
	"errors"
	"slices"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// planBackup says what would be in a backup.
func (c *call) planBackup(ctx context.Context, o library.BackupOptions) (p backupPlan, err error) {
	p = backupPlan{Path: quote.Line(o.Path), Folder: o.Folder, Places: []retold.Place{}}
	for _, place := range c.lib.Places() {
		if place.Used && (len(o.Agents) == 0 || slices.Contains(o.Agents, place.Agent)) {
			place.Path, place.Reason = quote.Line(place.Path), quote.Line(place.Reason)
			p.Places = append(p.Places, place)
		}
	}
	info, err := c.lib.Info(ctx)
	if err != nil {
		return p, err
	}
	p.LibraryBytes = info.Bytes
	headers, err := c.lib.Headers(ctx, retold.Filter{Empty: true})
	if err != nil && !errors.Is(err, library.ErrNothing) {
		return p, err
	}
	chosen, err := c.chosen(ctx, headers, o)
	if err != nil {
		return p, err
	}
	messages, all := 0, true
	for _, h := range headers {
		if chosen == nil && h.Empty || chosen != nil && !chosen[h.ID] {
			continue
		}
		p.Sessions++
		messages, all = messages+h.MessageCount, all && h.MessageCount >= 0
		if chosen != nil {
			p.Only = append(p.Only, ident(h.ID))
		}
	}
	if all {
		p.Messages = &messages
	}
	slices.Sort(p.Only)
	return p, nil
}

// chosen are the ids of the sessions that options name, and of their sub-agents;
// nil for all.
func (c *call) chosen(ctx context.Context, headers []retold.Header, o library.BackupOptions) (map[string]bool, error) {
	if len(o.Sessions) == 0 && len(o.Workspaces) == 0 {
		return nil, nil
	}
	ids := map[string]bool{}
	for _, s := range o.Sessions {
		h, err := c.lib.Find(ctx, s)
		if err != nil {
			return nil, err
		}
		ids[h.ID] = true
	}
	for _, w := range o.Workspaces {
		if err := c.lib.CheckWorkspace(ctx, w); err != nil {
			return nil, err
		}
		for _, h := range headers {
			if h.WorkspacePath == w || retold.MatchWorkspace(h.Session, w) {
				ids[h.ID] = true
			}
		}
	}
	for before := -1; before < len(ids); {
		before = len(ids)
		for _, h := range headers {
			if ids[h.ParentID] {
				ids[h.ID] = true
			}
		}
	}
	return ids, nil
}
