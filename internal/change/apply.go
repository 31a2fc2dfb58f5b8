package change

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/retold-history/retold"
)

// An Outcome is what became of a change.
type Outcome struct {
	ID    string   `json:"undoId"`         // what Undo takes
	Rows  int      `json:"rows"`           // rows written
	Files int      `json:"files"`          // files and folders made, replaced, renamed or removed
	Left  []string `json:"left,omitempty"` // what was not taken back, and why, when a change was undone

	Settled []Settled `json:"settled,omitempty"` // changes that an earlier run had left unfinished
}

// Apply carries a plan out. Unless fingerprint is "", it has to be the plan's.
// Everything that can be checked is checked before anything is written; the
// errors then are *retold.Error:
//
//	CodeChanged           a row or file is not what the plan says, or the
//	                      fingerprint is another plan's
//	CodeCursorRunning     the program that the files belong to is running
//	CodeDatabaseLocked    a file is held by somebody, or cannot be written
//	CodeDatabaseCorrupt   a database is damaged, or its schema unknown
//	CodeLibraryBusy       another retold is changing files
//
// An error while writing takes everything back. When even that fails, or the
// process dies, the record stays unsettled: see [Desk.Settle], which Apply calls
// first of all for what an earlier run left. A cancelled context counts until the
// first commit.
func (d *Desk) Apply(ctx context.Context, p *Plan, fingerprint string) (out *Outcome, err error) {
	unlock, err := d.lock()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := d.guard().Check(ctx, p.Files()); err != nil {
		return nil, err
	}
	settled, err := d.settleAll(ctx, Finish)
	if err != nil {
		return nil, err
	}
	if out, err = d.apply(ctx, p, fingerprint); err != nil {
		return nil, err
	}
	out.Settled = settled
	return out, nil
}

func (d *Desk) apply(ctx context.Context, p *Plan, fingerprint string) (*Outcome, error) {
	if fingerprint != "" && fingerprint != p.Fingerprint() {
		return nil, changed("", "the plan now has the fingerprint %s, not %s", p.Fingerprint(), fingerprint)
	}
	if len(p.steps) == 0 {
		return &Outcome{}, nil
	}
	j := &job{desk: d, steps: p.steps, spool: p.spool, lenient: p.undoes != "", overwrite: p.overwrite}
	if err := j.check(ctx); err != nil {
		return nil, errors.Join(err, j.release())
	}
	r, err := d.newRecord(p)
	if err != nil {
		return nil, errors.Join(noRoom(err), j.release())
	}
	j.record = r
	err = j.run(ctx)
	if err == nil {
		err = j.finish()
	}
	if err == nil {
		return &Outcome{ID: r.id, Rows: j.rows, Files: j.files, Left: j.left}, r.spool.close()
	}
	err = errors.Join(err, j.release())
	if backErr := d.takeBack(r); backErr != nil {
		err = errors.Join(err, fmt.Errorf("take back what was written: %w", backErr))
	}
	return nil, errors.Join(noRoom(err), r.spool.close())
}

// A job is steps being taken.
type job struct {
	desk      *Desk
	record    *record
	steps     []step
	spool     *spool
	lenient   bool // a vessel that is there already is as good as made
	overwrite bool // what was changed since is put aside
	databases []*database
	missing   map[string]bool // databases that a step makes

	rows, files int
	left        []string
}

// release lets go of all databases; what was not committed is gone.
func (j *job) release() error {
	var err error
	for _, db := range j.databases {
		err = errors.Join(err, db.close())
	}
	j.databases = nil
	return err
}

// early reports whether a file step comes before the rows: new files, because
// rows are written into them. A log comes after its database.
func (f *fileStep) early() bool { return f.Op == opMake && !f.isLog() || f.Op == opCopy }

// run takes the steps; the databases that were there before are held.
func (j *job) run(ctx context.Context) error {
	if err := j.takeFiles(true); err != nil {
		return err
	}
	if err := j.holdMade(ctx); err != nil {
		return err
	}
	for _, db := range j.databases {
		for i := range db.steps {
			if err := j.desk.at("row"); err != nil {
				return err
			}
			if err := db.write(db.steps[i].Row, j.spool); err != nil {
				return err
			}
			j.rows++
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, db := range j.databases {
		if err := j.commit(db); err != nil {
			return err
		}
	}
	j.databases = nil
	return j.takeFiles(false)
}

func (j *job) commit(db *database) error {
	db.conn.SetInterrupt(nil) // from here on it is safer to go on
	if err := j.desk.at("commit " + db.path); err != nil {
		return err
	}
	if err := db.commit(); err != nil {
		return err
	}
	if err := j.desk.at("close " + db.path); err != nil {
		return err
	}
	if err := db.close(); err != nil {
		return explain(db.path, err)
	}
	return j.desk.note(j.record, entry{Event: eventCommit, Path: db.path})
}

func (j *job) takeFiles(early bool) error {
	for i := range j.steps {
		f := j.steps[i].File
		if f == nil || f.early() != early {
			continue
		}
		if f.Vessel && early && j.lenient {
			if there, err := exists(f.Path); err != nil || there {
				if err != nil {
					return err
				}
				continue
			}
		}
		if err := j.desk.at(f.Op + " " + f.Path); err != nil {
			return err
		}
		left, err := f.take(j.spool)
		if err != nil {
			return &retold.Error{Op: f.Op, Path: f.Path, Err: err}
		}
		if left != "" {
			j.left = append(j.left, left)
			continue
		}
		j.files++
		if !early {
			if err := j.desk.note(j.record, entry{Event: eventFile, Path: f.Path}); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish notes that all is done, and how the files that were made look now.
func (j *job) finish() error {
	e := entry{Event: eventDone, Left: j.left}
	for i := range j.steps {
		f := j.steps[i].File
		if f == nil || !f.Vessel || !f.early() || f.After.Dir {
			continue
		}
		err := e.made(f.Path)
		if errors.Is(err, fs.ErrNotExist) { // settled later, when somebody had removed it
			continue
		}
		if err != nil {
			return fmt.Errorf("look at what was made: %w", err)
		}
	}
	if err := stampAll(j.record, j.steps); err != nil {
		return err
	}
	return j.desk.note(j.record, e)
}
