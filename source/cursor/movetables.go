package cursor

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/livedb"
)

// Lists of conversations lie not only where Cursor goes by them: builds since 3.10
// make the table composerHeaders in the databases of workspaces too (formats D.1),
// and a profile can have lists of its own (formats A.1). What such a list says of
// a conversation follows it; none is added to a list that did not name it.

// tablesIn are the tables of a database that is not the global one.
func (v *mover) tablesIn(db string) (t tables, err error) {
	if t, known := v.known[db]; known {
		return t, nil
	}
	there, err := isThere(db)
	if err != nil || !there {
		return t, err
	}
	src, err := livedb.Open(v.ctx, db)
	if err != nil {
		return t, err
	}
	err = src.Read(v.ctx, func(conn *sqlite.Conn) (err error) {
		t, err = findTables(conn)
		return err
	})
	if err = errors.Join(err, src.Close()); err != nil {
		return t, fmt.Errorf("look at %s: %w", db, err)
	}
	if v.known == nil {
		v.known = map[string]tables{}
	}
	v.known[db] = t
	return t, nil
}

// rowIn is the whole row that a table composerHeaders has of a conversation,
// columns that nobody here knows included; nil when it has none.
func (v *mover) rowIn(db, id string) (found *retold.Row, err error) {
	t, err := v.tablesIn(db)
	if err != nil || !t.heads {
		return nil, err
	}
	src, err := livedb.Open(v.ctx, db)
	if err != nil {
		return nil, err
	}
	err = src.Read(v.ctx, func(conn *sqlite.Conn) error {
		rows, err := headRows(conn, "composerId = ?", []any{id})
		found = rows[id]
		return err
	})
	return found, errors.Join(err, src.Close())
}

// headRows are rows of a table composerHeaders, by conversation.
func headRows(conn *sqlite.Conn, where string, args []any) (map[string]*retold.Row, error) {
	rows := map[string]*retold.Row{}
	err := sqlitex.Execute(conn, "SELECT rowid, * FROM composerHeaders WHERE "+where, &sqlitex.ExecOptions{
		Args: args,
		ResultFunc: func(s *sqlite.Stmt) error {
			r := &retold.Row{Rowid: s.ColumnInt64(0)}
			for i := 1; i < s.ColumnCount(); i++ {
				r.Cells = append(r.Cells, retold.Cell{Column: s.ColumnName(i), Value: storedValue(s, i)})
			}
			rows[string(cellOf(r, "composerId"))] = r
			return nil
		},
	})
	return rows, err
}

// assigned is a row of composerHeaders for the new workspace.
func (v *mover) assigned(mv *moving, was *retold.Row) *retold.Row {
	after := &retold.Row{Rowid: was.Rowid, Cells: slices.Clone(was.Cells)}
	for i, c := range after.Cells {
		switch c.Column {
		case "composerId":
			after.Cells[i].Value = retold.TextValue(mv.to)
		case "workspaceId":
			after.Cells[i].Value = retold.TextValue(v.home.id)
		case "value":
			after.Cells[i].Value.Bytes = v.assign(c.Value.Bytes, &mv.m, true)
		}
	}
	if v.copying() {
		after.Rowid = 0
	}
	return after
}

// giveAssigned plans what becomes of a row that stays in its table.
func (v *mover) giveAssigned(mv *moving, db string, was *retold.Row) error {
	if v.copying() {
		return v.give(change(mv.id, db, "composerHeaders", "composerId", mv.to, nil, v.assigned(mv, was)))
	}
	return v.give(change(mv.id, db, "composerHeaders", "composerId", mv.id, was, v.assigned(mv, was)))
}

// moveTables lets the rows follow that tables of workspaces have of a conversation:
// they go to the table of the new workspace, where it has one.
func (v *mover) moveTables(mv *moving) error {
	var row *retold.Row
	stays := false
	for _, id := range slices.Sorted(maps.Keys(v.g.workspaces)) {
		w := v.g.workspaces[id]
		if !slices.ContainsFunc(w.heads, func(c composer) bool { return c.id == mv.id }) {
			continue
		}
		was, err := v.rowIn(w.db(), mv.id)
		switch {
		case err != nil:
			return err
		case was == nil:
		case id == v.home.id:
			stays = true
			if err := v.giveAssigned(mv, w.db(), was); err != nil {
				return err
			}
		default:
			row = was
			if v.copying() {
				continue
			}
			if err := v.give(change(mv.id, w.db(), "composerHeaders", "composerId", mv.id, was, nil)); err != nil {
				return err
			}
		}
	}
	if row == nil || stays {
		return nil
	}
	if mv.head == nil {
		mv.spare = cellOf(row, "value")
	}
	if v.home.made {
		return nil
	}
	t, err := v.tablesIn(v.home.db)
	if err != nil || !t.heads {
		return err
	}
	after := v.assigned(mv, row)
	after.Rowid = 0
	return v.give(change(mv.id, v.home.db, "composerHeaders", "composerId", mv.to, nil, after))
}

func cellOf(r *retold.Row, column string) []byte {
	for _, c := range r.Cells {
		if c.Column == column {
			return c.Value.Bytes
		}
	}
	return nil
}

// moveProfiles lets the lists of profiles follow.
func (v *mover) moveProfiles(mv *moving) error {
	for _, db := range profileDBs(v.user) {
		t, err := v.tablesIn(db)
		if err != nil {
			return err
		}
		if was, err := v.rowIn(db, mv.id); err != nil {
			return err
		} else if was != nil {
			if err := v.giveAssigned(mv, db, was); err != nil {
				return err
			}
		}
		if !t.items {
			continue
		}
		if err := v.globalListIn(mv, db, false); err != nil {
			return err
		}
		if err := v.glassIn(mv, db, false); err != nil {
			return err
		}
	}
	return nil
}
