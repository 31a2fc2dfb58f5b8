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
