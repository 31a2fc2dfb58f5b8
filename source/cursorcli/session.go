package cursorcli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
)

// Session reads one session whole from every file that holds a part of it.
func (s *Source) Session(ctx context.Context, ref retold.Ref) (*retold.SessionDetail, error) {
	return s.read(ctx, ref, agentstate.View{})
}

// Stream reads a session and hands its messages out one by one. A state names its
// parts in every direction, so the session is held meanwhile.
func (s *Source) Stream(ctx context.Context, ref retold.Ref, yield func(retold.Message) error) (*retold.SessionDetail, error) {
	d, err := s.read(ctx, ref, agentstate.View{})
	if err != nil {
		return nil, err
	}
	for i := range d.Messages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := yield(d.Messages[i]); err != nil {
			return nil, err
		}
		d.Messages[i] = retold.Message{} // the caller keeps what it wants
	}
	d.Messages = nil
	return d, nil
}

// Complete counts a session's messages and takes over what only they say: the
// preview, a title, a folder, a model, times.
func (s *Source) Complete(ctx context.Context, h *retold.Header) error {
	d, err := s.read(ctx, h.Ref, agentstate.View{Light: true})
	if err != nil {
		return err
	}
	index, archived, gone := h.Index, h.Archived, h.Gone
	h.Session = d.Session
	h.Index, h.Archived, h.Gone = index, archived, gone
	h.Empty = h.Empty || h.MessageCount == 0 && h.Problems == 0
	return nil
}

func (s *Source) read(ctx context.Context, ref retold.Ref, v agentstate.View) (*retold.SessionDetail, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, r, err := s.find(ctx, ref)
	if err != nil {
		return nil, err
	}
	d := &retold.SessionDetail{Session: c.describe(ctx, r)}
	parts, err := c.parts(ctx, r, v)
	if err != nil {
		return nil, err
	}
	d.Messages = join(parts, &d.ProblemList)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.finish(d, r, parts)
	return d, nil
}

// find looks a session up. The files of others are only looked at when no folder
// is named after it: then it can still be a sub-agent in somebody's state.
func (s *Source) find(ctx context.Context, ref retold.Ref) (*catalog, *record, error) {
	if c, r, ok := s.planOf(ref.Place).find(ctx, ref.ID); ok {
		return c, r, ctx.Err()
	}
	c := scan(ctx, retold.Place{Agent: agent, Path: ref.Place, Kind: kindOf(ref.Place)})
	if r := c.records[ref.ID]; r != nil {
		c.gatherFor(ctx, r)
		return c, r, ctx.Err()
	}
	faults := c.survey(ctx)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if r := c.records[ref.ID]; r != nil {
		return c, r, nil
	}
	return nil, nil, &retold.Error{
		Code: retold.CodeSessionNotFound, Op: "read session", Path: ref.ID, Hint: "retold list",
		Err: errors.Join(append([]error{fmt.Errorf("no such session in %s", ref.Place)}, faults...)...),
	}
}

// gatherFor reads the facts of a session's stores and of the sessions that
// started it, whose state may hold it too. What cannot be read shows again when
// its messages are read.
func (c *catalog) gatherFor(ctx context.Context, r *record) {
	r.note(ctx)
	parents := []string{r.parent}
	for _, ref := range r.stores {
		parents = append(parents, ref.facts.parents...)
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(parents))) {
		p := c.lookup(id)
		if p == nil || p == r {
			continue
		}
		p.note(ctx)
		for _, ref := range p.stores {
			for _, s := range ref.facts.subagents {
				if s.sub.ID == r.id {
					s.parent = first(s.parent, id)
					r.states = append(r.states, s)
				}
			}
		}
	}
	if c.plan == nil && !slices.ContainsFunc(r.stores, func(ref *storeRef) bool { return ref.facts.cwd != "" }) {
		c.learnFolders()
	}
}

// note gathers what can be gathered.
func (r *record) note(ctx context.Context) {
	for _, ref := range r.stores {
		if err := ref.gather(ctx); err != nil {
			ref.facts.problems = append(ref.facts.problems, unreadable(ref.db(), err))
		}
	}
}

func unreadable(path string, err error) retold.Problem {
	return retold.Problem{Path: path, Kind: retold.ProblemUnreadable, Reason: err.Error()}
}

// finish numbers and dates the messages and fills in what they say about the
// session.
func (c *catalog) finish(d *retold.SessionDetail, r *record, parts []part) {
	agentstate.Number(d.Messages)
	talk := len(d.Messages) // where the conversation ends
	firstSaid, model := "", ""
	dated := !d.UpdatedAt.IsZero() // what a listing says without the messages holds
	for i := range d.Messages {
		m := &d.Messages[i]
		if (m.Orphan || m.Recovered) && i < talk {
			talk = i
		}
		if m.Role == retold.RoleUser && firstSaid == "" && !m.Orphan {
			firstSaid = m.Content
		}
		if !m.Orphan {
			model = first(m.Model, model)
			datedBy(&d.Session, m, dated)
		}
	}
	for _, p := range parts {
		d.Title = first(d.Title, retold.Preview(p.title))
		d.Mode = first(d.Mode, p.mode)
		d.WorkspacePath = first(d.WorkspacePath, p.cwd)
	}
	if d.WorkspacePath == "" {
		d.WorkspacePath = folderFromFiles(r, d.Messages)
	}
	place(&d.Session, d.WorkspacePath)
	d.Model = first(d.Model, model)
	d.FirstMessagePreview = retold.Preview(firstSaid)
	d.Title = first(d.Title, d.FirstMessagePreview)
	agentstate.Date(d.Messages[:talk], d.CreatedAt)
	agentstate.Date(d.Messages[talk:], d.CreatedAt)
	d.MessageCount = len(d.Messages)
	d.Problems = len(d.ProblemList)
}

// datedBy stretches a session over a message that its record dates; its end stays
// where it is when it is known from elsewhere.
func datedBy(s *retold.Session, m *retold.Message, ended bool) {
	if m.Timestamp.IsZero() {
		return
	}
	if s.CreatedAt.IsZero() {
		s.CreatedAt, s.TimeSource = m.Timestamp, m.TimestampSource
	}
	if !ended && m.Timestamp.After(s.UpdatedAt) {
		s.UpdatedAt = m.Timestamp
	}
}
