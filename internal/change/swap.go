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
	return errors.Join(atomicfile.Flush(filepath.Dir(f.Path)), atomicfile.Flush(filepath.Dir(f.From)))
}

// heal takes back a swap that was begun and not ended.
func (f *fileStep) heal() error {
	from, err := exists(f.From)
	if err != nil || !from {
		return err
	}
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

// heal takes back all swaps that a crash left half done.
func heal(steps []step) error {
	var err error
	for i := range steps {
		if f := steps[i].File; f != nil && f.Op == opSwap {
			err = errors.Join(err, f.heal())
		}
	}
	return err
}
