package library

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
)

// A Workspace is a folder that sessions were about.
type Workspace struct {
	Path     string // absolute path or URI; "" for sessions whose folder is unknown
	Name     string
	Agents   []string // sorted
	Sessions int      // sub-agents included
	Children int      // sub-agents among them
	First    time.Time
	Last     time.Time
}

// workspaceJSON has the public names; unknown values are null.
type workspaceJSON struct {
	Path     *string    `json:"workspacePath"`
	Name     *string    `json:"workspaceName"`
	Agents   []string   `json:"agents"`
	Sessions int        `json:"sessionCount"`
	Children int        `json:"subAgentCount"`
	First    *timestamp `json:"createdAt"`
	Last     *timestamp `json:"updatedAt"`
}

// MarshalJSON writes the public names; unknown values are null.
func (w Workspace) MarshalJSON() ([]byte, error) {
	return json.Marshal(workspaceJSON{known(w.Path), known(w.Name), w.Agents, w.Sessions, w.Children, stamp(w.First), stamp(w.Last)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (w *Workspace) UnmarshalJSON(b []byte) error {
	var j workspaceJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return fmt.Errorf("read a workspace's JSON: %w", err)
	}
	*w = Workspace{Agents: j.Agents, Sessions: j.Sessions, Children: j.Children}
	if j.Path != nil {
		w.Path = *j.Path
	}
	if j.Name != nil {
		w.Name = *j.Name
	}
	if j.First != nil {
		w.First = time.Time(*j.First)
	}
	if j.Last != nil {
		w.Last = time.Time(*j.Last)
	}
	return nil
}

// timestamp is a time in the public form: RFC 3339, UTC, milliseconds.
type timestamp time.Time

// MarshalText writes the time.
func (t timestamp) MarshalText() ([]byte, error) {
	return []byte(time.Time(t).UTC().Format("2006-01-02T15:04:05.000Z")), nil
}

// UnmarshalText reads the time.
func (t *timestamp) UnmarshalText(b []byte) error {
	at, err := time.Parse(time.RFC3339, string(b))
	*t = timestamp(at.UTC())
	return err
}

func stamp(t time.Time) *timestamp {
	if t.IsZero() {
		return nil
	}
	s := timestamp(t)
	return &s
}

func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Workspaces counts the sessions that f wants by folder, the last used first.
// Sessions whose folder is unknown come together as one Workspace without a
// path, at the end. The problems are those of [Library.Problems]. It returns the
// usual errors.
func (l *Library) Workspaces(ctx context.Context, f retold.Filter) (found []Workspace, unread []retold.Problem, err error) {
	defer l.call(&ctx, &err)()
	list, fresh, err := l.all(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	byPath := map[string]*Workspace{}
	for _, k := range list {
		s := k.Session
		key := cmp.Or(s.WorkspacePath, s.WorkspaceName)
		w := byPath[key]
		if w == nil {
			w = &Workspace{Path: s.WorkspacePath, Name: s.WorkspaceName}
			byPath[key] = w
		}
		w.add(s)
	}
	out := make([]Workspace, 0, len(byPath))
	for _, w := range byPath {
		slices.Sort(w.Agents)
		out = append(out, *w)
	}
	slices.SortFunc(out, func(a, b Workspace) int {
		if unknown := a.Path+a.Name == ""; unknown != (b.Path+b.Name == "") {
			if unknown {
				return 1
			}
			return -1
		}
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.Path, b.Path), strings.Compare(a.Name, b.Name))
	})
	return out, fresh.problems, nil
}

func (w *Workspace) add(s retold.Session) {
	w.Sessions++
	if s.ParentID != "" {
		w.Children++
	}
	w.Name = cmp.Or(w.Name, s.WorkspaceName)
	if !slices.Contains(w.Agents, s.Agent) {
		w.Agents = append(w.Agents, s.Agent)
	}
	first := s.CreatedAt
	if first.IsZero() {
		first = s.UpdatedAt
	}
	if !first.IsZero() && (w.First.IsZero() || first.Before(w.First)) {
		w.First = first
	}
	if last := s.Touched(); last.After(w.Last) {
		w.Last = last
	}
}

// WorkspaceNames are the names a person may filter by, sorted, each once. It
// returns the usual errors.
func (l *Library) WorkspaceNames(ctx context.Context) (sorted []string, err error) {
	defer l.call(&ctx, &err)()
	list, _, err := l.all(ctx, retold.Filter{Empty: true})
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, k := range list {
		if k.WorkspaceName != "" {
			names[k.WorkspaceName] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}
