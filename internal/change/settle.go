package change

import (
	"context"
	"errors"
	"fmt"

	"github.com/retold-history/retold"
)

// A Way is how an interrupted change is settled.
type Way int

// The ways.
const (
	Finish   Way = iota // all of it new; where that is not possible any more, or it failed before, all of it old
	RollBack            // all of it old
)

// A Settled says how an interrupted change was found and what became of it.
type Settled struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	State string   `json:"state"` // Done or RolledBack
	New   []string `json:"new"`   // files that were found as after the change
	Old   []string `json:"old"`   // files that were found as before it
	Left  []string `json:"left,omitempty"`
}

// Settle makes every interrupted change whole: all new or all old. It checks as
// Apply does and returns its errors; what could not be settled stays as it is, on
// record.
func (d *Desk) Settle(ctx context.Context, way Way) (list []Settled, err error) {
	unlock, err := d.lock()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return d.settleAll(ctx, way)
}

func (d *Desk) settleAll(ctx context.Context, way Way) ([]Settled, error) {
	if err := d.sweepDrafts(); err != nil {
		return nil, err
	}
	records, err := d.records()
	if err != nil {
		return nil, err
	}
	var list []Settled
	for _, head := range records {
		if head.state() != eventBegin {
			continue
		}
		if head.broken != nil {
			return list, &retold.Error{
				Code: retold.CodeDatabaseCorrupt, Op: "settle the interrupted change", Path: head.id, Err: head.broken,
				Hint: "what it changed may be half done: look at it, then retold undo --forget " + head.id,
			}
		}
		how := way
		if head.failed() {
			how = RollBack
		}
		s, err := d.settleOne(ctx, head.id, how)
		if err != nil {
			return list, &retold.Error{
				Code: retold.CodeOf(err), Op: "settle the interrupted change", Path: head.id, Err: err,
				Hint: "`retold undo --list` shows it; nothing else is changed before it is settled",
			}
		}
		list = append(list, *s)
	}
	return list, nil
}

func (d *Desk) settleOne(ctx context.Context, id string, way Way) (*Settled, error) {
	r, err := d.openRecord(id)
	if err != nil {
		return nil, err
	}
	defer r.spool.close() //nolint:errcheck // it was only read
	p := Plan{steps: r.steps}
	if err := d.guard().Check(ctx, p.Files()); err != nil {
		return nil, err
	}
	if err := sweep(r.steps); err != nil {
		return nil, fmt.Errorf("remove files in the making: %w", err)
	}
	if err := heal(r.steps); err != nil {
		return nil, fmt.Errorf("take back what was half done: %w", err)
	}
	out := &Settled{ID: r.id, Title: r.head.Title, New: []string{}, Old: []string{}}
	olds, news, err := d.tell(ctx, r, out)
	if err != nil {
		return nil, err
	}
	try := func(steps []step, state, event string) error {
		j := &job{desk: d, steps: steps, spool: r.spool, record: r, lenient: true}
		err := j.check(ctx)
		if err == nil {
			err = j.run(ctx)
		}
		if err != nil {
			return errors.Join(err, j.release())
		}
		out.State, out.Left = state, j.left
		if event == eventDone {
			done := &job{desk: d, steps: r.steps, record: r, left: j.left}
			return done.finish()
		}
		if err := d.renew(r); err != nil {
			return err
		}
		return d.note(r, entry{Event: event, Left: j.left})
	}
	if way == Finish {
		if err = try(olds, Done, eventDone); err == nil {
			return out, nil
		}
		out.Left = nil
		if news, err = d.told(ctx, r, out); err != nil {
			return nil, err
		}
	}
	if backErr := try(reversed(news), RolledBack, eventBack); backErr != nil {
		return nil, errors.Join(err, backErr)
	}
	return out, nil
}

// told is tell after a try, for the steps that are to be taken back.
func (d *Desk) told(ctx context.Context, r *record, out *Settled) ([]step, error) {
	out.New, out.Old = []string{}, []string{}
	_, news, err := d.tell(ctx, r, out)
	return news, err
}

