package sqlite

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	engine "zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
)

// A Writer changes the library. It implements retold.StoreWriter. All SQL runs
// on its one connection under its lock, sheets in other goroutines included.
type Writer struct {
	store *Store
	lock  *flock.Flock

	nextDoc atomic.Uint32
	seed    uint64

	mu       sync.Mutex
	c        *conn
	next     numbers
	open     bool  // a transaction is
	changed  bool  // something is to be committed
	broken   error // what made the transaction useless
	late     error // why segments could not be merged; nothing is lost by that
	closed   bool
	pending  int // bytes written since the last commit
	wrote    int // bytes of that commit
	desks    []*desk
	free     []*desk
	segments []segment
	dead     map[int64]deadSet
	died     deadSet // documents that died while a builder may have held them
	blocks   map[uint32]*docBlock
	drawn    map[retold.Key]int64 // numbers of sessions that have a sheet but no row yet
	sheets   map[*sheet]struct{}

	primed  *primer // what pages are packed against
	sample  []byte  // of one that is to be made
	samples int     // how many pages gave of theirs
}

// numbers are those to be given out next.
type numbers struct {
	generation, session, page, segment, revision int64
	doc                                          uint32
	seed                                         uint64
	purge                                        bool // words of a forgotten session are still in the index
}

var _ retold.StoreWriter = (*Writer)(nil)

// Writer returns the one writer that there may be, over all processes. It
// removes what a writer before it, killed while it wrote, left unfinished.
func (s *Store) Writer(ctx context.Context) (retold.StoreWriter, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.readOnly {
		return nil, &retold.Error{Op: "write library", Path: s.path, Hint: "make the file and its folder writable", Err: retold.ErrLibraryReadOnly}
	}
	if !s.claim() {
		return nil, busy(s.path)
	}
	l, err := lock(s.path, time.Now())
	if err != nil {
		s.unclaim()
		return nil, err
	}
	w := &Writer{
		store: s, lock: l, dead: map[int64]deadSet{}, died: deadSet{}, blocks: map[uint32]*docBlock{},
		drawn: map[retold.Key]int64{}, sheets: map[*sheet]struct{}{},
	}
	if err := w.start(); err != nil {
		return nil, errors.Join(s.explain(err), w.Close())
	}
	return w, nil
}

// claim and unclaim see to one writer per Store: a lock on a file need not keep
// a process from locking it again.
func (s *Store) claim() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writing || s.closed {
		return false
	}
	s.writing = true
	return true
}

func (s *Store) unclaim() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writing = false
}

func (w *Writer) start() error {
	c, err := w.store.connect()
	if err != nil {
		return err
	}
	w.c = c
	for _, sql := range []string{
		"PRAGMA synchronous = NORMAL",
		"PRAGMA journal_size_limit = 4194304",
		"PRAGMA secure_delete = ON", // what is forgotten leaves the file
	} {
		if err := c.run(sql, nil); err != nil {
			return err
		}
	}
	if w.next, err = c.numbers(); err != nil {
		return err
	}
	w.nextDoc.Store(w.next.doc)
	w.seed = w.next.seed
	if w.segments, err = c.segments(); err != nil {
		return err
	}
	return w.sweep()
}

func (c *conn) numbers() (n numbers, err error) {
	found := false
	err = c.run("SELECT generation, next_session, next_page, next_doc, next_segment, revision, purge, seed FROM state", func(row *engine.Stmt) error {
		found = true
		n = numbers{
			generation: row.ColumnInt64(0), session: row.ColumnInt64(1), page: row.ColumnInt64(2),
			doc: uint32(row.ColumnInt64(3)), segment: row.ColumnInt64(4), revision: row.ColumnInt64(5),
			purge: row.ColumnBool(6), seed: uint64(row.ColumnInt64(7)),
		}
		return nil
	})
	if err == nil && !found {
		err = errDamaged
	}
	return n, err
}

