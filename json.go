package retold

import (
	"encoding/json"
	"time"
)

// text is a string whose zero value is null in JSON.
type text string

func (t text) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
}

// instant is a time whose zero value is null in JSON; otherwise RFC 3339 in UTC
// with milliseconds.
type instant time.Time

func (i instant) MarshalJSON() ([]byte, error) {
	t := time.Time(i)
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(t.UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

// count is a number that is null in JSON while negative.
type count int

func (c count) MarshalJSON() ([]byte, error) {
	if c < 0 {
		return []byte("null"), nil
	}
	return json.Marshal(int(c))
}

// place is a number that counts from 1 and is null in JSON while unknown.
type place int

func (p place) MarshalJSON() ([]byte, error) {
	if p < 1 {
		return []byte("null"), nil
	}
	return json.Marshal(int(p))
}

type sessionJSON struct {
	ID                  string     `json:"id"`
	Index               place      `json:"index"`
	Agent               string     `json:"agent"`
	Sources             []string   `json:"sources"`
	Title               text       `json:"title"`
	WorkspacePath       text       `json:"workspacePath"`
	WorkspaceName       text       `json:"workspaceName"`
	MessageCount        count      `json:"messageCount"`
	CreatedAt           instant    `json:"createdAt"`
	UpdatedAt           instant    `json:"updatedAt"`
	TimeSource          text       `json:"timeSource"`
	FirstMessagePreview text       `json:"firstMessagePreview"`
	Model               text       `json:"model"`
	Mode                text       `json:"mode"`
	Branch              text       `json:"branch"`
	LinesAdded          *int       `json:"linesAdded"`
	LinesRemoved        *int       `json:"linesRemoved"`
	FilesChanged        *int       `json:"filesChanged"`
	Tokens              *Tokens    `json:"tokens"`
	ParentID            text       `json:"parentId"`
	Archived            bool       `json:"archived"`
	Gone                bool       `json:"gone"`
	Problems            int        `json:"problems"`
	Messages            *[]Message `json:"messages,omitempty"`
	ProblemList         *[]Problem `json:"problemList,omitempty"`
}

func (s Session) wire() sessionJSON {
	return sessionJSON{
		ID: s.ID, Index: place(s.Index), Agent: s.Agent, Sources: list(s.Sources), Title: text(s.Title),
		WorkspacePath: text(s.WorkspacePath), WorkspaceName: text(s.WorkspaceName),
		MessageCount: count(s.MessageCount), CreatedAt: instant(s.CreatedAt), UpdatedAt: instant(s.UpdatedAt),
		TimeSource: text(s.TimeSource), FirstMessagePreview: text(s.FirstMessagePreview),
		Model: text(s.Model), Mode: text(s.Mode), Branch: text(s.Branch),
		LinesAdded: s.LinesAdded, LinesRemoved: s.LinesRemoved, FilesChanged: s.FilesChanged, Tokens: s.Tokens,
		ParentID: text(s.ParentID), Archived: s.Archived, Gone: s.Gone, Problems: s.Problems,
	}
}

// MarshalJSON writes the public JSON of a session: every name present, unknown
// values null.
func (s Session) MarshalJSON() ([]byte, error) { return json.Marshal(s.wire()) }

// MarshalJSON writes a Session followed by "messages" and "problemList".
func (d SessionDetail) MarshalJSON() ([]byte, error) {
	w := d.wire()
	messages, problems := list(d.Messages), list(d.ProblemList)
	w.Messages, w.ProblemList = &messages, &problems
	return json.Marshal(w)
}

type messageJSON struct {
	ID              string       `json:"id"`
	Index           int          `json:"index"`
	Role            Role         `json:"role"`
	Content         string       `json:"content"`
	Timestamp       instant      `json:"timestamp"`
	TimestampSource text         `json:"timestampSource"`
	Model           text         `json:"model"`
	Tokens          *Tokens      `json:"tokens"`
	RequestID       text         `json:"requestId"`
	Attachments     []Attachment `json:"attachments"`
	Orphan          bool         `json:"orphan,omitempty"`
	Recovered       bool         `json:"recovered,omitempty"`
	Gone            bool         `json:"gone,omitempty"`
	*toolJSON
}

type toolJSON struct {
	ToolName   text            `json:"toolName"`
	ToolKind   ToolKind        `json:"toolKind"`
	ToolCallID text            `json:"toolCallId"`
	ToolParams json.RawMessage `json:"toolParams"`
	ToolResult json.RawMessage `json:"toolResult"`
	Status     text            `json:"status"`
	Files      []string        `json:"files"`
	Diff       text            `json:"diff"`
	ExitCode   *int            `json:"exitCode"`
}

// MarshalJSON writes the public JSON of a message; the tool names appear on
// tool messages only.
func (m Message) MarshalJSON() ([]byte, error) {
	w := messageJSON{
		ID: m.ID, Index: m.Index, Role: m.Role, Content: m.Content,
		Timestamp: instant(m.Timestamp), TimestampSource: text(m.TimestampSource),
		Model: text(m.Model), Tokens: m.Tokens, RequestID: text(m.RequestID),
		Attachments: list(m.Attachments), Orphan: m.Orphan, Recovered: m.Recovered, Gone: m.Gone,
	}
	if t := m.Tool; t != nil {
		w.toolJSON = &toolJSON{
			ToolName: text(t.Name), ToolKind: t.Kind, ToolCallID: text(t.CallID),
			ToolParams: t.Params, ToolResult: t.Result, Status: text(t.Status),
			Files: list(t.Files), Diff: text(t.Diff), ExitCode: t.ExitCode,
		}
	}
	return json.Marshal(w)
}

// MarshalJSON writes the public JSON of a hit; what a title does not have is null.
func (h Hit) MarshalJSON() ([]byte, error) {
	var index *int
	if h.MessageID != "" {
		index = &h.MessageIndex
	}
	return json.Marshal(hitJSON{
		h.SessionID, place(h.SessionIndex), h.Agent, text(h.Title), text(h.WorkspaceName), text(h.MessageID), index, text(h.Role),
		text(h.ToolName), instant(h.Timestamp), h.Match, list(h.Highlights), h.Score,
	})
}

type hitJSON struct {
	SessionID     string   `json:"sessionId"`
	SessionIndex  place    `json:"sessionIndex"`
	Agent         string   `json:"agent"`
	Title         text     `json:"title"`
	WorkspaceName text     `json:"workspaceName"`
	MessageID     text     `json:"messageId"`
	MessageIndex  *int     `json:"messageIndex"`
	Role          text     `json:"role"`
	ToolName      text     `json:"toolName"`
	Timestamp     instant  `json:"timestamp"`
	Match         string   `json:"match"`
	Highlights    [][2]int `json:"highlights"`
	Score         float64  `json:"score"`
}

// MarshalJSON writes every list, also the empty ones.
func (f Facets) MarshalJSON() ([]byte, error) {
	type plain Facets
	return json.Marshal(plain{list(f.Agents), list(f.Workspaces), list(f.Roles), list(f.Tools), list(f.Months)})
}

// MarshalJSON writes the public JSON of counts.
func (s Stats) MarshalJSON() ([]byte, error) {
	type plain Stats
	var first, last instant
	if s.First != nil {
		first = instant(*s.First)
	}
	if s.Last != nil {
		last = instant(*s.Last)
	}
	p := plain(s)
	p.Days, p.Agents, p.Workspaces, p.Models = list(s.Days), list(s.Agents), list(s.Workspaces), list(s.Models)
	p.Tools, p.Roles = list(s.Tools), list(s.Roles)
	return json.Marshal(struct {
		plain
		First instant `json:"first"`
		Last  instant `json:"last"`
	}{p, first, last})
}

// list makes a nil slice an empty JSON array.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// Page is one page of a listing.
type Page[T any] struct {
	Data       []T        `json:"data"`
	Pagination Pagination `json:"pagination"`
}

// Pagination places a page in its listing.
type Pagination struct {
	Total   int  `json:"total"`   // in all pages together
	Limit   int  `json:"limit"`   // most entries that were asked for
	Offset  int  `json:"offset"`  // entries before this page
	HasMore bool `json:"hasMore"` // there is a page after this one
}

// Limits of a page. The library itself gives as many entries as it is asked for;
// MaxLimit is what front ends allow to those they serve.
const (
	DefaultLimit = 20 // what a limit of 0 means
	MaxLimit     = 1000
)
