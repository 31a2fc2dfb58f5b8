package retold

import (
	"errors"
	"time"
)

// A Note is something written down beside the sessions: an entry of the journal,
// a reflection, a digest. What its value means is up to its kind.
type Note struct {
	Kind    string // "entry", "reflection", …
	Key     string // unique in its kind; notes are listed in byte order of it
	Value   []byte
	Written time.Time // UTC, millisecond precision; set by the notebook
}

// ErrNoNote says that a notebook has no note of that kind and key.
var ErrNoNote = errors.New("no such note")

// The codes of what a repository or its journal does not have, all with status 4,
// and the sentinels that match every *Error with one of them.
const (
	CodeCommitNotFound Code = "commit_not_found" // no commit is called that
	CodeLineNotFound   Code = "line_not_found"   // git knows no such file or line
	CodeEntryNotFound  Code = "entry_not_found"  // nothing was written about the commit yet
)

// Sentinels for errors.Is.
var (
	ErrCommitNotFound = &Error{Code: CodeCommitNotFound}
	ErrLineNotFound   = &Error{Code: CodeLineNotFound}
	ErrEntryNotFound  = &Error{Code: CodeEntryNotFound}
)
