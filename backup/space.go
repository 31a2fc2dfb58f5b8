package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"syscall"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

// NeedSpace returns an error when a folder's disk has less than need bytes free
// for this user.
func NeedSpace(dir string, need int64) error {
	free, err := paths.Free(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return &retold.Error{Code: retold.CodeBackupFailed, Op: "write to", Path: dir, Hint: "make the folder, or name another one", Err: errors.New("no such folder")}
	}
	if err != nil {
		return &retold.Error{Code: retold.CodeBackupFailed, Op: "ask how much is free on the disk of", Path: dir, Hint: "name a folder on another disk", Err: err}
	}
	if free < need {
		return &retold.Error{
			Code: retold.CodeBackupFailed, Op: "write to", Path: dir, Hint: "free some space, or name a folder on another disk",
			Err: errors.New(shortage(free, need)),
		}
	}
	return nil
}

// shortage tells how much is free and how much is needed, by the byte where
// megabytes would be the same.
func shortage(free, need int64) string {
	if free>>20 == need>>20 {
		return fmt.Sprintf("%d bytes are free, and up to %d bytes are needed", free, need)
	}
	return fmt.Sprintf("%d MB are free, and up to %d MB are needed", free>>20, need>>20)
}

// DiskFull reports whether err says that a disk is full, in the words of the
// system or of SQLite.
func DiskFull(err error) bool {
	const windowsFull, windowsHandleFull = syscall.Errno(112), syscall.Errno(39)
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || sqlite.ErrCode(err).ToPrimary() == sqlite.ResultFull ||
		runtime.GOOS == "windows" && (errors.Is(err, windowsFull) || errors.Is(err, windowsHandleFull))
}
