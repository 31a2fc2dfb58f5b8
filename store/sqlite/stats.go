package sqlite

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/retold-history/retold"
)

// Stats counts the messages of the sessions that f wants from what their pages
// counted when they were written; no text is read.
func (s *Store) Stats(ctx context.Context, f retold.Filter, loc *time.Location) (*retold.Stats, error) {
	if loc == nil {
		loc = time.UTC
	}
	t := newTally(loc)
	err := s.read(ctx, func(c *conn) error {
		wanted, err := s.wanted(ctx, c, f)
		if err != nil {
			return err
		}
		for _, e := range wanted {
			if err := ctx.Err(); err != nil {
				return err
			}
			m, err := c.manifest(e.number)
			if err != nil {
				return err
			}
			t.begin(&e.Session)
			for _, p := range m.pages {
				h, err := s.head(c, p.id, false)
				if err != nil {
					return err
				}
				t.add(&h.facts)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t.stats(), nil
}

// A tally adds up facts, session by session.
type tally struct {
	loc         *time.Location
	out         retold.Stats
	tokens      usage
	first, last int64
	dated       bool
	session     int // counts sessions, to count each once
	agent       string
	workspace   string
	days        map[string]*dayUse
	agents      map[string]*usage
	workspaces  map[string]*usage
	models      map[string]*usage
	tools       map[toolName]*retold.ToolCount
	roles       map[string]int
}

type toolName struct {
	name string
	kind retold.ToolKind
}

// usage is a retold.UseCount in the making.
type usage struct {
	last, sessions, messages int // last: the session counted last
	recorded                 bool
	input, output            int64
}

type dayUse struct{ last, sessions, messages int }

func newTally(loc *time.Location) *tally {
	return &tally{
		loc: loc, days: map[string]*dayUse{}, agents: map[string]*usage{}, workspaces: map[string]*usage{},
		models: map[string]*usage{}, tools: map[toolName]*retold.ToolCount{}, roles: map[string]int{},
	}
}

// begin starts on the next session. It counts for its agent and workspace even
// when it has no messages.
func (t *tally) begin(s *retold.Session) {
	t.session++
	t.out.Sessions++
	t.agent, t.workspace = s.Agent, s.WorkspaceName
	if s.LinesAdded != nil {
		t.out.Lines.Added += *s.LinesAdded
	}
	if s.LinesRemoved != nil {
		t.out.Lines.Removed += *s.LinesRemoved
	}
	t.use(t.agents, t.agent, modelFact{})
	if t.workspace != "" {
		t.use(t.workspaces, t.workspace, modelFact{})
	}
}

func (t *tally) use(in map[string]*usage, name string, f modelFact) {
	u := in[name]
	if u == nil {
		u = &usage{}
		in[name] = u
	}
	u.add(t.session, f)
}

func (u *usage) add(session int, f modelFact) {
	if u.last != session {
		u.last = session
		u.sessions++
	}
	u.messages += f.n
	u.recorded = u.recorded || f.recorded
	u.input += f.input
	u.output += f.output
}

func (t *tally) add(f *facts) {
	t.out.Undated += f.undated
	t.out.Messages += f.undated
	for _, q := range f.times {
		t.out.Messages += q.n
		t.addTime(time.Unix(q.quarter*quarter, 0).In(t.loc), q.n)
	}
	if len(f.times) > 0 {
		if !t.dated {
			t.first, t.last, t.dated = f.first, f.last, true
		}
		t.first, t.last = min(t.first, f.first), max(t.last, f.last)
	}
	for _, r := range f.roles {
		t.roles[string(r.role)] += r.n
	}
	for _, m := range f.models {
		t.tokens.add(t.session, m)
		t.use(t.agents, t.agent, m)
		if t.workspace != "" {
			t.use(t.workspaces, t.workspace, m)
		}
		if m.model != "" {
			t.use(t.models, m.model, m)
		}
	}
	for _, c := range f.tools {
		name := toolName{c.name, c.kind}
		if t.tools[name] == nil {
			t.tools[name] = &retold.ToolCount{Name: c.name, Kind: c.kind}
		}
		t.tools[name].Calls += c.n
		t.tools[name].Failed += c.failed
	}
}

func (t *tally) addTime(at time.Time, n int) {
	t.out.Hours[(int(at.Weekday())+6)%7][at.Hour()] += n
	name := at.Format(time.DateOnly)
	d := t.days[name]
	if d == nil {
		d = &dayUse{}
		t.days[name] = d
	}
	if d.last != t.session {
		d.last = t.session
		d.sessions++
	}
	d.messages += n
}

func (t *tally) stats() *retold.Stats {
	out := &t.out
	out.Tokens = t.tokens.tokens()
	if t.dated {
		first, last := time.UnixMilli(t.first).UTC(), time.UnixMilli(t.last).UTC()
		out.First, out.Last = &first, &last
	}
	out.Days = []retold.DayCount{}
	for _, name := range slices.Sorted(maps.Keys(t.days)) {
		out.Days = append(out.Days, retold.DayCount{Day: name, Messages: t.days[name].messages, Sessions: t.days[name].sessions})
	}
	out.Agents, out.Workspaces, out.Models = uses(t.agents), uses(t.workspaces), uses(t.models)
	out.Tools = []retold.ToolCount{}
	for _, c := range t.tools {
		out.Tools = append(out.Tools, *c)
	}
	slices.SortFunc(out.Tools, func(a, b retold.ToolCount) int {
		return cmp.Or(b.Calls-a.Calls, cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
	})
	out.Roles = counts(t.roles, len(t.roles))
	return out
}

func (u *usage) tokens() *retold.Tokens {
	if !u.recorded {
		return nil
	}
	return &retold.Tokens{Input: u.input, Output: u.output}
}

func uses(in map[string]*usage) []retold.UseCount {
	out := make([]retold.UseCount, 0, len(in))
	for name, u := range in {
		out = append(out, retold.UseCount{Name: name, Sessions: u.sessions, Messages: u.messages, Tokens: u.tokens()})
	}
	slices.SortFunc(out, func(a, b retold.UseCount) int {
		return cmp.Or(b.Messages-a.Messages, b.Sessions-a.Sessions, cmp.Compare(a.Name, b.Name))
	})
	return out
}

// counts puts the largest first and cuts the list at limit.
func counts(in map[string]int, limit int) []retold.Count {
	out := make([]retold.Count, 0, len(in))
	for name, n := range in {
		out = append(out, retold.Count{Name: name, Count: n})
	}
	slices.SortFunc(out, func(a, b retold.Count) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Name, b.Name)) })
	return out[:min(limit, len(out))]
}
