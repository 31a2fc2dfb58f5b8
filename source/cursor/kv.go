package cursor

import (
	"bytes"
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold/internal/livedb"
)

// A row is one record of a key-value table. A NULL value is a tombstone.
type row struct {
	rowid int64
	key   string
	value []byte
	null  bool
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
// transaction so that the writer's log can be reset in between.
func scan(ctx context.Context, db *livedb.DB, table, prefix string, page int, visit func(row) error) error {
	from := prefix
	for {
		var rows []row
		err := db.Read(ctx, func(conn *sqlite.Conn) error {
			rows = rows[:0]
			return sqlitex.Execute(conn, "SELECT rowid, key, value FROM "+table+" WHERE key >= ? AND key < ? ORDER BY key LIMIT ?",
				&sqlitex.ExecOptions{Args: []any{from, end(prefix), page}, ResultFunc: func(s *sqlite.Stmt) error {
					rows = append(rows, readRow(s))
					return nil
				}})
		})
		if err != nil {
			return fmt.Errorf("read %s*: %w", prefix, err)
		}
		for _, r := range rows {
			if err := visit(r); err != nil {
				return err
			}
		}
		if len(rows) < page {
			return nil
		}
		from = rows[len(rows)-1].key + "\x00"
	}
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

// owners lists the ids in the second part of the keys of a family
// ("bubbleId:<id>:…"), jumping from each to the next: it reads as many index
// entries as there are ids.
func owners(conn *sqlite.Conn, family string) (ids []string, err error) {
	stmt, err := conn.Prepare("SELECT key FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key LIMIT 1")
	if err != nil {
		return nil, err
	}
	from := family + ":"
	for {
		stmt.BindText(1, from)
		stmt.BindText(2, family+";")
		more, err := stmt.Step()
		if err != nil || !more {
			return ids, err
		}
		key := stmt.ColumnText(0)
		if err := stmt.Reset(); err != nil {
			return nil, err
		}
		id, _, _ := bytes.Cut([]byte(key[len(family)+1:]), []byte(":"))
		ids = append(ids, string(id))
		from = family + ":" + string(id) + ";"
		if key == family+":"+string(id) { // a key without a third part
			from = key + "\x00"
		}
	}
}
