package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/retold-history/retold"
)

// spoken are the parts in which something was said; the first part when there
// are none.
func (e *entry) spoken() []part {
	var out []part
	for _, p := range e.parts {
		if !p.header.Empty {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return e.parts[:1]
	}
	return out
}

// completed returns the entry with its messages counted and its preview known.
// When an error is returned the entry is the one it was called on, and its
// count stays unknown.
func (e *entry) completed(ctx context.Context) (*entry, error) {
	h := e.header
	if h.MessageCount >= 0 && h.FirstMessagePreview != "" && h.Title != "" {
		return e, nil
	}
	parts := e.spoken()
	completer, ok := parts[0].source.(retold.Completer)
	if len(parts) > 1 || !ok {
		d, err := e.read(ctx)
		if err != nil {
			return e, err
		}
		index := h.Index
		h.Session = d.Session
		h.Index = index
		h.FirstMessagePreview = cmp.Or(h.FirstMessagePreview, firstPreview(d.Messages))
		h.Title = cmp.Or(h.Title, h.FirstMessagePreview)
		return &entry{h, e.parts}, nil
	}
	full := parts[0].header
	if err := completer.Complete(ctx, &full); err != nil {
		return e, fmt.Errorf("count session %s: %w", h.ID, err)
	}
	h.MessageCount = full.MessageCount
	h.Sources = slices.Clone(h.Sources)
	fill(&h.Session, full.Session)
	inOrder(h.Sources)
	h.Problems = max(h.Problems, full.Problems)
	return &entry{h, e.parts}, nil
}

func firstPreview(ms []retold.Message) string {
	for i := range ms {
		if ms[i].Role == retold.RoleUser {
			if p := retold.Preview(ms[i].Content); p != "" {
				return p
			}
		}
	}
	return ""
}

// read reads the session from all its places and makes one of it. A place that
// cannot be read becomes a problem while another can.
func (e *entry) read(ctx context.Context) (*retold.SessionDetail, error) {
	var details []*retold.SessionDetail
	var failed []error
	for _, p := range e.parts {
		d, err := p.source.Session(ctx, p.header.Ref)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("read session %s: %w", e.header.ID, err))
			continue
		}
		details = append(details, d)
	}
	if len(details) == 0 {
		return nil, failed[0]
	}
	d := mergeDetails(details)
	h := e.header.Session
	fill(&d.Session, h)
	inOrder(d.Sources)
	d.Index = h.Index
	if !h.CreatedAt.IsZero() { // what the listing says holds, so that the two never disagree
		d.CreatedAt = h.CreatedAt
	}
	if !h.UpdatedAt.IsZero() {
		d.UpdatedAt, d.TimeSource = h.UpdatedAt, h.TimeSource
	}
	for _, err := range failed {
		d.ProblemList = append(d.ProblemList, problemOf(err, ""))
	}
	d.Problems = len(d.ProblemList)
	return d, nil
}

// errEnough ends a stream whose question is answered.
var errEnough = errors.New("enough was read")

// matches decides the part of f that needs messages, and stops reading as soon
// as the answer is known.
func (e *entry) matches(ctx context.Context, f retold.Filter) (bool, error) {
	parts := e.spoken()
	streamer, ok := parts[0].source.(retold.Streamer)
	if len(parts) > 1 || !ok {
		d, err := e.read(ctx)
		if err != nil {
			return false, err
		}
		return f.MatchMessages(d.Messages), nil
	}
	// Each half of the question is put to one message at a time.
	fits := retold.Filter{Roles: f.Roles, Tools: f.Tools, Files: f.Files}
	open := map[string]retold.Filter{"fits": fits}
	if f.HasError {
		open["error"] = retold.Filter{HasError: true}
	}
	if f.HasEdit {
		open["edit"] = retold.Filter{HasEdit: true}
	}
	_, err := streamer.Stream(ctx, parts[0].header.Ref, func(m retold.Message) error {
		for name, question := range open {
			if question.MatchMessages([]retold.Message{m}) {
				delete(open, name)
			}
		}
		if len(open) == 0 {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return false, fmt.Errorf("search session %s: %w", e.header.ID, err)
	}
	return len(open) == 0, nil
}
