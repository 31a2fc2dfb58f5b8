package journal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// A Period is a day, a week (from Monday) or a month by somebody's clock.
type Period struct {
	Kind string // "day", "week" or "month"
	From time.Time
	To   time.Time // exclusive
}

// PeriodOf is the period of a kind that a moment lies in, by the clock of its
// location: days of 23 and 25 hours included.
func PeriodOf(kind string, at time.Time) (Period, error) {
	y, m, d := at.Date()
	midnight := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, at.Location()) }
	switch kind {
	case "day":
		return Period{kind, midnight(y, m, d), midnight(y, m, d+1)}, nil
	case "week":
		d -= (int(at.Weekday()) + 6) % 7
		return Period{kind, midnight(y, m, d), midnight(y, m, d+7)}, nil
	case "month":
		return Period{kind, midnight(y, m, 1), midnight(y, m+1, 1)}, nil
	}
	return Period{}, fmt.Errorf("no period is called %q: day, week, month", kind)
}

// Name is what a period is called: 2026-03-01, 2026-W09, 2026-03.
func (p Period) Name() string {
	switch p.Kind {
	case "week":
		year, week := p.From.ISOWeek()
		return fmt.Sprintf("%d-W%02d", year, week)
	case "month":
		return p.From.Format("2006-01")
	}
	return p.From.Format("2006-01-02")
}

// A Summary puts the entries of a period together. It is worked out anew each time.
type Summary struct {
	Kind     string    `json:"kind"`
	Name     string    `json:"name"`
	From     time.Time `json:"from"`
	To       time.Time `json:"to"` // exclusive
	Timezone string    `json:"timezone"`
	RepoID   string    `json:"repoId,omitempty"` // of the one repository it is about; "" for all

	Commits     []SummaryCommit `json:"commits"`
	Sessions    int             `json:"sessions"` // linked ones
	Linked      int             `json:"linked"`   // commits with one
	Added       int             `json:"added"`
	Removed     int             `json:"removed"`
	Files       int             `json:"files"` // different ones
	Intent      []Quote         `json:"intent"`
	Discussion  []Quote         `json:"discussion"`
	Roadblocks  []Roadblock     `json:"roadblocks"`
	Todos       []Todo          `json:"todos"` // not completed
	Models      []ModelUse      `json:"models"`
	Tokens      *TokenUse       `json:"tokens"`
	Reflections []Reflection    `json:"reflections"`
	Problems    []string        `json:"problems"` // entries that could not be read
}

// SummaryCommit is one commit of a period.
type SummaryCommit struct {
	Repo      string    `json:"repo"`
	ID        string    `json:"id"`
	Subject   string    `json:"subject"`
	Committed time.Time `json:"committed"`
	Class     Class     `json:"class"`
	Sessions  []string  `json:"sessions"` // ids of the linked ones
}

// The most of each that a summary holds.
const (
	mostIntents    = 20
	mostDiscussion = 12
)

// Summary puts together what the journal holds about a period, of one repository
// when repoID is given.
func (j *Journal) Summary(ctx context.Context, repoID string, p Period) (*Summary, error) {
	s := &Summary{
		Kind: p.Kind, Name: p.Name(), RepoID: repoID, From: p.From, To: p.To, Timezone: zoneName(p.From.Location(), p.From),
		Commits: []SummaryCommit{}, Intent: []Quote{}, Discussion: []Quote{}, Roadblocks: []Roadblock{}, Todos: []Todo{}, Reflections: []Reflection{},
		Problems: []string{},
	}
	g := &summing{s: s, sessions: map[string]bool{}, files: map[string]bool{}, said: map[said]bool{}, models: gather[ModelUse]()}
	for e, err := range j.Entries(ctx, repoID, p.From, p.To) {
		if bad, ok := errors.AsType[*badEntry](err); ok {
			s.Problems = append(s.Problems, bad.Error())
			continue
		}
		if err != nil {
			return nil, err
		}
		g.add(e)
	}
	s.Discussion = foremost(s.Discussion, mostDiscussion)
	made, err := j.madeIn(ctx, repoID, p)
	if err != nil {
		return nil, err
	}
	s.Reflections = joined(s.Reflections, made)
	s.Sessions, s.Files = len(g.sessions), len(g.files)
	s.Models = g.models.list()
	slices.SortStableFunc(s.Models, func(a, b ModelUse) int {
		return cmp.Or(cmp.Compare(b.Messages, a.Messages), cmp.Compare(a.Model, b.Model))
	})
	return s, nil
}

