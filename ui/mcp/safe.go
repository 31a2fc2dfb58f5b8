package mcp

import (
	"fmt"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/redact"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// shortID is the beginning of an id that still chooses its session: that of a
// random UUID up to its second dash, 48 random bits; any other id whole, since
// ids made by hand or by time share their beginnings.
func shortID(id string) string {
	if len(id) == 36 && id[8] == '-' && id[13] == '-' && id[14] == '4' && strings.Trim(id[:13], "0123456789abcdefABCDEF-") == "" && strings.Trim(id[:13], id[:1]+"-") != "" {
		return id[:13]
	}
	return ident(id)
}

// ident is an id on one line, with nothing in it that could pass for anything
// else. Ids as agents make them stay as they are.
func ident(id string) string {
	id = strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', strings.ContainsRune("-_.:/+=@#~", r):
			return r
		}
		return '?'
	}, id)
	if len(id) > 120 {
		id = id[:120] + "…"
	}
	return id
}

// safeSession is what a listing may show of a session.
func safeSession(s retold.Session) retold.Session {
	s.Title, s.FirstMessagePreview = quote.Preview(s.Title), quote.Preview(s.FirstMessagePreview)
	for _, text := range []*string{&s.Title, &s.WorkspacePath, &s.WorkspaceName, &s.FirstMessagePreview, &s.Model, &s.Mode, &s.Branch} {
		if *text != "" {
			*text = quote.Line(*text)
		}
	}
	redact.Session(&s)
	s.ID, s.ParentID = quote.Safe(s.ID), quote.Safe(s.ParentID)
	s.Title, _ = quote.Cut(s.Title, 300)
	return s
}

// Mask makes the texts of a message safe before a snippet is cut from them: what
// the library that a Server answers from wants for its Options.
func Mask(m *retold.Message) int {
	quote.Message(m)
	return 0 // nobody is told how many
}

// safeHit is what a hit may show; its highlights are kept where its text is.
func safeHit(h retold.Hit) retold.Hit {
	h.Title, h.WorkspaceName, h.ToolName = quote.Title(quote.Preview(h.Title)), quote.Line(h.WorkspaceName), quote.Line(h.ToolName)
	h.SessionID, h.MessageID = quote.Safe(h.SessionID), quote.Safe(h.MessageID)
	if clean := quote.Safe(h.Match); clean != h.Match {
		h.Match, h.Highlights = clean, nil
	}
	redact.Hit(&h) // what it was cut from was masked whole, see Mask; this is for what was not
	return h
}

func safeProblems(list []retold.Problem) []retold.Problem {
	var out []retold.Problem
	for i, p := range list {
		if i == mostProblems {
			out = append(out, retold.Problem{Kind: retold.ProblemUnreadable, Reason: fmt.Sprintf("… and %d more: call doctor", len(list)-i)})
			break
		}
		p.Path, p.Key, p.Reason = quote.Line(p.Path), quote.Line(p.Key), quote.Line(p.Reason)
		for _, s := range []*string{&p.Path, &p.Key, &p.Reason} {
			*s, _ = quote.Cut(*s, 300)
		}
		out = append(out, p)
	}
	return out
}

// mostProblems is how many problems an answer that is about something else tells.
const mostProblems = 5

// facts is a session on a line or two, all of it from the conversation.
func facts(s *retold.Session) string {
	var out []string
	add := func(name, value string) {
		if value != "" {
			out = append(out, name+": "+value)
		}
	}
	add("title", quote.Title(s.Title))
	place := s.WorkspacePath
	if place == "" {
		place = s.WorkspaceName
	}
	add("workspace", place)
	add("model", retold.ModelName(s.Model))
	add("branch", s.Branch)
	return strings.Join(out, "\n")
}
