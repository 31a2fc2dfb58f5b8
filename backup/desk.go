package backup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// A desk is a folder for what is under way: in the folder of the backup, so that
// a finished file only has to be renamed. Its lock tells the desk of a process
// that is at work from one that was left by a process that died.
type desk struct {
	dir  string
	lock *flock.Flock
}

const (
	deskPrefix = ".retold-backup-"
	deskLock   = "lock"
)

// newDesk makes a desk in a folder, after clearing those that nobody uses any
// more.
func newDesk(in string) (*desk, error) {
	if err := sweepDesks(in); err != nil {
		return nil, err
	}
	// Until its lock is taken others may remove the folder, which holds nothing yet:
	// then another is made.
	for {
		d := &desk{dir: filepath.Join(in, deskPrefix+random())}
		if err := os.Mkdir(d.dir, 0o700); err != nil {
			return nil, err
		}
		d.lock = flock.New(filepath.Join(d.dir, deskLock), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
		mine, err := d.lock.TryLock()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, d.clear())
		}
		if _, err := os.Stat(filepath.Join(d.dir, deskLock)); mine && err == nil {
			return d, nil
		}
		if err := d.lock.Close(); err != nil {
			return nil, err
		}
	}
}

// sweepDesks removes the desks of processes that died: they may hold copies of
// databases from which nothing was left out yet.
func sweepDesks(in string) error {
	found, err := os.ReadDir(in)
	if err != nil {
		return err
	}
	for _, e := range found {
		if name := e.Name(); e.IsDir() && len(name) > len(deskPrefix) && name[:len(deskPrefix)] == deskPrefix {
			if err := sweepDesk(filepath.Join(in, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func sweepDesk(dir string) error {
	lock := flock.New(filepath.Join(dir, deskLock), flock.SetFlag(os.O_RDWR))
	free, err := lock.TryLock()
	if errors.Is(err, fs.ErrNotExist) { // just being made, or left so
		_ = os.Remove(dir) // succeeds when it is empty; whoever makes it then makes another
		return nil
	}
	if err != nil || !free {
		return errors.Join(err, lock.Close())
	}
	// The lock is let go first: what is open cannot be removed on Windows.
	if err := errors.Join(lock.Close(), os.RemoveAll(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (d *desk) clear() error {
	return errors.Join(d.lock.Close(), os.RemoveAll(d.dir))
}
