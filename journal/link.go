package journal

import (
	"time"

	"github.com/retold-history/retold"
)

// Class says how sure it is that a conversation became a commit or a line.
type Class string

// The classes. Without evidence from the lines or from the commit's own making
// there is no ClassLinked, whatever the score.
const (
	ClassLinked   Class = "linked"
	ClassPossible Class = "possible"
	ClassNone     Class = "none"
)

// An EvidenceKind names one reason to believe, or not to believe, that a turn
// became a commit. docs/journal.md says what each weighs and why.
type EvidenceKind string

// The kinds of evidence.
const (
	EvidenceAdded    EvidenceKind = "added-lines"    // an edit added lines that the commit adds
	EvidenceRemoved  EvidenceKind = "removed-lines"  // an edit removed lines that the commit removes
	EvidenceReplaced EvidenceKind = "replaced-lines" // an earlier turn wrote lines that the commit removes
	EvidenceCommand  EvidenceKind = "git-commit"     // the conversation ran the git commit
	EvidencePath     EvidenceKind = "path"           // an edit touched a file of the commit
	EvidenceWords    EvidenceKind = "words"          // what was said names a symbol or issue of the commit's message
	EvidenceTime     EvidenceKind = "time"           // between the parent and the commit
	EvidenceCursor   EvidenceKind = "cursor-says"    // Cursor's own ai-code-tracking.db names the conversation
	EvidenceBranch   EvidenceKind = "branch"         // the session's branch is the commit's
	EvidenceAnswer   EvidenceKind = "answer-lines"   // code in an answer, not an edit, equals lines of the commit
	EvidenceContra   EvidenceKind = "contra"         // what speaks against it
)

// Evidence is one reason, with its weight in the score.
type Evidence struct {
	Kind       EvidenceKind `json:"kind"`
	Weight     float64      `json:"weight"`
	Detail     string       `json:"detail"`               // for a person: "14 lines of api/retry.go"
	MessageIDs []string     `json:"messageIds,omitempty"` // where it stands, in the link's session
}

// A Link ties a commit to one turn of a session: the prompt and all that
// followed it up to the next.
type Link struct {
	SessionID    string     `json:"sessionId"`
	Agent        string     `json:"agent"`
	MessageID    string     `json:"messageId"`    // the prompt that the turn begins with
	MessageIndex int        `json:"messageIndex"` // of that prompt
	Class        Class      `json:"class"`
	Score        float64    `json:"score"`
	Uncertain    bool       `json:"uncertain,omitempty"` // another session explains it as well
	Lines        int        `json:"lines"`               // lines of the commit that the turn wrote
	Evidence     []Evidence `json:"evidence"`

	Key  retold.Key `json:"-"`
	Last int        `json:"-"` // index of the turn's last message
}

// An Attribution is all that is known about where a commit came from.
type Attribution struct {
	Commit string `json:"commit"` // full id
	Class  Class  `json:"class"`  // the best of its links
	Links  []Link `json:"links"`  // best first; the order is total

	Spans      []Span            `json:"spans"`                // of the linked sessions, the best first: what an entry is made of
	Files      []FileLines       `json:"files"`                // who wrote which lines it adds
	Reason     string            `json:"reason,omitempty"`     // why there is no link, for a person
	Considered int               `json:"considered"`           // sessions looked at
	Unreadable int               `json:"unreadable"`           // sessions that could not be read
	TimeSource retold.TimeSource `json:"timeSource,omitempty"` // the weakest that a link rests on
	Problems   []retold.Problem  `json:"problems,omitempty"`   // in what agents record themselves
	SameAs     string            `json:"sameAs,omitempty"`     // the commit that this one repeats (amend, rebase, cherry-pick)
	Parent     time.Time         `json:"-"`                    // when its window begins
}

// FileLines are the lines that a commit adds to a file, with those who wrote them.
type FileLines struct {
	Path  string  `json:"path"` // in the commit
	Added int     `json:"added"`
	Wrote []Wrote `json:"wrote"` // in order of From; lines that are not named were written by nobody we know
}

// Wrote is a run of lines that one message wrote.
type Wrote struct {
	From      int    `json:"from"` // 1-based line in the commit's file
	To        int    `json:"to"`   // inclusive
	SessionID string `json:"sessionId"`
	MessageID string `json:"messageId"` // the edit
	PromptID  string `json:"promptId"`  // the prompt of its turn
	How       string `json:"how"`       // "same" line for line, "space" but for white space, "wrapped" by a formatter, "moved" from another file
}
