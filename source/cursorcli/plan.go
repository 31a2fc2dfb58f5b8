package cursorcli

import (
	"context"
	"maps"
	"slices"

	"github.com/retold-history/retold"
)

// A plan is where the files of a place lay when it was tracked last: with it one
// session is read without listing the folders of all. What has come to a session
// since is found by the next Track, which then calls it changed. A plan is not
// written to once it is made.
type plan struct {
	place   retold.Place
	tops    map[string]uint64 // stamps of the folders in which sessions appear
	records map[string]*record
	homes   map[string][]stateRef // stores that hold a session's state, by its id
	slugs   map[string]string
	known   folderNames
	markers map[string]string
}

// planned is what a surveyed catalog knows of files.
func (c *catalog) planned() *plan {
	p := &plan{
		place: c.place, tops: map[string]uint64{}, records: map[string]*record{}, homes: map[string][]stateRef{},
		slugs: c.slugs, known: c.known, markers: c.markers,
	}
	for _, dir := range c.tops {
		p.tops[dir] = c.view.stamp(dir)
	}
	for id, r := range c.records {
		if len(r.stores)+len(r.transcripts) > 0 {
			p.records[id] = r.bare()
			continue
		}
		for _, s := range r.states {
			p.homes[id] = append(p.homes[id], stateRef{store: s.store.bare(), parent: s.parent})
		}
	}
	return p
}

// bare is a record as its folders alone tell of it.
func (r *record) bare() *record {
	out := &record{id: r.id, transcripts: r.transcripts, parent: r.starter, starter: r.starter}
	for _, s := range r.stores {
		out.stores = append(out.stores, s.bare())
	}
	return out
}

func (r *storeRef) bare() *storeRef {
	out := *r
	out.facts, out.failed = nil, false
	return &out
}

// stands reports whether no session was added to the place or taken from it, as
// far as its upper folders tell.
func (p *plan) stands() bool {
	for dir, stamp := range p.tops {
		if (*view)(nil).stamp(dir) != stamp {
			return false
		}
	}
	return true
}

// find looks a session up; false when it has to be looked for in the folders.
func (p *plan) find(ctx context.Context, id string) (*catalog, *record, bool) {
	if p == nil || p.records[id] == nil && p.homes[id] == nil || !p.stands() {
		return nil, nil, false
	}
	c := &catalog{place: p.place, plan: p, slugs: p.slugs, known: p.known, markers: maps.Clone(p.markers), records: map[string]*record{}}
	if r := c.lookup(id); r != nil {
		if !r.there(c) {
			return nil, nil, false
		}
		c.gatherFor(ctx, r)
		return c, r, true
	}
	r := c.record(id)
	asked := map[string]bool{}
	for _, home := range p.homes[id] {
		ref := home.store.bare()
		if asked[ref.dir] {
			continue
		}
		asked[ref.dir] = true
		if ref.gather(ctx) != nil {
			return nil, nil, false
		}
		for _, s := range ref.facts.subagents {
			if s.sub.ID == id {
				s.parent = first(s.parent, home.parent)
				r.states = append(r.states, s)
				r.parent = first(r.parent, s.parent)
			}
		}
	}
	return c, r, len(r.states) > 0
}

// lookup returns a record, from the plan where the folders were not listed.
func (c *catalog) lookup(id string) *record {
	if r := c.records[id]; r != nil || c.plan == nil || c.plan.records[id] == nil {
		return r
	}
	r := c.plan.records[id].bare()
	c.records[id] = r
	return r
}

// there reports whether every file of a record still is.
func (r *record) there(c *catalog) bool {
	return !slices.ContainsFunc(r.stores, func(s *storeRef) bool { return s.sdk == nil && !c.exists(s.db()) && !c.exists(s.side()) }) &&
		!slices.ContainsFunc(r.transcripts, func(t transcriptRef) bool { return !c.exists(t.path) })
}
