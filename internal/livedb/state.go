package livedb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
)

// state is what tells whether a database changed: the main file and, where it
// has bytes, its write-ahead log.
type state struct {
	size    int64
	mtime   time.Time
	inode   uint64
	counter uint32 // file change counter, bytes 24–27 of the header
	wal     int64  // size of the -wal, 0 when there is none
	shm     bool   // a -shm lies beside it
	journal int64  // size of a rollback journal in force: a transaction is under way, or died
	stamp   time.Time
}

// sameRead reports whether a read between two states saw one version of the
// data. With a log SQLite's own snapshot answers for that.
func (s state) sameRead(after state) bool {
	if s.wal > 0 && after.wal > 0 {
		return s.inode == after.inode
	}
	return s.wal == after.wal && s.journal == after.journal && s.stamp.Equal(after.stamp) && s.size == after.size &&
		s.mtime.Equal(after.mtime) && s.inode == after.inode && s.counter == after.counter
}

// sameOpening reports whether a connection opened at s still serves now.
func (s state) sameOpening(now state) bool {
	if s.wal > 0 {
		return now.wal > 0 && s.inode == now.inode && s.shm == now.shm
	}
	return s.sameRead(now)
}

// hold keeps one descriptor of a database file open for all DBs of this process
// that use it. Closing any descriptor of a file drops every POSIX lock the
// process has on it, SQLite's among them; so it is closed only when the last
// user is gone.
type hold struct {
	uri  string // where it is read instead; see Serve
	path string
	file *os.File
	refs int

	mu  sync.Mutex
	shm *os.File // nil until a stamp wants it
}

// holds has to be one per process, as the locks it protects are.
var (
	holdsMu sync.Mutex
	holds   = map[string]*hold{}
)

func acquire(path string) (*hold, error) {
	holdsMu.Lock()
	defer holdsMu.Unlock()
	if h := holds[path]; h != nil {
		h.refs++
		return h, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	h := &hold{path: path, file: f, refs: 1}
	holds[path] = h
	return h, nil
}

func (h *hold) release() error {
	holdsMu.Lock()
	defer holdsMu.Unlock()
	h.refs--
	if h.refs > 0 {
		return nil
	}
	delete(holds, h.path)
	err := h.file.Close()
	if h.shm != nil {
		err = errors.Join(err, h.shm.Close())
	}
	return err
}

// state looks at the files. A main file that was replaced under the descriptor
// shows by its inode.
func (h *hold) state() (state, error) {
	info, err := os.Stat(h.path)
	if err != nil {
		return state{}, err
	}
	s := state{size: info.Size(), mtime: info.ModTime(), inode: Inode(info)}
	var word [4]byte
	switch _, err := h.file.ReadAt(word[:], 24); {
	case err == nil:
		s.counter = binary.BigEndian.Uint32(word[:])
	case !errors.Is(err, io.EOF):
		return state{}, fmt.Errorf("read the header: %w", err)
	}
	if s.wal, err = sizeOf(h.path + "-wal"); err != nil {
		return state{}, err
	}
	if s.journal, s.stamp, err = journalOf(h.path); err != nil {
		return state{}, err
	}
	if s.wal > 0 {
		_, err := os.Stat(h.path + "-shm")
		s.shm = err == nil
	}
	return s, nil
}

// journalMagic starts a rollback journal that is in force. In the persistent and
// truncated journal modes a finished transaction leaves the file behind with its
// head zeroed or with nothing in it.
const journalMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"

// journalOf returns the size and time of the journal in force, 0 when there is
// none.
func journalOf(path string) (int64, time.Time, error) {
	f, err := os.Open(path + "-journal")
	if errors.Is(err, fs.ErrNotExist) {
		return 0, time.Time{}, nil
	}
	if err != nil {
		return 0, time.Time{}, err
	}
	defer f.Close() //nolint:errcheck // opened for reading
	var head [len(journalMagic)]byte
	if _, err := io.ReadFull(f, head[:]); err != nil || string(head[:]) != journalMagic {
		return 0, time.Time{}, nil //nolint:nilerr // shorter than a head: nothing in force
	}
	info, err := f.Stat()
	if err != nil {
		return 0, time.Time{}, err
	}
	return info.Size(), info.ModTime(), nil
}

// sizeOf is 0 for a file that is not there.
func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
