package sqlite

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
)

// Search returns the hits of q, best first; internal/index says in which order.
func (s *Store) Search(ctx context.Context, q retold.Query, now time.Time, limit, offset int) (*retold.SearchResult, error) {
	var out *retold.SearchResult
	err := s.read(ctx, func(c *conn) (err error) {
		out, err = s.search(ctx, c, q, now, limit, max(offset, 0))
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (s *Store) search(ctx context.Context, c *conn, q retold.Query, now time.Time, limit, offset int) (*retold.SearchResult, error) {
	v, err := s.view(c)
	if err != nil {
		return nil, err
	}
	cat, err := s.catalogue(c)
	if err != nil {
		return nil, err
	}
	l := &loader{s: s, c: c, cat: cat, blocks: map[uint32]*docBlock{}}
	env := index.Env{
		Now: now, Dead: v.isDead, Sessions: cat.sessions, Messages: l.messages, Workers: workers(),
	}
	found, err := index.Search(ctx, v.readers, q, env, limit, offset)
	if err != nil {
		return nil, err
	}
	out := &retold.SearchResult{Estimated: found.Estimated, Facets: cat.facets(found)}
	if out.Data, err = l.hits(ctx, q, found.Hits); err != nil {
		return nil, err
	}
	out.Pagination = retold.Pagination{Total: found.Total, Limit: limit, Offset: offset, HasMore: offset+len(out.Data) < found.Total && limit > 0}
	return out, nil
}

// workers is how many goroutines answer a search.
func workers() int { return min(runtime.GOMAXPROCS(0), 4) }

// sessions makes a filter on sessions a question about their numbers; nil when
// all pass.
func (cat *catalogue) sessions(f retold.Filter) (func(session uint32) bool, error) {
	passes, all := make(map[uint32]bool, len(cat.byNumber)), true
	for n, e := range cat.byNumber {
		passes[n] = f.MatchHeader(e.Header)
		all = all && passes[n]
	}
	if all {
		return nil, nil
	}
	return func(n uint32) bool { return passes[n] }, nil
}

// hits fills in what a person sees of the messages that were found.
func (l *loader) hits(ctx context.Context, q retold.Query, found []index.Hit) ([]retold.Hit, error) {
	matcher, err := index.NewMatcher(q.Match)
	if err != nil {
		return nil, err
	}
	docs := make([]uint32, len(found))
	for i, h := range found {
		docs[i] = h.Doc
	}
	hits := make([]retold.Hit, len(found))
	err = l.shared(ctx, docs, workers(), func(i int, m *retold.Message) error {
		h := &hits[i]
		if l.s.mask != nil {
			l.s.mask(m)
		}
		h.Match, h.Highlights = snippet(matcher, m)
		// Clones, lest a few words hold a long message in memory.
		h.MessageID, h.Role, h.Timestamp, h.MessageIndex = strings.Clone(m.ID), retold.Role(strings.Clone(string(m.Role))), m.Timestamp, -1
		if m.Tool != nil {
			h.ToolName = strings.Clone(m.Tool.Name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range hits {
		if err := l.fill(&hits[i], found[i]); err != nil {
			return nil, err
		}
	}
	return hits, nil
}

// fill adds what the session says of a hit.
func (l *loader) fill(h *retold.Hit, found index.Hit) error {
	h.Score = found.Score
	e := l.cat.byNumber[found.Session]
	if e == nil {
		return errDamaged
	}
	h.Key, h.SessionID, h.SessionIndex, h.Agent = e.key, e.ID, e.Index, e.Agent
	h.Title, h.WorkspaceName = e.Title, e.WorkspaceName
	at, err := l.where(found.Doc)
	if err != nil {
		return err
	}
	if _, title := at.title(); title {
		h.Timestamp = e.Touched()
		return nil
	}
	h.MessageIndex, err = l.index(e.number, at)
	return err
}

// maxFacets is the most entries of a facet.
const maxFacets = 20

// facets counts what was found by what it is.
func (cat *catalogue) facets(result *index.Result) retold.Facets {
	found := result.Counts()
	roles := map[string]int{}
	for role, n := range found.Roles {
		roles[string(role)] = n
	}
	agents, workspaces := map[string]int{}, map[string]int{}
	for n, count := range found.Sessions {
		if e := cat.byNumber[n]; e != nil {
			agents[e.Agent] += count
			if e.WorkspaceName != "" {
				workspaces[e.WorkspaceName] += count
			}
		}
	}
	f := retold.Facets{
		Agents: counts(agents, maxFacets), Workspaces: counts(workspaces, maxFacets),
		Roles: counts(roles, maxFacets), Tools: counts(found.Tools, maxFacets), Months: []retold.Count{},
	}
	for month, n := range found.Months {
		name := time.Date(month/12, time.Month(month%12+1), 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
		f.Months = append(f.Months, retold.Count{Name: name, Count: n})
	}
	slices.SortFunc(f.Months, func(a, b retold.Count) int { return cmp.Compare(a.Name, b.Name) })
	if n := len(f.Months); n > maxFacets {
		f.Months = f.Months[n-maxFacets:] // the latest
	}
	return f
}
