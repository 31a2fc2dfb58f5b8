package sqlite

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"time"

	engine "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
)

//go:embed notebook.sql
var notebookSchema string

// notebookVersion is the user_version of a notebook that this program makes.
const notebookVersion = 1

// A Notebook is a file of notes beside the library: what the journal writes down.
// It is a file of its own so that a note never waits for the library's one
// writer. It is safe for concurrent use, also by several processes.
type Notebook struct {
	path string
	mu   sync.Mutex // one statement at a time
	c    *conn
}

// OpenNotebook opens the notebook at path, and makes it (mode 0600) when there is
// none; "" is one in memory. Errors are *retold.Error with CodeDatabaseCorrupt,
// also for one that a newer retold made, and CodeDatabaseLocked.
func OpenNotebook(ctx context.Context, path string) (*Notebook, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := &Notebook{path: path}
	err := n.open()
	if err == nil {
		err = n.prepare()
	}
	if err != nil {
		return nil, errors.Join(n.explain(err), n.Close())
	}
	return n, nil
}

func (n *Notebook) open() (err error) {
	if n.path == "" {
		c, err := engine.OpenConn(":memory:", engine.OpenReadWrite)
		if err == nil {
			n.c = &conn{Conn: c}
		}
		return err
	}
	if err := os.MkdirAll(filepath.Dir(n.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(n.path, os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrPermission) || readOnlyDisk(err) {
		n.c, err = dial(n.path, readOnly)
		return err
	}
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	n.c, err = dial(n.path, readWrite)
	return err
}

// prepare makes the table of a new notebook. Two that make it at once are in order.
func (n *Notebook) prepare() (err error) {
	version, err := n.c.version()
	if err != nil || version == notebookVersion {
		return err
	}
	if version > notebookVersion {
		return &retold.Error{
			Code: retold.CodeDatabaseCorrupt, Op: "open notebook", Path: n.path, Hint: "use the retold that made it, or a newer one",
			Err: fmt.Errorf("it has version %d, this program knows %d", version, notebookVersion),
		}
	}
	if err := sqlitex.ExecuteTransient(n.c.Conn, "PRAGMA journal_mode = WAL", nil); err != nil {
		return err
	}
	end, err := sqlitex.ImmediateTransaction(n.c.Conn)
	if err != nil {
		return err
	}
	defer end(&err)
	err = sqlitex.ExecuteScript(n.c.Conn, notebookSchema, nil)
	return err
}

// explain turns what SQLite says about the file into what a person can act on.
func (n *Notebook) explain(err error) error {
	s := Store{path: n.path}
	return s.explain(err)
}

// do runs something on the connection; the end of ctx interrupts it.
func (n *Notebook) do(ctx context.Context, f func(*conn) error) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if n.c == nil {
		return fs.ErrClosed
	}
	defer n.c.SetInterrupt(n.c.SetInterrupt(ctx.Done()))
	if err := f(n.c); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return n.explain(err)
	}
	return nil
}

// Note returns one note; retold.ErrNoNote when there is none.
func (n *Notebook) Note(ctx context.Context, kind, key string) (note retold.Note, err error) {
	found := false
	err = n.do(ctx, func(c *conn) error {
		return c.run("SELECT key, value, written FROM note WHERE kind = ? AND key = ?", func(stmt *engine.Stmt) (err error) {
			found = true
			note, err = noteOf(kind, stmt)
			return err
		}, kind, key)
	})
	if err == nil && !found {
		err = fmt.Errorf("%s %s: %w", kind, key, retold.ErrNoNote)
	}
	return note, err
}

// notesAtOnce is how many notes are read before any is yielded, and bytesAtOnce
// how many bytes of them.
const (
	notesAtOnce = 64
	bytesAtOnce = 1 << 20
)

// Notes yields the notes of a kind with from <= key < to in order of their keys;
// an empty to is no bound. It may be left for other calls while it goes on.
func (n *Notebook) Notes(ctx context.Context, kind, from, to string) iter.Seq2[retold.Note, error] {
	return func(yield func(retold.Note, error) bool) {
		const sql = "SELECT key, value, written FROM note WHERE kind = ?1 AND key >= ?2 AND (?3 = '' OR key < ?3) ORDER BY key LIMIT ?4"
		for {
			var page []retold.Note
			held := 0
			err := n.do(ctx, func(c *conn) error {
				return c.run(sql, func(stmt *engine.Stmt) error {
					if held > bytesAtOnce {
						return nil
					}
					note, err := noteOf(kind, stmt)
					held += len(note.Value)
					page = append(page, note)
					return err
				}, kind, from, to, notesAtOnce)
			})
			if err != nil {
				yield(retold.Note{}, err)
				return
			}
			for _, note := range page {
				if !yield(note, nil) {
					return
				}
			}
			if len(page) == 0 {
				return
			}
			from = page[len(page)-1].Key + "\x00" // the next key there can be
		}
	}
}

// PutNotes writes notes over those of their kind and key, all or none.
func (n *Notebook) PutNotes(ctx context.Context, notes ...retold.Note) error {
	return n.do(ctx, func(c *conn) (err error) {
		end, err := sqlitex.ImmediateTransaction(c.Conn)
		if err != nil {
			return err
		}
		defer end(&err)
		now := time.Now().UnixMilli()
		for _, note := range notes {
			value, err := packNote(note.Value)
			if err != nil {
				return err
			}
			const sql = `INSERT INTO note (kind, key, value, written) VALUES (?1, ?2, ?3, ?4)
				ON CONFLICT (kind, key) DO UPDATE SET value = ?3, written = ?4`
			if err := c.run(sql, nil, note.Kind, note.Key, value, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// DropNotes removes notes; one that is not there is no error.
func (n *Notebook) DropNotes(ctx context.Context, kind string, keys ...string) error {
	return n.do(ctx, func(c *conn) (err error) {
		end, err := sqlitex.ImmediateTransaction(c.Conn)
		if err != nil {
			return err
		}
		defer end(&err)
		for _, key := range keys {
			if err := c.run("DELETE FROM note WHERE kind = ? AND key = ?", nil, kind, key); err != nil {
				return err
			}
		}
		return nil
	})
}

// Close closes the file. It may be called twice.
func (n *Notebook) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.c == nil {
		return nil
	}
	c := n.c
	n.c = nil
	return c.Close()
}

// smallNote is the size from which on notes are packed.
const smallNote = 512

// packNote packs a value as pages are packed: its first byte says how.
func packNote(value []byte) ([]byte, error) {
	if len(value) < smallNote {
		return append([]byte{packedPlain}, value...), nil
	}
	return pack(nil, value)
}

// noteOf reads a row: key, value, written.
func noteOf(kind string, stmt *engine.Stmt) (retold.Note, error) {
	note := retold.Note{Kind: kind, Key: stmt.ColumnText(0), Written: time.UnixMilli(stmt.ColumnInt64(2)).UTC()}
	value := column(stmt, 1)
	switch {
	case len(value) > 0 && value[0] == packedPlain:
		note.Value = value[1:]
		return note, nil
	case len(value) > 0 && value[0] == packedZstd:
		u, err := borrowUnpacker()
		if err != nil {
			return note, err
		}
		defer u.giveBack()
		if note.Value, err = u.decoder.DecodeAll(value[1:], nil); err == nil {
			return note, nil
		}
		return note, fmt.Errorf("note %s %s: %w: %w", kind, note.Key, errDamaged, err)
	}
	return note, fmt.Errorf("note %s %s: %w", kind, note.Key, errDamaged)
}
