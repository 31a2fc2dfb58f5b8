package retold

import (
	"context"
	"io/fs"
	"iter"
	"time"
)

// A Writer is a Source that can say what would have to be written in its agent's
// files. It only reads: whoever carries the steps out checks first that nothing
// changed since, and keeps what is needed to undo them.
//
// The steps are data of this package, and not a plan of the package that carries
// them out, for two reasons. The root can name no package of ours, and a source
// that is written elsewhere has to be able to name everything an ability
// mentions. And a plan is long where a history is: a sequence lets the values of
// one step go before the next is made.
type Writer interface {
	// PlanMove yields the steps that give sessions of one place another workspace,
	// in the order in which they are to be taken, databases that serve the whole
	// installation first. One call covers all the sessions, because they share
	// rows. A session that the place does not hold is passed over: it may live in
	// another store. An error ends the sequence; it is a *Error where a person can
	// do something about it. The same files give the same steps.
	PlanMove(ctx context.Context, m Move) iter.Seq2[Step, error]
}

// A Move asks for sessions to be about another folder.
type Move struct {
	Place    string            // Place.Path of the sessions
	Sessions []string          // their ids
	From     string            // folder or URI whose paths are rewritten; "" for each session's own workspace
	To       string            // folder (absolute) or URI of the new workspace
	Copies   map[string]string // id of a session → id for its copy; nil to move and not to copy
}

// A Step changes one row or one file. With neither set it only says that the
// session is part of the plan, which all its changes to shared rows do not tell;
// or, with Left, that it is not.
type Step struct {
	Session string // whom it is about; "" for what sessions share
	Row     *RowChange
	File    *FileChange
	Left    string // of PlanMove: why the place keeps the session where it is
}

// A RowChange turns Before into After. A nil Before is a row that is not there,
// a nil After one that is not to be.
type RowChange struct {
	Database      string // file
	Table         string
	Key           []Cell // what the row is found by
	Before, After *Row
}

// A Row is every column of a row. Rowid is 0 for a new row whose place in the
// table SQLite may choose.
type Row struct {
	Rowid int64
	Cells []Cell
}

// A Cell is one column of a row.
type Cell struct {
	Column string
	Value  Value
}

// A Value is what SQLite stores, with the storage class it stores it in: the
// same bytes as TEXT and as BLOB are different values.
type Value struct {
	Class Class
	Bytes []byte  // of ClassText and ClassBlob
	Int   int64   // of ClassInteger
	Float float64 // of ClassReal
}

// Class is a storage class of SQLite.
type Class byte

// The storage classes.
const (
	ClassNull Class = iota
	ClassInteger
	ClassReal
	ClassText
	ClassBlob
)

// String returns SQLite's name of the class, in lower case, as typeof() does.
func (c Class) String() string {
	return [...]string{"null", "integer", "real", "text", "blob"}[min(c, ClassBlob)]
}

// TextValue is a Value of ClassText.
func TextValue(s string) Value { return Value{Class: ClassText, Bytes: []byte(s)} }

// IntValue is a Value of ClassInteger.
func IntValue(n int64) Value { return Value{Class: ClassInteger, Int: n} }

// A FileChange makes, replaces, removes, copies or renames one file or folder.
//
//	Before nil, After set              make it, with After's content
//	Before nil, After and From set     make it as a copy of the file From
//	both set                           replace a file
//	Before set, After nil              remove it; a folder has to be empty
//	Rename and From set                give what lies at From the name Path
//	Rename, From and Aside set         the same, and the file that has that name
//	                                   the name Aside; together or not at all
type FileChange struct {
	Path   string
	From   string
	Aside  string
	Rename bool
	// Restored marks a file, of a rename, that comes out of a backup. What SQLite
	// keeps beside a database goes wherever the database goes, now and when it is
	// taken back; and taking it back is refused when the file was changed since.
	Restored      bool
	Before, After *File
}

// A File is a file's content, or a folder.
type File struct {
	Dir     bool
	Mode    fs.FileMode // permissions
	ModTime time.Time   // zero for the moment of writing
	Data    []byte      // not of a copy
}

// CodeInvalidExport is the code of a file that is to be imported and is not what an
// export writes. Status 7.
const CodeInvalidExport Code = "invalid_export"

// ErrInvalidExport matches every *Error with CodeInvalidExport.
var ErrInvalidExport = &Error{Code: CodeInvalidExport}

// CodeChangeNotFound is the code of an id that no change to an agent's files on
// record has. Status 4.
const CodeChangeNotFound Code = "change_not_found"

// ErrChangeNotFound matches every *Error with CodeChangeNotFound.
var ErrChangeNotFound = &Error{Code: CodeChangeNotFound}

// CodeChanged is the code of a change that was planned on a state of the files
// that is no more: nothing was written.
const CodeChanged Code = "changed"

// ErrChanged matches every *Error with CodeChanged.
var ErrChanged = &Error{Code: CodeChanged}

// An Importer is a Writer that can take conversations in which its agent never
// had, or has lost.
type Importer interface {
	Writer

	// PlanImport yields the steps that make a place hold conversations, so that
	// the agent shows them, under the rules of PlanMove. It is an error to import
	// under an id that the place has messages of.
	PlanImport(ctx context.Context, m Import) iter.Seq2[Step, error]
}

// An Import asks for conversations to be taken in.
type Import struct {
	Place    string    // Place.Path
	To       string    // folder (absolute) or URI that they are to be about
	Sessions []Arrival // in the order in which they are to be written
}

// An Arrival is one conversation that is taken in.
type Arrival struct {
	Session *SessionDetail
	ID      string // that it is to have; the one it has when its agent gets it back
}

// A Recoverer is a Writer that can tell which sessions of a place its agent does
// not show any more, though it keeps them, and make it show them again.
type Recoverer interface {
	Writer

	// Lost finds them. It only reads.
	Lost(ctx context.Context, place string) ([]Lost, error)

	// PlanRecover yields the steps that make an agent show sessions again, under the
	// rules of PlanMove.
	PlanRecover(ctx context.Context, m Recovery) iter.Seq2[Step, error]
}

// A Lost session is kept by its agent and not shown.
type Lost struct {
	Session Session
	Reasons []LostReason // why it is not shown, at least one
	Folder  string       // where it can be shown again: its own folder, or where that has gone; "" when nobody knows
	Because string       // why it is that folder, when it is another one than its own
}

// A LostReason is one reason why an agent does not show a session.
type LostReason struct {
	Kind   string `json:"kind"`   // one of those below
	Reason string `json:"reason"` // a sentence
}

// Kinds of reasons.
const (
	LostHead      = "head"      // no list names it
	LostListed    = "own_list"  // the list of its own workspace names it, and the one that the agent goes by does not
	LostWorkspace = "workspace" // the workspace that a list names is not there
	LostFolder    = "folder"    // the folder of its workspace is not there
	LostOrder     = "order"     // its messages are there, and nothing says in which order
	LostStatus    = "status"    // it counts as under way, and nobody is at it
)

// A Recovery asks for sessions to be shown again.
type Recovery struct {
	Place    string   // Place.Path
	Sessions []string // their ids
	Folder   string   // folder (absolute) or URI that they are to be about
}
