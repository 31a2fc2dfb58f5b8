//go:build unix

package change

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// flush makes the names in a folder last.
func flush(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil // some file systems flush folders by themselves, and say so
	}
	return errors.Join(err, d.Close())
}

// room is the free space of the file system that a folder lies on.
func room(dir string) (free int64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true //nolint:unconvert // the types differ by system
}

// device tells file systems apart: a file cannot be renamed from one to another.
func device(info fs.FileInfo) (id uint64, known bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(s.Dev), true //nolint:unconvert // as above
}

// writable reports whether this process may write to a file or into a folder.
func writable(path string) error {
	const w = 2
	return syscall.Access(path, w)
}
