package sqlite

import (
	"context"
	"errors"
	"fmt"

	engine "zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
)

// listing is the order of every listing; the index session_listing holds it.
const listing = " ORDER BY empty, touched DESC, sid, agent, family"

// List returns the sessions that f wants. Without conditions it reads only the
// rows it returns; with conditions it decides from the catalogue of all
// sessions, which stays in memory until something changes.
func (s *Store) List(ctx context.Context, f retold.Filter, limit, offset int) (list []retold.Kept, total int, err error) {
	offset = max(offset, 0)
	err = s.read(ctx, func(c *conn) error {
		if plain(f) {
			list, total, err = s.page0(c, f.Empty, limit, offset)
			return err
		}
		wanted, err := s.wanted(ctx, c, f)
		if err != nil {
			return err
		}
		total = len(wanted)
		wanted = wanted[min(offset, total):]
		if limit >= 0 {
			wanted = wanted[:min(limit, len(wanted))]
		}
		list = make([]retold.Kept, 0, len(wanted))
		for _, e := range wanted {
			k, err := s.entry(c, e.number, e.Index)
			if err != nil {
				return err
			}
			list = append(list, *k)
		}
		return nil
	})
	return list, total, err
}

// plain reports whether a filter has no condition but Empty.
func plain(f retold.Filter) bool {
	return len(f.Agents)+len(f.Workspaces)+len(f.Models)+len(f.Branches)+len(f.Titles)+len(f.Sessions)+len(f.Except) == 0 &&
		f.Since.IsZero() && f.Until.IsZero() && !f.NeedsMessages()
}

// page0 reads a part of the whole listing: what is not empty is its beginning.
func (s *Store) page0(c *conn, empty bool, limit, offset int) (list []retold.Kept, total int, err error) {
	count, rows := "SELECT count(*) FROM session WHERE empty = 0", "SELECT body FROM session WHERE empty = 0"
	if empty {
		count, rows = "SELECT count(*) FROM session", "SELECT body FROM session"
	}
	n, err := c.number(count)
	if err != nil {
		return nil, 0, err
	}
	list, err = s.bodies(c, rows+listing+" LIMIT ? OFFSET ?", limit, offset)
	for i := range list {
		list[i].Index = offset + i + 1
	}
	return list, int(n), err
}

// bodies reads the sessions whose bodies sql selects.
func (s *Store) bodies(c *conn, sql string, args ...any) ([]retold.Kept, error) {
	list := []retold.Kept{}
	err := c.run(sql, func(row *engine.Stmt) error {
		s.work.sessions.Add(1)
		k, err := decodeKept(string(column(row, 0)), true)
		if err != nil {
			return err
		}
		list = append(list, *k)
		return nil
	}, args...)
	return list, err
}

// entry reads one session of the listing.
func (s *Store) entry(c *conn, number int64, index int) (*retold.Kept, error) {
	s.work.sessions.Add(1)
	b, err := c.blob("SELECT body FROM session WHERE id = ?", number)
	if err != nil {
		return nil, err
	}
	k, err := decodeKept(string(b), true)
	if err != nil {
		return nil, fmt.Errorf("session %d: %w", number, err)
	}
	k.Index = index
	return k, nil
}

// Find returns the listing's entries whose id starts with prefix. It reads the
// listing's index and the rows it returns.
func (s *Store) Find(ctx context.Context, prefix string, fold bool, limit int) (list []retold.Kept, err error) {
	type place struct {
		number int64
		index  int
	}
	starts := startsWith(prefix, fold)
	err = s.read(ctx, func(c *conn) error {
		var found []place
		index := 0
		err := c.run("SELECT id, sid FROM session"+listing, func(row *engine.Stmt) error {
			index++
			if starts(row.ColumnText(1)) {
				found = append(found, place{row.ColumnInt64(0), index})
			}
			if limit >= 0 && len(found) >= limit {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			return err
		}
		list = make([]retold.Kept, 0, len(found))
		for _, p := range found[:cut(limit, len(found))] {
			k, err := s.entry(c, p.number, p.index)
			if err != nil {
				return err
			}
			list = append(list, *k)
		}
		return nil
	})
	return list, err
}

func cut(limit, n int) int {
	if limit < 0 {
		return n
	}
	return min(limit, n)
}

// At returns the entry with an index.
func (s *Store) At(ctx context.Context, index int) (k *retold.Kept, err error) {
	if index < 1 {
		return nil, noSession(fmt.Sprintf("#%d", index))
	}
	err = s.read(ctx, func(c *conn) error {
		list, _, err := s.page0(c, true, 1, index-1)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return noSession(fmt.Sprintf("#%d", index))
		}
		k = &list[0]
		return nil
	})
	return k, err
}

func noSession(name string) error {
	return &retold.Error{Code: retold.CodeSessionNotFound, Op: "find session", Path: name, Hint: "retold list"}
}
