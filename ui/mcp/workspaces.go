package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func workspacesTool() *tool {
	return &tool{
		name: "list_workspaces", title: "List folders",
		description: "List the folders that conversations were about, the last used first, with how many conversations each has. Names and paths of it can be given as workspace.\n" +
			"Examples: {}; {\"since\": \"30d\"}.",
		params: append(slices.Clone(filters), "limit", "offset", "max_chars"),
		output: listSchema(workspaceSchema(), "folders, the last used first; conversations whose folder is unknown come together at the end"),
		run:    (*call).workspaceList,
	}
}

func (c *call) workspaceList(ctx context.Context) (*answer, error) {
	f, err := c.filter(ctx)
	if err != nil {
		return nil, err
	}
	all, problems, err := c.lib.Workspaces(ctx, f)
	if err != nil {
		return nil, err
	}
	limit, offset := or(c.limit, retold.DefaultLimit), min(or(c.offset, 0), len(all))
	some := all[offset:min(offset+limit, len(all))]
	rows, err := c.workspaceRows(some)
	if err != nil {
		return nil, err
	}
	at := retold.Pagination{Total: len(all), Limit: limit, Offset: offset, HasMore: offset+len(some) < len(all)}
	return c.rows("workspace", rows, at, footing{Problems: safeProblems(problems)}, nil, "list_workspaces")
}

func (c *call) workspaceRows(list []library.Workspace) (rows []row, err error) {
	for _, w := range list {
		w.Path, w.Name = quote.Line(w.Path), quote.Line(w.Name)
		body, err := json.Marshal(w)
		if err != nil {
			return nil, err
		}
		p := &page{}
		p.say("%s · last %s · %s", counted(w.Sessions, "conversation"), quote.When(w.Last, c.at), strings.Join(w.Agents, ", "))
		told := w.Path
		if told == "" {
			told = w.Name
		}
		if told == "" {
			told = "(folder unknown)"
		}
		p.quote(told)
		rows = append(rows, row{body, p})
	}
	return rows, nil
}
