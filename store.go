package retold

import (
	"context"
	"io"
	"iter"
	"slices"
	"strings"
	"time"
)

// A Key is what makes two records one session. Cursor's IDE, command line and
// transcripts draw from one space of ids ("cursor"); other agents each have
// their own.
type Key struct{ Family, ID string }

// KeyOf is the key of an agent's session.
func KeyOf(agent, id string) Key {
	if family, _, _ := strings.Cut(agent, "-"); family == "cursor" {
		return Key{family, id}
	}
	return Key{agent, id}
}

// A Kept is what a store holds of a session besides its messages.
type Kept struct {
	Session
	Key         Key
	Empty       bool
	Draft       bool
	Pending     bool  // its messages are still to be read, or read again
	Revision    int64 // grows with every Put in the store; set by the store
	Parts       []Part
	ProblemList []Problem
}

// A Part is one record of one source that tells of the session.
type Part struct {
	Header
	Memory []byte // what the source wants back when it reads the session again
	Gone   bool   // no longer in its source
}

// A KeptPlace is what a store remembers of a place that was read.
type KeptPlace struct {
	Place
	Mapping  int       // of the source when it read the place last
	Memory   []byte    // what the source wants back, see [Tracker]
	Problems []Problem // what could not be read there
	Synced   time.Time
}

// A Store keeps sessions for good and answers questions about them. It is safe
// for concurrent use. Reading never waits for a writer and sees, for each call,
// one state that a Commit left.
type Store interface {
	io.Closer

	// List returns the sessions that f wants from offset on, at most limit
	// (negative: all), in listing order: what is not empty first, then by the time
	// last touched, newest first, unknown times last, then by id and agent. Index
	// is the place in the listing of all sessions. Parts come without Memory,
	// ProblemList stays nil. total counts all that f wants.
	List(ctx context.Context, f Filter, limit, offset int) (list []Kept, total int, err error)

	// Get returns all that is kept of a session but its messages;
	// ErrSessionNotFound when there is none.
	Get(ctx context.Context, key Key) (*Kept, error)

	// Find returns the listing's entries whose id starts with prefix (fold: letter
	// case ignored), at most limit, in listing order. At returns the entry with
	// that index, ErrSessionNotFound when there is none.
	Find(ctx context.Context, prefix string, fold bool, limit int) ([]Kept, error)
	At(ctx context.Context, index int) (*Kept, error)

	// Pending returns the sessions whose messages are still to be read, in listing
	// order, Parts without Memory.
	Pending(ctx context.Context) ([]Kept, error)

	// Parts returns the keys of the sessions that have a part in a place, by the
	// part's Ref.ID; parts that are gone are left out.
	Parts(ctx context.Context, agent, place string) (map[string]Key, error)

	// Changed returns the sessions put since a revision, the first put first, Parts
	// without Memory, and the latest revision. It costs what changed.
	Changed(ctx context.Context, since int64) (list []Kept, now int64, err error)

	// Messages yields the messages of a session from an index on. The error, at
	// most one, ends it.
	Messages(ctx context.Context, key Key, from int) iter.Seq2[Message, error]

	// Outline counts the messages of a session by role, in stretches that follow one
	// another and are cheap to read from their first message on. It costs far less
	// than reading them. ErrSessionNotFound when there is no such session.
	Outline(ctx context.Context, key Key) ([]Stretch, error)

	// Search returns the hits of q, best first (the order is total, so that pages
	// fit together), at most limit of them from offset on. now weighs recency. With
	// limit 0 there are no hits, and Total is exact however long that takes.
	Search(ctx context.Context, q Query, now time.Time, limit, offset int) (*SearchResult, error)

	// Stats counts the messages of the sessions that f wants; days and hours are
	// those of loc.
	Stats(ctx context.Context, f Filter, loc *time.Location) (*Stats, error)

	// Places returns what is remembered of every place ever read.
	Places(ctx context.Context) ([]KeptPlace, error)

	// Writer returns the one writer there may be, over all processes;
	// an *Error of CodeLibraryBusy at once when there is another, an error with
	// ErrLibraryReadOnly in its tree when nobody can write here.
	Writer(ctx context.Context) (StoreWriter, error)
}

// A Stretch is a run of messages of a session.
type Stretch struct {
	From     int // index of the first
	Messages int
	Roles    map[Role]int // how many of each; nil: unknown
}

// Of counts the messages of some roles, all when there are none.
func (s Stretch) Of(roles []Role) (n int) {
	if len(roles) == 0 {
		return s.Messages
	}
	for role, count := range s.Roles {
		if slices.Contains(roles, role) {
			n += count
		}
	}
	return n
}

