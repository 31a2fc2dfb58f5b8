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
	db.note = ""
	if conn, err := db.openServed(); conn != nil || err != nil {
		return conn, Immutable, err
	}
	small := now.size+now.wal+now.journal <= CopyLimit
	switch {
	case now.wal == 0 && now.journal == 0:
		conn, err := connect(db.path, "mode=ro&immutable=1")
		return conn, Immutable, err
	case now.wal > 0 && now.shm:
		conn, err := db.openThroughLog()
		if conn != nil || err != nil {
			return conn, WAL, err
		}
	}
	if small {
		conn, err := db.openCopy(now)
		return conn, Copy, err
	}
	db.note = fmt.Sprintf("read without its write-ahead log (%d bytes, no usable -shm beside it, too large to copy): the newest records may be missing", now.wal)
	if now.journal > 0 {
		db.note = "read beside an unfinished transaction (its -journal is in force, and the file is too large to copy): the newest records may be half written"
	}
	conn, err := connect(db.path, "mode=ro&immutable=1")
	return conn, Immutable, err
}

// openThroughLog returns nothing at all where SQLite cannot use the log as it
// lies.
func (db *DB) openThroughLog() (*sqlite.Conn, error) {
	conn, err := connect(db.path, "mode=ro&readonly_shm=1")
	if err == nil {
		if err = checkSchema(conn); err == nil {
			return conn, nil
		}
		err = errors.Join(err, conn.Close())
	}
	if code := sqlite.ErrCode(err).ToPrimary(); code == sqlite.ResultReadOnly || code == sqlite.ResultCantOpen {
		return nil, nil
	}
	return nil, err
}

// connect opens a file. Only a file: URI carries a mode to the engine.
func connect(path, query string) (*sqlite.Conn, error) {
	p := filepath.ToSlash(path)
	if runtime.GOOS == "windows" && !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	flags := sqlite.OpenReadOnly | sqlite.OpenURI
	if query == "mode=rw" {
		flags = sqlite.OpenReadWrite | sqlite.OpenURI
	}
	conn, err := sqlite.OpenConn("file:"+(&url.URL{Path: p}).EscapedPath()+"?"+query, flags)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(5 * time.Second)
	return conn, nil
}

// openCopy copies the database and its log or journal into a private folder and
// opens the copy for writing: SQLite may have to undo a transaction that died.
func (db *DB) openCopy(now state) (*sqlite.Conn, error) {
	if db.dir != "" {
		if err := os.RemoveAll(db.dir); err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp("", "retold-")
	if err != nil {
		return nil, err
	}
	db.dir = dir
	if err := copyTo(filepath.Join(dir, "copy.db"), io.NewSectionReader(db.hold.file, 0, now.size)); err != nil {
		return nil, err
	}
	for suffix, size := range map[string]int64{"-wal": now.wal, "-journal": now.journal} {
		if size == 0 {
			continue
		}
		f, err := os.Open(db.path + suffix) // harmless: SQLite keeps no lock on either
		if err != nil {
			return nil, err
		}
		if err := errors.Join(copyTo(filepath.Join(dir, "copy.db"+suffix), f), f.Close()); err != nil {
			return nil, err
		}
	}
	return connect(filepath.Join(dir, "copy.db"), "mode=rw")
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
