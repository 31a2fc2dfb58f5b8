package change_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
)

// ids are what a list holds, newest first.
func (b *bench) ids() (all []string) {
	b.t.Helper()
	list, err := b.desk.List()
	b.check(err)
	for _, c := range list {
		all = append(all, c.ID)
	}
	return all
}

func TestForget(t *testing.T) {
	b := newBench(t)
	clock := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	b.desk.Now = func() time.Time { return clock }
	pass := func(d time.Duration) { clock = clock.Add(d) }
	first := b.apply(b.draft(b.steps()...))
	pass(time.Second)
	undone := b.undo("")
	pass(time.Second)
	again := b.undo(undone.ID)
	pass(time.Second)
	back := b.undo(first.ID) // the same change is taken back a second time
	list, err := b.desk.List()
	b.check(err)
	for _, c := range list {
		plan, err := os.Stat(filepath.Join(b.desk.Home, "undo", c.ID, "plan"))
		b.check(err)
		if c.Bytes < plan.Size() {
			t.Errorf("%s: %d bytes", c.ID, c.Bytes)
		}
	}
	pass(30 * time.Hour)
	later := b.apply(b.draft(b.steps()...))

	if sets, err := b.desk.Forgettable(nil, clock.Add(-1000*time.Hour)); err != nil || len(sets) > 0 {
		t.Errorf("%v, %v", sets, err)
	}
	if _, err := b.desk.Forgettable([]string{"20200101-000000-none"}, time.Time{}); retold.CodeOf(err) != retold.CodeChangeNotFound {
		t.Error(err)
	}
	pass(10 * time.Hour)
	for _, sets := range [][]change.Forgettable{b.forgettable([]string{undone.ID}, time.Time{}), b.forgettable(nil, clock.Add(-20*time.Hour))} {
		if len(sets) != 1 {
			t.Fatalf("%d sets", len(sets))
		}
		var got []string
		for _, c := range sets[0] {
			got = append(got, c.ID)
		}
		if diff := cmp.Diff([]string{back.ID, again.ID, undone.ID, first.ID}, got); diff != "" {
			t.Error(diff)
		}
	}
	sets := b.forgettable([]string{first.ID}, time.Time{})
	b.check(b.desk.Forget(sets))
	if diff := cmp.Diff([]string{later.ID}, b.ids()); diff != "" {
		t.Error(diff)
	}
	if _, err := b.desk.PlanUndo(first.ID); retold.CodeOf(err) != retold.CodeChangeNotFound {
		t.Error(err)
	}
	if err := b.desk.Forget(sets); retold.CodeOf(err) != retold.CodeChangeNotFound {
		t.Error("forgotten twice:", err)
	}
	b.undo(later.ID)
}

func (b *bench) forgettable(ids []string, before time.Time) []change.Forgettable {
	b.t.Helper()
	sets, err := b.desk.Forgettable(ids, before)
	b.check(err)
	return sets
}

// An interrupted change keeps its record, and what dies while it forgets leaves
// records that are there or away.
func TestForgetInterrupted(t *testing.T) {
	b := newBench(t)
	out := b.apply(b.draft(b.steps()...))
	died := errors.New("died")
	b.desk.Hook = func(point string) error {
		if point == "forget record" {
			return died
		}
		return nil
	}
	if err := b.desk.Forget(b.forgettable([]string{out.ID}, time.Time{})); !errors.Is(err, died) {
		t.Error(err)
	}
	b.desk.Hook = nil
	if diff := cmp.Diff([]string{out.ID}, b.ids()); diff != "" {
		t.Error(diff)
	}
	journal := filepath.Join(b.desk.Home, "undo", out.ID, "journal")
	b.check(os.WriteFile(journal, []byte("{\"event\":\"begin\"}\n"), 0o600))
	if _, err := b.desk.Forgettable([]string{out.ID}, time.Time{}); retold.CodeOf(err) != retold.CodeUsage {
		t.Error(err)
	}
	if sets := b.forgettable(nil, time.Now().Add(time.Hour)); len(sets) > 0 {
		t.Errorf("%v", sets)
	}
}
