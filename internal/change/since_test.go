package change_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
)

const (
	used   = "11111111-2222-4333-8444-555555555555" // goes on after the change
	unused = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
)

// arrived is a bench to which two conversations were added, with a row each, entries
// in a list, and one row that belongs to neither.
func arrived(t *testing.T) (*bench, map[string]string) {
	b := newBench(t)
	b.exec(b.global, `INSERT INTO ItemTable VALUES ('composer.composerHeaders', '{"allComposers":[{"composerId":"old"}]}')`)
	before := b.content()
	item := func(key, value string) *retold.Row {
		return &retold.Row{Cells: []retold.Cell{{Column: "key", Value: retold.TextValue(key)}, {Column: "value", Value: retold.TextValue(value)}}}
	}
	step := func(session, key string, before, after *retold.Row) retold.Step {
		return retold.Step{Session: session, Row: &retold.RowChange{Database: b.global, Table: "ItemTable", Key: []retold.Cell{{Column: "key", Value: retold.TextValue(key)}}, Before: before, After: after}}
	}
	list := "composer.composerHeaders"
	p := b.draft(
		step(used, "data:"+used, nil, item("data:"+used, "one")),
		step(used, "more:"+used, nil, item("more:"+used, "two")),
		step(unused, "data:"+unused, nil, item("data:"+unused, "three")),
		step("", "nobody's", nil, item("nobody's", "four")),
		step("", list, item(list, `{"allComposers":[{"composerId":"old"}]}`), item(list, `{"allComposers":[{"composerId":"old"},{"composerId":"`+used+`"},{"composerId":"`+unused+`"}]}`)),
	)
	p.Makes([]string{used, unused})
	b.apply(p)
	return b, before
}

func (b *bench) planUndo() *change.Plan {
	b.t.Helper()
	p, err := b.desk.PlanUndo("")
	b.check(err)
	b.check(b.desk.Reconcile(b.t.Context(), p))
	return p
}

// What was changed since is named before anything is tried, and can be skipped: a
// conversation whole, with its entries in lists.
func TestSkipChanged(t *testing.T) {
	b, before := arrived(t)
	b.exec(b.global, "UPDATE ItemTable SET value = 'gone on' WHERE key = 'data:"+used+"'")
	p := b.planUndo()
	list, err := b.desk.Strayed(t.Context(), p)
	b.check(err)
	if len(list) != 1 || list[0].Session != used || list[0].Name != "ItemTable data:"+used {
		t.Fatalf("%+v", list)
	}
	if err := change.Unchanged(list); !errors.Is(err, retold.ErrChanged) || !strings.Contains(err.Error(), "data:"+used) {
		t.Error(err)
	}
	if _, err := b.desk.Apply(t.Context(), p, ""); !errors.Is(err, retold.ErrChanged) {
		t.Errorf("it was to be refused: %v", err)
	}
	b.check(b.desk.Skip(t.Context(), p, list))
	out := b.apply(p)
	for key, want := range map[string]string{
		"data:" + used: "gone on", "more:" + used: "two", "data:" + unused: "", "nobody's": "",
		"composer.composerHeaders": `{"allComposers":[{"composerId":"old"},{"composerId":"` + used + `"}]}`,
	} {
		if got := b.value(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	at, err := b.desk.Unmade()
	b.check(err)
	if _, gone := at[unused]; !gone || len(at) != 1 {
		t.Errorf("unmade: %v", at)
	}
	b.undo(out.ID)
	if b.value("data:"+unused) != "three" || len(changes(before, b.content())) == 0 {
		t.Error("the undo cannot be undone")
	}
}

// A row of no conversation stays by itself.
func TestSkipNobodys(t *testing.T) {
	b, _ := arrived(t)
	b.exec(b.global, "DELETE FROM ItemTable WHERE key = 'nobody''s'")
	p := b.planUndo()
	list, err := b.desk.Strayed(t.Context(), p)
	b.check(err)
	if len(list) != 1 || list[0].Session != "" {
		t.Fatalf("%+v", list)
	}
	b.check(b.desk.Skip(t.Context(), p, list))
	b.apply(p)
	if got := b.value("composer.composerHeaders") + b.value("data:"+used) + b.value("data:"+unused); got != `{"allComposers":[{"composerId":"old"}]}` {
		t.Error(got)
	}
}

// Nothing to skip leaves the plan; nothing else to do is the error of the change.
func TestSkipAllOrNothing(t *testing.T) {
	b, before := arrived(t)
	p := b.planUndo()
	list, err := b.desk.Strayed(t.Context(), p)
	b.check(err)
	if len(list) != 0 || change.Unchanged(list) != nil {
		t.Errorf("%+v", list)
	}
	print := p.Fingerprint()
	b.check(b.desk.Skip(t.Context(), p, list))
	if p.Fingerprint() != print {
		t.Error("another plan")
	}
	b.apply(p)
	if diff := cmp.Diff(before, b.content()); diff != "" {
		t.Error(diff)
	}
	b = newBench(t)
	b.apply(b.draft(retold.Step{Session: used, Row: &retold.RowChange{
		Database: b.global, Table: "ItemTable", Key: []retold.Cell{{Column: "key", Value: retold.TextValue("k")}},
		After: &retold.Row{Cells: []retold.Cell{{Column: "key", Value: retold.TextValue("k")}, {Column: "value", Value: retold.TextValue("v")}}},
	}}))
	b.exec(b.global, "UPDATE ItemTable SET value = 'w' WHERE key = 'k'")
	p = b.planUndo()
	list, err = b.desk.Strayed(t.Context(), p)
	b.check(err)
	if err := b.desk.Skip(t.Context(), p, list); !errors.Is(err, retold.ErrChanged) {
		t.Error(err)
	}
	b.check(p.Close())
}

// What a change made counts as unmade once it was taken back, and only then.
func TestUnmade(t *testing.T) {
	b := newBench(t)
	unmade := func(want bool) {
		t.Helper()
		at, err := b.desk.Unmade()
		b.check(err)
		if when, is := at[used]; is != want || is && when.IsZero() {
			t.Errorf("%v", at)
		}
	}
	p := b.draft(b.steps()...)
	p.Makes([]string{used})
	b.apply(p)
	unmade(false)
	undone := b.undo("")
	unmade(true)
	b.undo(undone.ID)
	unmade(false)
}
