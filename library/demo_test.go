package library_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/demo"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
)

// openDemo opens a demo home and returns the folder that holds it.
func openDemo(t *testing.T) (*library.Library, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "demo")
	if _, err := demo.Make(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	return reopen(t, dir), dir
}

// reopen opens the demo home in dir as a new process would.
func reopen(t *testing.T, dir string) *library.Library {
	t.Helper()
	l, err := library.Open(t.Context(), library.Options{
		CursorUser: []string{filepath.Join(dir, "config", "Cursor", "User")}, CursorHome: []string{filepath.Join(dir, "home", ".cursor")},
		Env: paths.Env{GOOS: "linux", Home: filepath.Join(dir, "home")},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// What a listing says about a session is what showing it says.
func TestListAgreesWithShow(t *testing.T) {
	l, _ := openDemo(t)
	listing, err := l.List(t.Context(), retold.Filter{Empty: true}, -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(listing.Data) < 10 {
		t.Fatalf("the demo lists %d sessions", len(listing.Data))
	}
	for i, s := range listing.Data {
		d, err := l.Show(t.Context(), s.ID)
		if err != nil {
			t.Errorf("show %s: %v", s.ID, err)
			continue
		}
		if s.Index != i+1 || d.Index != s.Index {
			t.Errorf("%s is number %d in the list and %d shown, want %d", s.ID, s.Index, d.Index, i+1)
		}
		if s.MessageCount != len(d.Messages) || d.MessageCount != len(d.Messages) {
			t.Errorf("%s: list counts %d messages, show %d and returns %d", s.ID, s.MessageCount, d.MessageCount, len(d.Messages))
		}
		listed := []string{s.Title, s.WorkspacePath, s.WorkspaceName, s.FirstMessagePreview, s.Agent, s.Branch, s.ParentID}
		shown := []string{d.Title, d.WorkspacePath, d.WorkspaceName, d.FirstMessagePreview, d.Agent, d.Branch, d.ParentID}
		if diff := cmp.Diff(listed, shown); diff != "" {
			t.Errorf("%s: list and show differ: %s", s.ID, diff)
		}
		if !s.UpdatedAt.Equal(d.UpdatedAt) || !s.CreatedAt.Equal(d.CreatedAt) {
			t.Errorf("%s: list has %v to %v, show %v to %v", s.ID, s.CreatedAt, s.UpdatedAt, d.CreatedAt, d.UpdatedAt)
		}
		if _, err := json.Marshal(d); err != nil {
			t.Errorf("%s as JSON: %v", s.ID, err)
		}
	}
}

func TestWorkspacesCountEverySessionOnce(t *testing.T) {
	l, _ := openDemo(t)
	found, _, err := l.Workspaces(t.Context(), retold.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	listing, err := l.List(t.Context(), retold.Filter{}, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for i, w := range found {
		sum += w.Sessions
		if i > 0 && w.Path+w.Name != "" && w.Last.After(found[i-1].Last) {
			t.Errorf("%q comes after %q, which was used earlier", w.Path, found[i-1].Path)
		}
		if w.Name == "" {
			continue
		}
		some, err := l.List(t.Context(), retold.Filter{Workspaces: []string{w.Path}}, 1, 0)
		if err != nil || some.Pagination.Total < w.Sessions {
			t.Errorf("workspace %q counts %d sessions, its filter finds %d (%v)", w.Path, w.Sessions, some.Pagination.Total, err)
		}
	}
	if sum != listing.Pagination.Total {
		t.Errorf("the workspaces count %d sessions, the list %d", sum, listing.Pagination.Total)
	}
}

// Doctor's account of every file adds up to the size of the file.
func TestDoctorReconciles(t *testing.T) {
	l, dir := openDemo(t)
	r, err := l.Doctor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]bool{}
	for _, f := range r.Files {
		sizes[f.Path] = true
		if f.Accounted() != f.FileBytes {
			t.Errorf("%s: %d bytes are accounted for, the file has %d", f.Path, f.Accounted(), f.FileBytes)
		}
		info, err := os.Stat(f.Path)
		if err != nil {
			t.Error(err)
			continue
		}
		if info.Mode().IsRegular() && f.FileBytes != info.Size()+f.WALBytes {
			t.Errorf("%s: reported with %d bytes, has %d", f.Path, f.FileBytes, info.Size()+f.WALBytes)
		}
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && (d.Name() == "state.vscdb" || d.Name() == "store.db") && !sizes[path] {
			t.Errorf("%s is not in the report", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	listing, err := l.List(t.Context(), retold.Filter{}, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if r.Sessions.Total != listing.Pagination.Total {
		t.Errorf("doctor counts %d sessions, the list %d", r.Sessions.Total, listing.Pagination.Total)
	}
}

// A session read by its full id alone is the one that the listing leads to.
func TestShowByIDAlone(t *testing.T) {
	listed, dir := openDemo(t)
	headers, err := listed.Headers(t.Context(), retold.Filter{Empty: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		alone, err := library.Open(t.Context(), library.Options{
			CursorUser: []string{filepath.Join(dir, "config", "Cursor", "User")}, CursorHome: []string{filepath.Join(dir, "home", ".cursor")},
			Env: paths.Env{GOOS: "linux", Home: filepath.Join(dir, "home")},
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := alone.Show(t.Context(), h.ID)
		if err != nil {
			t.Errorf("%s: %v", h.ID, err)
			continue
		}
		want, err := listed.Show(t.Context(), h.ID)
		if err != nil {
			t.Fatal(err)
		}
		// The number and the names of further stores come from the listing; a store's
		// own note of its last change may be older than its last message.
		got.Index, got.Sources = want.Index, want.Sources
		if got.UpdatedAt.After(want.UpdatedAt) {
			got.UpdatedAt = want.UpdatedAt
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s differs: %s", h.ID, diff)
		}
	}
}
