package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func searchTool() *tool {
	return &tool{
		name: "search_sessions", title: "Search conversations",
		description: "Find where something was said or done in any conversation with a coding agent on this machine: words, code, paths, commands, error messages, diffs. Best hits first, each with session, message and a snippet; read on with get_session and around.\n" +
			"Examples: {\"query\": \"retry backoff\", \"workspace\": \".\"}; {\"query\": \"\\\"connection refused\\\" role:tool since:30d\"}; {\"query\": \"why sqlite OR postgres\", \"role\": \"assistant\"}; {\"query\": \"file:router.go has:edit\"}.\n" +
			"All words must be in one message. Where no message has all, the telling ones are searched for instead (looser); a few words find more than a sentence.",
		params:   append([]string{"query", "session"}, append(slices.Clone(filters), "limit", "offset", "include_current", "max_chars")...),
		required: []string{"query"},
		describe: map[string]string{"session": "only in this session: an id, a unique beginning of one, or its number"},
		output:   searchSchema(),
		run:      (*call).search,
	}
}

// leastHit is about the least that a hit takes in a list.
const leastHit = 250

func (c *call) search(ctx context.Context) (*answer, error) {
	q, left, err := c.asked(ctx, c.query)
	if err != nil {
		return nil, err
	}
	found, less, err := c.find(ctx, q, c.page(leastHit), or(c.offset, 0))
	if err != nil {
		return nil, err
	}
	var rows []row
	for i, h := range found.Data {
		h = safeHit(h)
		body, err := json.Marshal(h)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{body, c.hitRow(found.Pagination.Offset+i+1, &h)})
	}
	foot := footing{Looser: less, LeftOut: left, Pending: found.Pending, Behind: found.Behind, Problems: safeProblems(found.Problems)}
	extra := []member{{"estimated", found.Estimated}, {"facets", safeFacets(found.Facets, min(mostFacets, c.max/2500))}}
	return c.rows("hit", rows, found.Pagination, foot, extra, "search_sessions")
}

// asked is the query of a call: what was typed and what the parameters say.
func (c *call) asked(ctx context.Context, typed string) (retold.Query, *leftOut, error) {
	q, err := retold.ParseQuery(typed, c.at)
	if err != nil {
		return q, nil, err
	}
	if q.Filter.Workspaces, err = c.here(ctx, q.Filter.Workspaces); err != nil {
		return q, nil, err
	}
	f, err := c.filter(ctx)
	if err != nil {
		return q, nil, err
	}
	q = q.Within(f)
	if c.session != "" {
		h, err := c.lib.Find(ctx, c.session)
		if err != nil {
			return q, nil, err
		}
		q.Filter.Sessions = []string{h.ID}
		return q, nil, nil
	}
	left, err := c.except(ctx, &q.Filter)
	return q, left, err
}

// hitRow tells of a hit in a list.
func (c *call) hitRow(n int, h *retold.Hit) *page {
	p := &page{}
	place := shortID(h.SessionID)
	who := "title"
	if h.MessageID != "" {
		place = fmt.Sprintf("%s#%d", place, h.MessageIndex)
		who = string(h.Role)
	}
	p.say("%d. [%s] %s · %s · %s", n, place, who, quote.When(h.Timestamp, c.at), h.Agent)
	var told []string
	if h.WorkspaceName != "" {
		told = append(told, "workspace: "+h.WorkspaceName)
	}
	if h.Title != "" && h.MessageID != "" {
		told = append(told, "title: "+h.Title)
	}
	p.quote(strings.Join(told, " · ") + "\n" + h.Match)
	return p
}

// safeFacets are the names with the most hits, at most so many of a kind; the rest
// says little and takes room.
func safeFacets(f retold.Facets, most int) retold.Facets {
	for _, list := range []*[]retold.Count{&f.Agents, &f.Workspaces, &f.Roles, &f.Tools, &f.Months} {
		if n := len(*list); n > most {
			if list == &f.Months {
				*list = (*list)[n-most:]
			} else {
				*list = (*list)[:most]
			}
		}
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i].Name = quote.Title((*list)[i].Name)
		}
	}
	return f
}

// mostFacets is how many names of a kind an answer counts that has the room.
const mostFacets = 8
