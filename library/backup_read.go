package library

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"

	"filippo.io/age"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/internal/livedb"
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
	temp    string         // folder of what had to be unpacked
	served  []func() error // ends the reading of databases in it
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
	for _, stop := range e.served {
		err = errors.Join(err, stop())
	}
	e.served = nil
	if e.archive != nil {
		err = errors.Join(err, e.archive.Close())
		e.archive = nil
	}
	if e.temp != "" {
		err = errors.Join(err, os.RemoveAll(e.temp))
		e.temp = ""
	}
	return err
}

// enclose makes l answer from a backup. One that another program made holds no
// library: its files are laid out in a temporary folder until Close.
func (l *Library) enclose(ctx context.Context, o Options) error {
	e := &enclosed{from: *o.Backup}
	l.sources, l.named, l.shelf.path = nil, nil, o.Backup.Path
	foreign, err := backup.IsZip(o.Backup.Path)
	if err != nil || !foreign {
		l.shelf.enclosed = e
		return nil //nolint:nilerr // opening it says what is wrong
	}
	if e.archive, err = backup.Open(ctx, o.Backup.Path, backup.OpenOptions{}); err != nil {
		return err
	}
	user, err := e.layOut(ctx)
	if err != nil {
		return errors.Join(err, e.close())
	}
	l.sources = editorSources(user, o)
	l.shelf.path, l.shelf.unpacked = filepath.Join(e.temp, "retold", "library.db"), e
	return nil
}

// inPlace is the least size of a database that is read in the backup.
const inPlace = 1 << 20

// layOut makes a folder in which sources find the files of another program's
// backup, and returns Cursor's User folder in it. A large database is not unpacked:
// a file of its size without content takes its place, and SQLite reads the backup.
func (e *enclosed) layOut(ctx context.Context) (user string, err error) {
	a := e.archive
	need := int64(0)
	for _, f := range a.Manifest.Files {
		if !readInPlace(f) {
			need += f.Size
		}
	}
	if err := errors.Join(a.CheckSize(), backup.NeedSpace(os.TempDir(), need)); err != nil {
		return "", err
	}
	if e.temp, err = os.MkdirTemp("", "retold-backup-*"); err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(e.temp) // under that name databases are asked for
	if err != nil {
		return "", err
	}
	e.temp = real
	root, err := os.OpenRoot(e.temp)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for i := range a.Manifest.Files {
		f := &a.Manifest.Files[i]
		if !readInPlace(*f) {
			err = a.Unpack(ctx, f, root, f.Path, nil)
		} else {
			err = e.standIn(root, f)
		}
		if err != nil {
			return "", err
		}
	}
	return filepath.Join(e.temp, "cursor", "user"), nil
}

func readInPlace(f backup.File) bool { return f.Kind == retold.PieceDatabase && f.Size >= inPlace }

// standIn makes the file that stands in for a database.
func (e *enclosed) standIn(root *os.Root, f *backup.File) error {
	uri, err := e.archive.URI(f.Path)
	if err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(f.Path), 0o700); err != nil {
		return err
	}
	out, err := root.OpenFile(f.Path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(out.Truncate(f.Size), out.Close()); err != nil {
		return err
	}
	stop, err := livedb.Serve(filepath.Join(e.temp, filepath.FromSlash(f.Path)), uri)
	if err == nil {
		e.served = append(e.served, stop)
	}
	return err
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
