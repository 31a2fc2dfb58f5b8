package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	engine "zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
)

// How connections are opened: the query of a file: URI.
const (
	create    = "mode=rwc"
	readWrite = "mode=rw"
	readOnly  = "mode=ro"
	// Where the disk cannot be written SQLite can neither make nor update a
	// log's shared memory: it builds its own, or there is no log to look at.
	readOnlyLog = "mode=ro&readonly_shm=1"
	immutable   = "mode=ro&immutable=1"
)

// How many bytes of unpacked pages and of the index stay in memory.
const (
	pageCacheSize    = 2 << 20
	messageCacheSize = 2 << 20
	bundleCacheSize  = 16 << 20
)

// Open opens the library at path and creates it (mode 0600, in a folder of mode
// 0700) when there is none. With Options.ReadOnly, or where the disk cannot be
// written, it opens what is there for reading. Errors are *retold.Error:
// CodeDatabaseNotFound, CodeDatabaseCorrupt (also for a library that a newer
// retold made), CodeDatabaseLocked.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	list, err := schemas()
	if err != nil {
		return nil, err
	}
	return open(ctx, path, o, list)
}

func open(ctx context.Context, path string, o Options, list []string) (*Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &Store{path: path, file: path, readOnly: o.ReadOnly, mask: o.Mask, query: readWrite, limits: usualLimits()}
	s.pages.limit, s.messages.limit, s.bundles.limit = pageCacheSize, messageCacheSize, bundleCacheSize
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.ReadOnly:
		return nil, s.missing(errors.New("there is no library yet"))
	case errors.Is(err, fs.ErrNotExist):
		err = s.create(ctx)
		if errors.Is(err, fs.ErrPermission) || readOnlyDisk(err) {
			return nil, s.missing(fmt.Errorf("there is no library, and none can be made: %w", err))
		}
		if err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &retold.Error{Code: retold.CodeDatabaseCorrupt, Op: "open", Path: path, Hint: "retold doctor", Err: errors.New("not a regular file")}
	}
	c, version, err := s.first()
	if err != nil {
		return nil, s.explain(err)
	}
	if version != len(list) {
		if err := s.migrate(ctx, c, version, list); err != nil {
			return nil, errors.Join(s.explain(err), c.Close())
		}
	}
	return s, s.give(c)
}

// first opens a connection in the way that the file and its folder allow, and
// reads the version of its schema, which is all that opening costs.
func (s *Store) first() (*conn, int, error) {
	tries := []string{readWrite, readOnly, readOnlyLog}
	if s.readOnly {
		tries = tries[1:]
	}
	if info, err := os.Stat(s.path + "-wal"); err != nil || info.Size() == 0 {
		tries = append(tries, immutable)
	}
	if !s.readOnly && !writable(s.path) {
		tries = tries[1:]
		s.readOnly = true
	}
	var first error
	for _, query := range tries {
		c, err := dial(s.path, query)
		if err == nil {
			var version int
			if version, err = c.version(); err == nil {
				s.query, s.readOnly = query, query != readWrite
				return c, version, nil
			}
			err = errors.Join(err, c.Close())
		}
		first = cmpErr(first, err)
		if code := engine.ErrCode(err).ToPrimary(); code != engine.ResultReadOnly && code != engine.ResultCantOpen && code != engine.ResultPerm {
			return nil, 0, first
		}
	}
	if s.readOnly && first != nil {
		return s.openCopy()
	}
	return nil, 0, first
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// writable reports whether a file may be opened for writing, and its folder
// takes the log beside it. SQLite itself opens what it cannot write read-only
// without a word.
func writable(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	if f.Close() != nil {
		return false
	}
	probe, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return false
	}
	return probe.Close() == nil
}

func (c *conn) version() (int, error) {
	n, err := c.number("PRAGMA user_version")
	return int(n), err
}

// create makes the folder and an empty file that only its owner can read;
// SQLite gives the log the same mode.
func (s *Store) create(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(s.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func (s *Store) missing(err error) error {
	return &retold.Error{Code: retold.CodeDatabaseNotFound, Op: "open", Path: s.path, Hint: "retold sync", Err: err}
}

// explain turns what SQLite says about the file into what a person can act on;
// other errors it leaves alone.
func (s *Store) explain(err error) error {
	if err == nil || retold.CodeOf(err) != "" {
		return err
	}
	fail := func(code retold.Code, hint string) error {
		return &retold.Error{Code: code, Op: "read library", Path: s.path, Hint: hint, Err: err}
	}
	const keep = "move the file away, then run retold sync; what the editors deleted is only in the damaged file, so keep it"
	if errors.Is(err, errDamaged) || errors.Is(err, index.ErrDamaged) {
		return fail(retold.CodeDatabaseCorrupt, keep)
	}
	switch engine.ErrCode(err).ToPrimary() {
	case engine.ResultNotADB:
		return fail(retold.CodeDatabaseCorrupt, "move the file away, then run retold sync")
	case engine.ResultCorrupt:
		return fail(retold.CodeDatabaseCorrupt, keep)
	case engine.ResultBusy, engine.ResultLocked:
		return fail(retold.CodeDatabaseLocked, "try again in a moment")
	}
	return err
}
