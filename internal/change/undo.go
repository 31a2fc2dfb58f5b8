package change

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
)

// A Change is one entry of the list of changes.
type Change struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	CreatedAt time.Time `json:"createdAt"`
	State     string    `json:"state"` // one of the states below
	Steps     int       `json:"steps"`
	Bytes     int64     `json:"bytes"`              // that its record takes on disk
	Undoes    string    `json:"undoes,omitempty"`   // the change that this one took back
	UndoneBy  string    `json:"undoneBy,omitempty"` // the change that took this one back
	Problem   string    `json:"problem,omitempty"`  // why its record cannot be read

	makes []string
	ended time.Time       // when it was done
	left  bool            // it did not take everything back
	spare map[string]bool // sessions that it left
}

// MarshalJSON writes the time as every other of the public JSON, in UTC with
// milliseconds.
func (c Change) MarshalJSON() ([]byte, error) {
	type bare Change
	return json.Marshal(struct {
		bare
		CreatedAt *string `json:"createdAt"`
	}{bare(c), stampOf(c.CreatedAt)})
}

// stampOf is nil for a time that nobody knows.
func stampOf(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.UTC().Format("2006-01-02T15:04:05.000Z")
	return &text
}

// States of a change.
const (
	Done        = "done"
	Undone      = "undone"
	RolledBack  = "rolled back" // it failed, and nothing of it is left
	Interrupted = "interrupted" // its process ended in between: see Settle
	Damaged     = "damaged"     // its record cannot be read
)

// List is every change on record, newest first. One whose record cannot be read is
// in it as Damaged, with a Problem.
func (d *Desk) List() ([]Change, error) {
	records, err := d.records()
	if err != nil {
		return nil, err
	}
	list := make([]Change, 0, len(records))
	undone := map[string]string{}
	for _, r := range slices.Backward(records) { // an undo is younger than what it undoes
		c := Change{ID: r.id, Title: r.head.Title, CreatedAt: r.head.CreatedAt, Steps: r.head.Steps, Undoes: r.head.Undoes, makes: r.head.Makes, spare: map[string]bool{}}
		c.told(r)
		if c.Bytes, err = sizeOf(r.dir); err != nil {
			return nil, fmt.Errorf("look at the record %s: %w", r.id, err)
		}
		switch by := undone[r.id]; {
		case r.broken != nil:
			c.State, c.Problem = Damaged, r.broken.Error()
		case r.state() == eventBegin:
			c.State = Interrupted
		case r.state() == eventBack:
			c.State = RolledBack
		case by != "":
			c.State, c.UndoneBy = Undone, by
		default:
			c.State = Done
			if r.head.Undoes != "" {
				undone[r.head.Undoes] = r.id
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// told is what the journal of a record and its head say beside the state.
func (c *Change) told(r *record) {
	for _, e := range r.entries {
		c.ended, c.left = e.At, c.left || len(e.Left) > 0
	}
	for _, id := range r.head.Spared {
		c.spare[id] = true
	}
}

// Unmade are the sessions that changes made (see Plan.Makes) which were taken back
// whole, and when.
func (d *Desk) Unmade() (map[string]time.Time, error) {
	list, err := d.List()
	if err != nil {
		return nil, err
	}
	undos := map[string]Change{}
	for _, c := range list {
		undos[c.ID] = c
	}
	at := map[string]time.Time{}
	for _, c := range slices.Backward(list) { // made once more later, it is no longer unmade
		for _, id := range c.makes {
			delete(at, id)
			if by := undos[c.UndoneBy]; c.State == Undone && !by.left && !by.spare[id] {
				at[id] = by.ended
			}
		}
	}
	return at, nil
}

// whole is the id of the one change that has it, or begins with it.
func whole(list []Change, id string) (string, error) {
	var found []string
	for _, c := range list {
		if c.ID == id {
			return id, nil
		}
		if len(id) >= minPrefix && strings.HasPrefix(c.ID, id) {
			found = append(found, c.ID)
		}
	}
	switch len(found) {
	case 0:
		return "", noChange(id)
	case 1:
		return found[0], nil
	}
	return "", &retold.Error{Code: retold.CodeUsage, Err: fmt.Errorf("%q fits several changes:\n  %s", id, strings.Join(found, "\n  ")), Hint: "give more characters of the id"}
}

// minPrefix is how much of an id stands for all of it.
const minPrefix = 4

// PlanUndo is the plan that takes a change back: the one with that id, or that
// alone begins so (4 characters or more), or with "" the newest that is done and no
// undo itself. Close it.
func (d *Desk) PlanUndo(id string) (*Plan, error) {
	list, err := d.List()
	if err != nil {
		return nil, err
	}
	if id != "" {
		if id, err = whole(list, id); err != nil {
			return nil, err
		}
	}
	var chosen *Change
	for i := range list {
		c := &list[i]
		if id == c.ID || id == "" && c.State == Done && c.Undoes == "" {
			chosen = c
			break
		}
	}
	switch {
	case chosen == nil && id == "":
		return nil, &retold.Error{Code: retold.CodeUsage, Err: errors.New("there is nothing to undo"), Hint: "see `retold undo --list`"}
	case chosen.State == Damaged:
		_, err := d.openRecord(chosen.ID)
		return nil, err
	case chosen.State != Done:
		e := &retold.Error{Code: retold.CodeUsage, Err: fmt.Errorf("the change %s is %s", chosen.ID, chosen.State), Hint: "see `retold undo --list`"}
		if chosen.UndoneBy != "" {
			e.Hint = "`retold undo " + chosen.UndoneBy + "` brings it back"
		}
		return nil, e
	}
	r, err := d.openRecord(chosen.ID)
	if err != nil {
		return nil, err
	}
	steps, err := r.settled()
	if err != nil {
		return nil, errors.Join(err, r.spool.close())
	}
	return &Plan{Title: "undo: " + r.head.Title, undoes: r.id, steps: reversed(steps), spool: r.spool}, nil
}

// settled are the steps of a record with what its files were like when the change
// was done: the hashes of those that it made, the stamps of those it restored.
func (r *record) settled() ([]step, error) {
	made, logged := map[string][]byte{}, map[string]string{}
	for _, e := range r.entries {
		for path := range e.Made { // its log, too, is what it was then
			delete(logged, path)
		}
		maps.Copy(made, e.Made)
		maps.Copy(logged, e.Logs)
	}
	stamps, err := r.stamps()
	if err != nil {
		return nil, err
	}
	steps := make([]step, len(r.steps))
	for i, s := range r.steps {
		if s.File != nil && (s.File.Restored || s.File.Vessel && made[s.File.Path] != nil) {
			f := *s.File
			f.Stamp = stamps[f.Path]
			if f.Vessel {
				f.Made, f.Log = made[f.Path], logged[f.Path]
			}
			s.File = &f
		}
		steps[i] = s
	}
	return steps, nil
}

// Interrupted are the changes whose process ended in between, the newest first.
func (d *Desk) Interrupted() ([]Change, error) {
	records, err := d.records()
	if err != nil {
		return nil, err
	}
	var list []Change
	for _, r := range slices.Backward(records) {
		if r.state() == eventBegin {
			c := Change{ID: r.id, Title: r.head.Title, CreatedAt: r.head.CreatedAt, State: Interrupted, Steps: r.head.Steps, Undoes: r.head.Undoes}
			if r.broken != nil {
				c.Title, c.Problem = "its record cannot be read", r.broken.Error()
			}
			list = append(list, c)
		}
	}
	return list, nil
}
