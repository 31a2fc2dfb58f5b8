package library

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retold-history/retold"
)

// Nothing is the error for a machine on which no place is used: a *retold.Error
// with CodeDatabaseNotFound and [ErrNothing] in its tree, or one without a code
// when a folder may not be read, so that nobody can say what is in it. It is nil
// when there is something to read.
func (l *Library) Nothing() error {
	if l.shelf.enclosed != nil || slices.ContainsFunc(l.located(), func(p located) bool { return p.Used }) {
		return nil
	}
	var useless []string
	for _, p := range l.located() {
		if err := closed(p.Path); err != nil {
			return forbidden(err)
		}
		if slices.Contains(l.named, p.Path) {
			useless = append(useless, p.Path+": "+strings.TrimPrefix(p.Reason, "given by hand, but "))
		}
	}
	if len(useless) > 0 {
		return &retold.Error{
			Code: retold.CodeDatabaseNotFound, Err: nothingIn(strings.Join(useless, "; ")),
			Hint: "name another folder or none; `retold doctor` shows the places looked at, `retold --demo list` a made-up history",
		}
	}
	return &retold.Error{
		Code: retold.CodeDatabaseNotFound, Err: ErrNothing,
		Hint: "try `retold --demo list`, name Cursor's folder with --cursor-user, or see `retold doctor` for the places looked at",
	}
}

// nothingIn says which folders named by hand hold no history, and why.
type nothingIn string

func (n nothingIn) Error() string { return "no history found in " + string(n) }

func (n nothingIn) Is(target error) bool { return target == ErrNothing }

// closed returns why the folder, or one in it that history is kept in, may not
// be read; nil when that is not what is wrong with it.
func closed(dir string) error {
	for _, name := range []string{"", "globalStorage", "workspaceStorage", "chats", "acp-sessions", "projects"} {
		if _, err := os.ReadDir(filepath.Join(dir, name)); errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

// denied says in two words what the system said at length.
type denied struct{ cause error }

func (d denied) Error() string { return fs.ErrPermission.Error() }
func (d denied) Unwrap() error { return d.cause }

// forbidden makes of an error about a missing permission one that names the file
// or folder and is neither "not found" nor "damaged"; any other it returns as it
// is.
func forbidden(err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	e := &retold.Error{Op: "read", Err: denied{err}, Hint: "give yourself the permission to read it; `retold doctor` shows every place and file"}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		e.Path = at.Path
	}
	if known, ok := errors.AsType[*retold.Error](err); ok {
		e.Path = cmp.Or(e.Path, known.Path)
	}
	if e.Path == "" {
		return err
	}
	return e
}
