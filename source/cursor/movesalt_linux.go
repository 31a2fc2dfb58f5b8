package cursor

import (
	"errors"
	"io/fs"
	"strconv"
	"syscall"
)

// folderSalt tells a folder from another one of the same path: its inode number.
func folderSalt(info fs.FileInfo) (string, error) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", errors.New("its inode number is not told")
	}
	return strconv.FormatUint(s.Ino, 10), nil
}
