//go:build unix

package change

import (
	"io/fs"
	"syscall"
)

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
