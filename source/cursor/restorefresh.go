package cursor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/livedb"
)

// emptyLists are the lists of the whole installation, with nothing on them.
var emptyLists = map[string]string{keyHeaders: `{"allComposers":[]}`, keyProjects: `[]`, keyMembership: `{}`}

// makeGlobal plans a global database as the backup's is, with nothing in it, and
// reads a copy of it from then on.
func (r *restorer) makeGlobal() error {
	r.g = newCatalog(r.user)
	if r.held.global == nil {
		return nil
	}
	var err error
	if r.temp, err = os.MkdirTemp("", "retold-"); err != nil {
		return err
	}
	path := filepath.Join(r.temp, "state.vscdb")
	if err := r.held.skeleton(path); err != nil {
		return fmt.Errorf("make an empty state.vscdb: %w", err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := r.folders("", filepath.Dir(globalDB(r.user))); err != nil {
		return err
	}
	if err := r.give(retold.Step{File: &retold.FileChange{Path: globalDB(r.user), After: &retold.File{Mode: 0o644, Data: data}}}); err != nil {
		return err
	}
	r.g.tables = r.held.tables
	r.global, err = livedb.Open(r.ctx, path)
	return err
}

// skeleton makes a database with the tables of the backup's and empty lists.
func (h *held) skeleton(path string) (err error) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	err = copySchema(h.global, conn)
	if err != nil || !h.tables.items {
		return err
	}
	for key, empty := range emptyLists {
		found, err := get(h.global, "ItemTable", key)
		if err != nil {
			return err
		}
		if _, there := found[key]; !there {
			continue
		}
		if err := sqlitex.Execute(conn, "INSERT INTO ItemTable (key, value) VALUES (?, ?)", &sqlitex.ExecOptions{Args: []any{key, empty}}); err != nil {
			return err
		}
	}
	return nil
}
