package livedb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
)

// open opens a connection in the way the state asks for. db.mu is held.
func (db *DB) open(now state) (*sqlite.Conn, string, error) {
	if now.wal == 0 {
		conn, err := connect(db.path, "immutable=1")
		return conn, Immutable, err
	}
	if now.shm {
		conn, err := connect(db.path, "readonly_shm=1")
		if err == nil {
			err = checkSchema(conn)
			if err == nil {
				return conn, WAL, nil
			}
			err = errors.Join(err, conn.Close())
		}
		if code := sqlite.ErrCode(err).ToPrimary(); code != sqlite.ResultReadOnly && code != sqlite.ResultCantOpen {
			return nil, WAL, err
		}
	}
	if now.size+now.wal > CopyLimit {
		db.note = fmt.Sprintf("read without its write-ahead log (%d bytes, no usable -shm beside it, too large to copy): the newest records may be missing", now.wal)
		conn, err := connect(db.path, "immutable=1")
		return conn, Immutable, err
	}
	if err := db.copyFiles(now); err != nil {
		return nil, Copy, err
	}
	conn, err := connect(filepath.Join(db.dir, "copy.db"), "")
	return conn, Copy, err
}

// connect opens read-only. Only a file: URI carries mode=ro to the engine.
func connect(path, option string) (*sqlite.Conn, error) {
	query := "mode=ro"
	if option != "" {
		query += "&" + option
	}
	p := filepath.ToSlash(path)
	if runtime.GOOS == "windows" && !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	uri := "file:" + (&url.URL{Path: p}).EscapedPath() + "?" + query
	conn, err := sqlite.OpenConn(uri, sqlite.OpenReadOnly|sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(5 * time.Second)
	return conn, nil
}

// copyFiles copies the database and its log into a private folder.
func (db *DB) copyFiles(now state) error {
	if db.dir != "" {
		if err := os.RemoveAll(db.dir); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "retold-")
	if err != nil {
		return err
	}
	db.dir = dir
	main := io.NewSectionReader(db.hold.file, 0, now.size)
	if err := copyTo(filepath.Join(dir, "copy.db"), main); err != nil {
		return err
	}
	wal, err := os.Open(db.path + "-wal") // reading a log is harmless: SQLite keeps no lock on it
	if err != nil {
		return err
	}
	return errors.Join(copyTo(filepath.Join(dir, "copy.db-wal"), wal), wal.Close())
}

func copyTo(path string, r io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// explain turns what SQLite says about the file into what a person can act on.
// Errors of the reader's own are left alone.
func (db *DB) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultInterrupt:
		return errors.Join(ctx.Err(), err)
	case sqlite.ResultNotADB:
		return failure(retold.CodeDatabaseCorrupt, db.path, errors.New("not an SQLite database (overwritten or encrypted)"))
	case sqlite.ResultCorrupt:
		return failure(retold.CodeDatabaseCorrupt, db.path, fmt.Errorf("damaged: %w", err))
	case sqlite.ResultBusy, sqlite.ResultLocked:
		return failure(retold.CodeDatabaseLocked, db.path, err)
	}
	return err
}

func failure(code retold.Code, path string, err error) error {
	hint := "retold doctor"
	if code == retold.CodeDatabaseLocked {
		hint = "try again in a moment; retold doctor shows which files are busy"
	}
	return &retold.Error{Code: code, Op: "open", Path: path, Hint: hint, Err: err}
}
