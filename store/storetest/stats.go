package storetest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/retold-history/retold"
)

// stats: the numbers are those of a plain count over the messages, in any zone.
func stats(t *testing.T, s retold.Store) {
	zones := []*time.Location{
		time.UTC, time.FixedZone("india", 5*3600+1800), time.FixedZone("nepal", 5*3600+2700), time.FixedZone("west", -9*3600-1800),
	}
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		emptied(t, s)
		all := sessions(t, fmt.Sprint(round, "-"), 6)
		for i := range all {
			all[i].LinesAdded, all[i].LinesRemoved = number(t, "added"), number(t, "removed")
			for _, n := range []*int{all[i].LinesAdded, all[i].LinesRemoved} {
				if n != nil {
					*n %= 1000
				}
			}
		}
		putAll(t, s, all)
		f, zone := filter(t), rapid.SampledFrom(zones).Draw(t, "zone")
		got, err := s.Stats(t.Context(), f, zone)
		must(t, err)
		if diff := gocmp.Diff(counted(wanted(all, f), zone), got); diff != "" {
			t.Fatalf("%+v in %v (-want +got):\n%s", f, zone, diff)
		}
		for i := range all {
			outlined(t, s, &all[i])
		}
	})
}

// outlined checks that the outline of a session counts its messages.
func outlined(t tester, s retold.Store, one *told) {
	t.Helper()
	outline, err := s.Outline(t.Context(), one.Key)
	must(t, err)
	next := 0
	for _, stretch := range outline {
		if stretch.From != next || stretch.Messages < 1 || next+stretch.Messages > len(one.messages) {
			t.Fatalf("a stretch of %d messages from %d on, where %d is next, of %d", stretch.Messages, stretch.From, next, len(one.messages))
		}
		roles := map[retold.Role]int{}
		for _, m := range one.messages[next : next+stretch.Messages] {
			roles[m.Role]++
		}
		if diff := gocmp.Diff(roles, stretch.Roles); diff != "" {
			t.Fatalf("roles from %d on (-want +got):\n%s", next, diff)
		}
		next += stretch.Messages
	}
	if next != len(one.messages) {
		t.Fatalf("the outline ends at %d of %d messages", next, len(one.messages))
	}
}

// uses collects messages and sessions under names.
type uses map[string]*retold.UseCount

func (u uses) add(name string, first bool, m *retold.Message) {
	if u[name] == nil {
		u[name] = &retold.UseCount{Name: name}
	}
	if first {
		u[name].Sessions++
	}
	if m == nil {
		return
	}
	u[name].Messages++
	u[name].Tokens = plus(u[name].Tokens, m.Tokens)
}

func plus(a, b *retold.Tokens) *retold.Tokens {
	switch {
	case b == nil:
		return a
	case a == nil:
		a = &retold.Tokens{}
	}
	return &retold.Tokens{Input: a.Input + b.Input, Output: a.Output + b.Output}
}

func (u uses) sorted() []retold.UseCount {
	out := []retold.UseCount{}
	for _, c := range u {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b retold.UseCount) int {
		return cmp.Or(b.Messages-a.Messages, b.Sessions-a.Sessions, cmp.Compare(a.Name, b.Name))
	})
	return out
}

// A count is statistics in the making.
type count struct {
	out                        *retold.Stats
	zone                       *time.Location
	agents, workspaces, models uses
	days                       map[string]retold.DayCount
	tools                      map[string]retold.ToolCount
	roles                      map[string]int
}

func counted(all []told, zone *time.Location) *retold.Stats {
	c := &count{
		out: &retold.Stats{Sessions: len(all), Days: []retold.DayCount{}, Tools: []retold.ToolCount{}, Roles: []retold.Count{}}, zone: zone,
		agents: uses{}, workspaces: uses{}, models: uses{},
		days: map[string]retold.DayCount{}, tools: map[string]retold.ToolCount{}, roles: map[string]int{},
	}
	for _, one := range all {
		if one.LinesAdded != nil {
			c.out.Lines.Added += *one.LinesAdded
		}
		if one.LinesRemoved != nil {
			c.out.Lines.Removed += *one.LinesRemoved
		}
		c.agents.add(one.Agent, true, nil)
		if one.WorkspaceName != "" {
			c.workspaces.add(one.WorkspaceName, true, nil)
		}
		seen := map[string]bool{}
		for i := range one.messages {
			c.message(&one, &one.messages[i], seen)
		}
	}
	return c.sorted()
}

// message counts one message; seen holds the models and days of its session.
func (c *count) message(one *told, m *retold.Message, seen map[string]bool) {
	c.out.Messages++
	c.out.Tokens = plus(c.out.Tokens, m.Tokens)
	c.roles[string(m.Role)]++
	c.agents.add(one.Agent, false, m)
	if one.WorkspaceName != "" {
		c.workspaces.add(one.WorkspaceName, false, m)
	}
	if m.Model != "" {
		c.models.add(m.Model, !seen["model "+m.Model], m)
		seen["model "+m.Model] = true
	}
	if t := m.Tool; t != nil {
		key := t.Name + "\x00" + string(t.Kind)
		n := c.tools[key]
		n.Name, n.Kind = t.Name, t.Kind
		n.Calls++
		if m.Failed() {
			n.Failed++
		}
		c.tools[key] = n
	}
	if m.Timestamp.IsZero() {
		c.out.Undated++
		return
	}
	at := m.Timestamp
	if c.out.First == nil || at.Before(*c.out.First) {
		c.out.First = &at
	}
	if c.out.Last == nil || at.After(*c.out.Last) {
		c.out.Last = &at
	}
	local := at.In(c.zone)
	name := local.Format("2006-01-02")
	day := c.days[name]
	day.Day = name
	day.Messages++
	if !seen["day "+name] {
		day.Sessions++
	}
	seen["day "+name] = true
	c.days[name] = day
	weekdays := []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday, time.Sunday}
	c.out.Hours[slices.Index(weekdays, local.Weekday())][local.Hour()]++
}

func (c *count) sorted() *retold.Stats {
	for _, day := range slices.Sorted(maps.Keys(c.days)) {
		c.out.Days = append(c.out.Days, c.days[day])
	}
	for _, t := range c.tools {
		c.out.Tools = append(c.out.Tools, t)
	}
	slices.SortFunc(c.out.Tools, func(a, b retold.ToolCount) int {
		return cmp.Or(b.Calls-a.Calls, cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
	})
	for name, n := range c.roles {
		c.out.Roles = append(c.out.Roles, retold.Count{Name: name, Count: n})
	}
	slices.SortFunc(c.out.Roles, func(a, b retold.Count) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Name, b.Name)) })
	c.out.Agents, c.out.Workspaces, c.out.Models = c.agents.sorted(), c.workspaces.sorted(), c.models.sorted()
	return c.out
}
