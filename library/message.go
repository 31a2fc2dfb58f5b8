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
		return &windowReader{*d, func(_ context.Context, from int) iter.Seq2[retold.Message, error] {
			return func(yield func(retold.Message, error) bool) {
				for _, m := range d.Messages[min(from, len(d.Messages)):] {
					if !yield(m, nil) {
						return
					}
				}
			}
		}}, nil
	}
	full, err := store.Get(ctx, k.Key)
	if err != nil {
		return nil, err
	}
	full.Index = k.Index
	return &windowReader{
		retold.SessionDetail{Session: full.Session, ProblemList: full.ProblemList},
		func(ctx context.Context, from int) iter.Seq2[retold.Message, error] {
			return store.Messages(ctx, k.Key, from)
		},
	}, nil
}

// indexes are those of the messages of some roles.
func (r *windowReader) indexes(ctx context.Context, roles []retold.Role) (out []int, err error) {
	for m, err := range r.messages(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if slices.Contains(roles, m.Role) {
			out = append(out, m.Index)
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

// places are the messages of the wanted roles: all n, or those with the indexes of.
type places struct {
	n  int
	of []int
}

// from is the place of the first message with an index of at least this.
func (p places) from(index int) int {
	if p.of == nil {
		return min(index, p.n)
	}
	i, _ := slices.BinarySearch(p.of, index)
	return i
}

func (p places) index(place int) int {
	if p.of == nil {
		return place
	}
	return p.of[place]
}

func noMessage(s *retold.Session, name string) error {
	return &retold.Error{
		Code: retold.CodeUsage, Err: fmt.Errorf("session %s has no message %q", s.ID, name),
		Hint: fmt.Sprintf("give the id of a message, or its index: there are %d, from 0 on", max(s.MessageCount, 0)),
	}
}
