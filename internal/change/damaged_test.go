package change_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
)

// One damaged record is named; the others are listed, undone and forgotten as ever.
func TestDamagedRecordListed(t *testing.T) {
	for name, hurt := range map[string]func(t *testing.T, dir string){
		"no JSON": func(t *testing.T, dir string) { write(t, filepath.Join(dir, "plan"), "{\n") },
		"newer":   func(t *testing.T, dir string) { write(t, filepath.Join(dir, "plan"), `{"version":9}`+"\n") },
		"no plan": func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "plan")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			clock := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
			b.desk.Now = func() time.Time { clock = clock.Add(time.Second); return clock }
			first := b.apply(b.draft(b.steps()...))
			b.undo("")
			later := b.apply(b.draft(b.steps()...))
			hurt(t, filepath.Join(b.desk.Home, "undo", first.ID))
			list, err := b.desk.List()
			b.check(err)
			if len(list) != 3 || list[0].ID != later.ID || list[2].ID != first.ID {
				t.Fatalf("%+v", list)
			}
			if c := list[2]; c.State != change.Damaged || c.Problem == "" || !c.CreatedAt.Equal(time.Date(2026, 3, 1, 9, 0, c.CreatedAt.Second(), 0, time.UTC)) {
				t.Errorf("%+v", c)
			}
			if _, err := b.desk.PlanUndo(first.ID); retold.CodeOf(err) != retold.CodeDatabaseCorrupt {
				t.Error(err)
			}
			b.undo(later.ID) // settles what is to be settled first
			if sets, err := b.desk.Forgettable(nil, clock.Add(time.Hour)); err != nil || len(sets) != 1 {
				t.Errorf("%+v, %v: nobody named the damaged one", sets, err)
			}
			b.check(b.desk.Forget(b.forgettable([]string{first.ID}, time.Time{})))
			if got := b.ids(); len(got) != 2 {
				t.Errorf("%v", got)
			}
		})
	}
}

// A damaged record of a change that had not come to its end stops all others until
// somebody has looked at it.
func TestDamagedAndBegun(t *testing.T) {
	b := newBench(t)
	out := b.apply(b.draft(b.steps()...))
	b.undo("")
	dir := filepath.Join(b.desk.Home, "undo", out.ID)
	write(t, filepath.Join(dir, "plan"), "")
	write(t, filepath.Join(dir, "journal"), `{"event":"begin"}`+"\n")
	if open, err := b.desk.Interrupted(); err != nil || len(open) != 1 || open[0].Problem == "" {
		t.Errorf("%+v, %v", open, err)
	}
	p := b.draft(b.steps()...)
	if _, err := b.desk.Apply(t.Context(), p, ""); retold.CodeOf(err) != retold.CodeDatabaseCorrupt || !strings.Contains(err.Error(), out.ID) {
		t.Error(err)
	}
	b.check(p.Close())
	b.check(b.desk.Forget(b.forgettable([]string{out.ID}, time.Time{})))
	b.apply(b.draft(b.steps()...))
}

// An id may be shortened as long as one change alone begins so.
func TestShortID(t *testing.T) {
	b := newBench(t)
	clock := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	b.desk.Now = func() time.Time { return clock }
	out := b.apply(b.draft(b.steps()...))
	clock = clock.Add(24 * time.Hour)
	b.undo("")
	for id, code := range map[string]retold.Code{"20260301": "", out.ID: "", "202603": retold.CodeUsage, "202": retold.CodeChangeNotFound, "20260303": retold.CodeChangeNotFound} {
		sets, err := b.desk.Forgettable([]string{id}, time.Time{})
		if retold.CodeOf(err) != code || code == "" && len(sets) != 1 {
			t.Errorf("%s: %v, %v", id, sets, err)
		}
	}
}

// Times are those of the public JSON.
func TestChangeJSON(t *testing.T) {
	text, err := json.Marshal([]change.Change{{ID: "a", State: change.Done, CreatedAt: time.Date(2026, 3, 1, 9, 0, 0, 123456789, time.FixedZone("", 3600))}, {ID: "b", State: change.Damaged, Problem: "why"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"id":"a","title":"","state":"done","steps":0,"bytes":0,"createdAt":"2026-03-01T08:00:00.123Z"},` +
		`{"id":"b","title":"","state":"damaged","steps":0,"bytes":0,"problem":"why","createdAt":null}]`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
