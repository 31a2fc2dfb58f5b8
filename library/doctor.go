package library

import (
	"context"
	"fmt"
	"slices"

	"github.com/retold-history/retold"
)

// A Report says what was found where, and what of it could not be read.
type Report struct {
	Library  *Info            `json:"library"`
	Journal  *JournalInfo     `json:"journal"` // null when nothing was ever written into it
	Places   []retold.Place   `json:"places"`
	Sessions SessionCounts    `json:"sessions"`
	Files    []FileReport     `json:"files"`
	Drift    []Drift          `json:"drift"`    // formats this version has never seen
	Problems []retold.Problem `json:"problems"` // everything that could not be read, the files' own included
}

// SessionCounts counts the sessions of all places.
type SessionCounts struct {
	Total     int            `json:"total"`     // listed by default
	Empty     int            `json:"empty"`     // drafts and sessions in which nothing was said; not in Total
	SubAgents int            `json:"subAgents"` // part of Total
	Archived  int            `json:"archived"`  // part of Total
	Merged    int            `json:"merged"`    // part of Total: held by more than one store
	Gone      int            `json:"gone"`      // part of Total: kept here, no longer in their source
	ByAgent   map[string]int `json:"byAgent"`   // parts of Total
}

// FileReport accounts for one file.
type FileReport struct {
	Agent string `json:"agent"`
	retold.Inventory
}

// Accounted is the sum of the bytes of all families and the overhead; it equals
// FileBytes.
func (f FileReport) Accounted() int64 {
	sum := f.Overhead
	for _, family := range f.Families {
		sum += family.Bytes
	}
	return sum
}

// Drift is a kind of record that this version of retold has never seen: a
// family of keys (V is nil), or a version number in a known family.
type Drift struct {
	Path   string  `json:"path"`
	Family string  `json:"family"`
	V      *string `json:"v"`
	Rows   int64   `json:"rows"`
}

// Healthy reports whether everything that was found was also understood. What
// the agent itself deleted (tombstones) or left behind is not a fault.
func (r *Report) Healthy() bool {
	return len(r.Drift) == 0 && !slices.ContainsFunc(r.Problems, func(p retold.Problem) bool { return p.Kind != retold.ProblemTombstone })
}

// Doctor looks into every file of every place. A machine without history gives
// a Report with nothing but places. Whatever cannot be read is in the report; its
// only errors are those of an ended context and of a closed library.
func (l *Library) Doctor(ctx context.Context) (r *Report, err error) {
	defer l.call(&ctx, &err)()
	r = &Report{Places: l.Places(), Sessions: SessionCounts{ByAgent: map[string]int{}}, Files: []FileReport{}, Drift: []Drift{}, Problems: []retold.Problem{}}
	list, fresh, err := l.all(ctx, retold.Filter{Empty: true})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var infoErr error
	if r.Library, infoErr = l.Info(ctx); infoErr != nil {
		r.Library = &Info{Path: l.shelf.path}
		r.Problems = append(r.Problems, problemOf(infoErr, l.shelf.path))
	}
	var bookErr error
	if r.Journal, bookErr = l.journalInfo(ctx); bookErr != nil {
		r.Problems = append(r.Problems, problemOf(bookErr, notebookPath(l.shelf.path)))
	}
	if l.Nothing() != nil && err != nil {
		return r, nil //nolint:nilerr // nothing anywhere is what the report says
	}
	if err == nil {
		r.Sessions = count(list)
		r.Problems = append(r.Problems, fresh.problems...)
	}
	unlisted := err // every list of sessions is unreadable
	type inspected struct {
		located
		files []FileReport
	}
	var places []inspected
	for _, p := range l.located() {
		if p.Used {
			places = append(places, inspected{located: p})
		}
	}
	problems, err := each(ctx, places, func(ctx context.Context, p *inspected) error {
		inspector, ok := p.source.(retold.Inspector)
		if !ok {
			return nil
		}
		inventories, err := inspector.Inspect(ctx, p.Place)
		for _, inventory := range inventories {
			p.files = append(p.files, FileReport{p.Agent, inventory})
		}
		if err != nil {
			return fmt.Errorf("inspect %s: %w", p.Path, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Problems = append(r.Problems, problems...)
	for _, p := range places {
		for _, f := range p.files {
			r.Files = append(r.Files, f)
			r.Problems = append(r.Problems, f.Problems...)
			r.Drift = append(r.Drift, drift(f)...)
		}
	}
	if unlisted != nil && len(r.Problems) == 0 {
		r.Problems = append(r.Problems, problemOf(unlisted, ""))
	}
	r.Problems = unique(r.Problems)
	return r, nil
}

func count(list []retold.Kept) SessionCounts {
	n := SessionCounts{ByAgent: map[string]int{}}
	for _, k := range list {
		if k.Empty {
			n.Empty++
			continue
		}
		n.Total++
		n.ByAgent[k.Agent]++
		if k.ParentID != "" {
			n.SubAgents++
		}
		if k.Archived {
			n.Archived++
		}
		if k.Gone {
			n.Gone++
		}
		if len(k.Parts) > 1 {
			n.Merged++
		}
	}
	return n
}

func drift(f FileReport) []Drift {
	var out []Drift
	for _, family := range f.Families {
		if !family.Known {
			out = append(out, Drift{Path: f.Path, Family: family.Name, Rows: family.Rows})
		}
	}
	for _, v := range f.Versions {
		if !v.Known {
			out = append(out, Drift{Path: f.Path, Family: v.Family, V: &v.V, Rows: v.Rows})
		}
	}
	return out
}

// unique drops repeated problems, keeping the order.
func unique(ps []retold.Problem) []retold.Problem {
	seen := map[retold.Problem]bool{}
	return slices.DeleteFunc(ps, func(p retold.Problem) bool {
		again := seen[p]
		seen[p] = true
		return again
	})
}
