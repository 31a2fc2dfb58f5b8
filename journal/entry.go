package journal

import (
	"slices"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/redact"
)

// EntryVersion is the version of the JSON of an Entry.
const EntryVersion = 1

// An Entry is what the journal holds about one commit. Everything in it was said
// or done: texts are quotes, masked like all that leaves the library, and every
// item cites where it stands. The same history gives the same bytes.
type Entry struct {
	Version int         `json:"version"`
	Repo    EntryRepo   `json:"repo"`
	Commit  EntryCommit `json:"commit"`

	Class    Class          `json:"class"`
	Reason   string         `json:"reason,omitempty"` // why no conversation is linked
	Sessions []EntrySession `json:"sessions"`         // the linked ones, best first

	Intent      []Quote      `json:"intent"`          // what the person asked, in order
	Tasks       []Quote      `json:"tasks,omitempty"` // what an agent asked its sub-agents
	Todos       []Todo       `json:"todos"`           // with the state they ended in
	Files       []EntryFile  `json:"files"`
	Discussion  []Quote      `json:"discussion"` // decisions, reasons, corrections
	Roadblocks  []Roadblock  `json:"roadblocks"`
	Commands    []Command    `json:"commands"`
	Read        []Named      `json:"read"`     // files that were read
	Searched    []Named      `json:"searched"` // what was searched for
	Models      []ModelUse   `json:"models"`
	Tokens      *TokenUse    `json:"tokens"` // null: not recorded
	Reflections []Reflection `json:"reflections"`
	Confidence  Confidence   `json:"confidence"`
	Prose       *Prose       `json:"prose,omitempty"` // what a model wrote of all this, when one was configured
}

// EntryRepo names the repository.
type EntryRepo struct {
	ID   string `json:"id"`   // what stays the same in every clone: see RepoID
	Name string `json:"name"` // of its folder
}

// EntryCommit is what git says about the commit.
type EntryCommit struct {
	ID        string    `json:"id"`
	Parents   []string  `json:"parents"`
	Subject   string    `json:"subject"`
	Body      string    `json:"body,omitempty"`
	Author    string    `json:"author"`
	Authored  time.Time `json:"authored"` // with the offset it was recorded with
	Committed time.Time `json:"committed"`
	Branch    string    `json:"branch,omitempty"` // that it was made on; "" when nobody recorded it
	Added     int       `json:"added"`
	Removed   int       `json:"removed"`
	Merge     bool      `json:"merge,omitempty"`
	SameAs    string    `json:"sameAs,omitempty"` // the commit that it repeats
}

// EntrySession is a conversation that became the commit, with the part of it that did.
type EntrySession struct {
	ID       string     `json:"id"`
	Agent    string     `json:"agent"`
	Title    string     `json:"title"`
	From     int        `json:"from"` // first message of the part
	To       int        `json:"to"`   // last one, inclusive
	Began    *time.Time `json:"began"`
	Ended    *time.Time `json:"ended"`
	ParentID string     `json:"parentId,omitempty"` // the session whose sub-agent this one is
	Score    float64    `json:"score"`
	Evidence []Evidence `json:"evidence"`
	Key      retold.Key `json:"-"`
}

// A Cite says where something stands.
type Cite struct {
	SessionID    string `json:"sessionId"`
	MessageID    string `json:"messageId"`
	MessageIndex int    `json:"messageIndex"`
}

// A Quote is something that was said, word for word.
type Quote struct {
	Cite
	Role retold.Role `json:"role"`
	Text string      `json:"text"`           // a sentence or two
	More string      `json:"more,omitempty"` // the whole text, when Text is only its beginning
	Why  string      `json:"why,omitempty"`  // the rule that chose it: "decision", "reason", "correction", …
}

// A Todo is an item of the agent's list.
type Todo struct {
	Cite
	Text   string `json:"text"`
	Status string `json:"status"` // the agent's word: "completed", "in_progress", …
}

