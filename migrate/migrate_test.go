package migrate_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/migrate"
)

type idle struct{}

func (idle) Check(context.Context, []string) error { return nil }

// A drawer keeps each session as a file that says what it is about.
type drawer struct {
	dir  string
	left map[string]string
	err  error
	seen []retold.Move
}

func newDrawer(t *testing.T, ids ...string) *drawer {
	t.Helper()
	d := &drawer{dir: t.TempDir()}
	for _, id := range ids {
		if err := os.WriteFile(d.file(id), []byte("/home/ada/old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func (d *drawer) file(id string) string { return filepath.Join(d.dir, id) }

func (d *drawer) about(t *testing.T, id string) string {
	t.Helper()
	text, err := os.ReadFile(d.file(id))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

// set is the step that lets a file say something.
func (d *drawer) set(session, id, text string) (retold.Step, bool) {
	step := retold.Step{Session: session, File: &retold.FileChange{Path: d.file(id), After: &retold.File{Mode: 0o600, Data: []byte(text)}}}
	if info, err := os.Stat(d.file(id)); err == nil {
		data, err := os.ReadFile(d.file(id))
		if err != nil {
			return step, false
		}
		step.File.Before = &retold.File{Mode: info.Mode().Perm(), ModTime: info.ModTime(), Data: data}
		return step, true
	}
	return step, session != id
}

func (d *drawer) PlanMove(_ context.Context, m retold.Move) iter.Seq2[retold.Step, error] {
	d.seen = append(d.seen, m)
	return func(yield func(retold.Step, error) bool) {
		for _, id := range m.Sessions {
			if why := d.left[id]; why != "" {
				if !yield(retold.Step{Session: id, Left: why}, nil) {
					return
				}
				continue
			}
			name := id
			if m.Copies != nil {
				name = m.Copies[id]
			}
			if _, err := os.Stat(d.file(id)); err != nil {
				continue // it lives elsewhere
			}
			if s, ok := d.set(id, name, m.To); ok && !yield(s, nil) {
				return
			}
		}
		if d.err != nil {
			yield(retold.Step{}, d.err)
		}
	}
}

func (d *drawer) PlanImport(_ context.Context, m retold.Import) iter.Seq2[retold.Step, error] {
	return func(yield func(retold.Step, error) bool) {
		for _, a := range m.Sessions {
			s, _ := d.set(a.ID, a.ID, m.To)
			if !yield(s, nil) {
				return
			}
		}
	}
}

func (d *drawer) Lost(context.Context, string) ([]retold.Lost, error) { return nil, nil }

func (d *drawer) PlanRecover(ctx context.Context, m retold.Recovery) iter.Seq2[retold.Step, error] {
	return d.PlanMove(ctx, retold.Move{Place: m.Place, Sessions: m.Sessions, To: m.Folder})
}

func newDesk(t *testing.T) *change.Desk {
	t.Helper()
	return &change.Desk{Home: t.TempDir(), Guard: idle{}}
}

func carry(t *testing.T, c *migrate.Change, err error) *migrate.Result {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Apply(t.Context(), "")
	if err = errors.Join(err, c.Close()); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMove moves sessions of two places at once, tells what no place holds and what
// one leaves, and takes it back.
func TestMove(t *testing.T) {
	one, two := newDrawer(t, "a", "b"), newDrawer(t, "c", "d")
	two.left = map[string]string{"d": "it is nailed down"}
	desk := newDesk(t)
	places := []migrate.Place{{Path: one.dir, Writer: one}, {Path: two.dir, Writer: two}}
	c, err := migrate.Plan(t.Context(), desk, places, migrate.Request{Sessions: []string{"a", "c", "d", "e"}, From: "/home/ada/old", To: "/home/ada/new"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "c"}, c.Sessions()); diff != "" {
		t.Error(diff)
	}
	want := []migrate.Failure{{Session: "d", Reason: "it is nailed down"}, {Session: "e", Reason: "no store that can be written to holds it"}}
	if diff := cmp.Diff(want, c.Failures()); diff != "" {
		t.Error(diff)
	}
	if d, err := c.Describe(); err != nil || d.Title != "move 4 sessions from /home/ada/old to /home/ada/new" || d.Files != 2 {
		t.Errorf("%+v, %v", d, err)
	}
	if one.seen[0].Place != one.dir || two.seen[0].Place != two.dir || one.seen[0].Copies != nil {
		t.Errorf("%+v, %+v", one.seen, two.seen)
	}
	r := carry(t, c, nil)
	if r.SuccessCount != 2 || r.FailedCount != 2 || r.Files != 2 || r.UndoID == nil {
		t.Errorf("%+v", r)
	}
	for id, want := range map[string]string{"a": "/home/ada/new", "b": "/home/ada/old"} {
		if got := one.about(t, id); got != want {
			t.Errorf("%s is about %s", id, got)
		}
	}
	undo, err := migrate.PlanUndo(desk, *r.UndoID)
	if r = carry(t, undo, err); r.SuccessCount != 2 || len(r.Errors) != 0 {
		t.Errorf("%+v", r)
	}
	if one.about(t, "a") != "/home/ada/old" || two.about(t, "c") != "/home/ada/old" {
		t.Error("not as it was")
	}
	if _, err := migrate.PlanUndo(desk, "none"); retold.CodeOf(err) != retold.CodeChangeNotFound {
		t.Error(err)
	}
}

// A plan that changed since it was looked at is not carried out.
func TestFingerprint(t *testing.T) {
	one := newDrawer(t, "a")
	request := migrate.Request{Sessions: []string{"a"}, To: "/home/ada/new"}
	places := []migrate.Place{{Path: one.dir, Writer: one}}
	desk := newDesk(t)
	c, err := migrate.Plan(t.Context(), desk, places, request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Apply(t.Context(), "0123"); retold.CodeOf(err) != retold.CodeChanged || one.about(t, "a") != "/home/ada/old" {
		t.Error(err)
	}
	d, err := c.Describe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Apply(t.Context(), d.Fingerprint); err != nil || one.about(t, "a") != "/home/ada/new" {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	c, err = migrate.Plan(t.Context(), desk, places, request)
	if r := carry(t, c, err); r.UndoID != nil || r.SuccessCount != 1 || r.Errors == nil {
		t.Errorf("nothing is left to do: %+v", r)
	}
}

// Copies have ids that follow from the session and the folder, and that nobody has.
func TestCopies(t *testing.T) {
	one := newDrawer(t, "a", "b")
	request := migrate.Request{Sessions: []string{"a", "b"}, To: "/home/ada/new", Copy: true}
	ids := func(r migrate.Request) map[string]string {
		t.Helper()
		c, err := migrate.Plan(t.Context(), newDesk(t), []migrate.Place{{Path: one.dir, Writer: one}}, r)
		if err == nil {
			err = c.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return one.seen[len(one.seen)-1].Copies
	}
	first := ids(request)
	if diff := cmp.Diff(first, ids(request)); diff != "" {
		t.Error(diff)
	}
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	for id, twin := range first {
		if !form.MatchString(twin) {
			t.Errorf("%s is copied to %q", id, twin)
		}
	}
	request.Taken = func(id string) (bool, error) { return id == first["a"], nil }
	if second := ids(request); second["a"] == first["a"] || second["b"] != first["b"] {
		t.Errorf("%v, had %v", second, first)
	}
	broken := errors.New("broken")
	request.Taken = func(string) (bool, error) { return false, broken }
	if _, err := migrate.Plan(t.Context(), newDesk(t), nil, request); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// What cannot be planned is an error, and nothing of the plan is left on the disk.
func TestPlanFails(t *testing.T) {
	desk := newDesk(t)
	one := newDrawer(t, "a")
	one.err = errors.New("a row is damaged")
	if _, err := migrate.Plan(t.Context(), desk, []migrate.Place{{Path: one.dir, Writer: one}}, migrate.Request{Sessions: []string{"a"}, To: "/home/ada/new"}); !errors.Is(err, one.err) {
		t.Error(err)
	}
	plans := map[string]func(to string) (*migrate.Change, error){
		"move": func(to string) (*migrate.Change, error) {
			return migrate.Plan(t.Context(), desk, nil, migrate.Request{To: to})
		},
		"recover": func(to string) (*migrate.Change, error) {
			return migrate.PlanRecover(t.Context(), desk, nil, retold.Recovery{Folder: to})
		},
		"import": func(to string) (*migrate.Change, error) {
			return migrate.PlanImport(t.Context(), desk, one, retold.Import{To: to}, nil)
		},
	}
	for name, plan := range plans {
		for to, ok := range map[string]bool{
			"new": false, "./new": false, "": false, "~/new": false,
			"/home/ada/new": true, `C:\Users\ada\new`: true, "vscode-remote://ssh-remote+harbor.example/srv": true,
		} {
			c, err := plan(to)
			if (err == nil) != ok || !ok && retold.CodeOf(err) != retold.CodeUsage {
				t.Errorf("%s to %q: %v", name, to, err)
			}
			if err == nil {
				err = c.Close()
			}
			if ok && err != nil {
				t.Error(err)
			}
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := migrate.Plan(ended, desk, nil, migrate.Request{To: "/home/ada/new"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	entries, err := os.ReadDir(filepath.Join(desk.Home, "undo"))
	if err != nil || len(entries) > 0 {
		t.Errorf("%v is left, %v", entries, err)
	}
}

// TestOtherPlans carries out the plans of recover, import and restore.
func TestOtherPlans(t *testing.T) {
	one, desk := newDrawer(t, "a"), newDesk(t)
	c, err := migrate.PlanRecover(t.Context(), desk, []migrate.RecoverPlace{{Path: one.dir, Recoverer: one}}, retold.Recovery{Sessions: []string{"a", "z"}, Folder: "/home/ada/new"})
	if r := carry(t, c, err); r.SuccessCount != 1 || r.FailedCount != 1 || one.about(t, "a") != "/home/ada/new" {
		t.Errorf("%+v", r)
	}
	arrivals := []retold.Arrival{{ID: "n", Session: &retold.SessionDetail{Session: retold.Session{ID: "old"}}}}
	c, err = migrate.PlanImport(t.Context(), desk, one, retold.Import{To: "/home/ada/new", Sessions: arrivals}, nil)
	if d, err := c.Describe(); err != nil || d.Title != "import session old to /home/ada/new" {
		t.Errorf("%+v, %v", d, err)
	}
	if r := carry(t, c, err); r.SuccessCount != 1 || one.about(t, "n") != "/home/ada/new" {
		t.Errorf("%+v", r)
	}
	steps := func(yield func(retold.Step, error) bool) {
		s, _ := one.set("a", "a", "/home/ada/old")
		yield(s, nil)
	}
	c, err = migrate.PlanSteps(t.Context(), desk, "restore", []string{"a", "q"}, "it is not in it", steps)
	if diff := cmp.Diff([]migrate.Failure{{Session: "q", Reason: "it is not in it"}}, c.Failures()); diff != "" {
		t.Error(diff)
	}
	if r := carry(t, c, err); r.Files != 1 || one.about(t, "a") != "/home/ada/old" {
		t.Errorf("%+v", r)
	}
}

func TestImportID(t *testing.T) {
	seen := map[string]bool{}
	for _, id := range []string{
		migrate.ImportID("codex", "a", 0), migrate.ImportID("codex", "a", 1), migrate.ImportID("codex", "b", 0), migrate.ImportID("warp", "a", 0),
		migrate.ImportID("codex", "a\n0", 0),
	} {
		if seen[id] || strings.Count(id, "-") != 4 {
			t.Errorf("%q", id)
		}
		seen[id] = true
	}
	if again := migrate.ImportID("codex", "a", 0); !seen[again] {
		t.Error("an id does not follow from the session's")
	}
}
