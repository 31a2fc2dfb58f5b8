package export

import (
	"fmt"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/render"
)

// A fact is one line of the block at the head of a session.
type fact struct {
	name, value string
	code        bool // a path or identifier, shown in a fixed-width face
}

// facts tells what is known about a session; what is unknown has no line.
func facts(d *retold.SessionDetail, loc *time.Location) []fact {
	s := &d.Session
	var list []fact
	add := func(name, value string, code bool) {
		if value = render.Line(value); value != "" {
			list = append(list, fact{name, value, code})
		}
	}
	add("When", span(s, loc), false)
	place := s.WorkspacePath
	if place == "" {
		place = s.WorkspaceName
	}
	add("Workspace", place, true)
	add("Agent", s.Agent, false)
	add("Model", retold.ModelName(s.Model), false)
	add("Mode", s.Mode, false)
	add("Branch", s.Branch, true)
	add("Changes", changes(s), false)
	if s.Tokens != nil {
		add("Tokens", fmt.Sprintf("%d in, %d out", s.Tokens.Input, s.Tokens.Output), false)
	}
	add("Session", s.ID, true)
	add("Sub-agent of", s.ParentID, true)
	add("Read from", strings.Join(s.Sources, ", "), false)
	var state []string
	if s.Archived {
		state = append(state, "archived")
	}
	if s.Gone {
		state = append(state, "no longer in its source")
	}
	add("State", strings.Join(state, ", "), false)
	return list
}

// span is the time from the first to the last moment of a session.
func span(s *retold.Session, loc *time.Location) string {
	from, to := s.CreatedAt, s.UpdatedAt
	if from.IsZero() {
		from, to = to, time.Time{}
	}
	if from.IsZero() {
		return ""
	}
	from, to = from.In(loc), to.In(loc)
	out := from.Format("2006-01-02 15:04")
	switch {
	case to.IsZero() || to.Format("2006-01-02 15:04") == out:
	case to.Format(time.DateOnly) == from.Format(time.DateOnly):
		out += " – " + to.Format("15:04")
	default:
		out += " – " + to.Format("2006-01-02 15:04")
	}
	out += " " + from.Format("MST")
	if note := timeNote(s.TimeSource); note != "" {
		out += " (" + note + ")"
	}
	return out
}

func changes(s *retold.Session) string {
	var parts []string
	if s.LinesAdded != nil || s.LinesRemoved != nil {
		var counts []string
		if s.LinesAdded != nil {
			counts = append(counts, fmt.Sprintf("+%d", *s.LinesAdded))
		}
		if s.LinesRemoved != nil {
			counts = append(counts, fmt.Sprintf("−%d", *s.LinesRemoved))
		}
		parts = append(parts, strings.Join(counts, " "))
	}
	switch {
	case s.FilesChanged == nil:
	case *s.FilesChanged == 1:
		parts = append(parts, "1 file")
	default:
		parts = append(parts, fmt.Sprintf("%d files", *s.FilesChanged))
	}
	return strings.Join(parts, ", ")
}

func title(s *retold.Session) string {
	if t := retold.Preview(render.Plain(s.Title)); t != "" {
		return t
	}
	return "Untitled session"
}

// trouble tells one problem in a line.
func trouble(p retold.Problem) string {
	var out strings.Builder
	out.WriteString(p.Kind)
	for _, part := range []string{p.Key, p.Path} {
		if part != "" {
			out.WriteString(" · " + part)
		}
	}
	return render.Line(out.String() + ": " + p.Reason)
}
