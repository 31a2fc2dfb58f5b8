package change_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
)

// TestMerge takes back what a change did to a list that was written since.
func TestMerge(t *testing.T) {
	for name, c := range map[string]struct{ was, wrote, now, want string }{
		"added":            {`[1]`, `[1,2]`, `[1,2,3]`, `[1,3]`},
		"removed":          {`["a","b","c"]`, `["a","c"]`, `["a","c","d"]`, `["a","b","c","d"]`},
		"brought already":  {`["a","b"]`, `["a"]`, `["b","a","d"]`, `["b","a","d"]`},
		"gone already":     {`[1]`, `[1,2]`, `[1,3]`, `[1,3]`},
		"entry":            {`{"allComposers":[{"composerId":"a","w":1}]}`, `{"allComposers":[{"composerId":"a","w":2}]}`, `{"allComposers":[{"composerId":"b"},{"composerId":"a","w":2,"name":"x"}],"v":1}`, `{"allComposers":[{"composerId":"b"},{"composerId":"a","w":1,"name":"x"}],"v":1}`},
		"entry moved on":   {`[{"id":"a","w":1}]`, `[{"id":"a","w":2}]`, `[{"id":"a","w":3}]`, `[{"id":"a","w":3}]`},
		"entry then gone":  {`[{"id":"a","w":1}]`, `[{"id":"a","w":2}]`, `[]`, `[]`},
		"member":           {`{"a":"1"}`, `{"a":"1","b":"2"}`, `{"b":"3","a":"1","c":"4"}`, `{"a":"1","c":"4"}`},
		"member removed":   {`{"a":"1","b":"2"}`, `{"a":"1"}`, `{"a":"9"}`, `{"a":"9","b":"2"}`},
		"new row":          {``, `{"allComposers":[1],"x":true}`, `{"allComposers":[2,1],"y":false}`, `{"allComposers":[2],"y":false}`},
		"another kind now": {`[1]`, `[1,2]`, `{"a":1}`, `{"a":1}`},
	} {
		if got := change.Merge(c.wrote, c.was, c.now); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestMergeProperty: whatever somebody adds to a list or takes from it, undoing
// leaves the list as if the change had never been.
func TestMergeProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.IntRange(0, 30), 0, 12, rapid.ID[int]).Draw(t, "was")
		added := rapid.IntRange(40, 50).Draw(t, "added")
		other := rapid.SliceOfNDistinct(rapid.IntRange(60, 70), 0, 4, rapid.ID[int]).Draw(t, "other")
		gone := rapid.IntRange(0, 30).Draw(t, "gone")
		list := func(change, later bool) string {
			doc := `{"allComposers":[`
			n := 0
			add := func(id int, extra string) {
				if n++; n > 1 {
					doc += ","
				}
				doc += fmt.Sprintf(`{"composerId":"%d"%s}`, id, extra)
			}
			for _, id := range ids {
				if later && id == gone {
					continue
				}
				extra := ""
				if change && id%3 == 0 {
					extra = `,"workspace":"new"`
				} else if id%3 == 0 {
					extra = `,"workspace":"old"`
				}
				if later && id%2 == 0 {
					extra += `,"seen":true`
				}
				add(id, extra)
			}
			if change {
				add(added, "")
			}
			if later {
				for _, id := range other {
					add(id, "")
				}
			}
			return doc + "]}"
		}
		if got, want := change.Merge(list(true, false), list(false, false), list(true, true)), list(false, true); got != want {
			t.Fatalf("%s\nwant %s", got, want)
		}
	})
}

// TestUndoAfterUse undoes a change to a list that was written since, and that
// again; what is no list is refused.
func TestUndoAfterUse(t *testing.T) {
	b := newBench(t)
	item := func(key, value string) *retold.Row {
		return &retold.Row{Cells: []retold.Cell{{Column: "key", Value: retold.TextValue(key)}, {Column: "value", Value: retold.TextValue(value)}}}
	}
	const lists = "composer.composerHeaders"
	long := fmt.Sprintf(`{"composerId":"mine","name":"%0200d"}`, 7)
	b.exec(b.global, `INSERT INTO ItemTable VALUES ('`+lists+`', '{"allComposers":[{"composerId":"a"}]}')`)
	steps := func() []retold.Step {
		step := func(key string, before, after *retold.Row) retold.Step {
			return retold.Step{Session: "mine", Row: &retold.RowChange{Database: b.global, Table: "ItemTable", Key: []retold.Cell{{Column: "key", Value: retold.TextValue(key)}}, Before: before, After: after}}
		}
		return []retold.Step{
			step(lists, item(lists, `{"allComposers":[{"composerId":"a"}]}`), item(lists, `{"allComposers":[{"composerId":"a"},`+long+`]}`)),
			step("other", nil, item("other", long)),
		}
	}
	b.apply(b.draft(steps()...))
	b.exec(b.global, `INSERT OR REPLACE INTO ItemTable VALUES ('`+lists+`', '{"allComposers":[{"composerId":"new"},`+long+`,{"composerId":"a","seen":true}],"v":2}')`)
	used := b.value(lists)
	undo := func(id string) *change.Outcome {
		p, err := b.desk.PlanUndo(id)
		b.check(err)
		b.check(b.desk.Reconcile(t.Context(), p))
		out, err := b.desk.Apply(t.Context(), p, "")
		b.check(errors.Join(err, p.Close()))
		return out
	}
	back := undo("")
	want := `{"allComposers":[{"composerId":"new"},{"composerId":"a","seen":true}],"v":2}`
	if got := b.value(lists); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if b.value("other") != "" {
		t.Error("the row is still there")
	}
	undo(back.ID)
	if diff := cmp.Diff([]string{used, long}, []string{b.value(lists), b.value("other")}); diff != "" {
		t.Error(diff)
	}
	b.exec(b.global, "UPDATE ItemTable SET value = '1' WHERE key = 'other'")
	p, err := b.desk.PlanUndo("")
	b.check(err)
	b.check(b.desk.Reconcile(t.Context(), p))
	if _, err := b.desk.Apply(t.Context(), p, ""); !errors.Is(err, retold.ErrChanged) {
		t.Error(err)
	}
	b.check(p.Close())
}

// value is a value of ItemTable; "" when it is not there.
func (b *bench) value(key string) (value string) {
	b.t.Helper()
	conn := b.conn(b.global)
	b.check(sqlitex.ExecuteTransient(conn, "SELECT value FROM ItemTable WHERE key = ?", &sqlitex.ExecOptions{
		Args: []any{key}, ResultFunc: func(s *sqlite.Stmt) error { value = s.ColumnText(0); return nil },
	}))
	b.check(conn.Close())
	return value
}