// begin opens a transaction unless one is open. The lock is held.
func (w *Writer) begin() error {
	switch {
	case w.broken != nil:
		return w.broken
	case w.closed:
		return errors.New("the writer is closed")
	case w.open:
		w.changed = true
		return nil
	}
	if err := w.c.run("BEGIN IMMEDIATE", nil); err != nil {
		return err
	}
	w.open, w.changed = true, true
	return nil
}

// fail makes the writer useless after an error in the middle of a change: what
// it holds in memory and what the transaction holds may differ. The lock is
// held.
func (w *Writer) fail(err error) error {
	err = w.store.explain(err)
	if w.broken == nil {
		w.broken = err
	}
	return err
}

// CommitDue reports that so much has been written that a Commit should not wait.
func (w *Writer) CommitDue() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pending >= w.store.limits.commit
}

// Commit makes everything put so far visible and searchable. Sheets that are
// still at work stay invisible and go on afterwards. After an error nothing of
// it is visible and the writer is of no more use than to be closed.
func (w *Writer) Commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	desks, changed, err := append([]*desk(nil), w.desks...), w.changed, w.broken
	w.mu.Unlock()
	if err != nil || !changed {
		return err
	}
	for _, d := range desks {
		if err := w.flushFinished(d); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.commit(); err != nil {
		return w.fail(err)
	}
	return w.tidy(ctx)
}

// flushFinished writes what must be searchable after the commit, and no more: a
// desk at which only unfinished sheets work goes on filling.
func (w *Writer) flushFinished(d *desk) error {
	d.mu.Lock()
	finished := d.finished
	d.mu.Unlock()
	if !finished {
		return nil
	}
	return w.flush(d)
}

func (w *Writer) commit() error {
	if err := w.begin(); err != nil {
		return err
	}
	if err := w.writeLoose(); err != nil {
		return err
	}
	if err := w.writeDead(); err != nil {
		return err
	}
	if err := w.writeBlocks(); err != nil {
		return err
	}
	w.next.generation++
	w.next.doc = w.nextDoc.Load()
	n := w.next
	err := w.c.run("UPDATE state SET generation = ?, next_session = ?, next_page = ?, next_doc = ?, next_segment = ?, revision = ?, purge = ?", nil,
		n.generation, n.session, n.page, n.doc, n.segment, n.revision, n.purge)
	if err != nil {
		return err
	}
	if err := w.c.run("COMMIT", nil); err != nil {
		return err
	}
	w.open, w.changed, w.wrote, w.pending = false, false, w.pending, 0
	if w.idle() {
		clear(w.died)
	}
	return nil
}

// idle reports whether no builder holds anything. The lock is held; builders at
// which nobody works are still.
func (w *Writer) idle() bool {
	if len(w.free) != len(w.desks) {
		return false
	}
	for _, d := range w.free {
		if d.builder.Len() > 0 {
			return false
		}
	}
	return true
}

// longLog is how many bytes written make a log that is not left lying.
const longLog = 1 << 20

// leave cleans up behind a writer that did its work.
func (w *Writer) leave() error {
	if err := w.sweep(); err != nil || w.wrote == 0 {
		return err
	}
	// Here nobody waits for what was written to be seen: it is.
	if err := errors.Join(w.mergeUp(context.Background(), mergeWidth, 16*w.store.limits.merge), w.late); err != nil || w.wrote < longLog {
		return err
	}
	return w.c.run("PRAGMA wal_checkpoint(TRUNCATE)", func(*engine.Stmt) error { return nil })
}

// Close drops what is not committed and lets the next writer in. It may be
// called twice.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	var err error
	if w.c != nil {
		if w.open {
			if !w.c.AutocommitEnabled() { // the engine ends a transaction itself when the disk is full
				err = w.c.run("ROLLBACK", nil)
			}
			w.open = false
		}
		if err == nil && w.broken == nil {
			err = w.leave()
		}
		err = errors.Join(err, w.c.Close())
	}
	w.closed = true
	w.store.unclaim()
	return errors.Join(w.store.explain(err), w.lock.Close())
}
