package journal

import "github.com/retold-history/retold"

// A Span is the part of a session that led to a commit: whole turns, after what
// led to an earlier commit and up to the last with strong evidence for this one.
type Span struct {
	SessionID string     `json:"sessionId"`
	Agent     string     `json:"agent"`
	Title     string     `json:"title"`
	From      int        `json:"from"`               // index of the first message
	To        int        `json:"to"`                 // of the last, inclusive
	ParentID  string     `json:"parentId,omitempty"` // the session whose sub-agent this one is
	Key       retold.Key `json:"-"`
}
