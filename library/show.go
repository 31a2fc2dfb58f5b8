package library

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/retold-history/retold"
)

// Show reads the session that selector chooses (see [Library.Find]), whole and in
// memory; [Library.Read] reads a part. Errors are those of Find, and that of the
// source when the session cannot be read and nothing of it is kept.
func (l *Library) Show(ctx context.Context, selector string) (whole *retold.SessionDetail, err error) {
	defer l.call(&ctx, &err)()
	store, k, err := l.find(ctx, selector)
	if err != nil {
		return nil, err
	}
	return l.detail(ctx, store, *k)
}

// detail reads a session whole, from its sources first when nobody has yet.
func (l *Library) detail(ctx context.Context, store retold.Store, k retold.Kept) (*retold.SessionDetail, error) {
	some, err := l.ensure(ctx, store, []retold.Kept{k})
	if err != nil {
		return nil, err
	}
	full, err := store.Get(ctx, k.Key)
	if err != nil {
		return nil, err
	}
	d := &retold.SessionDetail{Session: full.Session, ProblemList: full.ProblemList}
	if some[0].Pending || full.MessageCount < 0 { // nothing can be written here, or nothing could ever be read
		if d, err = l.unkept(ctx, store, full); err != nil {
			return nil, err
		}
		d.Index = k.Index
		return d, nil
	}
	d.Index = k.Index
	if d.MessageCount > 0 {
		d.Messages = make([]retold.Message, 0, d.MessageCount)
	}
	for m, err := range store.Messages(ctx, k.Key, 0) {
		if err != nil {
			return nil, err
		}
		d.Messages = append(d.Messages, m)
	}
	d.MessageCount = len(d.Messages)
	return d, nil
}

// unkept reads a session from its sources for an answer, without keeping it.
func (l *Library) unkept(ctx context.Context, store retold.Store, k *retold.Kept) (*retold.SessionDetail, error) {
	for i := range k.Parts {
		k.Parts[i].Memory = nil
	}
	w := &onePage{}
	s := sessionReader{store: store, w: w, sources: l.sources, kept: k, counted: func(*retold.Message) {}}
	if _, err := s.read(ctx); err != nil {
		return nil, err
	}
	d := &retold.SessionDetail{Session: k.Session, ProblemList: k.ProblemList, Messages: w.messages}
	d.MessageCount = len(d.Messages)
	return d, nil
}

// onePage is a sheet that nobody puts.
type onePage struct {
	retold.StoreWriter
	messages []retold.Message
}

func (p *onePage) Sheet(context.Context, retold.Key, int) (retold.Sheet, error) { return p, nil }

func (p *onePage) Add(_ context.Context, m retold.Message) error {
	m.Index = len(p.messages)
	p.messages = append(p.messages, m)
	return nil
}

func (p *onePage) Drop() {}

// Children returns the headers of the sub-agents that the session with the id
// parent started, the first first; none for an id that nobody knows. It returns
// the usual errors.
func (l *Library) Children(ctx context.Context, parent string) (out []retold.Header, err error) {
	defer l.call(&ctx, &err)()
	list, _, err := l.all(ctx, retold.Filter{})
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(k retold.Kept) bool { return k.ParentID != parent })
	slices.Reverse(list)
	store, err := l.shelf.open(ctx)
	if err != nil {
		return nil, err
	}
	if list, err = l.ensure(ctx, store, list); err != nil { // a title may be what was said first
		return nil, err
	}
	for _, k := range list {
		out = append(out, headerOf(k))
	}
	return out, nil
}

// Each yields every session that f wants, whole, in listing order, one in memory
// at a time. A yielded error comes with a nil session. It concerns one session
// and the loop goes on, except that nothing follows the error of an ended context,
// of a closed library, of a machine without history, or of a library that cannot
// be read. Files whose sessions could not even be listed are in
// [Library.Problems]. The loop's body may call any method, and take its time.
func (l *Library) Each(ctx context.Context, f retold.Filter) iter.Seq2[*retold.SessionDetail, error] {
	return func(yield func(*retold.SessionDetail, error) bool) {
		store, list, _, err := l.eachOf(ctx, f)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, k := range list {
			d, err := l.eachOne(ctx, store, k)
			if ended := ended(ctx, err); ended != nil {
				yield(nil, ended)
				return
			}
			if errors.Is(err, retold.ErrSessionNotFound) { // forgotten since it was listed
				continue
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// eachOf and eachOne are calls of their own, so that nobody waits for the body of
// a loop over Each.
func (l *Library) eachOf(ctx context.Context, f retold.Filter) (_ retold.Store, list []retold.Kept, problems []retold.Problem, err error) {
	defer l.call(&ctx, &err)()
	store, fresh, err := l.current(ctx, true)
	if err != nil {
		return nil, nil, nil, err
	}
	list, _, err = store.List(ctx, f, -1, 0)
	return store, list, fresh.problems, err
}

func (l *Library) eachOne(ctx context.Context, store retold.Store, k retold.Kept) (_ *retold.SessionDetail, err error) {
	defer l.call(&ctx, &err)()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.detail(ctx, store, k)
}

// ended is the error that leaves nothing more to read; nil when err, if there is
// any, concerns one session.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(err, ErrClosed) {
		return err
	}
	return ctx.Err()
}
