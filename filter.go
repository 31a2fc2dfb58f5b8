package retold

import (
	"slices"
	"strings"
	"time"
)

// A Filter says which sessions are wanted. Its zero value wants every session
// that is not empty. Lists match when any of their entries does; different
// fields must all match.
type Filter struct {
	Agents     []string // whole agent names, case-insensitive
	Workspaces []string // path, path suffix of whole elements, or workspace name; case-insensitive
	Models     []string // part of the identifier or of its display name, case-insensitive
	Branches   []string // exact, or a glob with * and ?
	Titles     []string // part of the title, case-insensitive
	Since      time.Time
	Until      time.Time // exclusive
	Sessions   []string  // whole ids, letter case counts
	Except     []string  // whole ids of sessions that are not wanted, letter case counts

	// The rest needs the messages of a session.
	Roles    []Role
	Tools    []string // tool name (part, case-insensitive) or tool kind
	Files    []string // part of a touched path, case-insensitive
	HasError bool
	HasEdit  bool

	Empty bool // include drafts and sessions in which nothing was said
}

// NeedsMessages reports whether the filter cannot be decided from a Header.
func (f Filter) NeedsMessages() bool {
	return len(f.Roles) > 0 || len(f.Tools) > 0 || len(f.Files) > 0 || f.HasError || f.HasEdit
}

// MatchHeader decides the part of the filter that a header can answer. A session
// is inside a time range when any part of it is.
func (f Filter) MatchHeader(h Header) bool {
	if h.Empty && !f.Empty || slices.Contains(f.Except, h.ID) {
		return false
	}
	if len(f.Sessions) > 0 && !slices.Contains(f.Sessions, h.ID) {
		return false
	}
	if !anyOf(f.Agents, func(a string) bool { return strings.EqualFold(a, h.Agent) }) {
		return false
	}
	if !f.Since.IsZero() && h.Touched().Before(f.Since) {
		return false
	}
	if !f.Until.IsZero() && (h.CreatedAt.IsZero() || !h.CreatedAt.Before(f.Until)) {
		return false
	}
	return anyOf(f.Workspaces, func(w string) bool { return MatchWorkspace(h.Session, w) }) &&
		anyOf(f.Titles, func(t string) bool { return contains(h.Title, t) }) &&
		anyOf(f.Models, func(m string) bool { return contains(h.Model, m) || contains(ModelName(h.Model), m) }) &&
		anyOf(f.Branches, func(b string) bool { return h.Branch != "" && (h.Branch == b || glob(b, h.Branch)) })
}

// MatchMessages decides the part of the filter that needs messages: there is
// a message that fits Roles, Tools and Files at once, and the session has an
// error or an edit where that is asked.
func (f Filter) MatchMessages(messages []Message) bool {
	fits, failed, edited := len(f.Roles)+len(f.Tools)+len(f.Files) == 0, false, false
	for i := range messages {
		m := &messages[i]
		fits = fits || f.MatchMessage(m)
		failed = failed || m.Failed()
		edited = edited || m.Tool != nil && m.Tool.Kind == ToolEdit
	}
	return fits && (failed || !f.HasError) && (edited || !f.HasEdit)
}

// MatchMessage reports whether one message fits Roles, Tools and Files.
func (f Filter) MatchMessage(m *Message) bool {
	if len(f.Roles) > 0 && !slices.Contains(f.Roles, m.Role) {
		return false
	}
	if len(f.Tools) == 0 && len(f.Files) == 0 {
		return true
	}
	if m.Tool == nil {
		return false
	}
	return anyOf(f.Tools, func(t string) bool { return string(m.Tool.Kind) == strings.ToLower(t) || contains(m.Tool.Name, t) }) &&
		anyOf(f.Files, func(want string) bool {
			return slices.ContainsFunc(m.Tool.Files, func(p string) bool { return contains(p, want) })
		})
}

// Failed reports whether a message tells of something that went wrong.
func (m *Message) Failed() bool {
	return m.Role == RoleError || m.Tool != nil && (m.Tool.Status == StatusFailed || m.Tool.ExitCode != nil && *m.Tool.ExitCode != 0)
}

// MatchWorkspace reports whether want names the session's workspace: its whole
// path, its last path elements, or its name; letter case is ignored.
func MatchWorkspace(s Session, want string) bool {
	if strings.EqualFold(s.WorkspaceName, want) && want != "" {
		return true
	}
	have, want := slashed(s.WorkspacePath), slashed(want)
	return want != "" && (have == want || strings.HasSuffix(have, "/"+strings.TrimPrefix(want, "/")))
}

// glob reports whether s fits a pattern in which * stands for any characters,
// slashes too, and ? for one.
func glob(pattern, s string) bool {
	star, mark := -1, 0 // where the last * is, and how far it reaches so far
	want, have := []rune(pattern), []rune(s)
	i, j := 0, 0
	for j < len(have) {
		switch {
		case i < len(want) && want[i] == '*':
			star, mark = i, j
			i++
		case i < len(want) && (want[i] == '?' || want[i] == have[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(want) && want[i] == '*' {
		i++
	}
	return i == len(want)
}

func slashed(p string) string {
	return strings.ToLower(strings.TrimRight(strings.ReplaceAll(p, `\`, "/"), "/"))
}

func contains(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}

func anyOf(wants []string, match func(string) bool) bool {
	return len(wants) == 0 || slices.ContainsFunc(wants, match)
}