// A StoreWriter changes a store. What was done since the last Commit becomes
// visible with the next, all of it or nothing, whatever kills the process in
// between. Only Sheet and the methods of a Sheet may be called from several
// goroutines.
type StoreWriter interface {
	// Put keeps k. Its messages become those of sheet and MessageCount their
	// number; with a nil sheet they stay as they are, and so does MessageCount when
	// there are any. Index is ignored.
	Put(ctx context.Context, k *Kept, sheet Sheet) error

	// Sheet starts the messages of a session, which replace those kept from index
	// from on; those before stay.
	Sheet(ctx context.Context, key Key, from int) (Sheet, error)

	// Forgotten reports whether a session was forgotten at somebody's wish.
	Forgotten(key Key) bool

	// Forget removes a session for good and leaves a tombstone.
	Forget(ctx context.Context, key Key) error

	// Remove removes a session and leaves nothing, as if it had never been kept. One
	// that is not there is no error.
	Remove(ctx context.Context, key Key) error

	// PutPlace remembers a place.
	PutPlace(ctx context.Context, p KeptPlace) error

	// Commit makes everything put so far visible. CommitDue reports that so much
	// has been put that a Commit should not wait.
	Commit(ctx context.Context) error
	CommitDue() bool

	// Close drops what is not committed and lets the next writer in.
	Close() error
}

// A Sheet takes the messages of one session. It is used by one goroutine; memory
// stays bounded however many are added.
type Sheet interface {
	// Add appends a message. Its Index is set by the sheet.
	Add(ctx context.Context, m Message) error
	// Drop frees a sheet that will not be put. Put frees the others.
	Drop()
}

// A Hit is a message that a query found; with no MessageID it is the title of a
// session.
type Hit struct {
	Key           Key
	SessionID     string
	SessionIndex  int
	Agent         string
	Title         string
	WorkspaceName string
	MessageID     string
	MessageIndex  int // -1 for a title
	Role          Role
	ToolName      string
	Timestamp     time.Time
	Match         string   // snippet: one line of plain text cut at words, … where it was cut
	Highlights    [][2]int // byte ranges in Match: start and end; in order, not overlapping
	Score         float64
}

// A SearchResult is one page of hits.
type SearchResult struct {
	Page[Hit]
	// Estimated says that Total was estimated from a part of the candidates,
	// because looking at all of them would have taken too long.
	Estimated bool
	Facets    Facets // over all hits; of an estimated Total over the candidates
}

// Facets count hits by what they are; each list by count, largest first, at most
// 20 entries, months in order.
type Facets struct {
	Agents     []Count `json:"agents"`
	Workspaces []Count `json:"workspaces"`
	Roles      []Count `json:"roles"`
	Tools      []Count `json:"tools"`
	Months     []Count `json:"months"` // "2026-03"; hits without a time are not in it
}

// A Count is how often something was met.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Stats are counts over the messages of sessions.
type Stats struct {
	Sessions   int         `json:"sessions"`
	Messages   int         `json:"messages"`
	Tokens     *Tokens     `json:"tokens"` // null when no message records any
	Lines      Lines       `json:"lines"`  // as the sessions record them
	First      *time.Time  `json:"first"`
	Last       *time.Time  `json:"last"`
	Days       []DayCount  `json:"days"`   // with messages, in order
	Hours      [7][24]int  `json:"hours"`  // messages by weekday (Monday first) and hour
	Agents     []UseCount  `json:"agents"` // these by messages, largest first
	Workspaces []UseCount  `json:"workspaces"`
	Models     []UseCount  `json:"models"` // of messages that name one
	Tools      []ToolCount `json:"tools"`
	Roles      []Count     `json:"roles"`
	Undated    int         `json:"undated"` // messages without a time: in none of Days and Hours
}

// Lines are added and removed lines.
type Lines struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// A DayCount is one day's work.
type DayCount struct {
	Day      string `json:"day"` // "2026-03-01"
	Messages int    `json:"messages"`
	Sessions int    `json:"sessions"` // with a message on that day
}

// A UseCount says how much something was used.
type UseCount struct {
	Name     string  `json:"name"`
	Sessions int     `json:"sessions"`
	Messages int     `json:"messages"`
	Tokens   *Tokens `json:"tokens"`
}

// A ToolCount says how often a tool was called.
type ToolCount struct {
	Name   string   `json:"name"`
	Kind   ToolKind `json:"kind"`
	Calls  int      `json:"calls"`
	Failed int      `json:"failed"`
}
