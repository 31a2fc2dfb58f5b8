package mcp

import (
	"context"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp/digest"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// tail is how much of the end of a session resume_work reads.
const tail = 600

// chunk is how many messages are read at a time where many are.
const chunk = 250

// slimmed are the messages of a session from an index on, as digests want them:
// every text safe, and of tool calls only what they ask for, so that memory does
// not follow the size of a session's files and outputs. A negative index counts
// from the end.
func (c *call) slimmed(ctx context.Context, selector string, from int) (*retold.Session, []retold.Message, error) {
	var out []retold.Message
	for w := (library.Window{From: from, Limit: chunk}); ; {
		x, err := c.lib.Read(ctx, selector, w)
		if err != nil {
			return nil, nil, err
		}
		for _, m := range x.Messages {
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			out = append(out, slim(newPiece(m, x.WorkspacePath, mostSlim, true).Message))
		}
		if !x.Pagination.HasMore || len(x.Messages) == 0 {
			s := safeSession(x.Session)
			return &s, out, nil
		}
		w.From = x.Messages[len(x.Messages)-1].Index + 1
	}
}

// mostSlim is the most characters of one text that a digest looks at.
const mostSlim = 8000

// slim leaves of a message what digests ask for.
func slim(m retold.Message) retold.Message {
	m.Content, _ = quote.Cut(m.Content, mostSlim)
	m.Attachments = nil
	t := m.Tool
	if t == nil {
		return m
	}
	t.Diff, _ = quote.Cut(t.Diff, 4*mostSlim)
	if digest.Tell(t).Decides {
		return m
	}
	todo := t.Kind == retold.ToolTodo
	if !todo && t.Kind != retold.ToolShell && t.Status != retold.StatusPending {
		t.Params = nil
	}
	switch {
	case todo:
	case t.Kind == retold.ToolShell && m.Failed():
		t.Result = jsonText(last(digest.Output(t.Result), mostSlim), false)
	default:
		t.Result = nil
	}
	return m
}
