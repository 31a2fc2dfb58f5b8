package change_test

import (
	"errors"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
)

// A home is a folder of small files, for changes that only move them about.
type home struct {
	*testing.T
	dir  string
	desk *change.Desk
}

func newHome(t *testing.T, files map[string]string) *home {
	t.Helper()
	h := &home{T: t, dir: t.TempDir()}
	h.desk = &change.Desk{Home: h.at("retold"), Guard: nobody{}}
	for name, text := range files {
		h.write(name, text)
	}
	return h
}

func (h *home) at(name string) string { return filepath.Join(h.dir, filepath.FromSlash(name)) }

func (h *home) write(name, text string) {
	h.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(h.at(name)), 0o700), os.WriteFile(h.at(name), []byte(text), 0o600)); err != nil {
		h.Fatal(err)
	}
}

// expect compares all files but retold's own.
func (h *home) expect(when string, want map[string]string) {
	h.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(h.dir, path)
		if err != nil || d.IsDir() || strings.HasPrefix(rel, "retold") {
			return err
		}
		text, err := os.ReadFile(path)
		got[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		h.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		h.Errorf("%s: %s", when, diff)
	}
}

// restore puts new/one.db in the place of one.db, and new/two.db where nothing is.
func (h *home) restore() iter.Seq2[retold.Step, error] {
	return func(yield func(retold.Step, error) bool) {
		_ = yield(retold.Step{File: &retold.FileChange{Path: h.at("one.db"), From: h.at("new/one.db"), Aside: h.at("old/one.db"), Rename: true, Restored: true}}, nil) &&
			yield(retold.Step{File: &retold.FileChange{Path: h.at("two.db"), From: h.at("new/two.db"), Rename: true, Restored: true}}, nil)
	}
}

func (h *home) apply(p *change.Plan, err error) error {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
	_, err = h.desk.Apply(h.Context(), p, "")
	return errors.Join(err, p.Close())
}

func before() map[string]string {
	return map[string]string{"one.db": "A", "one.db-wal": "log of A", "one.db-shm": "memory of A", "new/one.db": "B", "new/two.db": "C"}
}

// What lies beside a database goes where the database goes, at a restore, when it is
// taken back, and when that is.
func TestLogsTravel(t *testing.T) {
	h := newHome(t, before())
	if err := h.apply(change.Draft(t.Context(), "", "restore", h.restore())); err != nil {
		t.Fatal(err)
	}
	h.expect("restored", map[string]string{"one.db": "B", "two.db": "C", "old/one.db": "A", "old/one.db-wal": "log of A", "old/one.db-shm": "memory of A"})
	h.write("one.db-wal", "log of B")
	h.write("two.db-wal", "log of C")
	if err := os.RemoveAll(h.at("new")); err != nil { // nothing lay in it
		t.Fatal(err)
	}
	for _, want := range []string{"one.db", "two.db"} {
		if err := h.apply(h.desk.PlanUndo("")); retold.CodeOf(err) != retold.CodeChanged || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is not named: %v", want, err)
		}
	}
	h.expect("refused", map[string]string{
		"one.db": "B", "one.db-wal": "log of B", "two.db": "C", "two.db-wal": "log of C",
		"old/one.db": "A", "old/one.db-wal": "log of A", "old/one.db-shm": "memory of A",
	})
	undo := func(id string) {
		t.Helper()
		p, err := h.desk.PlanUndo(id)
		if err == nil {
			err = p.Overwrite()
		}
		if err := h.apply(p, err); err != nil {
			t.Fatal(err)
		}
	}
	undo("")
	undone := maps.Clone(before())
	undone["new/one.db-wal"], undone["new/two.db-wal"] = "log of B", "log of C"
	h.expect("undone", undone)
	list, err := h.desk.List()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.apply(h.desk.PlanUndo(list[0].ID)); err != nil { // nobody touched anything since
		t.Fatal(err)
	}
	h.expect("done again", map[string]string{
		"one.db": "B", "one.db-wal": "log of B", "two.db": "C", "two.db-wal": "log of C",
		"old/one.db": "A", "old/one.db-wal": "log of A", "old/one.db-shm": "memory of A",
	})
}

