package journal

import (
	"context"
	"iter"
	"time"

	"github.com/retold-history/retold"
)

// A History is what the journal asks of the library.
type History interface {
	// Sessions returns the sessions, sub-agents too, any part of which lies between
	// two times (a zero time: open), in no promised order.
	Sessions(ctx context.Context, from, to time.Time) ([]Kept, error)

	// Messages yields the messages of a session from an index on. The error, at
	// most one, ends it. retold.ErrSessionNotFound when there is no such session.
	Messages(ctx context.Context, key retold.Key, from int) iter.Seq2[retold.Message, error]
}

// Kept is a session as the library holds it.
type Kept struct {
	retold.Session
	Key      retold.Key
	Revision int64 // grows when the session changes
}

// A Notebook keeps what the journal writes down: entries, reflections, and
// digests of sessions that save reading them again. It is safe for concurrent
// use, also by several processes.
type Notebook interface {
	// Note returns one note; ErrNoNote when there is none.
	Note(ctx context.Context, kind, key string) (retold.Note, error)

	// Notes yields the notes of a kind with from <= key < to in order of their
	// keys; an empty to is no bound. The error, at most one, ends it.
	Notes(ctx context.Context, kind, from, to string) iter.Seq2[retold.Note, error]

	// PutNotes writes notes over those of their kind and key, all or none.
	PutNotes(ctx context.Context, notes ...retold.Note) error

	// DropNotes removes notes; one that is not there is no error.
	DropNotes(ctx context.Context, kind string, keys ...string) error
}
