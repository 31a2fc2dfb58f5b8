package library

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"filippo.io/age"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/store/sqlite"
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
	temp    string // folder of what had to be unpacked
}

// open opens backup and library.
func (e *enclosed) open(ctx context.Context, mask func(*retold.Message) int) (retold.Store, error) {
	a, err := backup.Open(ctx, e.from.Path, backup.OpenOptions{Identities: e.from.Identities})
	if err != nil {
		return nil, err
	}
	store, err := openInside(ctx, a, sqlite.Options{Mask: mask})
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
	if e == nil {
		return nil
	}
	var err error
	if e.archive != nil {
		err = e.archive.Close()
		e.archive = nil
	}
	if e.temp != "" {
		err = errors.Join(err, os.RemoveAll(e.temp))
		e.temp = ""
	}
	return err
}

// enclose makes l answer from a backup. One that another program made holds no
// library: its files, which sources can only read where they lie on a disk, are
// unpacked into a temporary folder until Close.
func (l *Library) enclose(ctx context.Context, o Options) (err error) {
	e := &enclosed{from: *o.Backup}
	l.sources, l.named, l.shelf.path = nil, nil, o.Backup.Path
	foreign, err := backup.IsZip(o.Backup.Path)
	if err != nil || !foreign {
		l.shelf.enclosed = e
		return nil //nolint:nilerr // opening it says what is wrong
	}
	a, err := backup.Open(ctx, o.Backup.Path, backup.OpenOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if e.temp, err = os.MkdirTemp("", "retold-backup-*"); err != nil {
		return err
	}
	if err := unpackAll(ctx, a, e.temp); err != nil {
		return errors.Join(err, e.close())
	}
	user := filepath.Join(e.temp, "cursor", "user")
	l.sources = editorSources(user, o)
	l.shelf.path, l.shelf.unpacked = filepath.Join(e.temp, "retold", "library.db"), e
	return nil
}

func unpackAll(ctx context.Context, a *backup.Archive, dir string) (err error) {
	if err := errors.Join(a.CheckSize(), backup.NeedSpace(dir, a.Manifest.Stats.FileSize)); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for i := range a.Manifest.Files {
		f := &a.Manifest.Files[i]
		if err := a.Unpack(ctx, f, root, f.Path, nil); err != nil {
			return err
		}
	}
	return nil
}

// openEnclosed is open for a library in a backup. s.opening is held.
func (s *shelf) openEnclosed(ctx context.Context) (retold.Store, error) {
	store, err := s.enclosed.open(ctx, s.mask)
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
