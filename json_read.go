package retold

import (
	"encoding/json"
	"fmt"
	"time"
)

// Reading the public JSON gives back what was written, but for what it does not
// carry: parts of a millisecond, and the difference between no list and an empty one.

// UnmarshalJSON reads RFC 3339; null is the zero time.
func (i *instant) UnmarshalJSON(b []byte) error {
	var t *time.Time
	if err := json.Unmarshal(b, &t); err != nil {
		return err
	}
	*i = instant{}
	if t != nil {
		*i = instant(t.UTC())
	}
	return nil
}

// UnmarshalJSON reads a number; null is -1.
func (c *count) UnmarshalJSON(b []byte) error {
	n := -1
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	*c = count(n)
	return nil
}

func (w *sessionJSON) session() Session {
	return Session{
		ID: w.ID, Index: int(w.Index), Agent: w.Agent, Sources: w.Sources, Title: string(w.Title),
		WorkspacePath: string(w.WorkspacePath), WorkspaceName: string(w.WorkspaceName),
		MessageCount: int(w.MessageCount), CreatedAt: time.Time(w.CreatedAt), UpdatedAt: time.Time(w.UpdatedAt),
		TimeSource: TimeSource(w.TimeSource), FirstMessagePreview: string(w.FirstMessagePreview),
		Model: string(w.Model), Mode: string(w.Mode), Branch: string(w.Branch),
		LinesAdded: w.LinesAdded, LinesRemoved: w.LinesRemoved, FilesChanged: w.FilesChanged, Tokens: w.Tokens,
		ParentID: string(w.ParentID), Archived: w.Archived, Gone: w.Gone, Problems: w.Problems,
	}
}

// readSession reads a session; a count that is not there is unknown.
func readSession(b []byte) (*sessionJSON, error) {
	w := &sessionJSON{MessageCount: -1}
	if err := json.Unmarshal(b, w); err != nil {
		return nil, fmt.Errorf("read a session's JSON: %w", err)
	}
	return w, nil
}

// UnmarshalJSON reads the public JSON of a session.
func (s *Session) UnmarshalJSON(b []byte) error {
	w, err := readSession(b)
	if err == nil {
		*s = w.session()
	}
	return err
}

// UnmarshalJSON reads a Session with "messages" and "problemList".
func (d *SessionDetail) UnmarshalJSON(b []byte) error {
	w, err := readSession(b)
	if err != nil {
		return err
	}
	*d = SessionDetail{Session: w.session()}
	if w.Messages != nil && len(*w.Messages) > 0 {
		d.Messages = *w.Messages
	}
	if w.ProblemList != nil && len(*w.ProblemList) > 0 {
		d.ProblemList = *w.ProblemList
	}
	return nil
}

// UnmarshalJSON reads the public JSON of a message.
func (m *Message) UnmarshalJSON(b []byte) error {
	w := messageJSON{toolJSON: &toolJSON{}}
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("read a message's JSON: %w", err)
	}
	*m = Message{
		ID: w.ID, Index: w.Index, Role: w.Role, Content: w.Content,
		Timestamp: time.Time(w.Timestamp), TimestampSource: TimeSource(w.TimestampSource),
		Model: string(w.Model), Tokens: w.Tokens, RequestID: string(w.RequestID),
		Attachments: w.Attachments, Orphan: w.Orphan, Recovered: w.Recovered, Gone: w.Gone,
	}
	if t := w.toolJSON; m.Role == RoleTool || t.ToolKind != "" {
		m.Tool = &ToolCall{
			Name: string(t.ToolName), Kind: t.ToolKind, CallID: string(t.ToolCallID),
			Params: known(t.ToolParams), Result: known(t.ToolResult), Status: ToolStatus(t.Status),
			Files: t.Files, Diff: string(t.Diff), ExitCode: t.ExitCode,
		}
	}
	return nil
}

// known is nil for null.
func known(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// UnmarshalJSON reads the public JSON of a hit. The hit of a title has
// MessageIndex -1.
func (h *Hit) UnmarshalJSON(b []byte) error {
	var w hitJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("read a hit's JSON: %w", err)
	}
	*h = Hit{
		Key: KeyOf(w.Agent, w.SessionID), SessionID: w.SessionID, SessionIndex: int(w.SessionIndex), Agent: w.Agent, Title: string(w.Title),
		WorkspaceName: string(w.WorkspaceName), MessageID: string(w.MessageID), MessageIndex: -1, Role: Role(w.Role),
		ToolName: string(w.ToolName), Timestamp: time.Time(w.Timestamp), Match: w.Match, Highlights: w.Highlights, Score: w.Score,
	}
	if w.MessageIndex != nil {
		h.MessageIndex = *w.MessageIndex
	}
	return nil
}
