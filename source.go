package retold

import (
	"context"
	"iter"
)

// A Source reads one agent's history. It never writes in that agent's folders.
// Implementations are safe for concurrent use.
type Source interface {
	// Agent returns the agent's name, e.g. "cursor".
	Agent() string

	// Places returns where history lies on this machine, and where it was looked
	// for in vain (Place.Used false). A folder that was named by the user and is
	// not there is an error with CodeDatabaseNotFound.
	Places(context.Context) ([]Place, error)

	// Headers yields every session of a used place, in no promised order, without
	// reading message bodies. An error yielded concerns one item (often a *Error
	// with the file's Path) and the loop goes on; after a cancelled context it
	// yields the context's error and ends.
	Headers(context.Context, Place) iter.Seq2[Header, error]

	// Session reads one session whole. What could not be read is in ProblemList.
	// It returns ErrSessionNotFound when the place holds no such session, and
	// reads no other session's rows.
	Session(context.Context, Ref) (*SessionDetail, error)
}

// A Streamer reads a session message by message, for sessions too long to hold.
type Streamer interface {
	// Stream calls yield for each message in order and returns the session
	// without its messages (counts and times filled in). An error from yield ends
	// the read and is returned as it is.
	Stream(ctx context.Context, ref Ref, yield func(Message) error) (*SessionDetail, error)
}

// A Completer fills in what a Header leaves open.
type Completer interface {
	// Complete sets MessageCount and FirstMessagePreview (and a Title taken from
	// it), reading as little as that needs.
	Complete(context.Context, *Header) error
}

// A Tracker tells what changed in a place since an earlier look, at a cost that
// follows what changed and not what is there.
type Tracker interface {
	// Mapping grows when the same records are mapped to other messages than
	// before, so that they are read again.
	Mapping() int

	// Track compares a place with memory, which is what an earlier Track of the
	// same place returned, or nil. With full set it trusts nothing but the values
	// themselves. An error means that nothing was learned, and memory still holds.
	Track(ctx context.Context, place Place, memory []byte, full bool) (*Track, error)
}

// A Track is what a Tracker found.
type Track struct {
	// Memory is for the next Track of the place; the one given when nothing at all
	// changed.
	Memory []byte

	// Changed are the sessions that are new or may have changed, as Headers gives
	// them, in an order that is kind to the disk.
	Changed []Header

	// All are the ids of all sessions in the place. Partial says that some could
	// not be listed, so that absence proves nothing. Both are unset when Same.
	All     []string
	Partial bool

	Same   bool    // nothing changed since memory
	Errors []error // one for each file or record that could not be read, as Headers yields them
}

// A Resumer reads a session again from where it changed.
type Resumer interface {
	// Resume is Stream for a session that was read before: memory is what that
	// Resume returned in Reading.Memory, or nil. The messages before the first that
	// is yielded are as they were; its Index says how many these are. When none is
	// yielded they are the first Reading.From.
	Resume(ctx context.Context, ref Ref, memory []byte, yield func(Message) error) (*Reading, error)
}

// A Reading is what Resume learned of a session.
type Reading struct {
	Header      Header // complete: MessageCount, FirstMessagePreview, Title, Tokens, Model as Stream returns them
	From        int    // Index of the first message that was read
	ProblemList []Problem
	Memory      []byte // for the next Resume; nil when there is no place to resume from
}

// An Inspector accounts for every row of a place.
type Inspector interface {
	Inspect(context.Context, Place) ([]Inventory, error)
}

// Inventory accounts for one file of a place. The bytes of its families and its
// Overhead add up to FileBytes.
type Inventory struct {
	Path      string    `json:"path"`
	FileBytes int64     `json:"fileBytes"` // size on disk, write-ahead log included
	WALBytes  int64     `json:"walBytes"`
	Access    string    `json:"access"` // how it was opened: "immutable", "wal", "copy", "plain"
	Families  []Family  `json:"families"`
	Overhead  int64     `json:"overheadBytes"` // indexes, page headers, free pages: FileBytes less all families
	FreeBytes int64     `json:"freeBytes"`     // part of Overhead: pages on the free list
	Versions  []Version `json:"versions"`
	Problems  []Problem `json:"problems"`
}

// Family is one kind of record in a file: all keys with one prefix.
type Family struct {
	Name       string `json:"name"`  // "bubbleId", "agentKv:blob", "ItemTable", …
	Table      string `json:"table"` // "cursorDiskKV", "ItemTable", "blobs", …
	Known      bool   `json:"known"` // false: this version of retold has never seen it
	Rows       int64  `json:"rows"`
	Bytes      int64  `json:"bytes"` // keys and values
	Shown      int64  `json:"shown"` // rows that reach a conversation
	Empty      int64  `json:"empty"` // rows that hold nothing to show: drafts, untouched windows, stream leftovers
	Orphans    int64  `json:"orphans"`
	Tombstones int64  `json:"tombstones"`
	Malformed  int64  `json:"malformed"`
}

// Version counts the records of a family that carry one "_v".
type Version struct {
	Family string `json:"family"`
	V      string `json:"v"` // "" when absent
	Rows   int64  `json:"rows"`
	Known  bool   `json:"known"`
}
