package library

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/retold-history/retold"
)

// A sessionReader reads one session from its sources into a sheet of the store.
type sessionReader struct {
	store   retold.Store
	w       retold.StoreWriter
	sources []retold.Source
	kept    *retold.Kept // completed by read
	counted func(*retold.Message)

	keep    *keeping
	preview string
}

// read reads the session, from where it changed where its source can tell. It
// returns no sheet when the messages stay as they are.
func (s *sessionReader) read(ctx context.Context) (retold.Sheet, error) {
	var live []int
	for i, p := range s.kept.Parts {
		if !p.Gone {
			live = append(live, i)
		}
	}
	s.kept.Pending = false
	var err error
	switch len(live) {
	case 0:
		return nil, nil
	case 1:
		err = s.single(ctx, &s.kept.Parts[live[0]])
	default:
		err = s.merged(ctx, live)
	}
	if err == nil {
		err = s.keep.finish(ctx)
	}
	if s.keep == nil {
		return nil, err
	}
	return s.keep.sheet, err
}

func (s *sessionReader) source(p *retold.Part) (retold.Source, error) {
	i := slices.IndexFunc(s.sources, func(src retold.Source) bool { return src.Agent() == p.Ref.Agent })
	if i < 0 {
		return nil, fmt.Errorf("no source of this version reads %s", p.Ref.Agent)
	}
	return s.sources[i], nil
}

// start opens the sheet at the first message that is read.
func (s *sessionReader) start(ctx context.Context, from int) (err error) {
	if s.keep == nil {
		s.keep, err = newKeeping(ctx, s.store, s.w, s.kept.Key, from)
	}
	return err
}

// add takes one message of the conversation.
func (s *sessionReader) add(ctx context.Context, m *retold.Message) error {
	if err := s.start(ctx, m.Index); err != nil {
		return err
	}
	if s.preview == "" && m.Role == retold.RoleUser {
		s.preview = retold.Preview(m.Content)
	}
	s.counted(m)
	return s.keep.add(ctx, m)
}

// single reads a session that one place holds.
func (s *sessionReader) single(ctx context.Context, p *retold.Part) error {
	source, err := s.source(p)
	if err != nil {
		return err
	}
	yield := func(m retold.Message) error { return s.add(ctx, &m) }
	if resumer, ok := source.(retold.Resumer); ok {
		r, err := resumer.Resume(ctx, p.Ref, p.Memory, yield)
		if err != nil {
			return err
		}
		if err := s.start(ctx, r.From); err != nil {
			return err
		}
		if p.Memory = r.Memory; s.keep.held {
			p.Memory = nil
		}
		s.complete(r.Header.Session, r.ProblemList)
		return nil
	}
	var d *retold.SessionDetail
	if streamer, ok := source.(retold.Streamer); ok {
		d, err = streamer.Stream(ctx, p.Ref, yield)
	} else if d, err = source.Session(ctx, p.Ref); err == nil {
		for i := range d.Messages {
			d.Messages[i].Index = i
			if err := s.add(ctx, &d.Messages[i]); err != nil {
				return err
			}
		}
	}
	if err != nil {
		return err
	}
	s.complete(d.Session, d.ProblemList)
	return s.start(ctx, 0)
}

// merged reads a session that several places hold and makes one of it. A place
// that cannot be read becomes a problem while another can.
func (s *sessionReader) merged(ctx context.Context, live []int) error {
	var details []*retold.SessionDetail
	var failed []error
	for _, i := range live {
		p := &s.kept.Parts[i]
		p.Memory = nil // of a time when this was its only place
		source, err := s.source(p)
		var d *retold.SessionDetail
		if err == nil {
			d, err = source.Session(ctx, p.Ref)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("read session %s: %w", s.kept.ID, err))
			continue
		}
		details = append(details, d)
	}
	if len(details) == 0 {
		return failed[0]
	}
	d := mergeDetails(details)
	for i := range d.Messages {
		if err := s.add(ctx, &d.Messages[i]); err != nil {
			return err
		}
	}
	for _, err := range failed {
		d.ProblemList = append(d.ProblemList, problemOf(err, ""))
	}
	s.complete(d.Session, d.ProblemList)
	return s.start(ctx, 0)
}

// complete adds what the messages told to what the headers did. What the headers
// say of times holds, so that the order of the listing does not depend on
// whether a session was read.
func (s *sessionReader) complete(read retold.Session, problems []retold.Problem) {
	h := s.kept.Session
	read.Sources = slices.Clone(read.Sources)
	fill(&read, h)
	inOrder(read.Sources)
	if !h.CreatedAt.IsZero() {
		read.CreatedAt = h.CreatedAt
	}
	if !h.UpdatedAt.IsZero() {
		read.UpdatedAt, read.TimeSource = h.UpdatedAt, h.TimeSource
	}
	read.FirstMessagePreview = cmp.Or(read.FirstMessagePreview, s.preview)
	read.Title = cmp.Or(read.Title, read.FirstMessagePreview)
	read.Gone, read.Problems = false, len(problems)
	s.kept.Session, s.kept.ProblemList = read, problems
}

// storeError marks an error as the store's own, so that it is not taken for
// trouble with a session.
func storeError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errStore, err)
}
