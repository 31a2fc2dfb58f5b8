package journal

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/redact"
)

// A Window is the conversations around a commit, for tools that make something of
// them: all that were about the repository between its parent and it, and those
// that evidence ties to it.
type Window struct {
	Commit   string          `json:"commit"`
	Subject  string          `json:"subject"`
	Class    Class           `json:"class"`
	From     *time.Time      `json:"from"` // when the parent was committed; null for a first commit
	To       time.Time       `json:"to"`
	Sessions []WindowSession `json:"sessions"` // the best first
}

// WindowSession is the part of a session in the window.
type WindowSession struct {
	SessionID string          `json:"sessionId"`
	Agent     string          `json:"agent"`
	Title     string          `json:"title"`
	Class     Class           `json:"class"`
	Score     float64         `json:"score"` // of its best turn
	Total     int             `json:"total"` // messages in the window, of which the first of Messages are given
	Messages  []WindowMessage `json:"messages"`
}

// WindowMessage is a message in the window. Its text is masked, and cut where it
// is long.
type WindowMessage struct {
	MessageID string      `json:"messageId"`
	Index     int         `json:"index"`
	Role      retold.Role `json:"role"`
	Timestamp *time.Time  `json:"timestamp"`
	ToolName  string      `json:"toolName,omitempty"`
	Text      string      `json:"text"`
	Score     float64     `json:"score"` // what the evidence that names it weighs
	Evidence  []Evidence  `json:"evidence,omitempty"`
}

const (
	longestWindowText = 2000
	mostWindow        = 400 // messages of a session
)

// Window returns the conversations around a commit. Errors are those of Explain.
func (j *Journal) Window(ctx context.Context, repo *git.Repo, commit string) (*Window, error) {
	c, err := repo.Commit(ctx, commit)
	if err != nil {
		return nil, err
	}
	q, err := j.inquire(ctx, repo)
	if err != nil {
		return nil, err
	}
	a, err := q.attribution(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	subject, _ := splitMessage(c.Message)
	w := &Window{Commit: c.ID, Subject: redact.Text(subject), Class: a.Class, From: moment(a.Parent), To: c.Committer.Time.UTC(), Sessions: []WindowSession{}}
	for _, s := range q.sessions {
		ours, err := q.ours(ctx, s)
		if err != nil {
			return nil, err
		}
		part, err := j.windowOf(ctx, w, &s.Kept, a, ours)
		if err != nil {
			return nil, err
		}
		if part != nil {
			w.Sessions = append(w.Sessions, *part)
		}
	}
	slices.SortFunc(w.Sessions, func(a, b WindowSession) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.SessionID, b.SessionID))
	})
	return w, nil
}

// ours reports whether a session was about the repository without a doubt: its
// workspace is one of its working trees or lies in one, or holds one and it wrote
// there.
func (q *inquiry) ours(ctx context.Context, c *candidate) (bool, error) {
	if c.foreign || c.weak || c.setting.base == "" {
		return false, nil
	}
	if _, _, in := c.setting.within(c.setting.base+"/x", q.scope.fold); in {
		return true, nil
	}
	if _, err := q.load(ctx, c); err != nil {
		return false, err
	}
	return slices.ContainsFunc(c.located, func(at location) bool { return at.ok }), nil
}

// windowOf is the part of a session in the window; nil when there is none. Of one
// that is not ours evidence alone can tell.
func (j *Journal) windowOf(ctx context.Context, w *Window, s *Kept, a *Attribution, ours bool) (*WindowSession, error) {
	part := &WindowSession{SessionID: s.ID, Agent: s.Agent, Title: redact.Text(s.Title), Class: ClassNone, Messages: []WindowMessage{}}
	turns := map[[2]int]bool{}
	evidence := map[string][]Evidence{}
	for _, l := range a.Links {
		if l.Key != s.Key {
			continue
		}
		if classRank(l.Class) > classRank(part.Class) {
			part.Class = l.Class
		}
		part.Score = max(part.Score, l.Score)
		turns[[2]int{l.MessageIndex, l.Last}] = true
		for _, e := range l.Evidence {
			for _, id := range e.MessageIDs {
				evidence[id] = append(evidence[id], e)
			}
		}
	}
	outside := !s.CreatedAt.IsZero() && s.CreatedAt.After(w.To) || w.From != nil && !s.Touched().IsZero() && s.Touched().Before(*w.From)
	if (outside || !ours) && len(turns) == 0 {
		return nil, nil
	}
	for m, err := range j.history.Messages(ctx, s.Key, 0) {
		if errors.Is(err, retold.ErrSessionNotFound) { // forgotten since
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if near := ours && w.holds(&m) || inTurns(turns, m.Index); !near || m.Orphan {
			continue
		}
		if part.Total++; len(part.Messages) < mostWindow {
			part.Messages = append(part.Messages, windowMessage(&m, evidence[m.ID]))
		}
	}
	if part.Total == 0 {
		return nil, nil
	}
	return part, nil
}

// holds reports whether a message lies between the parent and the commit.
func (w *Window) holds(m *retold.Message) bool {
	return !m.Timestamp.IsZero() && !m.Timestamp.After(w.To) && (w.From == nil || m.Timestamp.After(*w.From))
}

func inTurns(turns map[[2]int]bool, index int) bool {
	for t := range turns {
		if t[0] <= index && index <= t[1] {
			return true
		}
	}
	return false
}

func windowMessage(m *retold.Message, evidence []Evidence) WindowMessage {
	redact.Message(m)
	out := WindowMessage{MessageID: m.ID, Index: m.Index, Role: m.Role, Timestamp: moment(m.Timestamp), Text: clip(m.Content, longestWindowText), Evidence: evidence}
	if m.Tool != nil {
		out.ToolName = m.Tool.Name
		if command, _ := shellCommand(m.Tool); m.Tool.Kind == retold.ToolShell {
			out.Text = clip(command, longestWindowText)
		} else if m.Tool.Diff != "" {
			out.Text = clip(m.Tool.Diff, longestWindowText)
		}
	}
	for _, e := range evidence {
		out.Score += e.Weight
	}
	return out
}
