package retold

import (
	"context"
	"time"
)

// An AuthorshipTeller is a Source whose agent keeps a record of its own of which
// conversations wrote in which files.
type AuthorshipTeller interface {
	// Authorship returns that record for a place; nil where there is none. A record
	// that cannot be read, or has another form than any known one, is in
	// ProblemList; only a cancelled context is an error. It may be called often.
	Authorship(context.Context, Place) (*Authorship, error)
}

// Authorship is what an agent itself recorded of who wrote what.
type Authorship struct {
	Wrote       []Authored
	Commits     map[string]int // commits by full id, with how many of the lines they add it takes for a conversation's
	ProblemList []Problem
}

// Authored says that a conversation wrote lines in a file.
type Authored struct {
	ConversationID string // Session.ID
	RequestID      string // "" when it is not told
	Path           string // as the agent spells it: whole, or from the workspace's folder
	First, Last    time.Time
	Lines          int
}