// madeIn are the reflections that were written down in a period, whether an entry
// holds them or none does yet.
func (j *Journal) madeIn(ctx context.Context, repoID string, p Period) ([]Reflection, error) {
	from, to := p.From.UTC().Format(keyTime), p.To.UTC().Format(keyTime)
	if repoID != "" {
		return j.Reflections(ctx, repoID, from, to)
	}
	list := []Reflection{}
	for note, err := range j.notebook.Notes(ctx, noteReflection, "", "") {
		if err != nil {
			return nil, err
		}
		var r Reflection
		if err := json.Unmarshal(note.Value, &r); err != nil {
			return nil, fmt.Errorf("reflection %s: %w", note.Key, err)
		}
		if !r.At.Before(p.From) && r.At.Before(p.To) {
			r.mask()
			list = append(list, r)
		}
	}
	return list, nil
}

// summing adds entries up; what two entries share counts once.
type summing struct {
	s        *Summary
	sessions map[string]bool
	files    map[string]bool
	said     map[said]bool
	models   *gathering[ModelUse]
}

// said is a quote: one message may hold several.
type said struct {
	Cite
	text string
}

func (g *summing) add(e *Entry) {
	s := g.s
	c := SummaryCommit{Repo: e.Repo.Name, ID: e.Commit.ID, Subject: e.Commit.Subject, Committed: e.Commit.Committed, Class: e.Class, Sessions: []string{}}
	for _, session := range e.Sessions {
		c.Sessions = append(c.Sessions, session.ID)
		g.sessions[session.ID] = true
	}
	s.Commits = append(s.Commits, c)
	if e.Class == ClassLinked {
		s.Linked++
	}
	s.Added += e.Commit.Added
	s.Removed += e.Commit.Removed
	for _, f := range e.Files {
		g.files[e.Repo.ID+"/"+f.Path] = true
	}
	s.Intent = g.quotes(s.Intent, e.Intent, mostIntents)
	s.Discussion = g.quotes(s.Discussion, e.Discussion, math.MaxInt)
	s.Roadblocks = append(s.Roadblocks, e.Roadblocks...)
	for _, t := range e.Todos {
		if t.Status != "completed" && t.Status != "cancelled" {
			s.Todos = append(s.Todos, t)
		}
	}
	for _, m := range e.Models {
		use, _ := g.models.at(m.Model)
		use.Model = m.Model
		use.Messages += m.Messages
	}
	if e.Tokens != nil {
		if s.Tokens == nil {
			s.Tokens = &TokenUse{}
		}
		s.Tokens.Input += e.Tokens.Input
		s.Tokens.Output += e.Tokens.Output
		s.Tokens.Messages += e.Tokens.Messages
	}
	s.Reflections = joined(s.Reflections, e.Reflections)
}

// quotes adds those that are not in yet, each without its whole text.
func (g *summing) quotes(list, more []Quote, most int) []Quote {
	for _, q := range more {
		if at := (said{q.Cite, q.Text}); len(list) < most && !g.said[at] {
			g.said[at] = true
			q.More = ""
			list = append(list, q)
		}
	}
	return list
}

// foremost are the quotes that a period is remembered by, in the order they were
// said: what was decided and corrected before what was only discussed.
func foremost(list []Quote, most int) []Quote {
	left := most
	keep := make([]bool, len(list))
	for _, decided := range []bool{true, false} {
		for i := range list {
			if left > 0 && !keep[i] && decided == (list[i].Why == "decision" || list[i].Why == "correction" || list[i].Why == "answer") {
				keep[i], left = true, left-1
				if i > 0 && list[i].Why == "answer" && list[i-1].Why == "question" && !keep[i-1] && left > 0 {
					keep[i-1], left = true, left-1
				}
			}
		}
	}
	out := make([]Quote, 0, most)
	for i := range list {
		if keep[i] {
			out = append(out, list[i])
		}
	}
	return out
}
