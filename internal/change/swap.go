package change

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/retold-history/retold/internal/atomicfile"
)

// A swap puts the file From in the place of Path, whose file goes to Aside. All
// three have to be on one file system.
//
//	before   Path and From are there, Aside is not
//	after    Path and Aside are there, From is not
//
// Logs of restored databases leave first and come last, so that no database ever
// lies beside a log that is not its own.
//
// What a crash leaves in between is made as before by heal.

func (f *fileStep) swapStands() (stand, error) {
	var there [3]bool
	for i, name := range []string{f.Path, f.From, f.Aside} {
		var err error
		if there[i], err = exists(name); err != nil {
			return stray, err
		}
	}
	switch there {
	case [3]bool{true, true, false}:
		return old, nil
	case [3]bool{true, false, true}:
		return done, nil
	}
	return stray, nil
}

// swap takes the step. With a second name for the old file, Path always names one
// of both; where there are no links it names none for a moment.
func (f *fileStep) swap() error {
	if f.Restored {
		if err := f.takeLogs(f.Path, f.Aside); err != nil {
			return err
		}
	}
	if err := os.Link(f.Path, f.Aside); err != nil {
		if err := os.Rename(f.Path, f.Aside); err != nil {
			return err
		}
	}
	if err := atomicfile.Flush(filepath.Dir(f.Aside)); err != nil {
		return err
	}
	if err := os.Rename(f.From, f.Path); err != nil {
		return errors.Join(err, f.heal())
	}
	if f.Restored {
		if err := moveLogs(f.From, f.Path); err != nil {
			return err
		}
	}
	return errors.Join(atomicfile.Flush(filepath.Dir(f.Path)), atomicfile.Flush(filepath.Dir(f.From)))
}

// heal takes back a swap that was begun and not ended; one of which only logs are
// left to be moved is ended.
func (f *fileStep) heal() error {
	from, err := exists(f.From)
	if err != nil {
		return err
	}
	if !from {
		stands, err := f.swapStands()
		if err == nil && stands == done && f.Restored {
			err = moveLogs(f.From, f.Path)
		}
		return err
	}
	if err := f.healFile(); err != nil || !f.Restored {
		return err
	}
	return moveLogs(f.Aside, f.Path)
}

// healFile is heal for the file itself.
func (f *fileStep) healFile() error {
	aside, err := os.Lstat(f.Aside)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		return err
	}
	now, err := os.Lstat(f.Path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return os.Rename(f.Aside, f.Path)
	case err != nil:
		return err
	case os.SameFile(now, aside):
		return os.Remove(f.Aside)
	}
	return nil // somebody made another file there, which is told later
}

// heal takes back all swaps and renames that a crash left half done.
func heal(steps []step) error {
	var err error
	for i := range steps {
		f := steps[i].File
		switch {
		case f == nil:
		case f.Op == opSwap:
			err = errors.Join(err, f.heal())
		case f.Op == opRename && f.Restored:
			err = errors.Join(err, f.healRename(steps))
		}
	}
	return err
}
