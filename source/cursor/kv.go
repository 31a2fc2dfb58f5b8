package cursor

import (
	"context"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/livedb"
)

// A row is one record of a key-value table. A NULL value is a tombstone.
type row struct {
	rowid int64
	key   string
	value []byte
	null  bool
	err   error // the value lies in a damaged part of the file
}

// tables tells which of the tables this package reads a database has.
type tables struct{ items, disk, heads bool }

func findTables(conn *sqlite.Conn) (t tables, err error) {
	err = sqlitex.Execute(conn, "SELECT name FROM sqlite_schema WHERE type = 'table'", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			switch s.ColumnText(0) {
			case "ItemTable":
				t.items = true
			case "cursorDiskKV":
				t.disk = true
			case "composerHeaders":
				t.heads = true
			}
			return nil
		},
	})
	return t, err
}

func column(s *sqlite.Stmt, i int) []byte {
	b := make([]byte, s.ColumnLen(i))
	s.ColumnBytes(i, b)
	return b
}

func readRow(s *sqlite.Stmt) row {
	return row{rowid: s.ColumnInt64(0), key: s.ColumnText(1), value: column(s, 2), null: s.ColumnType(2) == sqlite.TypeNull}
}

// get reads the records of the given keys that exist.
func get(conn *sqlite.Conn, table string, keys ...string) (map[string]row, error) {
	found := make(map[string]row, len(keys))
	for _, key := range keys {
		err := sqlitex.Execute(conn, "SELECT rowid, key, value FROM "+table+" WHERE key = ?", &sqlitex.ExecOptions{
			Args:       []any{key},
			ResultFunc: func(s *sqlite.Stmt) error { found[key] = readRow(s); return nil },
		})
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", key, err)
		}
	}
	return found, nil
}

// end is the smallest key behind all keys that start with prefix; prefixes end
// in ASCII here.
func end(prefix string) string {
	last := len(prefix) - 1
	return prefix[:last] + string(prefix[last]+1)
}

// scan reads the records whose keys start with prefix in key order, a page per
// transaction so that the writer's log can be reset in between. A record in a
// damaged part of the file comes without its value and with err set.
func scan(ctx context.Context, db *livedb.DB, table, prefix string, page int, visit func(row) error) error {
	size := page
	for from := prefix; ; {
		rows, err := readPage(ctx, db, table, from, prefix, size)
		switch {
		case retold.CodeOf(err) == retold.CodeDatabaseCorrupt && size > 1:
			size = 1 // find the record that cannot be read
			continue
		case retold.CodeOf(err) == retold.CodeDatabaseCorrupt:
			broken, keyErr := readKey(ctx, db, table, from, prefix)
			if keyErr != nil { // the index is damaged too: no way past this place
				return fmt.Errorf("read %s*: %w", prefix, err)
			}
			broken.err = err
			rows, size = []row{broken}, page
		case err != nil:
			return fmt.Errorf("read %s*: %w", prefix, err)
		case len(rows) < size:
			return visitAll(rows, visit)
		}
		if err := visitAll(rows, visit); err != nil {
			return err
		}
		from = rows[len(rows)-1].key + "\x00"
	}
}

func visitAll(rows []row, visit func(row) error) error {
	for _, r := range rows {
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}

func readPage(ctx context.Context, db *livedb.DB, table, from, prefix string, page int) (rows []row, err error) {
	err = db.Read(ctx, func(conn *sqlite.Conn) error {
		rows = rows[:0]
		return sqlitex.Execute(conn, "SELECT rowid, key, value FROM "+table+" WHERE key >= ? AND key < ? ORDER BY key LIMIT ?",
			&sqlitex.ExecOptions{Args: []any{from, end(prefix), page}, ResultFunc: func(s *sqlite.Stmt) error {
				rows = append(rows, readRow(s))
				return nil
			}})
	})
	return rows, err
}

// readKey reads the first key from a place on, from the index alone.
func readKey(ctx context.Context, db *livedb.DB, table, from, prefix string) (r row, err error) {
	err = db.Read(ctx, func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, "SELECT rowid, key FROM "+table+" WHERE key >= ? AND key < ? ORDER BY key LIMIT 1",
			&sqlitex.ExecOptions{Args: []any{from, end(prefix)}, ResultFunc: func(s *sqlite.Stmt) error {
				r = row{rowid: s.ColumnInt64(0), key: s.ColumnText(1)}
				return nil
			}})
	})
	if err == nil && r.key == "" {
		err = fmt.Errorf("no key from %q on", from)
	}
	return r, err
}

func exists(conn *sqlite.Conn, query, arg string) (found bool, err error) {
	err = sqlitex.Execute(conn, query, &sqlitex.ExecOptions{
		Args:       []any{arg},
		ResultFunc: func(*sqlite.Stmt) error { found = true; return nil },
	})
	return found, err
}

// keys lists the keys that start with prefix, with their rowids, from the index
// alone.
func keys(conn *sqlite.Conn, prefix string) (list []row, err error) {
	err = sqlitex.Execute(conn, "SELECT rowid, key FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key", &sqlitex.ExecOptions{
		Args: []any{prefix, end(prefix)},
		ResultFunc: func(s *sqlite.Stmt) error {
			list = append(list, row{rowid: s.ColumnInt64(0), key: s.ColumnText(1)})
			return nil
		},
	})
	return list, err
}

// bubbleKeys is sizedKeys without the lengths, from the index alone.
func bubbleKeys(conn *sqlite.Conn, prefix string, visit func(key string, r bubbleRow)) error {
	list, err := keys(conn, prefix)
	for _, k := range list {
		visit(k.key, bubbleRow{k.rowid, -2})
	}
	return err
}

// bubbleOwners lists the conversations that have bubbles, jumping from each to
// the next: it reads as many index entries as there are conversations. A
// bubble's own id never holds a colon, a conversation's may.
func bubbleOwners(conn *sqlite.Conn) (ids []string, err error) {
	const family = "bubbleId:"
	stmt, err := conn.Prepare("SELECT key FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key LIMIT 1")
	if err != nil {
		return nil, err
	}
	for from := family; ; {
		stmt.BindText(1, from)
		stmt.BindText(2, end(family))
		more, err := stmt.Step()
		if err != nil || !more {
			return ids, err
		}
		key := stmt.ColumnText(0)
		if err := stmt.Reset(); err != nil {
			return nil, err
		}
		if id, ok := ownerOf(key); ok {
			ids = append(ids, id)
			from = family + id + ";"
		} else {
			from = key + "\x00"
		}
	}
}

// ownerOf is the conversation that a bubbleId key names; not ok for a key
// without a third part.
func ownerOf(key string) (id string, ok bool) {
	rest := strings.TrimPrefix(key, "bubbleId:")
	i := strings.LastIndexByte(rest, ':')
	if i < 0 {
		return "", false
	}
	return rest[:i], true
}
