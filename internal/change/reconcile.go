package change

import (
	"context"
	"errors"
	"fmt"
	"os"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/livedb"
)

// Reconcile makes a plan that undoes a change fit lists that Cursor wrote anew
// since: of them only what the change did is taken back (see merge). Everything
// else that was changed since is found by Apply, and refused. It reads the
// databases and writes nothing of theirs.
func (d *Desk) Reconcile(ctx context.Context, p *Plan) error {
	if p.undoes == "" {
		return nil
	}
	fresh := map[int]*rowStep{}
	values := newSpool(d.root())
	for _, path := range p.databases() {
		if err := d.reconcile(ctx, p, path, values, fresh); err != nil {
			return errors.Join(fmt.Errorf("look at what was changed since: %w", err), values.close())
		}
	}
	if len(fresh) == 0 {
		return values.close()
	}
	steps := make([]step, 0, len(p.steps))
	var failed error
	for i, s := range p.steps {
		if r, known := fresh[i]; known {
			if r != nil {
				steps = append(steps, step{Session: s.Session, Row: r})
			}
			continue
		}
		s.eachValue(func(v *value) *value {
			if v.At == 0 || failed != nil {
				return v
			}
			whole, err := p.spool.get(v)
			if err != nil {
				failed = err
				return v
			}
			moved, err := values.put(whole)
			failed = err
			return &moved
		})
		steps = append(steps, s)
	}
	if failed != nil {
		return errors.Join(failed, values.close())
	}
	old := p.spool
	p.steps, p.spool = steps, values
	return old.close()
}

// reconcile looks at the lists of one database.
func (d *Desk) reconcile(ctx context.Context, p *Plan, path string, values *spool, fresh map[int]*rowStep) (err error) {
	var lists []int
	for i := range p.steps {
		if r := p.steps[i].Row; r != nil && r.Database == path && r.Before != nil && isSharedList(r) {
			lists = append(lists, i)
		}
	}
	if len(lists) == 0 {
		return nil
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil // Apply says so
	}
	db, err := livedb.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, i := range lists {
		now, err := rowNow(ctx, db, p.steps[i].Row)
		if err != nil {
			return err
		}
		if now == nil {
			continue
		}
		r, changed, err := p.meet(p.steps[i].Row, now, values)
		if err != nil {
			return err
		}
		if changed {
			fresh[i] = r
		}
	}
	return nil
}

// rowNow is a shared list as it is; nil when it is not there.
func rowNow(ctx context.Context, db *livedb.DB, r *rowStep) (now *retold.Row, err error) {
	err = db.Read(ctx, func(conn *sqlite.Conn) error {
		now = nil
		return sqlitex.Execute(conn, "SELECT rowid, key, value FROM ItemTable WHERE key = ?", &sqlitex.ExecOptions{
			Args: []any{string(r.Key[0].Value.Bytes)},
			ResultFunc: func(s *sqlite.Stmt) error {
				now = &retold.Row{Rowid: s.ColumnInt64(0), Cells: []retold.Cell{{Column: "key", Value: column(s, 1)}, {Column: "value", Value: column(s, 2)}}}
				return nil
			},
		})
	})
	return now, err
}

// meet makes a step start from the row as it is now. The step is nil when nothing
// is left to do.
func (p *Plan) meet(r *rowStep, now *retold.Row, values *spool) (fresh *rowStep, changed bool, err error) {
	if len(r.Before.Cells) != 2 || r.Before.Cells[1].Column != "value" || len(p.spare) == 0 && r.Before.Cells[1].Value.is(now.Cells[1].Value) {
		return nil, false, nil
	}
	wrote, err := p.document(r.Before)
	if err != nil || wrote == nil {
		return nil, false, err
	}
	was, err := p.document(r.After)
	if err != nil || was == nil && r.After != nil {
		return nil, false, err
	}
	list, err := jscan.Parse(now.Cells[1].Value.Bytes)
	if err != nil {
		return nil, false, nil //nolint:nilerr // no list any more: Apply refuses
	}
	merged := merge(wrote, was, list, p.spare)
	if string(merged) == string(list) {
		return nil, true, nil
	}
	fresh = &rowStep{Database: r.Database, Table: r.Table, Key: r.Key}
	after := *now
	after.Cells = []retold.Cell{now.Cells[0], {Column: "value", Value: retold.Value{Class: now.Cells[1].Value.Class, Bytes: merged}}}
	keep := Plan{spool: values}
	for _, side := range []struct {
		from *retold.Row
		to   **row
	}{{now, &fresh.Before}, {&after, &fresh.After}} {
		cells, err := keep.keepCells(side.from.Cells)
		if err != nil {
			return nil, false, err
		}
		*side.to = &row{Rowid: side.from.Rowid, Cells: cells}
	}
	return fresh, true, nil
}

// document is the value of a row as JSON; nil when it is none.
func (p *Plan) document(r *row) (jscan.Value, error) {
	if r == nil || len(r.Cells) != 2 {
		return nil, nil
	}
	v, err := p.spool.get(&r.Cells[1].Value)
	if err != nil {
		return nil, err
	}
	doc, err := jscan.Parse(v.Bytes)
	if err != nil {
		return nil, nil //nolint:nilerr // see above
	}
	return doc, nil
}
