package sqlite

import (
	"cmp"
	"context"
	"slices"

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

// messages visits the messages of docs, those of one page together.
func (l *loader) messages(ctx context.Context, docs []uint32, visit func(i int, m *retold.Message) error) error {
	list := make([]located, 0, len(docs))
	l.c.mu.Lock()
	for i, doc := range docs {
		at, err := l.where(doc)
		if err != nil {
			l.c.mu.Unlock()
			return err
		}
		list = append(list, located{i, at})
	}
	l.c.mu.Unlock()
	slices.SortFunc(list, func(a, b located) int { return cmp.Compare(a.at, b.at) })
	var page int64
	var raw string
	for _, one := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if one.at == 0 {
			continue
		}
		if session, ok := one.at.title(); ok {
			if e := l.cat.byNumber[uint32(session)]; e != nil {
				if err := visit(one.i, &retold.Message{Content: e.Title}); err != nil {
					return err
				}
			}
			continue
		}
		id, n := one.at.message()
		if id != page {
			var err error
			if raw, err = l.page(id); err != nil {
				return err
			}
			page = id
		}
		m, err := messageAt(raw, n)
		if err != nil {
			return err
		}
		if err := visit(one.i, &m); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) page(id int64) (string, error) {
	if raw, ok := l.s.pages.get(id); ok {
		return raw, nil
	}
	l.s.work.pages.Add(1)
	l.c.mu.Lock()
	p, err := l.s.packed(l.c, id)
	l.c.mu.Unlock()
	if err != nil {
		return "", err
	}
	return l.s.unpacked(id, p)
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
