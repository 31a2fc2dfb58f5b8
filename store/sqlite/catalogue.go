package sqlite

import (
	"context"
	"fmt"
	"sync"

	engine "zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
)

// A catalogue is what listings say of every session, in listing order. It holds
// as long as the library's generation is the same.
type catalogue struct {
	generation int64
	entries    []entry
	byNumber   map[uint32]*entry
}

// An entry is one session of a catalogue.
type entry struct {
	retold.Header
	number int64
	key    retold.Key
}

// shared is what all connections use together.
type shared struct {
	mu        sync.Mutex
	catalogue *catalogue
}

// generation is the number of the commit that the transaction of c sees.
func (c *conn) generation() (int64, error) { return c.number("SELECT generation FROM state") }

// catalogue returns that of the commit which the transaction of c sees.
func (s *Store) catalogue(c *conn) (*catalogue, error) {
	generation, err := c.generation()
	if err != nil {
		return nil, err
	}
	s.shared.mu.Lock()
	cat := s.shared.catalogue
	s.shared.mu.Unlock()
	if cat != nil && cat.generation == generation {
		return cat, nil
	}
	cat = &catalogue{generation: generation, byNumber: map[uint32]*entry{}}
	err = c.run("SELECT id, body FROM session"+listing, func(row *engine.Stmt) error {
		s.work.sessions.Add(1)
		k, err := decodeKept(string(column(row, 1)), false)
		if err != nil {
			return fmt.Errorf("session %d: %w", row.ColumnInt64(0), err)
		}
		k.Index = len(cat.entries) + 1
		cat.entries = append(cat.entries, entry{
			Header: retold.Header{Session: k.Session, Empty: k.Empty, Draft: k.Draft}, number: row.ColumnInt64(0), key: k.Key,
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range cat.entries {
		cat.byNumber[uint32(cat.entries[i].number)] = &cat.entries[i]
	}
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	if old := s.shared.catalogue; old == nil || old.generation < generation {
		s.shared.catalogue = cat
	}
	return cat, nil
}

// wanted returns the entries that pass a filter, in listing order.
func (s *Store) wanted(ctx context.Context, c *conn, f retold.Filter) ([]*entry, error) {
	cat, err := s.catalogue(c)
	if err != nil {
		return nil, err
	}
	var with map[uint32]bool
	if f.NeedsMessages() {
		if with, err = s.sessionsWith(ctx, c, f); err != nil {
			return nil, err
		}
	}
	var wanted []*entry
	for i := range cat.entries {
		e := &cat.entries[i]
		if f.MatchHeader(e.Header) && (with == nil || with[uint32(e.number)]) {
			wanted = append(wanted, e)
		}
	}
	return wanted, nil
}