// A crash with some logs moved and others not is made whole, either way.
func TestLogsAfterACrash(t *testing.T) {
	crash := func(t *testing.T, h *home, point string, moves ...string) {
		t.Helper()
		h.desk.Hook = func(p string) error {
			if p != point {
				return nil
			}
			h.desk.Hook = nil
			for i := 0; i < len(moves); i += 2 {
				if err := errors.Join(os.MkdirAll(filepath.Dir(h.at(moves[i+1])), 0o700), os.Rename(h.at(moves[i]), h.at(moves[i+1]))); err != nil {
					t.Fatal(err)
				}
			}
			return errors.New("the lights go out")
		}
	}
	h := newHome(t, before())
	crash(t, h, "swap "+h.at("one.db"), "one.db-wal", "old/one.db-wal", "one.db", "old/one.db")
	if err := h.apply(change.Draft(t.Context(), "", "restore", h.restore())); err == nil {
		t.Fatal("no error")
	}
	h.expect("in the middle of a swap", before())
	h.desk.Hook = nil
	if err := h.apply(change.Draft(t.Context(), "", "restore", h.restore())); err != nil {
		t.Fatal(err)
	}
	h.write("two.db-wal", "log of C")
	restored := map[string]string{"one.db": "B", "two.db": "C", "two.db-wal": "log of C", "old/one.db": "A", "old/one.db-wal": "log of A", "old/one.db-shm": "memory of A"}
	for name, moves := range map[string][]string{
		"rename " + h.at("new/two.db"): {"two.db-wal", "new/two.db-wal"},
		"swap " + h.at("one.db"):       {"one.db", "new/one.db", "old/one.db", "one.db"}, // its logs were still to come
	} {
		crash(t, h, name, moves...)
		p, err := h.desk.PlanUndo("")
		if err == nil {
			err = p.Overwrite()
		}
		if err := h.apply(p, err); err == nil {
			t.Fatal("no error")
		}
		h.expect(name, restored)
	}
}

// What was changed or removed since is named; with Overwrite what can be taken back is.
func TestUndoOfChangedFiles(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(h *home) error
		want map[string]string // undone nevertheless; nil when nothing speaks against it
	}{
		"nothing": {func(*home) error { return nil }, nil},
		"content": {func(h *home) error { return os.WriteFile(h.at("two.db"), []byte("CC"), 0o600) }, map[string]string{
			"one.db": "A", "one.db-wal": "log of A", "one.db-shm": "memory of A", "new/one.db": "B", "new/two.db": "CC",
		}},
		"time": {func(h *home) error { return os.Chtimes(h.at("one.db"), time.Time{}, time.Unix(1, 0)) }, before()},
		"gone": {func(h *home) error { return errors.Join(os.Remove(h.at("one.db")), os.Remove(h.at("two.db"))) }, map[string]string{
			"one.db": "A", "one.db-wal": "log of A", "one.db-shm": "memory of A",
		}},
	} {
		h := newHome(t, before())
		if err := h.apply(change.Draft(t.Context(), "", "restore", h.restore())); err != nil {
			t.Fatal(err)
		}
		if err := c.do(h); err != nil {
			t.Fatal(err)
		}
		p, err := h.desk.PlanUndo("")
		if err != nil {
			t.Fatal(err)
		}
		if err := h.desk.Ready(p); (err == nil) != (c.want == nil) || err != nil && retold.CodeOf(err) != retold.CodeChanged {
			t.Errorf("%s: %v", name, err)
		}
		if c.want == nil {
			if err := h.apply(p, nil); err != nil {
				t.Error(err)
			}
			continue
		}
		if err := h.apply(p, p.Overwrite()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		h.expect(name, c.want)
	}
}

