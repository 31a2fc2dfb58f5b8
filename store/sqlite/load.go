package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/retold-history/retold"
)

// A loader gets the messages of documents, for one search on one connection.
// It may be used from several goroutines: SQL runs one at a time, unpacking does
// not.
type loader struct {
	s      *Store
	c      *conn
	cat    *catalogue
	blocks map[uint32]*docBlock // under the connection's lock
}

// where returns the location of a document; the connection's lock is held.
func (l *loader) where(doc uint32) (location, error) {
	n := doc / blockSize
	b := l.blocks[n]
	if b == nil {
		var err error
		if b, err = l.c.docBlock(n); err != nil {
			return 0, err
		}
		l.blocks[n] = b
	}
	return b[doc%blockSize], nil
}

// located is a document to be loaded.
type located struct {
	i  int
	at location
}

// keptMessages is how many messages a call may ask for so that they are kept for
// the next: a page of hits, not the candidates of a whole history.
const keptMessages = 64

// messages visits the messages of docs, those of one page together.
func (l *loader) messages(ctx context.Context, docs []uint32, visit func(i int, m *retold.Message) error) error {
	list, err := l.locate(docs)
	if err != nil {
		return err
	}
	return l.read(ctx, list, len(docs) <= keptMessages, visit)
}

// shared is messages for a page of hits, divided among workers: visit is called
// from several goroutines.
func (l *loader) shared(ctx context.Context, docs []uint32, workers int, visit func(i int, m *retold.Message) error) error {
	list, err := l.locate(docs)
	if err != nil {
		return err
	}
	share := max(4, (len(list)+workers-1)/workers)
	g, ctx := errgroup.WithContext(ctx)
	for len(list) > 0 {
		part := list[:min(share, len(list))]
		list = list[len(part):]
		g.Go(func() error { return l.read(ctx, part, len(docs) <= keptMessages, visit) })
	}
	return g.Wait()
}

// read visits the messages that were located.
func (l *loader) read(ctx context.Context, list []located, keep bool, visit func(i int, m *retold.Message) error) error {
	r, err := l.reader(keep)
	if err != nil {
		return err
	}
	defer r.giveBack()
	for _, one := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if session, ok := one.at.title(); ok {
			if e := l.cat.byNumber[uint32(session)]; e != nil {
				if err := visit(one.i, &retold.Message{Content: e.Title}); err != nil {
					return err
				}
			}
			continue
		}
		encoded, err := r.encoded(one.at)
		if err != nil {
			return err
		}
		d := &decoder{b: encoded}
		m := d.message()
		if d.bad {
			return errDamaged
		}
		if err := visit(one.i, &m); err != nil {
			return err
		}
	}
	return nil
}

// locate says where documents lie, in the order of that; those that are no longer
// there are left out.
func (l *loader) locate(docs []uint32) ([]located, error) {
	list := make([]located, 0, len(docs))
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	for i, doc := range docs {
		at, err := l.where(doc)
		if err != nil {
			return nil, err
		}
		if at != 0 {
			list = append(list, located{i, at})
		}
	}
	slices.SortFunc(list, func(a, b located) int { return cmp.Compare(a.at, b.at) })
	return list, nil
}

// A messageReader reads messages in the order of their locations.
type messageReader struct {
	*loader
	*unpacker
	keep bool
	id   int64 // of the page at hand
	page pageReader
}

func (l *loader) reader(keep bool) (*messageReader, error) {
	u, err := borrowUnpacker()
	return &messageReader{loader: l, unpacker: u, keep: keep}, err
}

// encoded returns the bytes of the message at a location.
func (r *messageReader) encoded(at location) (string, error) {
	if b, ok := r.s.messages.get(int64(at)); ok {
		return b, nil
	}
	id, n := at.message()
	if id != r.id {
		raw, err := r.loader.page(id, r.unpacker)
		if err != nil {
			return "", err
		}
		r.id, r.page = id, pageReader{raw: raw}
	}
	b, err := r.page.encoded(n)
	if err == nil && r.keep {
		r.s.messages.put(int64(at), b)
	}
	return b, err
}

// page reads and unpacks a page, which is good until the next is asked for.
func (l *loader) page(id int64, u *unpacker) ([]byte, error) {
	l.s.work.page()
	l.c.mu.Lock()
	p, err := l.s.packed(l.c, id, u.packed)
	l.c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	u.packed = p.data[:0]
	raw, err := u.unpack(p)
	if err != nil {
		return nil, fmt.Errorf("unpack page %d: %w", id, err)
	}
	return raw, nil
}

// index returns the place of a document's message in its session.
func (l *loader) index(session int64, at location) (int, error) {
	m, err := l.c.manifest(session)
	if err != nil {
		return 0, err
	}
	page, n := at.message()
	for _, p := range m.pages {
		if p.id == page {
			return n, nil
		}
		n += p.messages
	}
	return 0, errDamaged
}
