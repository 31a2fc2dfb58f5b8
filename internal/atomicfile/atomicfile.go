// Package atomicfile writes small files so that a reader, a crash or a full disk
// never meets half of one: the content goes into a new file beside the old one,
// reaches the disk, and takes its name at the end.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace writes data under path, in the place of what is there. The file has
// exactly the permissions perm, whatever the umask. The folder has to exist.
// A symbolic link at path is replaced by the file: resolve it first to keep it.
func Replace(path string, data []byte, perm fs.FileMode) error {
	temp, err := write(path, data, perm)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(fmt.Errorf("put %s in place: %w", path, err), os.Remove(temp))
	}
	return Flush(filepath.Dir(path))
}

// Create writes data under path, which must not be there yet: not even as a link
// that leads nowhere. What is there stays, and the error is fs.ErrExist.
func Create(path string, data []byte, perm fs.FileMode) error {
	temp, err := write(path, data, perm)
	if err != nil {
		return err
	}
	// A link is the one way to take a name only if nobody has it. Where there are
	// no links (FAT, some network file systems) the name is taken first, so that a
	// crash may leave it empty.
	err = os.Link(temp, path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = claim(temp, path)
	} else if removed := os.Remove(temp); err == nil {
		err = removed
	}
	if err != nil {
		return fmt.Errorf("put %s in place: %w", path, err)
	}
	return Flush(filepath.Dir(path))
}

// claim renames temp to path if path can be taken.
func claim(temp, path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	if err := errors.Join(f.Close(), os.Rename(temp, path)); err != nil {
		return errors.Join(err, os.Remove(temp), os.Remove(path))
	}
	return nil
}

// write puts data into a new file in path's folder and returns its name.
func write(path string, data []byte, perm fs.FileMode) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".retold-*.tmp") // with mode 0600
	if err != nil {
		return "", fmt.Errorf("make a file beside %s: %w", path, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(perm), f.Sync())
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(f.Name()))
	}
	return f.Name(), nil
}
