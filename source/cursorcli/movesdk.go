package cursorcli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/livedb"
	"github.com/retold-history/retold/internal/paths"
)

// The sessions of programs that use @cursor/sdk lie in one store for each working
// folder, which is named after it as those below chats are, and which its index
// names again (formats D.10). Several sessions share an index: they move together,
// or stay and are named.

// sdkStores plans the SDK stores that hold any of the sessions. Those in left stay
// where they are.
func (v *mover) sdkStores() (left map[string]bool, err error) {
	left = map[string]bool{}
	dirs, err := v.sdkFolders()
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		ids, why, err := v.sdkStore(dir)
		if err != nil {
			return nil, fmt.Errorf("plan to move %s: %w", dir, err)
		}
		for _, id := range ids {
			if why == "" {
				continue
			}
			left[id] = true
			if err := v.give(retold.Step{Session: id, Left: why}); err != nil {
				return nil, err
			}
		}
	}
	return left, nil
}

// sdkFolders are the folders of all SDK stores.
func (v *mover) sdkFolders() (dirs []string, err error) {
	projects := filepath.Join(v.move.Place, "projects")
	stores, err := entries(projects, "sdk-agent-store")
	for _, dir := range stores {
		hashes, readErr := os.ReadDir(dir)
		err = errors.Join(err, readErr)
		for _, h := range hashes {
			dirs = append(dirs, filepath.Join(dir, h.Name()))
		}
	}
	return dirs, err
}

// sdkStore plans one store. It returns the sessions of the move that lie in it, and
// why they stay when they do.
func (v *mover) sdkStore(dir string) (ids []string, why string, err error) {
	index := filepath.Join(dir, "index.db")
	if info, err := os.Stat(index); err != nil || !info.Mode().IsRegular() {
		return nil, "", nil //nolint:nilerr // lines of JSON, or nothing: PlanMove says that nothing holds it
	}
	agents, err := readIndex(v.ctx, index)
	if err != nil {
		return nil, "", err
	}
	others := 0
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		if a := agents[name]; slices.Contains(v.move.Sessions, a.id) {
			ids = append(ids, a.id)
		} else {
			others++
		}
	}
	to := filepath.Join(v.move.Place, "projects", paths.Slug(v.to.FSPath()), "sdk-agent-store", paths.MD5(v.to.FSPath()))
	log, _ := os.Stat(index + "-wal") // one that is not there is as good as empty
	_, taken := os.Stat(to)
	switch {
	case len(ids) == 0 || to == dir:
		return nil, "", nil
	case v.move.Copies != nil:
		return ids, "a session of @cursor/sdk can be moved and not copied", nil
	case others > 0:
		return ids, fmt.Sprintf("it lies in one store of @cursor/sdk with %d sessions that stay: move the whole folder", others), nil
	case taken == nil:
		return ids, "the new folder has a store of @cursor/sdk already: " + to, nil
	case log != nil && log.Size() > 0:
		return ids, "the program that uses @cursor/sdk did not close " + index, nil
	}
	return ids, "", v.moveSDK(ids, dir, to)
}

// moveSDK plans the move of a whole store: the index is made anew, with the new
// folder in it, and all else is renamed.
func (v *mover) moveSDK(ids []string, dir, to string) error {
	index := filepath.Join(dir, "index.db")
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := v.give(retold.Step{Session: id}); err != nil {
			return err
		}
	}
	for _, made := range []string{filepath.Dir(filepath.Dir(to)), filepath.Dir(to), to} {
		if err := v.folder(ids[0], made); err != nil {
			return err
		}
	}
	before, err := readFile(index)
	if err != nil {
		return err
	}
	after := &retold.File{Mode: before.Mode, ModTime: before.ModTime}
	if err := v.file(ids[0], retold.FileChange{Path: filepath.Join(to, "index.db"), From: index, After: after}); err != nil {
		return err
	}
	if err := v.sdkRows(index, filepath.Join(to, "index.db")); err != nil {
		return err
	}
	for _, e := range list {
		at := filepath.Join(dir, e.Name())
		switch e.Name() {
		case "index.db", "index.db-wal", "index.db-shm", "index.db-journal":
			f, err := readFile(at)
			if err != nil {
				return err
			}
			err = v.file(ids[0], retold.FileChange{Path: at, Before: f})
			if err != nil {
				return err
			}
		default:
			if err := v.file(ids[0], retold.FileChange{Path: filepath.Join(to, e.Name()), From: at, Rename: true}); err != nil {
				return err
			}
		}
	}
	return nil
}

// sdkRows lets the rows of a copied index name the new folder.
func (v *mover) sdkRows(index, twin string) error {
	db, err := livedb.Open(v.ctx, index)
	if err != nil {
		return err
	}
	var rows []retold.Row
	err = db.Read(v.ctx, func(conn *sqlite.Conn) error {
		rows = nil
		return sqlitex.Execute(conn, "SELECT rowid, * FROM agents ORDER BY agent_id", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			r := retold.Row{Rowid: s.ColumnInt64(0)}
			for i := 1; i < s.ColumnCount(); i++ {
				r.Cells = append(r.Cells, retold.Cell{Column: s.ColumnName(i), Value: storedValue(s, i)})
			}
			rows = append(rows, r)
			return nil
		}})
	})
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	for i := range rows {
		before := &rows[i]
		after := &retold.Row{Rowid: before.Rowid, Cells: slices.Clone(before.Cells)}
		step := retold.Step{Row: &retold.RowChange{Database: twin, Table: "agents", Before: before, After: after}}
		for i, c := range before.Cells {
			switch c.Column {
			case "agent_id":
				step.Session, step.Row.Key = string(c.Value.Bytes), before.Cells[i:i+1]
			case "workspace_ref":
				after.Cells[i].Value = retold.TextValue(v.to.FSPath())
			}
		}
		if err := v.give(step); err != nil {
			return err
		}
	}
	return nil
}

func storedValue(s *sqlite.Stmt, i int) retold.Value {
	switch s.ColumnType(i) {
	case sqlite.TypeInteger:
		return retold.IntValue(s.ColumnInt64(i))
	case sqlite.TypeFloat:
		return retold.Value{Class: retold.ClassReal, Float: s.ColumnFloat(i)}
	case sqlite.TypeText:
		return retold.Value{Class: retold.ClassText, Bytes: column(s, i)}
	case sqlite.TypeBlob:
		return retold.Value{Class: retold.ClassBlob, Bytes: column(s, i)}
	}
	return retold.Value{}
}
