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
	s, ok := info.Sys().(*syscall.Win32FileAttributeData)
	if !ok {
		return "", errors.New("its time of birth is not told")
	}
	return strconv.FormatInt(s.CreationTime.Nanoseconds()/1e6, 10), nil
}
