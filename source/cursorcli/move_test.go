package cursorcli_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/demo"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/source/cursorcli"
)

type idle struct{}

func (idle) Check(context.Context, []string) error { return nil }

// A relocation is a demo home whose sessions are moved about.
type relocation struct {
	t    testing.TB
	dir  string
	home string
	src  *cursorcli.Source
	desk *change.Desk
}

func newRelocation(t testing.TB) *relocation {
	t.Helper()
	r := &relocation{t: t, dir: t.TempDir()}
	home, err := demo.Make(t.Context(), r.dir)
	r.check(err)
	r.home = home.CursorHome
	r.src = cursorcli.New(cursorcli.Options{Home: []string{r.home}})
	r.desk = &change.Desk{Home: filepath.Join(r.dir, "retold"), Guard: idle{}}
	return r
}

func (r *relocation) check(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *relocation) headers() map[string]retold.Header {
	r.t.Helper()
	all := map[string]retold.Header{}
	places, err := r.src.Places(r.t.Context())
	r.check(err)
	for h, err := range r.src.Headers(r.t.Context(), places[0]) {
		r.check(err)
		all[h.ID] = h
	}
	return all
}

func (r *relocation) session(id string) *retold.SessionDetail {
	r.t.Helper()
	d, err := r.src.Session(r.t.Context(), retold.Ref{Agent: "cursor-cli", Place: r.home, ID: id})
	r.check(err)
	return d
}

func (r *relocation) apply(p *change.Plan, err error) {
	r.t.Helper()
	r.check(err)
	_, err = r.desk.Apply(r.t.Context(), p, "")
	r.check(err)
	r.check(p.Close())
}

func (r *relocation) move(m retold.Move) {
	r.t.Helper()
	m.Place = r.home
	dir, err := r.desk.DraftDir()
	r.check(err)
	r.apply(change.Draft(r.t.Context(), dir, "move", r.src.PlanMove(r.t.Context(), m)))
}

// tree is every file with its bytes, mode and, as sources date by it, its time.
func (r *relocation) tree() map[string]string {
	r.t.Helper()
	all := map[string]string{}
	r.check(filepath.WalkDir(r.home, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			all[p] = "folder"
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(p)
		all[p] = fmt.Sprint(info.Mode(), info.ModTime(), string(text))
		return err
	}))
	return all
}

func said(d *retold.SessionDetail) (all []string) {
	for _, m := range d.Messages {
		if m.Tool == nil {
			all = append(all, string(m.Role)+" "+m.Content)
		}
	}
	return all
}

// TestMove moves every session by itself and undoes that to the byte.
func TestMove(t *testing.T) {
	r := newRelocation(t)
	before := r.tree()
	moved := 0
	for id, h := range r.headers() {
		first := r.session(id)
		to := filepath.Join(r.dir, "projects", "new "+id[:8])
		r.check(os.MkdirAll(to, 0o755))
		r.move(retold.Move{Sessions: []string{id}, To: to})
		if slices.Equal([]string{h.WorkspacePath}, []string{to}) || cmp.Equal(before, r.tree()) {
			t.Logf("%s (%v) was not moved", id, h.Sources)
			continue
		}
		moved++
		now := r.headers()
		if now[id].WorkspacePath != to && slices.Contains(h.Sources, "store") {
			t.Errorf("%s (%v) is about %q, want %q", id, h.Sources, now[id].WorkspacePath, to)
		}
		if diff := cmp.Diff(said(first), said(r.session(id))); diff != "" {
			t.Errorf("%s:\n%s", id, diff)
		}
		if len(now) != len(r.headers()) {
			t.Errorf("%d sessions", len(now))
		}
		r.apply(r.desk.PlanUndo(""))
		if diff := cmp.Diff(before, r.tree()); diff != "" {
			t.Fatalf("%s: undone (-before +now)\n%s", id, diff)
		}
	}
	t.Logf("%d moved", moved)
	if moved < 5 {
		t.Error("too few")
	}
}

