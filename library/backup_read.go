package library

import (
	"context"
	"errors"
	"path/filepath"

	"filippo.io/age"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
)

// A BackupSource names a backup to read from instead of this machine's history.
type BackupSource struct {
	Path       string
	Identities func() ([]age.Identity, error) // asked when it is encrypted
}

// An enclosed library lies in a backup. It is read there, and never written.
type enclosed struct {
	from    BackupSource
	archive *backup.Archive
}

// open opens backup and library.
func (e *enclosed) open(ctx context.Context) (retold.Store, error) {
	a, err := backup.Open(ctx, e.from.Path, backup.OpenOptions{Identities: e.from.Identities})
	if err != nil {
		return nil, err
	}
	store, err := openInside(ctx, a)
	if err != nil {
		return nil, errors.Join(&retold.Error{
			Code: retold.CodeInvalidBackup, Op: "read backup", Path: e.from.Path, Hint: "retold verify " + e.from.Path + " says what of it is whole", Err: err,
		}, a.Close())
	}
	e.archive = a
	return store, nil
}

// close closes the backup, after the library in it.
func (e *enclosed) close() error {
	if e == nil || e.archive == nil {
		return nil
	}
	err := e.archive.Close()
	e.archive = nil
	return err
}

// openEnclosed is open for a library in a backup. s.opening is held.
func (s *shelf) openEnclosed(ctx context.Context) (retold.Store, error) {
	store, err := s.enclosed.open(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store = store
	return store, nil
}

// file is the library file that is open, kept or not.
func (s *shelf) file() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.temp != "" {
		return filepath.Join(s.temp, "library.db")
	}
	return s.path
}
