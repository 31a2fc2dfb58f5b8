package backup

import (
	"errors"
	"fmt"
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
	if err != nil {
		return fmt.Errorf("ask how much of the disk of %s is free: %w", dir, err)
	}
	if free < need {
		return &retold.Error{
			Code: retold.CodeBackupFailed, Op: "write to", Path: dir, Hint: "free some space, or name a folder on another disk",
			Err: fmt.Errorf("%d MB are free, and up to %d MB are needed", free>>20, need>>20),
		}
	}
	return nil
}

// DiskFull reports whether err says that a disk is full, in the words of the
// system or of SQLite.
func DiskFull(err error) bool {
	const windowsFull, windowsHandleFull = syscall.Errno(112), syscall.Errno(39)
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || sqlite.ErrCode(err).ToPrimary() == sqlite.ResultFull ||
		runtime.GOOS == "windows" && (errors.Is(err, windowsFull) || errors.Is(err, windowsHandleFull))
}
