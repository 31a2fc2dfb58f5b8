package sqlite

import (
	"context"

	engine "zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
)

// parts notes which records tell of a session. The writer's lock is held.
func (w *Writer) parts(session int64, parts []retold.Part) error {
	if err := w.c.run("DELETE FROM part WHERE session = ?", nil, session); err != nil {
		return err
	}
	for i := range parts {
		if parts[i].Gone {
			continue
		}
		ref := parts[i].Ref
		if err := w.c.run("INSERT INTO part VALUES (?, ?, ?, ?, ?)", nil, session, i, ref.Agent, ref.Place, ref.ID); err != nil {
			return err
		}
	}
	return nil
}

// Parts returns the keys of the sessions that have a part in a place.
func (s *Store) Parts(ctx context.Context, agent, place string) (keys map[string]retold.Key, err error) {
	keys = map[string]retold.Key{}
	err = s.read(ctx, func(c *conn) error {
		const sql = "SELECT part.ref, session.family, session.sid FROM part CROSS JOIN session ON session.id = part.session" +
			" WHERE part.agent = ? AND part.place = ?"
		return c.run(sql, func(row *engine.Stmt) error {
			keys[row.ColumnText(0)] = retold.Key{Family: row.ColumnText(1), ID: row.ColumnText(2)}
			return nil
		}, agent, place)
	})
	return keys, err
}

// Pending returns the sessions whose messages are still to be read, in listing
// order. Their Index is not set.
func (s *Store) Pending(ctx context.Context) (list []retold.Kept, err error) {
	err = s.read(ctx, func(c *conn) error {
		list, err = s.bodies(c, "SELECT body FROM session INDEXED BY session_pending WHERE pending"+listing)
		return err
	})
	return list, err
}

// Changed returns the sessions put since a revision, the first put first, and
// the latest revision.
func (s *Store) Changed(ctx context.Context, since int64) (list []retold.Kept, now int64, err error) {
	err = s.read(ctx, func(c *conn) error {
		if now, err = c.number("SELECT revision FROM state"); err != nil {
			return err
		}
		list, err = s.bodies(c, "SELECT body FROM session WHERE revision > ? ORDER BY revision", since)
		return err
	})
	return list, now, err
}
