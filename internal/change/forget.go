package change

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/atomicfile"
)

// A Forgettable is a set of changes that are forgotten together: a change, what
// took it back, and what took that back. One without the other would no longer
// know what it is.
type Forgettable []Change

// Forgettable finds the records that go with the ones of these ids, and those in
// which every change was made before a time; the zero time is before all. An id that there is
// no record of, or one of an interrupted change, is an error: that one has to be
// settled first. It writes nothing.
func (d *Desk) Forgettable(ids []string, before time.Time) (sets []Forgettable, err error) {
	list, err := d.List()
	if err != nil {
		return nil, err
	}
	all := linked(list)
	wanted := map[string]bool{}
	for _, id := range ids {
		if id, err = whole(list, id); err != nil {
			return nil, err
		}
		wanted[id] = true
	}
	for _, set := range all {
		named, open, old := false, "", true
		for _, c := range set {
			named = named || wanted[c.ID]
			old = old && c.CreatedAt.Before(before) && c.State != Damaged // nobody knows what it is: only by name
			if c.State == Interrupted {
				open = c.ID
			}
		}
		switch {
		case !named && !old:
		case open == "":
			sets = append(sets, set)
		case named:
			return nil, &retold.Error{
				Code: retold.CodeUsage, Op: "forget", Err: fmt.Errorf("the change %s was interrupted: its record is needed to make the files whole", open),
				Hint: "retold undo --finish, or retold undo --roll-back",
			}
		}
	}
	return sets, nil
}

// linked sorts changes into sets by what took back what; sets and the changes in
// them are in the order of the list.
func linked(list []Change) (sets []Forgettable) {
	leads := map[string]string{} // id → another of its set; none for the one that stands for it
	root := func(id string) string {
		for leads[id] != "" {
			id = leads[id]
		}
		return id
	}
	for _, c := range list {
		if c.Undoes != "" && root(c.ID) != root(c.Undoes) {
			leads[root(c.Undoes)] = root(c.ID)
		}
	}
	at := map[string]int{}
	for _, c := range list {
		n, known := at[root(c.ID)]
		if !known {
			n = len(sets)
			at[root(c.ID)] = n
			sets = append(sets, nil)
		}
		sets[n] = append(sets[n], c)
	}
	return sets
}

// Forget removes records for good: what they say can no longer be undone. A record
// is away as a whole or there as a whole whenever the process ends.
func (d *Desk) Forget(sets []Forgettable) (err error) {
	unlock, err := d.lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	for _, set := range sets {
		// The oldest first: without what took it back a change would seem to stand.
		for _, c := range slices.Backward(set) {
			if err := d.forget(c.ID); err != nil {
				return fmt.Errorf("forget %s: %w", c.ID, err)
			}
		}
	}
	return nil
}

func (d *Desk) forget(id string) error {
	if id == "" || id != filepath.Base(id) || strings.HasPrefix(id, ".") {
		return &retold.Error{Code: retold.CodeUsage, Err: errors.New("no id of a change")}
	}
	r, err := d.readHead(id)
	switch {
	case retold.CodeOf(err) == retold.CodeDatabaseCorrupt:
		r = d.brokenRecord(id, err)
	case err != nil:
		return err
	}
	if r.state() == eventBegin && r.broken == nil { // since it was looked for
		return &retold.Error{Code: retold.CodeUsage, Err: errors.New("the change was interrupted"), Hint: "retold undo --finish"}
	}
	temp, err := os.MkdirTemp(d.root(), ".making-*") // swept by the next change when this process dies here
	if err != nil {
		return err
	}
	if err := d.at("forget record"); err != nil {
		return errors.Join(err, os.RemoveAll(temp))
	}
	err = os.Rename(r.dir, filepath.Join(temp, id))
	if err == nil {
		err = atomicfile.Flush(d.root())
	}
	return errors.Join(err, os.RemoveAll(temp))
}

// sizeOf is how many bytes the files of a record take.
func sizeOf(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}
