package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/migrate"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func undoTool() *tool {
	return &tool{
		name: "undo_change", title: "Take a change back",
		description: "Take back a restore or a move that retold made, to the byte. Without id: the changes on record, newest first. With id a dry run first, as migrate_session.\n" +
			"Examples: {}; {\"id\": \"20261120-101500-3f9a\"}.",
		params:   []string{"id", "confirm", "fingerprint", "limit", "offset", "max_chars"},
		describe: map[string]string{"id": "the change to take back, as the list without id has it"},
		output:   undoSchema(),
		writes:   true, kind: changing,
		run: (*call).undo,
	}
}

func undoSchema() object {
	return deedSchema(object{
		"data": list(record(object{
			"id": str("for id"), "title": str("what it did"), "createdAt": instant("when"), "state": str("done, undone, rolled back or interrupted"), "steps": integer("rows and files"),
			"undoes": str("the change that it took back"), "undoneBy": str("the change that took it back"),
		}, "undoes", "undoneBy"), "changes on record, newest first"), "pagination": pageSchema,
		"written": boolean("it was done; false in a dry run"), "fingerprint": str("for confirm"),
		"plan": elsewhere("as migrate_session has it"), "result": object{"type": []string{"object", "null"}, "description": "as migrate_session has it; null in a dry run"},
	}, "data", "pagination", "written", "fingerprint", "plan", "result")
}

// A recorded change is one of the list.
type recorded struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	CreatedAt time.Time `json:"createdAt"`
	State     string    `json:"state"`
	Steps     int       `json:"steps"`
	Undoes    string    `json:"undoes,omitempty"`
	UndoneBy  string    `json:"undoneBy,omitempty"`
}

func (c *call) undo(ctx context.Context) (*answer, error) {
	if c.id == "" {
		if c.confirm || c.fingerprint != "" {
			return nil, usage("call undo_change without parameters for the ids", "there is nothing to confirm without id")
		}
		return c.changeList(ctx)
	}
	return c.propose(ctx, "undo_change", c.planUndo)
}

// planUndo is the plan, refused as carrying it out would be: a dry run that says it
// can be done is no help.
func (c *call) planUndo(ctx context.Context) (*migrate.Change, error) {
	ch, err := c.lib.PlanUndo(ctx, c.id)
	if err != nil {
		return nil, err
	}
	if err = ch.Ready(); err == nil {
		err = ch.Unchanged(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, ch.Close())
	}
	return ch, nil
}

// changeList is a page of the changes on record.
func (c *call) changeList(ctx context.Context) (*answer, error) {
	all, err := c.lib.Changes(ctx)
	if err != nil {
		return nil, err
	}
	limit, offset := or(c.limit, retold.DefaultLimit), min(or(c.offset, 0), len(all))
	some := all[offset:min(offset+limit, len(all))]
	var rows []row
	for _, x := range some {
		x.Title = quote.Line(x.Title)
		body, err := json.Marshal(recorded{x.ID, x.Title, x.CreatedAt, x.State, x.Steps, x.Undoes, x.UndoneBy})
		if err != nil {
			return nil, err
		}
		p := &page{}
		p.say("%s · %s · %s%s", ident(x.ID), quote.When(x.CreatedAt, c.at), ident(x.State), undoneBy(&x))
		p.quote(x.Title)
		rows = append(rows, row{body, p})
	}
	at := retold.Pagination{Total: len(all), Limit: limit, Offset: offset, HasMore: offset+len(some) < len(all)}
	return c.rows("change", rows, at, footing{}, nil, "undo_change")
}

func undoneBy(x *change.Change) string {
	switch {
	case x.UndoneBy != "":
		return " by " + ident(x.UndoneBy)
	case x.Undoes != "":
		return " · takes back " + ident(x.Undoes)
	}
	return ""
}
