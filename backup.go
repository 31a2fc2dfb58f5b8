package retold

import (
	"context"
	"iter"
)

// An Archiver names the files that hold an agent's history, so that they can be
// kept whole and put back.
type Archiver interface {
	// Pieces yields every file of a used place that belongs into a backup, in a
	// fixed order, and reads none. Credentials are never among them, and the
	// records of a database that hold some are in Piece.Except. An error yielded
	// concerns one file or folder, which is left out; after a cancelled context it
	// yields the context's error and ends.
	Pieces(context.Context, Place) iter.Seq2[Piece, error]

	// Holds reports whether a piece of that name may come out of a place of a kind
	// (Place.Kind), and what it is then. A restore writes nothing else there, whatever
	// a file that calls itself a backup holds.
	Holds(place, name string) (kind PieceKind, ok bool)
}

// A PieceKind tells how a file is to be read.
type PieceKind string

// The kinds of files.
const (
	PieceDatabase PieceKind = "database" // SQLite, perhaps being written to
	PieceFile     PieceKind = "file"
)

// A Piece is one file of an agent's history.
type Piece struct {
	Name   string // path below the place, with slashes: "globalStorage/state.vscdb"
	Path   string // where it lies
	Kind   PieceKind
	Size   int64 // bytes on disk, a database's log included
	Except []RowRange
}

// A RowRange names records of a table by their key. A table or column that a
// database has not is no error.
type RowRange struct {
	Table  string
	Column string // that holds the key
	From   string // the first key
	To     string // behind the last key; "" means no end
	Suffix string // only keys that end so
	Member string // not the record: only this member of the JSON object in it (column "value")
}