// EntryFile is what the commit did to a file, and who wrote it.
type EntryFile struct {
	Path     string `json:"path"`
	OldPath  string `json:"oldPath,omitempty"`
	Status   string `json:"status"` // git's letter
	Added    int    `json:"added"`
	Removed  int    `json:"removed"`
	Wrote    []Part `json:"wrote"`    // who wrote how many of the added lines
	Written  int    `json:"written"`  // lines that edits of the conversation left in the file
	Survived int    `json:"survived"` // how many of these the commit holds
}

// A Part is a share of a file's lines.
type Part struct {
	Cite      // the edit that wrote the first of them
	Lines int `json:"lines"`
}

// A Roadblock is an error that was met, as often as it was.
type Roadblock struct {
	Cite            // where it was met first
	Text     string `json:"text"`           // the line that says it
	Command  string `json:"command"`        // what was run, or the tool
	Times    int    `json:"times"`          // how often it was met
	LastSeen Cite   `json:"lastSeen"`       // where it was met last
	Fixed    *Cite  `json:"fixed"`          // the same done again without it; null: not seen
	Exit     *int   `json:"exit,omitempty"` // exit code where one was stored
}

// A Command is one that was run at a terminal, as often as it ended so.
type Command struct {
	Cite         // where it was run first
	Text  string `json:"text"`
	Cwd   string `json:"cwd,omitempty"`
	Exit  *int   `json:"exit"` // of each of the runs; null: not recorded
	Times int    `json:"times"`
}

// Named is a file or search, as often as it was.
type Named struct {
	Cite
	Name  string `json:"name"`
	Times int    `json:"times"`
}

// ModelUse counts the messages of a model.
type ModelUse struct {
	Model    string `json:"model"`
	Messages int    `json:"messages"`
}

// TokenUse adds up the tokens that are recorded.
type TokenUse struct {
	retold.Tokens
	Messages int `json:"messages"` // how many messages recorded any
}

// A Reflection is what a person, or an agent for them, wrote down.
type Reflection struct {
	ID   string    `json:"id"`
	Text string    `json:"text"`
	Kind string    `json:"kind"` // "reflection" or "context"
	At   time.Time `json:"at"`
	By   string    `json:"by,omitempty"`
}

// Confidence says how sure the entry is and what it rests on.
type Confidence struct {
	Class      Class             `json:"class"`
	Score      float64           `json:"score"` // of the best link; 0 without one
	Uncertain  bool              `json:"uncertain"`
	Considered int               `json:"considered"` // sessions looked at
	Unreadable int               `json:"unreadable"`
	TimeSource retold.TimeSource `json:"timeSource"` // the weakest that a link rests on; "" without one
	Lines      int               `json:"lines"`      // lines that the commit adds
	Explained  int               `json:"explained"`  // how many of them a conversation wrote
}

// Prose is what a model wrote of an entry's facts. Every sentence cites what it
// says, every quote stands in the entry.
type Prose struct {
	Model     string     `json:"model"`
	Sentences []Sentence `json:"sentences"`
	Dropped   int        `json:"dropped"` // sentences that cited nothing or misquoted
}

// A Sentence of a Prose belongs to a section.
type Sentence struct {
	Section string `json:"section"`
	Text    string `json:"text"`
	Cites   []Cite `json:"cites"`
}

// commitOf is the part of an entry that git knows.
func commitOf(c *git.Commit, branch string) EntryCommit {
	subject, body := splitMessage(redact.Text(c.Message))
	e := EntryCommit{
		ID: c.ID, Parents: slices.Concat([]string{}, c.Parents), Subject: subject, Body: body, Author: redact.Text(c.Author.Name),
		Authored: c.Author.Time, Committed: c.Committer.Time, Merge: c.Merge(), Branch: redact.Text(branch),
	}
	for _, f := range c.Files {
		e.Added += f.Added
		e.Removed += f.Removed
	}
	return e
}
