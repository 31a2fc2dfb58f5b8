package cursor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/livedb"
	"github.com/retold-history/retold/internal/paths"
)

var _ retold.Restorer = (*Source)(nil)

// PlanRestore brings conversations back (formats F.1): their records, the
// contents and blobs that these refer to as far as they are missing, their heads
// in the lists, their images, the file states of their requests, and the workspace's
// folder where there is none.
//
// A conversation is newer in the place when its record or row says so
// (lastUpdatedAt), or when it has a message that the backup has not: Cursor is
// slow to write the time down (formats G).
func (s *Source) PlanRestore(ctx context.Context, want retold.Restore) iter.Seq2[retold.Step, error] {
	return func(yield func(retold.Step, error) bool) {
		r := &restorer{
			mover: mover{ctx: ctx, user: want.Place, items: map[[2]string]*item{}, yield: yield},
			want:  want, given: map[string]bool{}, homes: map[string]home{},
		}
		err := r.run()
		if r.held != nil {
			err = errors.Join(err, r.held.close())
		}
		if r.global != nil {
			err = errors.Join(err, r.global.Close())
		}
		if r.temp != "" {
			err = errors.Join(err, os.RemoveAll(r.temp))
		}
		if err != nil && !r.stopped {
			yield(retold.Step{}, err)
		}
	}
}

// A restorer plans one restore. The mover in it reads the files that are in use
// and keeps their shared values.
type restorer struct {
	mover
	want  retold.Restore
	held  *held
	temp  string          // folder of the database that is made
	given map[string]bool // records that several conversations share
	homes map[string]home // workspaces by their id in the backup
}

// A home is a workspace and the folder that it is about.
type home struct {
	target
	about paths.Address
}

func (r *restorer) run() (err error) {
	if r.held, err = openHeld(r.ctx, r.want.Files, r.want.Names); err != nil {
		return err
	}
	if r.want.Fresh {
		err = r.makeGlobal()
	} else {
		err = r.openGlobal()
	}
	if err != nil {
		return fmt.Errorf("plan a restore: %w", err)
	}
	for _, id := range r.want.Sessions {
		if err := r.session(id); err != nil {
			if errors.Is(err, errStopped) || retold.CodeOf(err) != "" {
				return err
			}
			return fmt.Errorf("plan to restore %s: %w", id, err)
		}
	}
	return r.giveItems()
}

// openGlobal looks at what is there.
func (r *restorer) openGlobal() (err error) {
	if r.g, err = buildCatalog(r.ctx, r.user); err != nil {
		return err
	}
	there, err := isThere(globalDB(r.user))
	if err == nil && there {
		r.global, err = livedb.Open(r.ctx, globalDB(r.user))
	}
	return err
}

// A returning is one conversation on its way back.
type returning struct {
	id      string
	record  *retold.Row // composerData
	table   *retold.Row // of composerHeaders
	bubbles bool
	lists   []*heldWorkspace // that have a head of it
	tabs    []*heldWorkspace // that have it as a tab
	tables  []*heldWorkspace // that have a row of it in a table of their own
	from    string           // workspace it belonged to, by its id in the backup
	images  map[string]bool  // names that its records mention
	asked   map[string]bool  // requests of its messages
}

// find looks a conversation up in the backup; nil when it is not there.
func (r *restorer) find(id string) (*returning, error) {
	c := &returning{id: id, images: map[string]bool{}, asked: map[string]bool{}}
	if h := r.held; h.global != nil {
		var err error
		if h.tables.disk {
			if c.record, err = h.row("cursorDiskKV", "key", "composerData:"+id); err != nil {
				return nil, err
			}
			list, err := keys(h.global, "bubbleId:"+id+":")
			if err != nil {
				return nil, err
			}
			c.bubbles = len(list) > 0
		}
		if h.tables.heads {
			if c.table, err = h.row("composerHeaders", "composerId", id); err != nil {
				return nil, err
			}
		}
	}
	for i := range r.held.workspaces {
		w := &r.held.workspaces[i]
		if headOf(composersOf(w.composers), "composerId", id) != nil {
			c.lists = append(c.lists, w)
		}
		if w.tab(id) != nil {
			c.tabs = append(c.tabs, w)
		}
		if w.rows[id] != nil {
			c.tables = append(c.tables, w)
		}
	}
	if c.record != nil && c.record.Cells[1].Value.Class == retold.ClassNull {
		c.record = nil // deleted when the backup was made
	}
	if c.record == nil && !c.bubbles && c.table == nil && len(c.lists) == 0 && len(c.tabs) == 0 {
		return nil, nil
	}
	c.from = c.workspace()
	return c, nil
}

