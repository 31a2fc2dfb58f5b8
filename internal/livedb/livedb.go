// Package livedb opens SQLite files that belong to another program, which may be
// writing to them, and leaves no trace: no byte, no side file, no checkpoint,
// and no lock that would hold up the writer.
//
// How a file is opened follows from what lies beside it (measured with SQLite
// 3.53):
//
//   - no -wal, or an empty one: immutable, which takes no lock and makes no
//     side file. Nothing then protects the read from a writer, so the file's
//     size, time, inode and change counter are compared before and after, and
//     the read is repeated when they differ.
//   - a -wal and its -shm: through the write-ahead log as SQLite does, with the
//     shared memory opened read-only (readonly_shm). Where no writer keeps the
//     -shm up to date, SQLite then builds its index of the log in memory.
//   - a -wal that SQLite cannot use where it lies (no -shm), or a rollback
//     journal in force (a transaction under way, or one that died): a private
//     copy when the files are small. A large file is never copied: it is read as
//     it lies, and [DB.Note] says what that may miss.
package livedb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
)

// How a file was opened.
const (
	Immutable = "immutable"
	WAL       = "wal"
	Copy      = "copy"
)

// CopyLimit is the most bytes of database and log together that are copied.
const CopyLimit = 64 << 20

// How often a read is repeated because the file changed under it.
const attempts = 12

// DB is another program's database, open for reading. It is safe for concurrent
// use.
type DB struct {
	path string
	hold *hold

	mu     sync.Mutex
	access string
	idle   []*sqlite.Conn
	made   state  // what idle connections were opened on
	dir    string // folder of the private copy
	note   string
}

// Open looks at the file and makes sure that it can be read. Errors are
// *retold.Error: CodeDatabaseNotFound, CodeDatabaseCorrupt (also for a folder,
// an empty file, something that is no database), CodeDatabaseLocked.
func Open(ctx context.Context, path string) (*DB, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, failure(retold.CodeDatabaseNotFound, path, errors.New("no such file"))
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, failure(retold.CodeDatabaseCorrupt, path, errors.New("not a regular file"))
	case info.Size() == 0: // SQLite would call it a database without tables
		return nil, failure(retold.CodeDatabaseCorrupt, path, errors.New("the file is empty"))
	}
	h, err := acquire(path)
	if err != nil {
		return nil, err // names the file and says why, a missing permission most often
	}
	db := &DB{path: path, hold: h}
	if err := db.Read(ctx, checkSchema); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// checkSchema reads the schema, which every later query needs.
func checkSchema(conn *sqlite.Conn) error {
	return sqlitex.ExecuteTransient(conn, "SELECT count(*) FROM sqlite_schema", nil)
}

// Path is the path given to Open.
func (db *DB) Path() string { return db.path }

// Access tells how the file was opened last: Immutable, WAL or Copy.
func (db *DB) Access() string {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.access
}

// Note says what reading this file cannot show; "" when nothing is missing.
func (db *DB) Note() string {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.note
}

// Read calls fn inside one read transaction. It may call fn again, with another
// connection, when the file changed while fn read: fn must start over. Keep fn
// short: while it runs the writer's log cannot be reset. Several reads may run
// at once, each on its own connection.
func (db *DB) Read(ctx context.Context, fn func(*sqlite.Conn) error) error {
	var err error
	for try := range attempts {
		if err = ctx.Err(); err != nil {
			return err
		}
		var again bool
		again, err = db.read(ctx, fn)
		if !again {
			return db.explain(ctx, err)
		}
		pause(ctx, time.Duration(try*try)*2*time.Millisecond)
	}
	return failure(retold.CodeDatabaseLocked, db.path, fmt.Errorf("it changed during each of %d reads", attempts))
}

// read makes one attempt; again says that the file changed under it.
func (db *DB) read(ctx context.Context, fn func(*sqlite.Conn) error) (again bool, err error) {
	before, err := db.hold.state()
	if err != nil {
		return false, err
	}
	conn, err := db.take(ctx, before)
	if err != nil {
		now, stateErr := db.hold.state()
		return stateErr == nil && now != before, err
	}
	err = transaction(conn, fn)
	after, stateErr := db.hold.state()
	stable := stateErr == nil && before.sameRead(after)
	if !stable || err != nil {
		return !stable, errors.Join(err, conn.Close())
	}
	db.put(conn, before)
	return false, nil
}

func transaction(conn *sqlite.Conn, fn func(*sqlite.Conn) error) error {
	if err := sqlitex.ExecuteTransient(conn, "BEGIN", nil); err != nil {
		return err
	}
	err := fn(conn)
	if end := sqlitex.ExecuteTransient(conn, "COMMIT", nil); err == nil {
		err = end
	}
	return err
}

// Close releases the connections and the private copy. It may be called twice.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	err := db.drop()
	if db.dir != "" {
		err = errors.Join(err, os.RemoveAll(db.dir))
		db.dir = ""
	}
	if db.hold != nil {
		err = errors.Join(err, db.hold.release())
		db.hold = nil
	}
	return err
}

// drop closes the idle connections. db.mu is held.
func (db *DB) drop() error {
	var err error
	for _, c := range db.idle {
		err = errors.Join(err, c.Close())
	}
	db.idle = nil
	return err
}

// take returns an idle connection that was opened on the same state of the file,
// or a new one.
func (db *DB) take(ctx context.Context, now state) (*sqlite.Conn, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if len(db.idle) > 0 && db.made.sameOpening(now) {
		last := len(db.idle) - 1
		conn := db.idle[last]
		db.idle = db.idle[:last]
		conn.SetInterrupt(ctx.Done())
		return conn, nil
	}
	if err := db.drop(); err != nil {
		return nil, err
	}
	conn, access, err := db.open(now)
	if err != nil {
		return nil, err
	}
	conn.SetInterrupt(ctx.Done())
	db.access, db.made = access, now
	return conn, nil
}

func (db *DB) put(conn *sqlite.Conn, made state) {
	db.mu.Lock()
	defer db.mu.Unlock()
	conn.SetInterrupt(nil)
	if db.hold == nil || !db.made.sameOpening(made) || len(db.idle) >= 4 {
		_ = conn.Close() // nothing was written; there is nothing to lose
		return
	}
	db.idle = append(db.idle, conn)
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