// renew notes with the change that an undo was to take back how the files that it
// had made look now: they hold the same again, but databases in other bytes.
func (d *Desk) renew(undo *record) error {
	if undo.head.Undoes == "" {
		return nil
	}
	r, err := d.readHead(undo.head.Undoes)
	if err != nil {
		return err
	}
	e := entry{Event: eventBack + " undo"}
	for i := range undo.steps {
		f := undo.steps[i].File
		if f == nil || !f.Vessel || f.Op != opRemove || f.Used || f.Before.Dir {
			continue
		}
		if there, err := exists(f.Path); err != nil || !there {
			if err != nil {
				return err
			}
			continue
		}
		if err := e.made(f.Path); err != nil {
			return fmt.Errorf("look at what was made: %w", err)
		}
	}
	return d.note(r, e)
}

// takeBack makes all of a change old that failed in this process.
func (d *Desk) takeBack(r *record) error {
	noted := d.note(r, entry{Event: eventFailed}) // matters only if the rest fails too
	if _, err := d.settleOne(context.Background(), r.id, RollBack); err != nil {
		return errors.Join(err, noted)
	}
	return nil
}

// tell sorts the steps of a record by whether they were taken. Each database is
// one or the other as a whole, because it was committed as a whole.
func (d *Desk) tell(ctx context.Context, r *record, out *Settled) (olds, news []step, err error) {
	databases := map[string]stand{}
	for i := range r.steps {
		s := r.steps[i]
		var stands stand
		path := ""
		if s.Row != nil {
			path = s.Row.Database
			known := false
			if stands, known = databases[path]; !known {
				if stands, err = tellDatabase(ctx, path, r.steps); err != nil {
					return nil, nil, err
				}
				databases[path] = stands
				out.add(stands, path)
			}
		} else {
			path = s.File.Path
			if stands, err = s.File.look(r.steps); err != nil {
				return nil, nil, err
			}
			out.add(stands, path)
		}
		switch stands {
		case old:
			olds = append(olds, s)
		case done:
			news = append(news, s)
		default:
			return nil, nil, changed(path, "it is neither as before the interrupted change nor as after it")
		}
	}
	return olds, news, nil
}

func (s *Settled) add(stands stand, path string) {
	switch stands {
	case old:
		s.Old = append(s.Old, path)
	case done:
		s.New = append(s.New, path)
	}
}

// tellDatabase compares all rows of one database with a plan.
func tellDatabase(ctx context.Context, path string, steps []step) (stand, error) {
	if there, err := exists(path); err != nil {
		return stray, err
	} else if !there {
		return tellMissing(path, steps)
	}
	db, err := hold(ctx, path, nil)
	if err != nil {
		return stray, err
	}
	stands := stray
	for i := range steps {
		r := steps[i].Row
		if r == nil || r.Database != path {
			continue
		}
		now := stray
		for _, side := range []struct {
			want *row
			is   stand
		}{{r.Before, old}, {r.After, done}} {
			_, is, findErr := db.find(r, side.want)
			if findErr != nil {
				return stray, errors.Join(findErr, db.close())
			}
			if is {
				now = side.is
			}
		}
		if now == stray || stands != stray && stands != now {
			return stray, errors.Join(changed(path, "%s was changed since", r.name()), db.close())
		}
		stands = now
	}
	return stands, db.close()
}

// tellMissing is tellDatabase for a file that is not there: it was to be made or
// copied and then changed, or to be removed.
func tellMissing(path string, steps []step) (stand, error) {
	for i := range steps {
		// A copy holds rows of the original before any is changed in it.
		if f := steps[i].File; f != nil && f.Path == path && f.early() {
			return old, nil
		} else if f != nil && f.Path == path && f.Op == opRemove {
			return done, nil
		}
	}
	stands := stray
	for i := range steps {
		r := steps[i].Row
		if r == nil || r.Database != path {
			continue
		}
		now := old
		if r.After == nil {
			now = done
		}
		if r.Before != nil && r.After != nil || stands != stray && stands != now {
			return stray, changed(path, "it is gone")
		}
		stands = now
	}
	return stands, nil
}