// workspace is the id of the workspace that a conversation belonged to.
func (c *returning) workspace() string {
	if c.record != nil {
		if rec, err := jscan.Parse(c.record.Cells[1].Value.Bytes); err == nil {
			if id := rec.At("workspaceIdentifier", "id").Str(); id != "" {
				return id
			}
		}
	}
	if c.table != nil {
		if id := string(c.table.Cells[1].Value.Bytes); id != "" {
			return id
		}
	}
	for _, w := range slices.Concat(c.lists, c.tabs) {
		return w.id
	}
	return ""
}

func (r *restorer) session(id string) error {
	c, err := r.find(id)
	if err != nil || c == nil {
		return err
	}
	if c.record != nil || c.bubbles {
		if r.global == nil || !r.g.tables.disk {
			return &retold.Error{
				Code: retold.CodeDatabaseNotFound, Op: "restore", Path: globalDB(r.user), Err: errors.New("there is no database to put it into"),
				Hint: "open Cursor once, or restore the whole backup",
			}
		}
	}
	if err := r.give(retold.Step{Session: id}); err != nil {
		return err
	}
	if !r.want.Overwrite {
		if err := r.checkNewer(c); err != nil {
			return err
		}
	}
	at, err := r.homeOf(c.from)
	if err != nil {
		return err
	}
	r.home, r.to = at.target, at.about
	if err := r.records(c); err != nil {
		return err
	}
	if err := r.lists(c); err != nil {
		return err
	}
	if err := r.pictures(c); err != nil {
		return err
	}
	return r.fileStates(c)
}

// homeOf is where a workspace of the backup is now: under its id, or under that
// which its folder has now, because an id follows from the folder's inode (formats
// A.5). It is made where there is none.
func (r *restorer) homeOf(id string) (h home, err error) {
	if h, known := r.homes[id]; known || !validWorkspace(id) {
		return h, nil
	}
	text, _ := fs.ReadFile(r.want.Files, "workspaceStorage/"+id+"/workspace.json") // without one there is nothing to make
	if w, err := jscan.Parse(text); err == nil {
		h.about = paths.ParseAddress(w.First("folder", "workspace", "configuration").Str())
	}
	h.target = r.targetOf(id)
	there, err := isThere(h.db)
	if now, idErr := workspaceID(h.about); err == nil && !there && idErr == nil && h.about.Path != "" && !r.want.Fresh {
		h.target = r.targetOf(now)
		there, err = isThere(h.db)
	}
	switch {
	case err != nil:
		return h, err
	case !there && len(text) == 0:
		h.db = "" // an empty window has no lists
	case !there:
		h.made = true
		if err := r.makeHome(h.target, text); err != nil {
			return h, err
		}
	}
	r.homes[id] = h
	return h, nil
}

func (r *restorer) targetOf(id string) target {
	dir := filepath.Join(r.user, "workspaceStorage", id)
	return target{id: id, dir: dir, db: filepath.Join(dir, "state.vscdb")}
}

// validWorkspace keeps what a backup says from naming another folder.
func validWorkspace(id string) bool {
	return id != "" && id == filepath.Base(id) && id != "." && id != ".."
}

func isThere(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// makeHome plans the folder of a workspace.
func (r *restorer) makeHome(t target, describe []byte) error {
	if err := r.folders("", t.dir); err != nil {
		return err
	}
	name := filepath.Join(t.dir, "workspace.json")
	if there, err := isThere(name); err != nil {
		return err
	} else if !there {
		if err := r.give(retold.Step{File: &retold.FileChange{Path: name, After: &retold.File{Mode: 0o644, Data: describe}}}); err != nil {
			return err
		}
	}
	data, err := emptyState()
	if err != nil {
		return fmt.Errorf("make an empty state.vscdb: %w", err)
	}
	return r.give(retold.Step{File: &retold.FileChange{Path: t.db, After: &retold.File{Mode: 0o644, Data: data}}})
}
