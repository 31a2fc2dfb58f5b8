package retold

import "time"

// A Session is one conversation, without its messages.
type Session struct {
	ID      string   // the agent's own id, byte-exact
	Index   int      // 1-based, newest first, within the listing's scope; 0 outside a listing
	Agent   string   // "cursor", "cursor-cli", …
	Sources []string // the stores it was read from: "composer", "store", "transcript", "chatdata", …; richest first

	Title         string // stored title, else the first thing the user said; "" when there is neither
	WorkspacePath string // absolute path or URI; "" when unknown
	WorkspaceName string // last element of the path, or the name of the .code-workspace; "" when unknown

	// MessageCount is the number of messages that showing the session returns;
	// negative while nobody has counted them (see [Completer]).
	MessageCount int

	CreatedAt           time.Time // UTC, millisecond precision; zero when unknown
	UpdatedAt           time.Time
	TimeSource          TimeSource // where CreatedAt and UpdatedAt come from
	FirstMessagePreview string     // first user message on one line, at most 120 characters

	Model        string // identifier as stored; see [ModelName]
	Mode         string // the agent's word: "agent", "chat", "plan", …
	Branch       string // git branch, "" when not recorded
	LinesAdded   *int   // nil when not recorded
	LinesRemoved *int
	FilesChanged *int
	Tokens       *Tokens // nil when not recorded; zero counts in a store mean "not recorded"

	ParentID string // the session that started this one as a sub-agent
	Archived bool
	Gone     bool // no longer in its source
	Problems int  // number of entries in ProblemList
}

// Touched is when the session was last touched, as far as anything says; zero
// when nothing does.
func (s *Session) Touched() time.Time {
	if s.UpdatedAt.IsZero() {
		return s.CreatedAt
	}
	return s.UpdatedAt
}

// Tokens are counts as the agent recorded them, never estimates.
type Tokens struct {
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
}

// SessionDetail is a Session with everything said and done in it.
type SessionDetail struct {
	Session
	Messages    []Message
	ProblemList []Problem
}

// A Header is what a source can say about a session without reading its
// messages.
type Header struct {
	Session
	Ref   Ref
	Stamp string // changes when the session does; opaque
	Empty bool   // nothing was ever said: a draft or an untouched window
	Draft bool   // unsent text waits in the input box
}

// A Ref names one session in one place of one source.
type Ref struct {
	Agent string
	Place string // Place.Path
	ID    string
}

// A Place is a file or folder in which a source looked for history.
type Place struct {
	Agent  string `json:"agent"`
	Path   string `json:"path"`
	Kind   string `json:"kind"`   // "user" (Cursor's User folder), "home" (~/.cursor), …
	Used   bool   `json:"used"`   // false: looked at and left aside
	Reason string `json:"reason"` // why it was used or not, in a sentence
}

// A Problem is something that could not be read, or was read only in part. It
// never ends a read: the rest is served.
type Problem struct {
	Path   string `json:"path,omitempty"` // file it concerns
	Key    string `json:"key,omitempty"`  // record it concerns, as the store names it
	Kind   string `json:"kind"`           // a ProblemKind below
	Reason string `json:"reason"`         // one sentence
}

// Kinds of problems.
const (
	ProblemMalformed  = "malformed"  // bytes that are not what their key promises
	ProblemMissing    = "missing"    // named by another record, but not stored here
	ProblemTombstone  = "tombstone"  // a deleted record's empty row
	ProblemUnreadable = "unreadable" // a file that could not be opened or finished
	ProblemUnknown    = "unknown"    // a format this version has never seen
)

// TimeSource says where a time comes from.
type TimeSource string

// From the strongest to the weakest.
const (
	TimeStored       TimeSource = "stored"       // the record carries it
	TimeTiming       TimeSource = "timing"       // from the record's request timings
	TimeInterpolated TimeSource = "interpolated" // between dated neighbours
	TimeSession      TimeSource = "session"      // only the session is dated
)

// PreviewLength is the most characters of a FirstMessagePreview.
const PreviewLength = 120
