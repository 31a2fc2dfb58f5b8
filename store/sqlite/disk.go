package sqlite

import (
	"errors"
	"syscall"

	engine "zombiezen.com/go/sqlite"
)

// readOnlyDisk reports whether an error says that nothing can be written there.
func readOnlyDisk(err error) bool {
	return errors.Is(err, syscall.EROFS) || engine.ErrCode(err).ToPrimary() == engine.ResultReadOnly
}
