package cursor

import (
	"errors"
	"io/fs"
	"strconv"
	"syscall"
)

// folderSalt tells a folder from another one of the same path: when it was made,
// in milliseconds.
func folderSalt(info fs.FileInfo) (string, error) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", errors.New("its time of birth is not told")
	}
	return strconv.FormatInt(s.Birthtimespec.Sec*1000+s.Birthtimespec.Nsec/1e6, 10), nil
}
