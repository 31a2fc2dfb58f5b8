package change_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
)

// drawValue is any value that SQLite can store.
func drawValue(t *rapid.T, label string) retold.Value {
	switch retold.Class(rapid.IntRange(0, 4).Draw(t, label+" class")) {
	case retold.ClassInteger:
		return retold.IntValue(rapid.Int64().Draw(t, label))
	case retold.ClassReal:
		return retold.Value{Class: retold.ClassReal, Float: rapid.Float64Range(-1e9, 1e9).Draw(t, label) + 0.5}
	case retold.ClassText:
		return retold.Value{Class: retold.ClassText, Bytes: rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, label)}
	case retold.ClassBlob:
		return retold.Value{Class: retold.ClassBlob, Bytes: rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, label)}
	}
	return retold.Value{}
}

// TestUndoIsIdentity changes random rows of a random table and undoes that.
func TestUndoIsIdentity(t *testing.T) {
	dir, cases := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		cases++
		b := openBench(t, filepath.Join(dir, fmt.Sprint(cases)))
		b.check(os.MkdirAll(b.path("."), 0o755))
		conn := b.conn(b.global)
		b.check(sqlitex.ExecuteTransient(conn, "PRAGMA synchronous=off", nil))
		b.check(sqlitex.ExecuteTransient(conn, "PRAGMA journal_mode="+rapid.SampledFrom([]string{"wal", "delete", "truncate"}).Draw(rt, "journal"), nil))
		b.check(sqlitex.ExecuteScript(conn, schema, nil))
		n := rapid.IntRange(1, 8).Draw(rt, "rows")
		rows := make([]*retold.Row, n)
		var steps []retold.Step
		for i := range rows {
			key := fmt.Sprint("k", i)
			if rapid.Bool().Draw(rt, "there") {
				rows[i] = kv(key, drawValue(rt, "before"), int64(i*3+1))
				b.check(insert(conn, rows[i]))
			}
			var after *retold.Row
			if rapid.Bool().Draw(rt, "stays") {
				after = kv(key, drawValue(rt, "after"), 0)
				if rows[i] != nil {
					after.Rowid = rows[i].Rowid
				}
			}
			if rows[i] != nil || after != nil {
				steps = append(steps, rowStep(b.global, key, rows[i], after))
			}
		}
		b.check(conn.Close())
		before := b.content()
		p := b.draft(steps...)
		if p.Len() == 0 {
			return
		}
		b.apply(p)
		after := b.content()
		b.undo("")
		if diff := cmp.Diff(before, b.content()); diff != "" {
			rt.Fatalf("-before +now\n%s", diff)
		}
		list, err := b.desk.List()
		b.check(err)
		b.undo(list[0].ID)
		if diff := cmp.Diff(after, b.content()); diff != "" {
			rt.Fatalf("-after +now\n%s", diff)
		}
		b.noTrace()
	})
}

func insert(conn *sqlite.Conn, r *retold.Row) error {
	stmt, err := conn.Prepare("INSERT INTO cursorDiskKV (rowid, key, value) VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	stmt.BindInt64(1, r.Rowid)
	for i, c := range r.Cells {
		switch v := c.Value; v.Class {
		case retold.ClassInteger:
			stmt.BindInt64(i+2, v.Int)
		case retold.ClassReal:
			stmt.BindFloat(i+2, v.Float)
		case retold.ClassText:
			stmt.BindText(i+2, string(v.Bytes))
		case retold.ClassBlob:
			stmt.BindBytes(i+2, v.Bytes)
		default:
			stmt.BindNull(i + 2)
		}
	}
	_, err = stmt.Step()
	if resetErr := stmt.Reset(); err == nil {
		err = resetErr
	}
	return err
}

// TestLargeValuesSpill has a plan whose values do not fit in memory.
func TestLargeValuesSpill(t *testing.T) {
	b := newBench(t)
	before := b.content()
	var steps []retold.Step
	for i := range 5 {
		steps = append(steps, rowStep(b.global, fmt.Sprint("large", i), nil, kv(fmt.Sprint("large", i), retold.Value{Class: retold.ClassBlob, Bytes: bytes.Repeat([]byte{byte(i)}, 3<<20)}, 0)))
	}
	b.apply(b.draft(steps...))
	b.undo("")
	if diff := cmp.Diff(before, b.content()); diff != "" {
		t.Error(diff)
	}
	b.noTrace()
}

// TestDamagedRecord has every way of reading a record that was cut refuse it.
func TestDamagedRecord(t *testing.T) {
	for _, name := range []string{"plan", "values"} {
		b := newBench(t)
		out := b.apply(b.draft(b.steps()...))
		path := filepath.Join(b.desk.Home, "undo", out.ID, name)
		text, err := os.ReadFile(path)
		b.check(err)
		b.check(os.WriteFile(path, text[:len(text)/2], 0o600))
		after := b.content()
		p, err := b.desk.PlanUndo("")
		if err == nil {
			_, err = b.desk.Apply(context.Background(), p, "")
			b.check(p.Close())
		}
		if err == nil {
			t.Errorf("half a file %s was used", name)
		}
		if diff := cmp.Diff(after, b.content()); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

var _ change.Guard = nobody{}
