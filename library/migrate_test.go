package library_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/demo"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/migrate"
)

const tidepoolFolder = "/home/ada/projects/tidepool"

// A removal is a library over a demo home of its own, and a folder to move to.
type removal struct {
	*testing.T
	options library.Options
	to      string
}

func newRemoval(t *testing.T) *removal {
	t.Helper()
	dir := t.TempDir()
	home, err := demo.Make(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &removal{T: t, to: filepath.Join(dir, "projects", "tide pool 2"), options: library.Options{
		CursorUser: []string{home.CursorUser}, CursorHome: []string{home.CursorHome}, Home: filepath.Join(dir, "retold"),
		Env: paths.Env{GOOS: "linux", Home: filepath.Join(dir, "home")},
	}}
	if err := os.MkdirAll(r.to, 0o755); err != nil {
		t.Fatal(err)
	}
	return r
}

// fresh is what a library that knows nothing yet finds: workspaces by session.
func (r *removal) fresh() map[string]string {
	r.Helper()
	o := r.options
	o.Home = r.TempDir()
	l := r.open(o)
	headers, err := l.Headers(r.Context(), retold.Filter{Empty: true})
	if err != nil {
		r.Fatal(err)
	}
	all := map[string]string{}
	for _, h := range headers {
		all[h.ID] = h.WorkspacePath
	}
	return all
}

func (r *removal) open(o library.Options) *library.Library {
	r.Helper()
	l, err := library.Open(r.Context(), o)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() {
		if err := l.Close(); err != nil {
			r.Error(err)
		}
	})
	return l
}

func (r *removal) apply(c *migrate.Change, err error) *migrate.Result {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
	result, err := c.Apply(r.Context(), "")
	if err = errors.Join(err, c.Close()); err != nil {
		r.Fatal(err)
	}
	return result
}

// TestMigrateWorkspace moves all stores of all sessions of a folder, and back by
// undo.
func TestMigrateWorkspace(t *testing.T) {
	r := newRemoval(t)
	l := r.open(r.options)
	before := r.fresh()
	result := r.apply(l.PlanMigrate(t.Context(), library.MigrateOptions{From: "tidepool", To: r.to}))
	moved := 0
	for id, workspace := range r.fresh() {
		switch {
		case workspace == r.to && before[id] == tidepoolFolder:
			moved++
		case workspace != before[id]:
			t.Errorf("%s is about %q, was about %q", id, workspace, before[id])
		case workspace == tidepoolFolder:
			t.Errorf("%s was left behind", id)
		}
	}
	if moved < 10 || result.FailedCount != 0 || result.SuccessCount < moved || result.UndoID == nil {
		t.Errorf("%d moved; %+v", moved, result)
	}
	r.apply(l.PlanUndo(t.Context(), ""))
	if diff := cmp.Diff(before, r.fresh()); diff != "" {
		t.Error(diff)
	}
	list, err := l.Changes(t.Context())
	if err != nil || len(list) != 2 || list[1].UndoneBy != list[0].ID || list[1].ID != *result.UndoID {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestMigrateTakesChildren moves and copies a session with its sub-agents.
func TestMigrateTakesChildren(t *testing.T) {
	for _, copies := range []bool{false, true} {
		r := newRemoval(t)
		l := r.open(r.options)
		headers, err := l.Headers(t.Context(), retold.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		parent := headers[slices.IndexFunc(headers, func(h retold.Header) bool { return h.ParentID != "" && h.Agent == "cursor" })].ParentID
		before := r.fresh()
		r.apply(l.PlanMigrate(t.Context(), library.MigrateOptions{Sessions: []string{parent}, To: r.to, Copy: copies}))
		if copies { // a second copy has an id of its own
			r.apply(l.PlanMigrate(t.Context(), library.MigrateOptions{Sessions: []string{parent}, To: r.to, Copy: true}))
		}
		after := r.fresh()
		here := 0
		for id, workspace := range after {
			if workspace == r.to {
				here++
				if _, known := before[id]; known == copies {
					t.Errorf("copies %v: %s", copies, id)
				}
			}
		}
		want := 1
		for _, h := range headers {
			if h.ParentID == parent {
				want++
			}
		}
		if copies {
			want *= 2
		}
		if here != want || want < 2 {
			t.Errorf("copies %v: %d sessions in the new folder, want %d", copies, here, want)
		}
		for id, workspace := range before {
			if copies && after[id] != workspace {
				t.Errorf("the original %s went to %q", id, after[id])
			}
		}
	}
}

func TestMigrateRefuses(t *testing.T) {
	r := newRemoval(t)
	l := r.open(r.options)
	for _, c := range []struct {
		o    library.MigrateOptions
		code retold.Code
	}{
		{library.MigrateOptions{From: "tidepool", To: "relative"}, retold.CodeUsage},
		{library.MigrateOptions{From: "tidepool", To: r.to + "/none"}, retold.CodeWorkspaceNotFound},
		{library.MigrateOptions{From: "nowhere", To: r.to}, retold.CodeWorkspaceNotFound},
		{library.MigrateOptions{Sessions: []string{"no such"}, To: r.to}, retold.CodeSessionNotFound},
	} {
		plan, err := l.PlanMigrate(t.Context(), c.o)
		if retold.CodeOf(err) != c.code {
			t.Errorf("%+v: %v", c.o, err)
		}
		if err == nil {
			_ = plan.Close()
		}
	}
}
