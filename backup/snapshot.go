package backup

import (
	"context"
	"errors"
	"fmt"
	"os"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/livedb"
)

// A Shot is what came of a snapshot.
type Shot struct {
	Excluded []Excluded // with Path unset
	Notes    []string   // what the copy may miss or still hold
}

// stepPages is how many pages are copied between two looks at the context.
const stepPages = 4096

// Snapshot copies the database at src, which its owner may be writing to, as one
// transaction left it, into dst, which must not be there. Pages keep their
// places, so that two snapshots of a file that changed little differ little. The
// records and members that except names are taken out of the copy, and whatever
// deleted records left between those that are there is overwritten: after an
// error dst is gone. progress is told the bytes copied.
func Snapshot(ctx context.Context, src, dst string, except []retold.RowRange, progress func(done, total int64)) (*Shot, error) {
	return shoot(ctx, dst, except, func(shot *Shot, f *os.File) error {
		db, err := livedb.Open(ctx, src)
		if err != nil {
			return err
		}
		err = db.Read(ctx, func(conn *sqlite.Conn) error { return copyPages(ctx, conn, f, progress) })
		if note := db.Note(); note != "" {
			shot.Notes = append(shot.Notes, note)
		}
		return errors.Join(err, db.Close())
	})
}

// SnapshotOwn is Snapshot for a database of this program, which it may have open:
// through SQLite alone, as another descriptor of the file would drop its locks.
func SnapshotOwn(ctx context.Context, src, dst string, progress func(done, total int64)) (*Shot, error) {
	return shoot(ctx, dst, nil, func(_ *Shot, f *os.File) (err error) {
		conn, err := sqlite.OpenConn(src, sqlite.OpenReadOnly)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, conn.Close()) }()
		if err := sqlitex.ExecuteTransient(conn, "BEGIN", nil); err != nil {
			return err
		}
		return copyPages(ctx, conn, f, progress)
	})
}

// shoot makes dst, has it filled and cleans it.
func shoot(ctx context.Context, dst string, except []retold.RowRange, fill func(*Shot, *os.File) error) (shot *Shot, err error) {
	f, err := os.OpenFile(dst, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err != nil {
			err = errors.Join(err, os.Remove(dst))
		}
	}()
	shot = &Shot{}
	if err := fill(shot, f); err != nil {
		return nil, err
	}
	return shot, shot.clean(ctx, f, except)
}

// copyPages runs in a read transaction, which it begins by reading: all steps see
// what it sees.
func copyPages(ctx context.Context, from *sqlite.Conn, to *os.File, progress func(done, total int64)) (err error) {
	if err := to.Truncate(0); err != nil {
		return err
	}
	pageSize, err := number(from, "PRAGMA page_size")
	if err != nil {
		return err
	}
	if _, err := number(from, "SELECT count(*) FROM sqlite_schema"); err != nil {
		return err
	}
	dst, err := sqlite.OpenConn(to.Name(), sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dst.Close()) }()
	// Nobody wants the copy when this process or the machine dies on the way.
	for _, sql := range []string{"PRAGMA journal_mode=OFF", "PRAGMA synchronous=OFF", "PRAGMA locking_mode=EXCLUSIVE"} {
		if err := sqlitex.ExecuteTransient(dst, sql, nil); err != nil {
			return err
		}
	}
	b, err := sqlite.NewBackup(dst, "main", from, "main")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if more, err = b.Step(stepPages); err != nil {
			return err
		}
		if progress != nil {
			progress(int64(b.PageCount()-b.Remaining())*pageSize, int64(b.PageCount())*pageSize)
		}
	}
	return nil
}

// clean takes out what is excepted and scrubs the rest.
func (s *Shot) clean(ctx context.Context, f *os.File, except []retold.RowRange) error {
	// Bytes 18 and 19 say whether the file is kept with a write-ahead log. The copy
	// is cleaned without one, and says afterwards what the file said.
	var mode [2]byte
	if _, err := f.ReadAt(mode[:], 18); err != nil {
		return fmt.Errorf("read the header of the copy: %w", err)
	}
	if _, err := f.WriteAt([]byte{1, 1}, 18); err != nil {
		return err
	}
	roots, err := s.prune(ctx, f.Name(), except)
	if err != nil {
		return err
	}
	err = scrub(ctx, f, roots)
	if damage, ok := errors.AsType[*damaged](err); ok {
		s.Notes = append(s.Notes, damage.Error()+": what deleted records left behind may still be in it")
		err = nil
	}
	if err != nil {
		return fmt.Errorf("scrub: %w", err)
	}
	_, err = f.WriteAt(mode[:], 18)
	return err
}

// prune takes out what is excepted and returns the root pages of all tables.
func (s *Shot) prune(ctx context.Context, path string, except []retold.RowRange) (roots []uint32, err error) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	conn.SetInterrupt(ctx.Done())
	defer func() {
		if closed := conn.Close(); err == nil {
			err = closed
		}
		if err != nil && ctx.Err() != nil {
			err = ctx.Err()
		}
	}()
	for _, sql := range []string{"PRAGMA journal_mode=OFF", "PRAGMA synchronous=OFF", "PRAGMA locking_mode=EXCLUSIVE", "PRAGMA secure_delete=ON"} {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			return nil, err
		}
	}
	for _, r := range except {
		if err := s.except(conn, r); err != nil {
			return nil, fmt.Errorf("leave out %s %s*: %w", r.Table, r.From, err)
		}
	}
	err = sqlitex.ExecuteTransient(conn, "SELECT rootpage FROM sqlite_schema WHERE rootpage > 0", &sqlitex.ExecOptions{
		ResultFunc: func(stmt *sqlite.Stmt) error {
			roots = append(roots, uint32(stmt.ColumnInt64(0)))
			return nil
		},
	})
	return append(roots, 1), err
}

func number(conn *sqlite.Conn, sql string, args ...any) (n int64, err error) {
	err = sqlitex.ExecuteTransient(conn, sql, &sqlitex.ExecOptions{Args: args, ResultFunc: func(stmt *sqlite.Stmt) error {
		n = stmt.ColumnInt64(0)
		return nil
	}})
	return n, err
}
