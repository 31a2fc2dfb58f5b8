package change_test

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
)

// A swap puts one file in the place of another, which is kept; a crash between its
// two halves leaves what settling makes old again, and undo brings back.
func TestSwap(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(when, path, from, aside string) {
		t.Helper()
		for name, want := range map[string]string{"path": path, "from": from, "aside": aside} {
			got, err := os.ReadFile(at(name))
			if string(got) != want || err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: %s holds %q, want %q (%v)", when, name, got, want, err)
			}
		}
	}
	desk := &change.Desk{Home: at("retold"), Guard: nobody{}}
	steps := func() iter.Seq2[retold.Step, error] {
		return func(yield func(retold.Step, error) bool) {
			yield(retold.Step{File: &retold.FileChange{Path: at("path"), From: at("from"), Aside: at("aside"), Rename: true}}, nil)
		}
	}
	apply := func(p *change.Plan, err error) error {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		_, err = desk.Apply(t.Context(), p, "")
		return errors.Join(err, p.Close())
	}
	write("path", "old")
	write("from", "new")
	// The second half fails after the first: as before.
	desk.Hook = func(point string) error {
		if point == "swap "+at("path") {
			if err := os.Link(at("path"), at("aside")); err != nil {
				t.Fatal(err)
			}
			return errors.New("the lights go out")
		}
		return nil
	}
	if err := apply(change.Draft(t.Context(), "", "swap", steps())); err == nil {
		t.Fatal("no error")
	}
	expect("half done", "old", "new", "")
	desk.Hook = nil
	if err := apply(change.Draft(t.Context(), "", "swap", steps())); err != nil {
		t.Fatal(err)
	}
	expect("done", "new", "", "old")
	if err := apply(desk.PlanUndo("")); err != nil {
		t.Fatal(err)
	}
	expect("undone", "old", "new", "")
	write("aside", "somebody's")
	if err := apply(change.Draft(t.Context(), "", "swap", steps())); retold.CodeOf(err) != retold.CodeChanged {
		t.Error(err)
	}
	expect("refused", "old", "new", "somebody's")
}
