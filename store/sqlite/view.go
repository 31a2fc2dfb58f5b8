package sqlite

import (
	"context"
	"fmt"

	engine "zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
)

// A view is the index as one commit left it, open on one connection.
type view struct {
	generation int64
	ids        []int64
	readers    []*index.Reader
	dead       []*deadBits
}

// isDead says which documents of a segment are no more.
func (v *view) isDead(seg int, doc uint32) bool { return v.dead[seg].has(doc) }

// view returns the index of the commit that the transaction of c sees. Segments
// never change, so those that the last view had stay open.
func (s *Store) view(c *conn) (*view, error) {
	generation, err := c.generation()
	if err != nil {
		return nil, err
	}
	if c.last != nil && c.last.generation == generation {
		return c.last, nil
	}
	open := map[int64]*index.Reader{}
	if c.last != nil {
		for i, id := range c.last.ids {
			open[id] = c.last.readers[i]
		}
	}
	v := &view{generation: generation}
	var infos []index.Info
	err = c.run("SELECT id, first, last, docs, tokens FROM segment ORDER BY first, id", func(row *engine.Stmt) error {
		v.ids = append(v.ids, row.ColumnInt64(0))
		infos = append(infos, index.Info{
			First: uint32(row.ColumnInt64(1)), Last: uint32(row.ColumnInt64(2)), Docs: row.ColumnInt(3), Tokens: row.ColumnInt64(4),
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, id := range v.ids {
		r := open[id]
		if r == nil {
			if r, err = s.openSegment(c, id, infos[i]); err != nil {
				return nil, err
			}
		}
		data, err := c.blob("SELECT data FROM segment_dead WHERE segment = ?", id)
		if err != nil {
			return nil, err
		}
		dead, err := decodeDead(data, infos[i].First, infos[i].Last)
		if err != nil {
			return nil, err
		}
		v.readers, v.dead = append(v.readers, r), append(v.dead, dead)
	}
	// A dead set may name documents of another segment, so that the sizes of the
	// sets are not what is missing; the map of documents knows.
	c.last = v
	return v, nil
}

func (s *Store) openSegment(c *conn, id int64, info index.Info) (*index.Reader, error) {
	var rows []byte
	err := c.run("SELECT head, rows FROM segment WHERE id = ?", func(row *engine.Stmt) error {
		info.Head, rows = column(row, 0), column(row, 1)
		return nil
	}, id)
	if err != nil {
		return nil, err
	}
	list, err := decodeBundles(rows)
	if err != nil {
		return nil, fmt.Errorf("segment %d: %w", id, err)
	}
	r, err := index.Open(info, func(n int) ([]byte, error) {
		return list.row(n, func(at int) ([]byte, error) { return s.bundle(c, bundleID(id, at)) })
	})
	if err != nil {
		return nil, fmt.Errorf("segment %d: %w", id, err)
	}
	return r, nil
}

// bundle reads some rows of a segment. A search asks for rows from several
// goroutines.
func (s *Store) bundle(c *conn, id int64) ([]byte, error) {
	if b, ok := s.bundles.get(id); ok {
		return b, nil
	}
	s.work.bundles.Add(1)
	c.mu.Lock()
	b, err := c.blob("SELECT data FROM bundle WHERE id = ?", id)
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, fmt.Errorf("bundle %d of segment %d is missing: %w", id&(1<<bundleBits-1), id>>bundleBits, errDamaged)
	}
	s.bundles.put(id, b)
	return b, nil
}

// sessionsWith decides the part of a filter that needs messages: nil when it
// asks nothing of them.
func (s *Store) sessionsWith(ctx context.Context, c *conn, f retold.Filter) (map[uint32]bool, error) {
	v, err := s.view(c)
	if err != nil {
		return nil, err
	}
	return index.Sessions(ctx, v.readers, f, v.isDead)
}
