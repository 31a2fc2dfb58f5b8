package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"sync"

	"modernc.org/sqlite/vfs"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// A mount makes the files of an archive known to SQLite.
type mount struct {
	mu   sync.Mutex
	name string
	fs   *vfs.FS
}

// VFS returns the name under which SQLite knows the archive: the database NAME in
// it opens as "file:/NAME?vfs=…&mode=ro&immutable=1", see [Archive.URI]. The
// connections have to be closed before the archive.
func (a *Archive) VFS() (string, error) {
	a.mount.mu.Lock()
	defer a.mount.mu.Unlock()
	if a.mount.fs != nil {
		return a.mount.name, nil
	}
	var err error
	a.mount.name, a.mount.fs, err = vfs.New(rooted{a})
	return a.mount.name, err
}

// rooted takes the slash off that SQLite puts before every path.
type rooted struct{ a *Archive }

func (r rooted) Open(name string) (fs.File, error) { return r.a.Open(strings.TrimPrefix(name, "/")) }

// URI is the address by which SQLite opens a database of the archive.
func (a *Archive) URI(name string) (string, error) {
	v, err := a.VFS()
	if err != nil {
		return "", fmt.Errorf("show the backup to SQLite: %w", err)
	}
	return "file:" + (&url.URL{Path: "/" + name}).EscapedPath() + "?mode=ro&immutable=1&vfs=" + v, nil
}

// Connect opens a database of the backup for reading, where it lies. Close the
// connection before the archive.
func (a *Archive) Connect(ctx context.Context, name string) (*sqlite.Conn, error) {
	if _, err := a.Lookup(name); err != nil {
		return nil, err
	}
	uri, err := a.URI(name)
	if err != nil {
		return nil, err
	}
	conn, err := sqlite.OpenConn(uri, sqlite.OpenReadOnly|sqlite.OpenURI)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	conn.SetInterrupt(ctx.Done())
	return conn, nil
}

func (m *mount) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fs == nil {
		return nil
	}
	err := m.fs.Close()
	if err == nil {
		m.fs = nil
	}
	return err
}

// checkDatabase lets SQLite look at every page of a database.
func (a *Archive) checkDatabase(ctx context.Context, f *File) (faults []Fault, err error) {
	conn, err := a.Connect(ctx, f.Path)
	if err != nil {
		return []Fault{{f.Path, err.Error()}}, nil
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	bad := func(err error) ([]Fault, error) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return append(faults, Fault{f.Path, "integrity_check: " + err.Error()}), nil
	}
	// The pages that are asked for in no order are kept apart (see pins).
	const pages = 2 << 10
	if err := sqlitex.ExecuteTransient(conn, fmt.Sprintf("PRAGMA cache_size=-%d", pages), nil); err != nil {
		return bad(err)
	}
	err = sqlitex.ExecuteTransient(conn, "PRAGMA integrity_check(20)", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		if text := s.ColumnText(0); text != "ok" {
			faults = append(faults, Fault{f.Path, "integrity_check: " + text})
		}
		return nil
	}})
	if err != nil {
		return bad(err)
	}
	return faults, nil
}
