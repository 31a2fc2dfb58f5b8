package sqlite

import (
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	engine "zombiezen.com/go/sqlite"
)

// A conn is one connection and what is kept open on it.
type conn struct {
	*engine.Conn
	mu   sync.Mutex // for what a search reads from several goroutines
	last *view
}

// connect opens another connection to the file.
func (s *Store) connect() (*conn, error) {
	c, err := dial(s.file, s.query)
	if err != nil {
		return nil, s.explain(err)
	}
	return c, nil
}

// dial opens a file. Only a file: URI carries a mode to the engine.
func dial(path, query string) (*conn, error) {
	p := filepath.ToSlash(path)
	if runtime.GOOS == "windows" && !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	flags := engine.OpenURI | engine.OpenReadOnly
	if query == readWrite || query == create {
		flags = engine.OpenURI | engine.OpenReadWrite
	}
	if query == create {
		flags |= engine.OpenCreate
	}
	c, err := engine.OpenConn("file:"+(&url.URL{Path: p}).EscapedPath()+"?"+query, flags)
	if err != nil {
		return nil, err
	}
	c.SetBusyTimeout(10 * time.Second)
	return &conn{Conn: c}, nil
}

// run runs one statement, which stays prepared, and calls row for each row.
func (c *conn) run(sql string, row func(*engine.Stmt) error, args ...any) error {
	stmt, err := c.Prepare(sql)
	if err != nil {
		return err
	}
	for i, a := range args {
		if err := bind(stmt, i+1, a); err != nil {
			return err
		}
	}
	for {
		more, err := stmt.Step()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if row == nil {
			continue
		}
		if err := row(stmt); err != nil {
			_ = stmt.Reset() // reports err's like once more
			return err
		}
	}
	// Values bound stay in memory until they are replaced.
	return stmt.ClearBindings()
}

func bind(stmt *engine.Stmt, i int, a any) error {
	switch a := a.(type) {
	case nil:
		stmt.BindNull(i)
	case int:
		stmt.BindInt64(i, int64(a))
	case int64:
		stmt.BindInt64(i, a)
	case uint32:
		stmt.BindInt64(i, int64(a))
	case bool:
		stmt.BindBool(i, a)
	case string:
		stmt.BindText(i, a)
	case []byte:
		stmt.BindBytes(i, a)
	default:
		return fmt.Errorf("no way to bind a %T", a)
	}
	return nil
}

// column copies a blob or text out of a row.
func column(stmt *engine.Stmt, i int) []byte {
	b := make([]byte, stmt.ColumnLen(i))
	stmt.ColumnBytes(i, b)
	return b
}

// blob reads the one blob that sql selects; nil when there is no row.
func (c *conn) blob(sql string, args ...any) ([]byte, error) {
	var b []byte
	err := c.run(sql, func(stmt *engine.Stmt) error {
		b = column(stmt, 0)
		return nil
	}, args...)
	return b, err
}

// blobInto is blob into memory that may be used again. Empty when there is no
// row.
func (c *conn) blobInto(dst []byte, sql string, args ...any) ([]byte, error) {
	dst = dst[:0]
	err := c.run(sql, func(stmt *engine.Stmt) error {
		dst = slices.Grow(dst, stmt.ColumnLen(0))[:stmt.ColumnLen(0)]
		stmt.ColumnBytes(0, dst)
		return nil
	}, args...)
	return dst, err
}

// number reads the one number that sql selects; 0 when there is no row.
func (c *conn) number(sql string, args ...any) (int64, error) {
	var n int64
	err := c.run(sql, func(stmt *engine.Stmt) error {
		n = stmt.ColumnInt64(0)
		return nil
	}, args...)
	return n, err
}
