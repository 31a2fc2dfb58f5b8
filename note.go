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
