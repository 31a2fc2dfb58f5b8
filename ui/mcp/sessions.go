package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func sessionsTool() *tool {
	return &tool{
		name: "list_sessions", title: "List conversations",
		description: "List the conversations people had with coding agents on this machine, the last touched first, with ids for get_session.\n" +
			"Examples: {\"workspace\": \".\", \"limit\": 5} for where we stopped here; {\"since\": \"7d\", \"has_error\": true}; {\"title\": \"login\"}; {\"file\": \"router.go\", \"has_edit\": true}.\n" +
			"To find what was said, use search_sessions.",
		params: append(slices.Clone(filters), "empty", "limit", "offset", "include_current", "max_chars"),
		output: listSchema(record(sessionMembers()), "sessions, the last touched first"),
		run:    (*call).sessions,
	}
}

// leastSession is about the least that a session takes in a list.
const leastSession = 400

func (c *call) sessions(ctx context.Context) (*answer, error) {
	f, err := c.filter(ctx)
	if err != nil {
		return nil, err
	}
	left, err := c.except(ctx, &f)
	if err != nil {
		return nil, err
	}
	found, err := c.lib.List(ctx, f, c.page(leastSession), or(c.offset, 0))
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, s := range found.Data {
		s = safeSession(s)
		body, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{body, c.sessionRow(&s)})
	}
	foot := footing{LeftOut: left, Behind: found.Behind, Problems: safeProblems(found.Problems)}
	return c.rows("session", rows, found.Pagination, foot, nil, "list_sessions")
}

// sessionRow tells of a session in a list.
func (c *call) sessionRow(s *retold.Session) *page {
	p := &page{}
	head := fmt.Sprintf("%d. session %s · %s", s.Index, shortID(s.ID), s.Agent)
	head += " · last touched " + quote.When(s.Touched(), c.at)
	if s.MessageCount >= 0 {
		head += " · " + counted(s.MessageCount, "message")
	}
	if s.ParentID != "" {
		head += " · sub-agent of " + shortID(s.ParentID)
	}
	if s.Gone {
		head += " · kept here only"
	}
	p.say("%s", head)
	told := facts(s)
	if s.FirstMessagePreview != "" && s.FirstMessagePreview != s.Title {
		told += "\nfirst said: " + s.FirstMessagePreview
	}
	p.quote(told)
	return p
}
