package change

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/atomicfile"
)

// sumFile is the size and hash of a file's content.
func sumFile(path string) (value, error) {
	f, err := os.Open(path)
	if err != nil {
		return value{}, err
	}
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return value{}, err
	}
	return value{Class: retold.ClassBlob, Size: n, Sum: sum.Sum(nil)}, nil
}

// content is what lies at path; nil when nothing does.
func content(path string) (*file, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f := &file{Mode: uint32(info.Mode().Perm()), Dir: info.IsDir()}
	switch {
	case info.IsDir():
		return f, nil
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	f.Data, err = sumFile(path)
	return f, err
}

// holds reports whether the content is what the plan says.
func (f *file) holds(want *file) bool {
	switch {
	case f == nil || want == nil:
		return f == want
	case f.Dir || want.Dir:
		return f.Dir == want.Dir
	}
	sum := want.Data.Sum
	if sum == nil { // a short one, kept as it is
		s := sha256.Sum256(want.Data.Bytes)
		sum = s[:]
	}
	return f.Data.Size == want.Data.Size && string(f.Data.Sum) == string(sum)
}

// A stand is how a step's row or file is found.
type stand byte

const (
	stray stand = iota // neither
	old                // as before the step
	done               // as after it
)

// whereabouts is where a path leads while folders above it are renamed by other
// steps of the same change, before or after.
func whereabouts(steps []step, path string) (string, error) {
	there, err := exists(path)
	if err != nil || there {
		return path, err
	}
	for i := range steps {
		f := steps[i].File
		if f == nil || f.Op != opRename {
			continue
		}
		for _, way := range [][2]string{{f.Path, f.From}, {f.From, f.Path}} {
			rest, below := strings.CutPrefix(path, way[0])
			if !below || rest != "" && !os.IsPathSeparator(rest[0]) {
				continue
			}
			if there, err := exists(way[1] + rest); err != nil || there {
				return way[1] + rest, err
			}
		}
	}
	return path, nil
}

// look tells how a file stands, among the steps of its change.
func (f *fileStep) look(among []step) (stand, error) {
	if f.Op == opRename && !f.Restored {
		return f.renameStands(among)
	}
	if f.Op != opRename && f.Op != opSwap {
		path, err := whereabouts(among, f.Path)
		if err != nil {
			return stray, err
		}
		elsewhere := *f
		elsewhere.Path = path
		return elsewhere.stands()
	}
	return f.stands()
}

func (f *fileStep) stands() (stand, error) {
	if f.Op == opSwap {
		return f.swapStands()
	}
	if f.Op == opRename {
		return f.renameStands(nil)
	}
	now, err := content(f.Path)
	switch {
	case err != nil:
		return stray, err
	case f.Vessel && f.Op == opRemove:
		if now == nil {
			return done, nil
		}
		return old, nil
	case f.Vessel:
		if now != nil {
			return done, nil
		}
		return old, nil
	case now.holds(f.Before):
		return old, nil
	case now.holds(f.After):
		return done, nil
	}
	return stray, nil
}

// renameStands is stands of a rename. A log that has its name and goes away with its
// database, by another step among them, is not in the way.
func (f *fileStep) renameStands(among []step) (stand, error) {
	from, err := exists(f.From)
	if err != nil {
		return stray, err
	}
	to, err := exists(f.Path)
	if err == nil && from && to {
		to, err = stays(f.Path, among)
	}
	switch {
	case err != nil:
		return stray, err
	case from && !to:
		return old, nil
	case to && !from:
		return done, nil
	}
	return stray, nil
}

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// take takes the step on a file that was found old. left says why the file was
// left where it is.
func (f *fileStep) take(values *spool) (left string, err error) {
	switch f.Op {
	case opRename:
		return "", f.rename()
	case opSwap:
		return "", f.swap()
	case opCopy:
		return "", f.copy()
	case opRemove:
		return f.remove()
	}
	mode := fs.FileMode(f.After.Mode)
	if f.After.Dir {
		if err := os.Mkdir(f.Path, mode); err != nil {
			return "", err
		}
		return "", atomicfile.Flush(filepath.Dir(f.Path))
	}
	data, err := values.get(&f.After.Data)
	if err != nil {
		return "", err
	}
	put := atomicfile.Replace
	if f.Op == opMake {
		put = atomicfile.Create
	}
	if err := put(f.Path, data.Bytes, mode); err != nil {
		return "", err
	}
	return "", f.date()
}

func (f *fileStep) date() error {
	if f.After.Time.IsZero() {
		return nil
	}
	return os.Chtimes(f.Path, f.After.Time, f.After.Time)
}

// remove takes a file or folder away; a vessel only when nobody has used it.
func (f *fileStep) remove() (left string, err error) {
	now, err := content(f.Path)
	switch {
	case err != nil || now == nil:
		return "", err
	case now.Dir:
		entries, err := os.ReadDir(f.Path)
		if err != nil {
			return "", err
		}
		if len(entries) > 0 && f.Vessel {
			return fmt.Sprintf("%s is left: it is not empty", f.Path), nil
		}
	case f.Used:
		return fmt.Sprintf("%s is left: it was changed since", f.Path), nil
	}
	if err := os.Remove(f.Path); err != nil {
		return "", err
	}
	if f.Vessel && !now.Dir { // what a killed process left beside a database means nothing without it
		for _, suffix := range logs {
			if err := os.Remove(f.Path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
		}
	}
	return "", atomicfile.Flush(filepath.Dir(f.Path))
}

// copy makes the file from another one, which has to be what it was.
func (f *fileStep) copy() error {
	from, err := os.Open(f.From)
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // it was only read
	temp, err := os.CreateTemp(filepath.Dir(f.Path), tempName)
	if err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(temp, sum), from)
	err = errors.Join(err, temp.Chmod(fs.FileMode(f.After.Mode)), temp.Sync())
	if err = errors.Join(err, temp.Close()); err == nil && (n != f.After.Data.Size || string(sum.Sum(nil)) != string(f.After.Data.Sum)) {
		err = changed(f.From, "it is not what it was")
	}
	if err == nil {
		err = name(temp.Name(), f.Path)
	}
	if removed := os.Remove(temp.Name()); err == nil && !errors.Is(removed, fs.ErrNotExist) {
		err = removed
	}
	if err != nil {
		return fmt.Errorf("copy %s: %w", f.From, err)
	}
	return errors.Join(f.date(), atomicfile.Flush(filepath.Dir(f.Path)))
}

// name gives a new file a name that nobody has. A link is the one way to take a
// name only if it is free; where there are none, looking first has to do.
func name(temp, path string) error {
	err := os.Link(temp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if there, statErr := exists(path); statErr != nil || there {
		return errors.Join(err, statErr)
	}
	return os.Rename(temp, path)
}

// tempName is how atomicfile calls a file in the making, too.
const tempName = ".retold-*.tmp"

// sweep removes files in the making that a process left when it was killed.
func sweep(steps []step) error {
	var err error
	seen := map[string]bool{}
	for i := range steps {
		f := steps[i].File
		if f == nil {
			continue
		}
		dir := filepath.Dir(f.Path)
		if seen[dir] {
			continue
		}
		seen[dir] = true
		entries, readErr := os.ReadDir(dir)
		if readErr != nil && !errors.Is(readErr, fs.ErrNotExist) {
			err = errors.Join(err, readErr)
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".retold-") && strings.HasSuffix(e.Name(), ".tmp") {
				err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
			}
		}
	}
	return err
}
