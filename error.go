package retold

import (
	"context"
	"errors"
	"strings"
)

// Code is the stable name of what went wrong; programs branch on it. It is the
// same in Go, in the JSON that the command line writes to stderr, and for an
// agent. New codes may be added.
type Code string

// The codes, and the exit status the command line gives each.
const (
	CodeDatabaseNotFound   Code = "database_not_found"  // 5 when nothing at all was found, else 4
	CodeDatabaseLocked     Code = "database_locked"     // 6
	CodeDatabaseCorrupt    Code = "database_corrupt"    // 7
	CodeSessionNotFound    Code = "session_not_found"   // 4
	CodeSessionAmbiguous   Code = "session_ambiguous"   // 2
	CodeWorkspaceNotFound  Code = "workspace_not_found" // 4
	CodeWorkspaceAmbiguous Code = "workspace_ambiguous" // 2
	CodeUsage              Code = "usage"               // 2
	CodeBackupFailed       Code = "backup_failed"       // 1
	CodeRestoreFailed      Code = "restore_failed"      // 1
	CodeInvalidBackup      Code = "invalid_backup"      // 7
	CodeCursorRunning      Code = "cursor_running"      // 6
	CodeLibraryBusy        Code = "library_busy"        // 6
	CodeInterrupted        Code = "interrupted"         // 130; in Go it is the context's own error, see CodeOf
)

// Error is an error a person can act on. Any field may be empty. Its text may
// change with any release; Code does not.
type Error struct {
	Code Code   // what went wrong, for programs
	Op   string // the verb in hand: "open", "read session"
	Path string // file or record it concerns
	Hint string // the next command to try, for a person
	Err  error  // the cause, for errors.Is and errors.As
}

// Error says what happened to which file, without the hint.
func (e *Error) Error() string {
	var parts []string
	for _, p := range []string{e.Op, e.Path} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	head := strings.Join(parts, " ")
	switch {
	case e.Err != nil && head != "":
		return head + ": " + e.Err.Error()
	case e.Err != nil:
		return e.Err.Error()
	case head != "":
		return head + ": " + string(e.Code)
	}
	return string(e.Code)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is matches another *Error of the same code, so that
// errors.Is(err, retold.ErrSessionNotFound) works whatever the details.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && t.Err == nil && t.Path == ""
}

// Sentinels for errors.Is, one for each code but CodeInterrupted, whose errors
// are context.Canceled and context.DeadlineExceeded. They match every *Error of
// their code, whatever its other fields say.
var (
	ErrDatabaseNotFound   = &Error{Code: CodeDatabaseNotFound}
	ErrDatabaseLocked     = &Error{Code: CodeDatabaseLocked}
	ErrDatabaseCorrupt    = &Error{Code: CodeDatabaseCorrupt}
	ErrSessionNotFound    = &Error{Code: CodeSessionNotFound}
	ErrSessionAmbiguous   = &Error{Code: CodeSessionAmbiguous}
	ErrWorkspaceNotFound  = &Error{Code: CodeWorkspaceNotFound}
	ErrWorkspaceAmbiguous = &Error{Code: CodeWorkspaceAmbiguous}
	ErrUsage              = &Error{Code: CodeUsage}
	ErrBackupFailed       = &Error{Code: CodeBackupFailed}
	ErrRestoreFailed      = &Error{Code: CodeRestoreFailed}
	ErrInvalidBackup      = &Error{Code: CodeInvalidBackup}
	ErrCursorRunning      = &Error{Code: CodeCursorRunning}
	ErrLibraryBusy        = &Error{Code: CodeLibraryBusy}
)

// ErrLibraryReadOnly is in the tree of the error of a library whose file or disk
// cannot be written.
var ErrLibraryReadOnly = errors.New("the library cannot be written here")

// CodeOf returns the code of the first *Error in err's tree that has one,
// CodeInterrupted for the error of a context that ended, and "" for any other.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok && e.Code != "" {
		return e.Code
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return CodeInterrupted
	}
	return ""
}
