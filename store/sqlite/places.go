package sqlite

import (
	"context"
	"time"

	engine "zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
)

const placeVersion = 1

// PutPlace remembers a place.
func (w *Writer) PutPlace(ctx context.Context, p retold.KeptPlace) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.begin(); err != nil {
		return err
	}
	var e encoder
	e.byte(placeVersion)
	e.bool(p.Used)
	e.str(p.Reason)
	e.int(int64(p.Mapping))
	e.time(p.Synced)
	e.bool(p.Memory == nil)
	e.b = append(e.b, encodeProblems(p.Problems)...)
	w.pending += len(p.Memory)
	err := w.c.run("INSERT OR REPLACE INTO place VALUES (?, ?, ?, ?, ?)", nil, p.Agent, p.Path, p.Kind, e.b, p.Memory)
	if err != nil {
		return w.fail(err)
	}
	return nil
}

// Places returns what is remembered of every place ever read, by agent, path and
// kind.
func (s *Store) Places(ctx context.Context) (list []retold.KeptPlace, err error) {
	err = s.read(ctx, func(c *conn) error {
		return c.run("SELECT agent, path, kind, body, memory FROM place ORDER BY agent, path, kind", func(row *engine.Stmt) error {
			p := retold.KeptPlace{Place: retold.Place{Agent: row.ColumnText(0), Path: row.ColumnText(1), Kind: row.ColumnText(2)}}
			d := &decoder{b: string(column(row, 3))}
			if d.byte() != placeVersion {
				return errDamaged
			}
			p.Used, p.Reason, p.Mapping, p.Synced = d.bool(), d.str(), int(d.int()), d.time()
			if none := d.bool(); !none {
				p.Memory = column(row, 4)
			}
			var err error
			if p.Problems, err = decodeProblems(d.b); err != nil {
				return err
			}
			list = append(list, p)
			return d.err()
		})
	})
	return list, err
}

// forgotten reports whether a session has a tombstone. The writer's lock is
// held.
func (w *Writer) forgotten(key retold.Key) (bool, error) {
	n, err := w.c.number("SELECT count(*) FROM forgotten WHERE family = ? AND sid = ?", key.Family, key.ID)
	return n > 0, err
}

// Forgotten reports whether a session was forgotten at somebody's wish.
func (w *Writer) Forgotten(key retold.Key) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.broken != nil {
		return false // whatever is put now is refused anyway
	}
	gone, err := w.forgotten(key)
	if err != nil {
		_ = w.fail(err) // the next call returns it
	}
	return gone
}

// tombstone is when a session was forgotten.
func (w *Writer) tombstone(key retold.Key, now time.Time) error {
	return w.c.run("INSERT OR REPLACE INTO forgotten VALUES (?, ?, ?)", nil, key.Family, key.ID, now.UnixMilli())
}
