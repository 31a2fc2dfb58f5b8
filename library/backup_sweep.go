package library

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"github.com/retold-history/retold/internal/change"
)

const (
	restorePrefix = ".retold-restore-"
	// unfinished is a file in the folder of a restore that is under way, locked by
	// its process.
	unfinished = "unfinished"
)

// release gives the locks back that open took.
func (s *restoring) release() error {
	var err error
	for _, t := range s.targets {
		if t.lock == nil {
			continue
		}
		err = errors.Join(err, t.lock.Close(), gone(os.Remove(filepath.Join(t.keep, unfinished))))
		t.lock = nil
	}
	return err
}

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// sweep deals with restores whose processes were ended: what they had begun to
// change is finished or taken back, and what they had unpacked is removed.
func (s *restoring) sweep(ctx context.Context) error {
	desk := s.desk()
	list, err := desk.List()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(c change.Change) bool { return c.State == change.Interrupted }) {
		if _, err := desk.Settle(ctx, change.Finish); err != nil {
			return err
		}
	}
	for _, t := range s.targets {
		entries, err := os.ReadDir(t.dir)
		if gone(err) != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() && len(e.Name()) > len(restorePrefix) && e.Name()[:len(restorePrefix)] == restorePrefix {
				if err := sweepRestore(filepath.Join(t.dir, e.Name())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// sweepRestore removes the folder of a restore that was ended before it changed
// anything. One that was finished later keeps what was put aside.
func sweepRestore(dir string) error {
	lock := flock.New(filepath.Join(dir, unfinished), flock.SetFlag(os.O_RDWR))
	free, err := lock.TryLock()
	if errors.Is(err, fs.ErrNotExist) { // nobody is at work there
		return errors.Join(lock.Close(), removeEmpty(dir))
	}
	if err != nil || !free {
		return errors.Join(err, lock.Close())
	}
	staged, err := holdsFiles(filepath.Join(dir, "new"))
	aside, asideErr := holdsFiles(filepath.Join(dir, "old"))
	// The lock is let go first: what is open cannot be removed on Windows.
	if err := errors.Join(err, asideErr, lock.Close()); err != nil {
		return err
	}
	if staged && !aside {
		return os.RemoveAll(dir)
	}
	return errors.Join(gone(os.Remove(filepath.Join(dir, unfinished))), removeEmpty(dir))
}

func holdsFiles(dir string) (yes bool, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			yes = true
			return filepath.SkipAll
		}
		return err
	})
	return yes, gone(err)
}
