package library

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/store/sqlite"
)

// A shelf knows where the library file lies and opens it when it is needed.
type shelf struct {
	path     string
	enclosed *enclosed // the library lies in a backup
	unpacked *enclosed // it is made of one
	opening  gate
	mask     func(*retold.Message) int // see Options.Mask

	mu    sync.Mutex
	store retold.Store
	temp  string // folder of a library that is not kept
	note  string // why it is not, for people
	cause error  // and for programs
}

// newShelf names the file: library.db, or one of its own for folders that were
// named by hand.
func newShelf(o Options, named []string) *shelf {
	home := o.Home
	if home == "" {
		home = o.Env.RetoldHome()
	}
	if !o.Apart || len(named) == 0 {
		return &shelf{path: filepath.Join(home, "library.db"), opening: make(gate, 1)}
	}
	dirs := slices.Clone(named)
	for i, dir := range dirs {
		if real, err := filepath.EvalSymlinks(dir); err == nil { // else the name as it was given has to do
			dirs[i] = real
		}
	}
	slices.Sort(dirs)
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(dirs), "\n")))
	return &shelf{path: filepath.Join(home, "apart", hex.EncodeToString(sum[:8])+".db"), opening: make(gate, 1)}
}

// open returns the store. Where no library can be written and none is there, a
// temporary one answers, so that reading works on any machine.
func (s *shelf) open(ctx context.Context) (retold.Store, error) {
	if err := s.opening.take(ctx); err != nil {
		return nil, err
	}
	defer s.opening.give()
	s.mu.Lock()
	store := s.store
	s.mu.Unlock()
	if store != nil {
		return store, nil
	}
	if s.enclosed != nil {
		return s.openEnclosed(ctx)
	}
	store, err := sqlite.Open(ctx, s.path, sqlite.Options{Mask: s.mask})
	var temp, note string
	var cause error
	if unwritable(err) {
		cause = err
		if temp, note, err = temporary(s.path, err); err != nil {
			return nil, err
		}
		if store, err = sqlite.Open(ctx, filepath.Join(temp, "library.db"), sqlite.Options{Mask: s.mask}); err != nil {
			return nil, errors.Join(err, os.RemoveAll(temp))
		}
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store, s.temp, s.note, s.cause = store, temp, note, cause
	return store, nil
}

// unwritable reports that a library could not be made, for a reason that another
// folder would not have.
func unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, retold.ErrDatabaseNotFound)
}

func temporary(path string, cause error) (dir, note string, err error) {
	dir, err = os.MkdirTemp("", "retold-library-*")
	if err != nil {
		return "", "", errors.Join(cause, err)
	}
	return dir, fmt.Sprintf("the library %s cannot be written (%v): what is read now is not kept", path, cause), nil
}

// readOnly is ErrLibraryReadOnly with what the system said beside it.
type readOnly struct{ cause error }

func (r readOnly) Error() string   { return retold.ErrLibraryReadOnly.Error() }
func (r readOnly) Unwrap() []error { return []error{retold.ErrLibraryReadOnly, r.cause} }

// kept returns an error when what is written would be thrown away.
func (s *shelf) kept() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.enclosed != nil {
		return &retold.Error{Op: "write library", Path: s.path, Hint: "a backup is only read; retold restore --into-library takes sessions out of it", Err: retold.ErrLibraryReadOnly}
	}
	if s.temp == "" {
		return nil
	}
	return &retold.Error{Op: "write library", Path: s.path, Hint: "make the folder writable, or name another with RETOLD_HOME", Err: readOnly{s.cause}}
}

// size is the bytes of the library file and its log; 0 when it is not there.
func (s *shelf) size() (n int64, err error) {
	for _, suffix := range []string{"", "-wal"} {
		info, err := os.Stat(s.path + suffix)
		switch {
		case err == nil:
			n += info.Size()
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission):
			return 0, err
		}
	}
	return n, nil
}

func (s *shelf) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.store != nil {
		err = s.store.Close()
		s.store = nil
	}
	err = errors.Join(err, s.enclosed.close(), s.unpacked.close())
	if s.temp != "" {
		err = errors.Join(err, os.RemoveAll(s.temp))
		s.temp = ""
	}
	return err
}

// rest has the store give back memory, if it is open and knows how.
func (s *shelf) rest() error {
	s.mu.Lock()
	store := s.store
	s.mu.Unlock()
	if r, ok := store.(interface{ Rest() error }); ok {
		return r.Rest()
	}
	return nil
}
