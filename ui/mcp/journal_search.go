package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func journalSearchTool() *tool {
	return &tool{
		name: "journal_search", title: "Search the journal",
		description: "Find commits by what the journal says of them: entries that hold every word, newest first. Only what was written down is searched; search_sessions searches the conversations.\n" +
			"Example: {\"words\": \"retry budget\"}.",
		params: []string{"words", "repo", "limit", "offset", "max_chars"}, required: []string{"words"},
		output: answerSchema(object{
			"data": list(record(object{
				"repo": str("name"), "commit": str("full id"), "committed": instant("when"), "subject": str("of its message"), "class": str("linked, possible or none"), "where": list(object{"type": "string"}, "texts that hold the words"),
			}), "entries"), "pagination": pageSchema,
		}),
		kind: onDisk,
		run:  aboutGit((*call).journalSearch),
	}
}

// A foundEntry is an entry in a list, as the command line has it.
type foundEntry struct {
	Repo    string        `json:"repo"`
	Commit  string        `json:"commit"`
	At      time.Time     `json:"committed"`
	Subject string        `json:"subject"`
	Class   journal.Class `json:"class"`
	Where   []string      `json:"where"`
}

func (c *call) journalSearch(ctx context.Context) (*answer, error) {
	d, err := c.desk(ctx)
	if err != nil {
		return nil, err
	}
	repoID, err := d.journal.RepoID(ctx, d.repo)
	if err != nil {
		return nil, err
	}
	found, problems, err := d.journal.Search(ctx, repoID, strings.Fields(c.words))
	if err != nil {
		return nil, err
	}
	limit, offset := or(c.limit, retold.DefaultLimit), min(or(c.offset, 0), len(found))
	some := found[offset:min(offset+limit, len(found))]
	var rows []row
	for _, f := range some {
		r, err := c.foundRow(&f)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	at := retold.Pagination{Total: len(found), Limit: limit, Offset: offset, HasMore: offset+len(some) < len(found)}
	var unread []retold.Problem
	for _, why := range problems {
		unread = append(unread, retold.Problem{Kind: retold.ProblemUnreadable, Reason: why})
	}
	return c.rows("entry", rows, at, footing{Problems: safeProblems(unread)}, nil, "journal_search")
}

// longestWhere is how much of a text that holds the words is told.
const longestWhere = 400

func (c *call) foundRow(f *journal.Found) (row, error) {
	e := f.Entry
	x := foundEntry{e.Repo.Name, e.Commit.ID, e.Commit.Committed, quote.Line(e.Commit.Subject), e.Class, []string{}}
	for _, where := range f.Where {
		text, full := quote.Cut(quote.Line(where), longestWhere)
		if full > longestWhere {
			text += "…"
		}
		x.Where = append(x.Where, text)
	}
	body, err := json.Marshal(x)
	if err != nil {
		return row{}, err
	}
	p := &page{}
	p.say("commit %s · %s · %s", shortCommit(x.Commit), quote.When(x.At, c.at), x.Class)
	lines := []string{x.Subject}
	for _, where := range x.Where {
		if where != x.Subject {
			lines = append(lines, where)
		}
	}
	p.lines(lines)
	return row{quote.JSON(body), p}, nil
}
