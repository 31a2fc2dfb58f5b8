package paths

import (
	"errors"
	"io/fs"
	"os"

	"github.com/retold-history/retold"
)

// CheckGiven returns nil for a folder that a person named and that is there. One
// that is missing or no folder is a *retold.Error with CodeDatabaseNotFound and
// the hint: it must not look like an empty history.
func CheckGiven(dir, hint string) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		err = errors.New("not a folder")
	case errors.Is(err, fs.ErrNotExist):
		err = missing{err}
	}
	return &retold.Error{Code: retold.CodeDatabaseNotFound, Op: "look for Cursor in", Path: dir, Hint: hint, Err: err}
}

// missing says shorter what the system says at length, which stays its cause.
type missing struct{ error }

func (missing) Error() string { return "no such folder" }

func (m missing) Unwrap() error { return m.error }
