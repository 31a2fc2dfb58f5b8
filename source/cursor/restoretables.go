package cursor

import (
	"errors"
	"slices"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/livedb"
)

// tableRows brings back what tables of workspaces said of a conversation, where
// these workspaces have such a table now.
func (r *restorer) tableRows(c *returning) error {
	for _, w := range c.tables {
		if !validWorkspace(w.id) {
			continue
		}
		to := r.targetOf(w.id)
		if w.id == c.from && r.home.db != "" {
			to = r.home
		}
		t, err := r.tablesIn(to.db)
		if err != nil {
			return err
		}
		if !t.heads {
			continue
		}
		before, err := r.rowIn(to.db, c.id)
		if err != nil {
			return err
		}
		columns, err := r.headColumnsOf(to.db)
		if err != nil {
			return err
		}
		if err := r.give(change(c.id, to.db, "composerHeaders", "composerId", c.id, before, r.rowBack(w, c.id, to.id, before, columns))); err != nil {
			return err
		}
	}
	return nil
}

// rowBack is a row of a backup for the table of a workspace, as far as that has the
// columns.
func (r *restorer) rowBack(w *heldWorkspace, id, to string, before *retold.Row, columns []string) *retold.Row {
	after := &retold.Row{}
	var now []byte
	if before != nil {
		after.Rowid, now = before.Rowid, cellOf(before, "value")
	}
	for _, cell := range w.rows[id].Cells {
		switch {
		case !slices.Contains(columns, cell.Column):
			continue
		case cell.Column == "value":
			text := slices.Clone(cell.Value.Bytes)
			if to == r.home.id {
				text = r.rename(text, w.id)
			}
			cell.Value.Bytes = keepKeys(text, now)
		case cell.Column == "workspaceId" && string(cell.Value.Bytes) == w.id:
			cell.Value = retold.TextValue(to)
		}
		after.Cells = append(after.Cells, cell)
	}
	return after
}

// headColumnsOf are the columns of the table composerHeaders of a database.
func (r *restorer) headColumnsOf(db string) (columns []string, err error) {
	src, err := livedb.Open(r.ctx, db)
	if err != nil {
		return nil, err
	}
	err = src.Read(r.ctx, func(conn *sqlite.Conn) error {
		columns = nil // it may be called again
		return sqlitex.Execute(conn, "SELECT name FROM pragma_table_info('composerHeaders')", &sqlitex.ExecOptions{
			ResultFunc: func(s *sqlite.Stmt) error { columns = append(columns, s.ColumnText(0)); return nil },
		})
	})
	return columns, errors.Join(err, src.Close())
}
