package retold

import (
	"context"
	"io/fs"
	"iter"
)

// A Restorer is a Source that can say what would have to be written to bring
// single sessions back from a backup into files that its agent goes on using. As a
// Writer does, it only reads.
type Restorer interface {
	// PlanRestore yields the steps that make sessions of one place what the backup
	// holds of them, databases that serve the whole installation first. Records and
	// files are taken byte for byte; other sessions, and what sessions share, stay
	// as they are. A session that the backup of the place does not hold is passed
	// over. One that is newer in the place ends the sequence with a *Error of
	// CodeRestoreFailed unless Overwrite is set. The same files give the same steps.
	PlanRestore(ctx context.Context, r Restore) iter.Seq2[Step, error]
}

// A Restore asks for sessions to be brought back.
type Restore struct {
	Place    string   // Place.Path of the place to write to
	Sessions []string // their ids

	// Files are those of the place as the backup holds them, by Piece.Name; what
	// they open to is an io.ReaderAt, so that databases can be read in it. Names
	// are all there are.
	Files fs.FS
	Names []string

	// Plans are the names of plan files that sessions speak of in other places, by
	// the id of the session.
	Plans map[string][]string

	Overwrite bool // replace what is newer in the place
	Fresh     bool // the place is an empty folder: whatever the sessions need in it is made
}

// An Excerpter is a Restorer whose databases serve many sessions, and that can copy
// out of one what it has of some.
type Excerpter interface {
	Restorer

	// Excerpt writes a database to the file at to, which is not there yet, that holds
	// of another one (a Piece of a place, as Archiver gives it) what PlanRestore reads
	// to bring sessions back from a backup, as one transaction left it. What it costs
	// follows from the sessions and not from the size of the database. Records of
	// Piece.Except are not left out. It returns what cannot be seen of the database,
	// "" when nothing is missing.
	Excerpt(ctx context.Context, p Piece, sessions []string, to string) (note string, err error)
}
