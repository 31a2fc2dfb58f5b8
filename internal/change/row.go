package change

import (
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
)

// name is what a message calls the row.
func (r *rowStep) name() string {
	parts := make([]string, len(r.Key))
	for i := range r.Key {
		parts[i] = r.Key[i].Value.text()
	}
	return r.Table + " " + strings.Join(parts, " ")
}

// text is a value as a message or a description shows it.
func (v *value) text() string {
	switch v.Class {
	case retold.ClassInteger:
		return fmt.Sprint(v.Int)
	case retold.ClassReal:
		return fmt.Sprint(v.Float)
	case retold.ClassNull:
		return "NULL"
	}
	return string(v.Bytes)
}

// find reads the row a step is about: its rowid (0 when it is not there) and,
// compared with the cells of want, whether it is that row.
func (d *database) find(r *rowStep, want *row) (rowid int64, is bool, err error) {
	columns := []string{"rowid"}
	if want != nil {
		for _, c := range want.Cells {
			columns = append(columns, quoted(c.Column))
		}
	}
	conditions := make([]string, len(r.Key))
	for i, c := range r.Key {
		conditions[i] = quoted(c.Column) + " = ?"
	}
	stmt, err := d.conn.Prepare("SELECT " + strings.Join(columns, ", ") + " FROM " + quoted(r.Table) + " WHERE " + strings.Join(conditions, " AND "))
	if err != nil {
		return 0, false, explain(d.path, err)
	}
	for i := range r.Key {
		v := &r.Key[i].Value
		bind(stmt, i+1, retold.Value{Class: v.Class, Int: v.Int, Float: v.Float, Bytes: v.Bytes})
	}
	there, err := stmt.Step()
	if err == nil && there {
		rowid, is = stmt.ColumnInt64(0), want != nil
		for i := 0; is && i < len(want.Cells); i++ {
			v := &want.Cells[i].Value
			is = v.is(column(stmt, i+1))
		}
	}
	if !there {
		is = want == nil
	}
	if resetErr := stmt.Reset(); err == nil {
		err = resetErr
	}
	if err == nil {
		err = stmt.ClearBindings()
	}
	if err != nil {
		return 0, false, explain(d.path, fmt.Errorf("read %s: %w", r.name(), err))
	}
	return rowid, is, nil
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func column(s *sqlite.Stmt, i int) retold.Value {
	switch s.ColumnType(i) {
	case sqlite.TypeInteger:
		return retold.Value{Class: retold.ClassInteger, Int: s.ColumnInt64(i)}
	case sqlite.TypeFloat:
		return retold.Value{Class: retold.ClassReal, Float: s.ColumnFloat(i)}
	case sqlite.TypeText:
		return retold.Value{Class: retold.ClassText, Bytes: columnBytes(s, i)}
	case sqlite.TypeBlob:
		return retold.Value{Class: retold.ClassBlob, Bytes: columnBytes(s, i)}
	}
	return retold.Value{}
}

func columnBytes(s *sqlite.Stmt, i int) []byte {
	b := make([]byte, s.ColumnLen(i))
	s.ColumnBytes(i, b)
	return b
}

func bind(s *sqlite.Stmt, i int, v retold.Value) {
	switch v.Class {
	case retold.ClassInteger:
		s.BindInt64(i, v.Int)
	case retold.ClassReal:
		s.BindFloat(i, v.Float)
	case retold.ClassText:
		s.BindText(i, string(v.Bytes))
	case retold.ClassBlob:
		s.BindBytes(i, v.Bytes)
	default:
		s.BindNull(i)
	}
}

// write takes a step on a row that was found to be as the step says.
func (d *database) write(r *rowStep, values *spool) error {
	rowid, is, err := d.find(r, r.Before)
	if err != nil {
		return err
	}
	if !is {
		return changed(d.path, "%s is not what it was", r.name())
	}
	switch {
	case r.After == nil:
		return d.run(r, values, "DELETE FROM "+quoted(r.Table)+" WHERE rowid = ?", nil, rowid)
	case r.Before == nil:
		return d.insert(r, values)
	}
	var cells []cell
	var set []string
	for i := range r.After.Cells {
		if c := r.After.Cells[i]; i >= len(r.Before.Cells) || !c.Value.same(&r.Before.Cells[i].Value) || c.Column != r.Before.Cells[i].Column {
			cells = append(cells, c)
			set = append(set, quoted(c.Column)+" = ?")
		}
	}
	if len(set) == 0 {
		return nil
	}
	return d.run(r, values, "UPDATE OR ABORT "+quoted(r.Table)+" SET "+strings.Join(set, ", ")+" WHERE rowid = ?", cells, rowid)
}

// insert adds a row, where it stood before if that place is still free. OR ABORT
// overrules the ON CONFLICT REPLACE of Cursor's tables, which would silently
// remove another row.
func (d *database) insert(r *rowStep, values *spool) error {
	var columns []string
	for _, c := range r.After.Cells {
		columns = append(columns, quoted(c.Column))
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ")
	if r.After.Rowid == 0 || d.taken(r) {
		return d.run(r, values, "INSERT OR ABORT INTO "+quoted(r.Table)+" ("+strings.Join(columns, ", ")+") VALUES ("+marks+")", r.After.Cells, 0)
	}
	return d.run(r, values, "INSERT OR ABORT INTO "+quoted(r.Table)+" ("+strings.Join(columns, ", ")+", rowid) VALUES ("+marks+", ?)", r.After.Cells, r.After.Rowid)
}

// taken reports whether another row has the rowid now. An error shows again when
// the row is written.
func (d *database) taken(r *rowStep) (yes bool) {
	stmt, err := d.conn.Prepare("SELECT 1 FROM " + quoted(r.Table) + " WHERE rowid = ?")
	if err != nil {
		return false
	}
	stmt.BindInt64(1, r.After.Rowid)
	yes, err = stmt.Step()
	if resetErr := stmt.Reset(); resetErr != nil {
		return false
	}
	return yes && err == nil
}

// run executes a statement whose parameters are the cells and then the rowid,
// and wants it to change one row.
func (d *database) run(r *rowStep, values *spool, sql string, cells []cell, rowid int64) error {
	stmt, err := d.conn.Prepare(sql)
	if err != nil {
		return explain(d.path, err)
	}
	for i := range cells {
		v, err := values.get(&cells[i].Value)
		if err != nil {
			return fmt.Errorf("write %s: %w", r.name(), err)
		}
		bind(stmt, i+1, v)
	}
	if rowid != 0 {
		stmt.BindInt64(len(cells)+1, rowid)
	}
	_, err = stmt.Step()
	changes := d.conn.Changes()
	if resetErr := stmt.Reset(); err == nil {
		err = resetErr
	}
	if err == nil {
		err = stmt.ClearBindings()
	}
	if err != nil {
		return explain(d.path, fmt.Errorf("write %s: %w", r.name(), err))
	}
	if changes != 1 {
		return changed(d.path, "%s: %d rows were written instead of one", r.name(), changes)
	}
	return nil
}
