package change

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/livedb"
)

// newestSchema is the user_version of every database of Cursor's so far; a
// higher one means a build that keeps things in a way nobody here has seen.
const newestSchema = 1

// patience is how long a database may be busy.
const patience = 2 * time.Second

// A database is one file held for writing: from hold to commit or close nobody
// else can write to it.
type database struct {
	path  string
	conn  *sqlite.Conn
	steps []step
	unpin func() error // lets readers of this process close the file again
}

// hold opens a database and begins the transaction in which everything is
// checked and written.
func hold(ctx context.Context, path string, steps []step) (*database, error) {
	p := filepath.ToSlash(path)
	if runtime.GOOS == "windows" && !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	// A URI, because only its mode keeps SQLite from making a file that is missing
	// and from falling back to reading.
	conn, err := sqlite.OpenConn("file:"+(&url.URL{Path: p}).EscapedPath()+"?mode=rw", sqlite.OpenReadWrite|sqlite.OpenURI)
	if err != nil {
		return nil, explain(path, err)
	}
	d := &database{path: path, conn: conn, steps: steps}
	if d.unpin, err = livedb.Pin(path); err != nil {
		return nil, errors.Join(explain(path, err), conn.Close())
	}
	conn.SetInterrupt(ctx.Done())
	conn.SetBusyTimeout(patience)
	for _, sql := range []string{"PRAGMA synchronous=FULL", "PRAGMA foreign_keys=OFF", "BEGIN IMMEDIATE"} {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			return nil, errors.Join(explain(path, err), d.close())
		}
	}
	return d, nil
}

// close ends what is under way and closes the file, which folds the log into it
// and removes the side files, as after any program that ends well.
func (d *database) close() error {
	if d.conn == nil {
		return nil
	}
	conn := d.conn
	d.conn = nil
	conn.SetInterrupt(nil)
	var err error
	if !conn.AutocommitEnabled() {
		err = sqlitex.ExecuteTransient(conn, "ROLLBACK", nil)
	}
	return errors.Join(err, conn.Close(), d.unpin())
}

func (d *database) commit() error {
	if err := sqlitex.ExecuteTransient(d.conn, "COMMIT", nil); err != nil {
		return explain(d.path, err)
	}
	return nil
}

// checkSchema refuses files in which this version cannot tell what a write would
// do.
func (d *database) checkSchema() error {
	version, encoding := int64(0), ""
	for sql, read := range map[string]func(*sqlite.Stmt){
		"PRAGMA user_version": func(s *sqlite.Stmt) { version = s.ColumnInt64(0) },
		"PRAGMA encoding":     func(s *sqlite.Stmt) { encoding = s.ColumnText(0) },
	} {
		err := sqlitex.ExecuteTransient(d.conn, sql, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error { read(s); return nil }})
		if err != nil {
			return explain(d.path, err)
		}
	}
	if version > newestSchema {
		return d.unknown("its schema has version %d, this retold knows %d", version, newestSchema)
	}
	if encoding != "UTF-8" {
		return d.unknown("its text is %s", encoding)
	}
	seen := map[string]bool{}
	for i := range d.steps {
		r := d.steps[i].Row
		if seen[r.Table] {
			continue
		}
		seen[r.Table] = true
		if err := d.checkTable(r); err != nil {
			return err
		}
	}
	return nil
}

func (d *database) unknown(format string, args ...any) error {
	return &retold.Error{
		Code: retold.CodeDatabaseCorrupt, Op: "change", Path: d.path, Err: fmt.Errorf("not a database this retold may write to: "+format, args...),
		Hint: "a newer retold may know it; nothing was written",
	}
}

// checkTable compares a table with what a step on it knows.
func (d *database) checkTable(r *rowStep) error {
	known := map[string]bool{}
	for _, side := range []*row{r.Before, r.After} {
		if side == nil {
			continue
		}
		for _, c := range side.Cells {
			known[c.Column] = true
		}
	}
	there := 0
	err := sqlitex.Execute(d.conn, `SELECT name, "notnull" AND dflt_value IS NULL, hidden FROM pragma_table_xinfo(?)`, &sqlitex.ExecOptions{
		Args: []any{r.Table},
		ResultFunc: func(s *sqlite.Stmt) error {
			name := s.ColumnText(0)
			switch {
			case known[name] && s.ColumnInt(2) != 0:
				return d.unknown("column %s of %s is computed", name, r.Table)
			case known[name]:
				there++
			case s.ColumnInt(1) != 0 && s.ColumnInt(2) == 0:
				return d.unknown("table %s has a column %q that must be filled in", r.Table, name)
			}
			return nil
		},
	})
	if err != nil {
		return explain(d.path, err)
	}
	if there != len(known) {
		return d.unknown("table %s lacks %d columns", r.Table, len(known)-there)
	}
	odd := ""
	err = sqlitex.Execute(d.conn, `SELECT name, type FROM sqlite_schema WHERE tbl_name = ?1 AND (type = 'trigger' OR type = 'view')
		UNION ALL SELECT name, 'WITHOUT ROWID' FROM pragma_table_list WHERE name = ?1 AND (wr OR type <> 'table')`, &sqlitex.ExecOptions{
		Args:       []any{r.Table},
		ResultFunc: func(s *sqlite.Stmt) error { odd = s.ColumnText(1) + " " + s.ColumnText(0); return nil },
	})
	if err != nil {
		return explain(d.path, err)
	}
	if odd != "" {
		return d.unknown("table %s has a %s", r.Table, odd)
	}
	return nil
}

// explain turns what SQLite says about a file into what a person can act on.
func explain(path string, err error) error {
	e := &retold.Error{Op: "change", Path: path, Err: err}
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultBusy, sqlite.ResultLocked:
		e.Code, e.Hint = retold.CodeDatabaseLocked, "another program holds the file: quit Cursor and try again"
	case sqlite.ResultReadOnly:
		e.Code, e.Hint = retold.CodeDatabaseLocked, "the file or its folder cannot be written: see its permissions"
	case sqlite.ResultCantOpen:
		e.Code, e.Hint = retold.CodeDatabaseNotFound, "the file cannot be opened for writing: see its permissions"
	case sqlite.ResultFull:
		e.Hint = "the disk is full: make room and try again"
	case sqlite.ResultIOErr:
		e.Hint = "the disk is full or fails: make room and try again"
	case sqlite.ResultNotADB, sqlite.ResultCorrupt:
		e.Code, e.Hint = retold.CodeDatabaseCorrupt, "retold doctor"
	case sqlite.ResultInterrupt:
		return errors.Join(context.Canceled, err)
	default:
		if err == nil {
			return nil
		}
		if known, ok := errors.AsType[*retold.Error](err); ok {
			return known
		}
	}
	return e
}
