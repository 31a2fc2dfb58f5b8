package change

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/livedb"
)

// A Strayed row or file is not what the change left that an undo is to take back.
type Strayed struct {
	Session string `json:"session,omitempty"`
	Path    string `json:"path"` // database or file
	Name    string `json:"name"` // what of it
	step    int
}

// Strayed finds what Apply of an undo would refuse to take back, because it was
// changed since: rows, and files that no restore swapped in (see Ready). It reads,
// and writes nothing. Call Reconcile before: lists that the agent writes anew are
// none of these.
func (d *Desk) Strayed(ctx context.Context, p *Plan) (list []Strayed, err error) {
	for _, path := range p.databases() {
		found, err := strayedRows(ctx, p, path)
		if err != nil {
			return nil, fmt.Errorf("look at what was changed since: %w", err)
		}
		list = append(list, found...)
	}
	for i := range p.steps {
		f := p.steps[i].File
		if f == nil || f.Restored {
			continue
		}
		stands, err := f.look(p.steps)
		if err != nil {
			return nil, fmt.Errorf("look at %s: %w", f.Path, err)
		}
		if stands == old || stands == done && f.Vessel && (f.early() || f.Op == opRemove) {
			continue
		}
		list = append(list, Strayed{Session: p.steps[i].Session, Path: f.Path, Name: f.Path, step: i})
	}
	return list, nil
}

func strayedRows(ctx context.Context, p *Plan, path string) (list []Strayed, err error) {
	var mine []int
	for i := range p.steps {
		if r := p.steps[i].Row; r != nil && r.Database == path {
			mine = append(mine, i)
		}
	}
	note := func(i int) {
		list = append(list, Strayed{Session: p.steps[i].Session, Path: path, Name: p.steps[i].Row.name(), step: i})
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if !slices.ContainsFunc(p.steps, func(s step) bool { return s.File != nil && s.File.Path == path && s.File.early() }) {
			for _, i := range mine {
				note(i)
			}
		}
		return list, nil
	}
	db, err := livedb.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.Read(ctx, func(conn *sqlite.Conn) error {
		list = nil // it may be called again
		look := &database{path: path, conn: conn}
		for _, i := range mine {
			_, is, err := look.find(p.steps[i].Row, p.steps[i].Row.Before)
			if err != nil {
				return err
			}
			if !is {
				note(i)
			}
		}
		return nil
	})
	return list, err
}

// Unchanged returns the error with which Apply of an undo refuses because something
// was changed since; it names it.
func Unchanged(list []Strayed) error {
	if len(list) == 0 {
		return nil
	}
	const most = 10
	var lines []string
	for _, s := range list[:min(len(list), most)] {
		lines = append(lines, s.Name)
	}
	if n := len(list) - most; n > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", n))
	}
	return &retold.Error{
		Code: retold.CodeChanged, Op: "take back", Path: list[0].Path, Err: errors.New("changed since: " + strings.Join(lines, "\n  ")),
		Hint: "nothing was written; with --skip-changed conversations that were changed since stay as they are, and the rest is taken back",
	}
}

// Skip makes an undo leave what strayed as it is: the conversations that it belongs
// to whole, with their entries in lists, and what belongs to none by itself. It is an
// error with CodeChanged when nothing is left to take back.
func (d *Desk) Skip(ctx context.Context, p *Plan, list []Strayed) error {
	if len(list) == 0 {
		return nil
	}
	again, err := d.PlanUndo(p.undoes)
	if err != nil {
		return err
	}
	alone, sessions := map[string]bool{}, map[string]bool{}
	for _, s := range list {
		if sessions[s.Session] = true; s.Session == "" {
			alone[p.steps[s.step].subject()] = true
		}
	}
	delete(sessions, "")
	again.spare = map[string]bool{}
	rest := again.steps[:0:0]
	for _, s := range again.steps {
		switch {
		case sessions[s.Session]:
			again.spare[s.Session] = true
			if s.Row != nil {
				for _, id := range idForm().FindAllString(s.Row.name(), -1) {
					again.spare[id] = true
				}
			}
		case s.Session == "" && alone[s.subject()]:
		default:
			rest = append(rest, s)
		}
	}
	again.steps = withVessels(again.steps, rest)
	if len(again.steps) == 0 {
		return errors.Join(Unchanged(list), again.Close())
	}
	if err := d.Reconcile(ctx, again); err != nil {
		return errors.Join(err, again.Close())
	}
	err = p.Close()
	*p = *again
	return err
}

// idForm finds the ids of conversations in keys.
var idForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
})

// subject tells a step from the others of its plan.
func (s *step) subject() string {
	if s.Row != nil {
		return s.Row.Database + "\n" + s.Row.name()
	}
	return s.File.Path
}

// withVessels leaves out of rest the removal of databases and folders that something
// stays in which was skipped.
func withVessels(all, rest []step) (kept []step) {
	taken := map[string]bool{}
	for i := range rest {
		taken[rest[i].subject()] = true
	}
	var stays []string
	for i := range all {
		switch s := &all[i]; {
		case taken[s.subject()]:
		case s.Row != nil:
			stays = append(stays, s.Row.Database)
		default:
			stays = append(stays, s.File.Path)
		}
	}
	for _, s := range rest {
		if f := s.File; f != nil && f.Op == opRemove && slices.ContainsFunc(stays, func(path string) bool {
			return path == f.Path || strings.HasPrefix(path, f.Path+string(os.PathSeparator))
		}) {
			continue
		}
		kept = append(kept, s)
	}
	return kept
}
