package cursor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/livedb"
)

var _ retold.Excerpter = (*Source)(nil)

// Excerpt copies what PlanRestore reads of a database for some conversations: their
// records, what these refer to, their rows, and the lists that name them, of which
// the entries of others are left out later. All of it is read in one transaction.
func (s *Source) Excerpt(ctx context.Context, p retold.Piece, sessions []string, to string) (note string, err error) {
	db, err := livedb.Open(ctx, p.Path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.Read(ctx, func(conn *sqlite.Conn) error {
		return excerpt(ctx, conn, to, sessions, strings.HasPrefix(p.Name, "globalStorage/"))
	})
	return db.Note(), err
}

// excerpt makes the file at to anew.
func excerpt(ctx context.Context, from *sqlite.Conn, to string, sessions []string, global bool) (err error) {
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	conn, err := sqlite.OpenConn(to, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// Nobody wants the copy when this process or the machine dies on the way.
	for _, sql := range []string{"PRAGMA journal_mode=OFF", "PRAGMA synchronous=OFF", "PRAGMA locking_mode=EXCLUSIVE"} {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			return err
		}
	}
	if err := copySchema(from, conn); err != nil {
		return err
	}
	defer sqlitex.Save(conn)(&err)
	t, err := findTables(from)
	if err != nil {
		return err
	}
	x := &excerpting{ctx: ctx, from: from, to: conn, refs: references{seen: map[string]bool{}}, taken: map[string]bool{}}
	if t.items {
		for _, key := range []string{keyHeaders, keyProjects, keyMembership, keyComposers, keyChatData} {
			if err := x.copy("ItemTable", "key", key); err != nil {
				return err
			}
		}
	}
	for _, id := range sessions {
		if err := x.session(id, t.disk && global, t.heads); err != nil {
			return fmt.Errorf("copy the records of %s: %w", id, err)
		}
	}
	return nil
}

// excerpting is one excerpt under way.
type excerpting struct {
	ctx      context.Context
	from, to *sqlite.Conn
	refs     references
	taken    map[string]bool
}

func (x *excerpting) session(id string, records, heads bool) error {
	if heads {
		if err := x.copy("composerHeaders", "composerId", id); err != nil {
			return err
		}
	}
	if !records {
		return nil
	}
	own, err := ownKeysIn(x.from, id)
	if err != nil {
		return err
	}
	for _, key := range []string{"composerData:" + id, id + cloudSuffix} {
		if err := x.copy("cursorDiskKV", "key", key); err != nil {
			return err
		}
	}
	for _, k := range own {
		if err := x.copy("cursorDiskKV", "key", k.key); err != nil {
			return err
		}
	}
	for len(x.refs.next) > 0 {
		key := x.refs.next[0]
		x.refs.next = x.refs.next[1:]
		if err := x.copy("cursorDiskKV", "key", key); err != nil {
			return err
		}
	}
	return nil
}

// copy copies one row with all its columns, and notes what it refers to.
func (x *excerpting) copy(table, column, key string) error {
	if err := x.ctx.Err(); err != nil || x.taken[table+"\x00"+key] {
		return err
	}
	x.taken[table+"\x00"+key] = true
	return sqlitex.Execute(x.from, "SELECT * FROM "+table+" WHERE "+column+" = ?", &sqlitex.ExecOptions{
		Args: []any{key},
		ResultFunc: func(s *sqlite.Stmt) error {
			n := s.ColumnCount()
			in, err := x.to.Prepare("INSERT INTO " + table + " VALUES (" + strings.TrimSuffix(strings.Repeat("?,", n), ",") + ")")
			if err != nil {
				return err
			}
			for i := range n {
				v := storedValue(s, i)
				bindValue(in, i+1, v)
				if table == "cursorDiskKV" && s.ColumnName(i) == "value" {
					x.note(key, v.Bytes)
				}
			}
			_, err = in.Step()
			return errors.Join(err, in.Reset())
		},
	})
}

// note notes what a record refers to; texts of edits refer to nothing.
func (x *excerpting) note(key string, value []byte) {
	id, blob := strings.CutPrefix(key, "agentKv:blob:")
	switch {
	case blob:
		x.refs.note(plainBlob(id, value))
	case !strings.HasPrefix(key, contentKeys):
		x.refs.note(value)
	}
}

func bindValue(s *sqlite.Stmt, i int, v retold.Value) {
	switch v.Class {
	case retold.ClassInteger:
		s.BindInt64(i, v.Int)
	case retold.ClassReal:
		s.BindFloat(i, v.Float)
	case retold.ClassText:
		s.BindText(i, string(v.Bytes))
	case retold.ClassBlob:
		s.BindBytes(i, v.Bytes)
	default:
		s.BindNull(i)
	}
}

// copySchema makes the tables that hold conversations as another database has them.
func copySchema(from, to *sqlite.Conn) error {
	err := sqlitex.Execute(from, `SELECT sql FROM sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL
		AND tbl_name IN ('ItemTable', 'cursorDiskKV', 'composerHeaders') ORDER BY type DESC`, &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error { return sqlitex.ExecuteTransient(to, s.ColumnText(0), nil) },
	})
	if err != nil {
		return err
	}
	return sqlitex.ExecuteTransient(from, "PRAGMA user_version", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		return sqlitex.ExecuteTransient(to, fmt.Sprintf("PRAGMA user_version = %d", s.ColumnInt64(0)), nil)
	}})
}