// TestCopy makes a copy of every session beside an untouched original.
func TestCopy(t *testing.T) {
	r := newRelocation(t)
	before := r.tree()
	to := filepath.Join(r.dir, "projects", "copy")
	r.check(os.MkdirAll(to, 0o755))
	copies := map[string]string{}
	was := map[string]*retold.SessionDetail{}
	var ids []string
	for id := range r.headers() {
		ids = append(ids, id)
		was[id] = r.session(id)
	}
	slices.Sort(ids)
	for i, id := range ids {
		copies[id] = fmt.Sprintf("00000000-0000-4000-8000-%012d", i)
	}
	r.move(retold.Move{Sessions: ids, To: to, Copies: copies})
	after := r.tree()
	for p, text := range before {
		if after[p] != text {
			t.Errorf("the original's %s changed", p)
		}
	}
	now := r.headers()
	twins := 0
	for _, id := range ids {
		h, ok := now[copies[id]]
		if !ok {
			t.Logf("%s (%v) has no copy", id, was[id].Sources)
			continue
		}
		twins++
		if h.WorkspacePath != to && slices.Contains(h.Sources, "store") {
			t.Errorf("the copy of %s is about %q", id, h.WorkspacePath)
		}
		if diff := cmp.Diff(said(was[id]), said(r.session(copies[id]))); diff != "" {
			t.Errorf("%s:\n%s", id, diff)
		}
		if parent := was[id].ParentID; parent != "" && slices.Contains(h.Sources, "store") && h.ParentID != copies[parent] {
			t.Errorf("%s: parent %q, want the copy of %q", copies[id], h.ParentID, parent)
		}
	}
	if twins < 5 {
		t.Errorf("only %d copies", twins)
	}
	r.apply(r.desk.PlanUndo(""))
	if diff := cmp.Diff(before, r.tree()); diff != "" {
		t.Errorf("undone:\n%s", diff)
	}
}

// TestThereAndBack moves a store that names its folder there and back: every byte
// is as it was, but for folders that were made and stay.
func TestThereAndBack(t *testing.T) {
	r := newRelocation(t)
	before := r.tree()
	for id, h := range r.headers() {
		if !slices.Contains(h.Sources, "store") || h.WorkspacePath == "" || strings.Contains(h.WorkspacePath, "://") {
			continue
		}
		to := filepath.Join(r.dir, "projects", "away")
		r.check(os.MkdirAll(to, 0o755))
		r.move(retold.Move{Sessions: []string{id}, To: to})
		if _, err := os.Stat(filepath.Join(r.home, "chats", paths.MD5(to), id)); err != nil && h.Sources[0] != "acp" {
			if _, acp := os.Stat(filepath.Join(r.home, "acp-sessions", id)); acp != nil {
				t.Errorf("%s (%v): %v", id, h.Sources, err)
			}
		}
		r.move(retold.Move{Sessions: []string{id}, To: h.WorkspacePath})
		for p, text := range r.tree() {
			if old, ok := before[p]; ok && stripTime(old) != stripTime(text) {
				t.Errorf("%s changed:\n%s", p, cmp.Diff(old, text))
			} else if !ok && text != "folder" && filepath.Base(p) != "meta.json" {
				t.Errorf("%s is new", p)
			}
		}
	}
}

// stripTime leaves the time of a file out, which a change gives it.
func stripTime(s string) string {
	if i := strings.Index(s, "{"); i > 0 && strings.Contains(s[:i], "UTC") {
		return s[i:]
	}
	return s
}

// TestRefusesTaken does not overwrite a session of that id in the new folder.
func TestRefusesTaken(t *testing.T) {
	r := newRelocation(t)
	to := filepath.Join(r.dir, "projects", "taken")
	for id, h := range r.headers() {
		if !slices.Contains(h.Sources, "store") {
			continue
		}
		own, err := filepath.Glob(filepath.Join(r.home, "chats", "*", id))
		r.check(err)
		if len(own) == 0 {
			continue
		}
		r.check(os.MkdirAll(filepath.Join(r.home, "chats", paths.MD5(to), id), 0o755))
		before := r.tree()
		dir, err := r.desk.DraftDir()
		r.check(err)
		p, err := change.Draft(t.Context(), dir, "move", r.src.PlanMove(t.Context(), retold.Move{Place: r.home, Sessions: []string{id}, From: h.WorkspacePath, To: to}))
		r.check(err)
		if _, err := r.desk.Apply(t.Context(), p, ""); retold.CodeOf(err) != retold.CodeChanged {
			t.Errorf("%s: %v", id, err)
		}
		r.check(p.Close())
		if diff := cmp.Diff(before, r.tree()); diff != "" {
			t.Errorf("%s:\n%s", id, diff)
		}
		return
	}
}
