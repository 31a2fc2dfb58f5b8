package change

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

// check looks whether the steps can be taken, and holds the databases from then
// on. It writes nothing.
func (j *job) check(ctx context.Context) error {
	if err := j.checkFiles(); err != nil {
		return err
	}
	if err := j.checkRoom(); err != nil {
		return err
	}
	for _, path := range j.paths() {
		if j.missing[path] {
			continue
		}
		if err := j.hold(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// paths are the databases in the plan's order.
func (j *job) paths() []string {
	p := Plan{steps: j.steps}
	return p.databases()
}

// hold opens a database, and makes sure of its schema and rows.
func (j *job) hold(ctx context.Context, path string) error {
	if err := checkWritable(path); err != nil {
		return err
	}
	var steps []step
	for i := range j.steps {
		if r := j.steps[i].Row; r != nil && r.Database == path {
			steps = append(steps, j.steps[i])
		}
	}
	db, err := hold(ctx, path, steps)
	if err != nil {
		return err
	}
	j.databases = append(j.databases, db)
	if err := db.checkSchema(); err != nil {
		return err
	}
	for i := range steps {
		r := steps[i].Row
		_, is, err := db.find(r, r.Before)
		if err != nil {
			return err
		}
		if !is {
			return changed(path, "%s is not what it was", r.name())
		}
	}
	return nil
}

// holdMade opens the databases that were made a moment ago, and puts all into
// the plan's order.
func (j *job) holdMade(ctx context.Context) error {
	held := map[string]*database{}
	for _, db := range j.databases {
		held[db.path] = db
	}
	var order []*database
	for _, path := range j.paths() {
		if held[path] == nil {
			if err := j.hold(ctx, path); err != nil {
				return err
			}
			held[path] = j.databases[len(j.databases)-1]
		}
		order = append(order, held[path])
	}
	j.databases = order
	return nil
}

func checkWritable(path string) error {
	for _, p := range []string{path, filepath.Dir(path)} { // SQLite makes files beside the database
		if err := writable(p); errors.Is(err, fs.ErrNotExist) {
			return &retold.Error{Code: retold.CodeDatabaseNotFound, Op: "change", Path: p, Err: errors.New("no such file"), Hint: "look at the plan again"}
		} else if err != nil {
			return &retold.Error{Code: retold.CodeDatabaseLocked, Op: "change", Path: p, Err: fmt.Errorf("it cannot be written: %w", err), Hint: "see its permissions; nothing was written"}
		}
	}
	return nil
}

// checkFiles looks at all files and folders.
func (j *job) checkFiles() error {
	j.missing = map[string]bool{}
	made := map[string]bool{}
	if j.record == nil && !j.overwrite {
		if err := j.desk.ready(j.steps); err != nil {
			return err
		}
	}
	for i := range j.steps {
		f := j.steps[i].File
		if f == nil {
			continue
		}
		stands, err := f.look(j.steps)
		if err != nil {
			return fmt.Errorf("look at %s: %w", f.Path, err)
		}
		if err := f.checkLogs(j.steps); err != nil {
			return err
		}
		if stands == done && f.Vessel && (j.lenient && f.early() || f.Op == opRemove) {
			continue // somebody else removed it, or it was left when it was to be removed
		}
		if stands != old {
			return changed(f.Path, "it is not what it was: %s", f.trouble(stands))
		}
		if f.Vessel && f.Op == opRemove && f.Made != nil && j.record == nil {
			now, err := content(f.Path)
			if err != nil {
				return err
			}
			used := *f // the step may belong to a plan that is looked at again
			if used.Used, err = f.usedSince(now); err != nil {
				return err
			}
			j.steps[i].File = &used
		}
		if f.early() {
			made[f.Path] = true
			j.missing[f.Path] = true
		}
		parent, err := whereabouts(j.steps, filepath.Dir(f.Path))
		if err != nil {
			return err
		}
		if f.Restored {
			if parent, err = standing(parent, made); err != nil {
				return err
			}
		}
		if !made[parent] {
			if err := checkWritable(parent); err != nil {
				return err
			}
		}
		if f.Op == opRename || f.Op == opSwap {
			if err := sameDevice(f.From, parent, made[parent]); err != nil {
				return err
			}
		}
	}
	return nil
}

// trouble is what speaks against a step.
func (f *fileStep) trouble(stands stand) string {
	switch {
	case stands == done && f.early():
		return "it is there already"
	case f.Op == opRename:
		return "either " + f.From + " is gone or something else has the name"
	}
	return "its content is another"
}

func sameDevice(from, parent string, made bool) error {
	for made { // the folder will be on the file system of the one above it
		parent = filepath.Dir(parent)
		_, err := os.Stat(parent)
		made = errors.Is(err, fs.ErrNotExist)
	}
	a, err := os.Lstat(from)
	if err != nil {
		return err
	}
	b, err := os.Stat(parent)
	if err != nil {
		return err
	}
	x, known := device(a)
	if y, both := device(b); known && both && x != y {
		return &retold.Error{Op: "rename", Path: from, Err: fmt.Errorf("%s is on another file system", parent), Hint: "copy instead of moving"}
	}
	return nil
}

// checkRoom asks for room on every file system for twice what will be written to
// it: SQLite writes a row into its log and then into the file, and index pages
// with it.
func (j *job) checkRoom() error {
	type need struct {
		bytes int64
		dir   string
	}
	needs := map[uint64]*need{}
	add := func(path string, n int64) error {
		dir := path
		info, err := os.Stat(dir)
		for errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
			dir = filepath.Dir(dir)
			info, err = os.Stat(dir)
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			dir = filepath.Dir(dir)
		}
		id, _ := device(info)
		if needs[id] == nil {
			needs[id] = &need{dir: dir, bytes: 1 << 20}
		}
		needs[id].bytes += n
		return nil
	}
	err := add(j.desk.root(), j.spool.size+int64(len(j.steps))*1200)
	for i := range j.steps {
		s := &j.steps[i]
		switch {
		case err != nil:
			return err
		case s.Row != nil && s.Row.After != nil:
			n := int64(4096)
			for _, c := range s.Row.After.Cells {
				n += 2 * c.Value.Size
			}
			err = add(s.Row.Database, n)
		case s.File != nil && s.File.After != nil && s.File.Op != opRename && s.File.Op != opSwap:
			err = add(s.File.Path, s.File.After.Data.Size+4096)
		}
	}
	if err != nil {
		return err
	}
	for _, n := range needs {
		if j.desk.reckless {
			break
		}
		if free, err := paths.Free(n.dir); err == nil && free < n.bytes {
			return &retold.Error{
				Op: "change files in", Path: n.dir, Hint: "make room on that disk; nothing was written",
				Err: fmt.Errorf("about %d KB are needed, %d KB are free: %w", n.bytes>>10, free>>10, syscall.ENOSPC),
			}
		}
	}
	return nil
}

// noRoom gives the error of a full disk a hint.
func noRoom(err error) error {
	e, known := errors.AsType[*retold.Error](err)
	if !errors.Is(err, syscall.ENOSPC) || known && e.Hint != "" {
		return err
	}
	hinted := &retold.Error{Op: "change", Err: err}
	if known {
		hinted.Code, hinted.Op, hinted.Path = e.Code, "", ""
	}
	hinted.Hint = "the disk is full: make room and try again"
	return hinted
}
