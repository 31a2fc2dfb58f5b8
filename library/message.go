package library

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
)

// Message returns one message of a session, by its id or its index, with the
// session. Errors are those of [Library.Read].
func (l *Library) Message(ctx context.Context, selector, message string) (of *retold.Session, wanted *retold.Message, err error) {
	defer l.call(&ctx, &err)()
	store, k, err := l.find(ctx, selector)
	if err != nil {
		return nil, nil, err
	}
	r, err := l.windowReader(ctx, store, *k)
	if err != nil {
		return nil, nil, err
	}
	at, err := r.position(ctx, message)
	if err != nil {
		return nil, nil, err
	}
	for m, err := range r.messages(ctx, at) {
		return &r.Session, &m, err
	}
	return nil, nil, noMessage(&r.Session, message) // the session became shorter
}

// A windowReader reads the messages of one session from any index on.
type windowReader struct {
	retold.SessionDetail
	outline  []retold.Stretch
	messages func(ctx context.Context, from int) iter.Seq2[retold.Message, error]
}

func (l *Library) windowReader(ctx context.Context, store retold.Store, k retold.Kept) (*windowReader, error) {
	some, err := l.ensure(ctx, store, []retold.Kept{k})
	if err != nil {
		return nil, err
	}
	if some[0].Pending || some[0].MessageCount < 0 {
		d, err := l.detail(ctx, store, k)
		if err != nil {
			return nil, err
		}
		return unkeptReader(d), nil
	}
	full, err := store.Get(ctx, k.Key)
	if err != nil {
		return nil, err
	}
	full.Index = k.Index
	r := &windowReader{SessionDetail: retold.SessionDetail{Session: full.Session, ProblemList: full.ProblemList}}
	r.messages = func(ctx context.Context, from int) iter.Seq2[retold.Message, error] {
		return store.Messages(ctx, k.Key, from)
	}
	r.outline, err = store.Outline(ctx, k.Key)
	return r, err
}

// unkeptReader reads the messages of a session that was read for this answer.
func unkeptReader(d *retold.SessionDetail) *windowReader {
	all := retold.Stretch{Messages: len(d.Messages), Roles: map[retold.Role]int{}}
	for _, m := range d.Messages {
		all.Roles[m.Role]++
	}
	return &windowReader{*d, []retold.Stretch{all}, func(_ context.Context, from int) iter.Seq2[retold.Message, error] {
		return func(yield func(retold.Message, error) bool) {
			for _, m := range d.Messages[min(from, len(d.Messages)):] {
				if !yield(m, nil) {
					return
				}
			}
		}
	}}
}

// place is how many messages of some roles come before an index.
func (r *windowReader) place(ctx context.Context, index int, roles []retold.Role) (place int, err error) {
	for _, s := range r.outline {
		switch n := s.Of(roles); {
		case index >= s.From+s.Messages:
			place += n
			continue
		case len(roles) == 0:
			return place + index - s.From, nil
		case n == 0:
			return place, nil
		}
		for m, err := range r.messages(ctx, s.From) {
			if err != nil {
				return 0, err
			}
			if m.Index >= index {
				break
			}
			if slices.Contains(roles, m.Role) {
				place++
			}
		}
		return place, nil
	}
	return place, nil
}

// read returns the messages of some roles from one place to another.
func (r *windowReader) read(ctx context.Context, roles []retold.Role, from, to int) ([]retold.Message, error) {
	out := make([]retold.Message, 0, to-from)
	stretches := r.outline
	if len(roles) == 0 { // places are indexes
		stretches = []retold.Stretch{{From: from, Messages: to - from}}
		to, from = to-from, 0
	}
	place := 0
	for _, s := range stretches {
		n := s.Of(roles)
		if place+n <= from || n == 0 || place >= to {
			place += n
			continue
		}
		for m, err := range r.messages(ctx, s.From) {
			if err != nil {
				return nil, err
			}
			if len(roles) == 0 || slices.Contains(roles, m.Role) {
				if place++; place > from {
					out = append(out, m)
				}
			}
			if place == to || m.Index+1 >= s.From+s.Messages {
				break
			}
		}
	}
	return out, nil
}

// position is the index of the message that name means: an index, which needs no
// reading and may be written "#3", or an id.
func (r *windowReader) position(ctx context.Context, name string) (int, error) {
	digits := strings.TrimPrefix(name, "#")
	if n, err := strconv.Atoi(digits); err == nil && strconv.Itoa(n) == digits && n >= 0 && n < r.MessageCount {
		return n, nil
	}
	for m, err := range r.messages(ctx, 0) {
		if err != nil {
			return 0, err
		}
		if m.ID == name {
			return m.Index, nil
		}
	}
	return 0, noMessage(&r.Session, name)
}

func noMessage(s *retold.Session, name string) error {
	return &retold.Error{
		Code: retold.CodeUsage, Err: fmt.Errorf("session %s has no message %q", s.ID, name),
		Hint: fmt.Sprintf("give the id of a message, or its index: there are %d, from 0 on", max(s.MessageCount, 0)),
	}
}