// An interrupted change is told of by those who only read, too.
func TestInterrupted(t *testing.T) {
	h := newHome(t, before())
	if list, err := h.desk.Interrupted(); err != nil || len(list) > 0 {
		t.Error(list, err)
	}
	if err := h.apply(change.Draft(t.Context(), "", "restore", h.restore())); err != nil {
		t.Fatal(err)
	}
	list, err := h.desk.List()
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	journal := filepath.Join(h.desk.Home, "undo", list[0].ID, "journal")
	text, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(journal, []byte(first+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if open, err := h.desk.Interrupted(); err != nil || len(open) != 1 || open[0].ID != list[0].ID {
		t.Error(open, err)
	}
}

// A database that is replaced takes no log from what came since, and gets its own
// back when it is taken back, after it.
func TestReplacedDatabaseAndLogs(t *testing.T) {
	file := func(text string) *retold.File { return &retold.File{Mode: 0o600, Data: []byte(text)} }
	const a, b = "SQLite format 3\x00 A", "SQLite format 3\x00 B"
	h := newHome(t, map[string]string{"s.db": a, "s.db-wal": "log of A"})
	steps := func(yield func(retold.Step, error) bool) {
		_ = yield(retold.Step{File: &retold.FileChange{Path: h.at("s.db-wal"), Before: file("log of A")}}, nil) &&
			yield(retold.Step{File: &retold.FileChange{Path: h.at("s.db"), Before: file(a), After: file(b)}}, nil)
	}
	if err := h.apply(change.Draft(t.Context(), "", "restore", steps)); err != nil {
		t.Fatal(err)
	}
	h.expect("replaced", map[string]string{"s.db": b})
	for _, log := range []string{"log of B", ""} { // an empty one would be taken for its own
		h.write("s.db-wal", log)
		if err := h.apply(h.desk.PlanUndo("")); retold.CodeOf(err) != retold.CodeChanged {
			t.Errorf("%q: %v", log, err)
		}
		h.expect("refused", map[string]string{"s.db": b, "s.db-wal": log})
	}
	if err := os.Remove(h.at("s.db-wal")); err != nil {
		t.Fatal(err)
	}
	var order []string
	h.desk.Hook = func(point string) error {
		if verb, path, ok := strings.Cut(point, " "); ok && strings.HasPrefix(path, h.dir) {
			order = append(order, verb+" "+filepath.Base(path))
		}
		return nil
	}
	if err := h.apply(h.desk.PlanUndo("")); err != nil {
		t.Fatal(err)
	}
	h.expect("undone", map[string]string{"s.db": a, "s.db-wal": "log of A"})
	if diff := cmp.Diff([]string{"replace s.db", "make s.db-wal"}, order); diff != "" {
		t.Error(diff)
	}
}

// A file that the change made stays, and is named, when what somebody wrote into it
// since is in its log alone; a log that was there already when the change was done
// says nothing.
func TestUsedLog(t *testing.T) {
	for name, c := range map[string]struct{ during, since string }{
		"nobody": {}, "since": {since: "log of Bo"}, "during": {during: "log of Bo"}, "both": {during: "log of Bo", since: "log of Bo, longer"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t, map[string]string{"other": "x"})
			steps := func(yield func(retold.Step, error) bool) {
				_ = yield(retold.Step{File: &retold.FileChange{Path: h.at("other"), Before: &retold.File{Mode: 0o600, Data: []byte("x")}, After: &retold.File{Mode: 0o600, Data: []byte("y")}}}, nil) &&
					yield(retold.Step{File: &retold.FileChange{Path: h.at("s.db"), After: &retold.File{Mode: 0o600, Data: []byte("made")}}}, nil)
			}
			h.desk.Hook = h.before("replace", c.during)
			if err := h.apply(change.Draft(t.Context(), "", "import", steps)); err != nil {
				t.Fatal(err)
			}
			h.desk.Hook = nil
			if c.since != "" {
				h.write("s.db-wal", c.since)
			}
			plan, err := h.desk.PlanUndo("")
			if err != nil {
				t.Fatal(err)
			}
			out, err := h.desk.Apply(t.Context(), plan, "")
			if err = errors.Join(err, plan.Close()); err != nil {
				t.Fatal(err)
			}
			if c.since == "" {
				h.expect("undone", map[string]string{"other": "x"})
				return
			}
			h.expect("left", map[string]string{"other": "x", "s.db": "made", "s.db-wal": c.since})
			if len(out.Left) != 1 || !strings.Contains(out.Left[0], "s.db") {
				t.Errorf("left: %q", out.Left)
			}
		})
	}
}

// before writes a log beside s.db when such a step is about to be taken.
func (h *home) before(verb, log string) func(string) error {
	return func(point string) error {
		if log != "" && strings.HasPrefix(point, verb+" ") && strings.HasSuffix(point, h.at("other")) {
			h.write("s.db-wal", log)
		}
		return nil
	}
}
