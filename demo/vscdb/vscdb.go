// Package vscdb writes SQLite files with the tables, storage classes and
// journal mode that Cursor gives them: state.vscdb of the IDE (ItemTable,
// cursorDiskKV, composerHeaders) and store.db of its command line (blobs, meta).
// It only ever makes new files, for the demo home and for benchmarks; it is
// never pointed at a file of Cursor's own.
package vscdb

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Kind is which of Cursor's databases a file is to be.
type Kind int

// The kinds. Old workspace databases (before about 2025) have no cursorDiskKV;
// the composerHeaders table is there since Cursor 3.10.
const (
	Old     Kind = iota // ItemTable
	State               // ItemTable, cursorDiskKV
	Headers             // ItemTable, cursorDiskKV, composerHeaders
	Store               // blobs, meta
)

const stateSchema = `
CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);`

const kvSchema = `
CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);`

const headersSchema = `
CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, workspaceId TEXT, createdAt INTEGER,
  lastUpdatedAt INTEGER, isArchived INTEGER, isSubagent INTEGER, recency INTEGER, checkpointAt INTEGER, value TEXT);
CREATE INDEX idx_composerHeaders_0 ON composerHeaders (workspaceId, isSubagent, isArchived, recency);
CREATE INDEX idx_composerHeaders_1 ON composerHeaders (recency, composerId);`

const storeSchema = `
CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);`

func (k Kind) schema() string {
	switch k {
	case Old:
		return stateSchema
	case State:
		return stateSchema + kvSchema
	case Headers:
		return stateSchema + kvSchema + headersSchema
	}
	return storeSchema
}

// DB is a new database being filled. It is not safe for concurrent use.
type DB struct {
	conn    *sqlite.Conn
	pending int // rows since the last commit
}

// batch is how many rows share a transaction.
const batch = 4000

// Create makes path, with its folders, as an empty database of the given kind.
// It is an error if the file exists. The context may end a write early; it is
// not used after Close.
func Create(ctx context.Context, path string, kind Kind) (*DB, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("create %s: %w", path, os.ErrExist)
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	conn.SetInterrupt(ctx.Done())
	db := &DB{conn: conn}
	// Nobody else sees the file before Close, so it needs neither journal nor sync.
	for _, pragma := range []string{"page_size=4096", "journal_mode=OFF", "synchronous=OFF", "cache_size=-24576", "user_version=1"} {
		if err := sqlitex.ExecuteTransient(conn, "PRAGMA "+pragma, nil); err != nil {
			return nil, fmt.Errorf("create %s: %w", path, closing(conn, err))
		}
	}
	if err := sqlitex.ExecuteScript(conn, kind.schema(), nil); err != nil {
		return nil, fmt.Errorf("create %s: %w", path, closing(conn, err))
	}
	if err := sqlitex.ExecuteTransient(conn, "BEGIN", nil); err != nil {
		return nil, fmt.Errorf("create %s: %w", path, closing(conn, err))
	}
	return db, nil
}

func closing(conn *sqlite.Conn, err error) error {
	if cerr := conn.Close(); cerr != nil && err == nil {
		return cerr
	}
	return err
}

// Close commits, marks the file as one in write-ahead-log mode, as Cursor
// leaves it, and closes it without side files.
func (d *DB) Close() error {
	err := sqlitex.ExecuteTransient(d.conn, "COMMIT", nil)
	if err == nil {
		err = sqlitex.ExecuteTransient(d.conn, "PRAGMA journal_mode=WAL", nil)
	}
	return closing(d.conn, err)
}

// Bytes is the size the file will have, free pages included.
func (d *DB) Bytes() (int64, error) {
	pages, err := sqlitex.ResultInt64(d.conn.Prep("PRAGMA page_count"))
	return pages * 4096, err
}
