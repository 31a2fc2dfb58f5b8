package hook_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold/journal/hook"
	"github.com/retold-history/retold/journal/hook/spool"
)

// What git does, and what of it is noted.
func TestNoted(t *testing.T) {
	r := newRepo(t)
	root := r.commit("a.txt", "zero")
	r.install()
	one := r.commit("a.txt", "one")
	got := r.events()
	if len(got) != 1 {
		t.Fatalf("noted %+v", got)
	}
	e := got[0]
	want := hook.Event{
		Version: 1, Kind: "post-commit", Commit: one, Tree: r.git("rev-parse", "HEAD^{tree}"), Parents: []string{root}, Branch: "main",
		Repo: filepath.Join(r.dir, ".git"), Worktree: r.dir, GitDir: filepath.Join(r.dir, ".git"), Time: e.Time, File: e.File,
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
	// From a folder below, and detached.
	r.git("checkout", "-q", "--detach")
	two := r.commitIn(r.dir, "sub/b.txt", "two")
	r.gitIn(filepath.Join(r.dir, "sub"), "commit", "-q", "--allow-empty", "-m", "three")
	got = r.events()
	if len(got) != 2 || got[0].Commit != two || got[1].Branch != "" || got[1].Worktree != r.dir || got[1].Parents[0] != two {
		t.Errorf("noted %+v", got)
	}
	t.Setenv("RETOLD_JOURNAL", "0")
	r.commit("a.txt", "unnoted")
	if got = r.events(); len(got) > 0 {
		t.Errorf("noted %v in spite of RETOLD_JOURNAL=0", commits(got))
	}
}

func TestAmendAndRebase(t *testing.T) {
	for name, existing := range map[string]string{
		"alone":                       "",
		"behind a hook that reads":    "#!/bin/sh\ncat >/dev/null\n",
		"before a hook that may end":  "#!/bin/sh\nwhile read old new; do echo $old; done >seen\nexit 1\n",
		"behind a hook that does not": "#!/bin/sh\ntrue",
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			if existing != "" {
				write(t, filepath.Join(r.dir, ".git/hooks/post-rewrite"), existing, 0o755)
			}
			first := r.commit("a.txt", "zero")
			r.install()
			old := r.commit("b.txt", "one")
			r.git("commit", "-q", "--amend", "-m", "better")
			amended := r.git("rev-parse", "HEAD")
			got := r.events()
			want := []string{"post-commit " + old, "post-commit " + amended, "post-rewrite " + amended}
			if diff := cmp.Diff(want, commits(got)); diff != "" {
				t.Fatal(diff)
			}
			if diff := cmp.Diff([]hook.Rewrite{{Old: old, New: amended}}, got[2].Rewritten); diff != "" || got[2].Command != "amend" {
				t.Errorf("%s: %s", got[2].Command, diff)
			}
			if strings.Contains(existing, "seen") && !strings.Contains(read(t, filepath.Join(r.dir, "seen")), old) {
				t.Error("the hook that was there got nothing to read")
			}
			// Two commits of a branch become one of another base, by hand.
			r.git("checkout", "-q", "-b", "side", first)
			x, y := r.commit("x.txt", "x"), r.commit("y.txt", "y")
			r.events()
			t.Setenv("GIT_SEQUENCE_EDITOR", "sed -i -e '2s/^pick/squash/'")
			t.Setenv("GIT_EDITOR", "true")
			r.git("rebase", "-q", "-i", "main")
			head := r.git("rev-parse", "HEAD")
			got = r.events()
			last := got[len(got)-1]
			if diff := cmp.Diff([]hook.Rewrite{{Old: x, New: head}, {Old: y, New: head}}, last.Rewritten); diff != "" || last.Command != "rebase" || last.Commit != head || last.Branch != "side" {
				t.Errorf("%+v: %s", last, diff)
			}
		})
	}
}

func TestMerges(t *testing.T) {
	r := newRepo(t)
	r.install()
	r.commit("a.txt", "zero")
	r.git("checkout", "-q", "-b", "side")
	side := r.commit("b.txt", "one")
	r.git("checkout", "-q", "main")
	r.events()
	r.git("merge", "-q", "side") // makes no commit
	if got := r.events(); len(got) > 0 {
		t.Errorf("a merge that made no commit was noted: %v", commits(got))
	}
	main := r.commit("c.txt", "two")
	r.git("checkout", "-q", "side")
	side = r.commitIn(r.dir, "d.txt", "three"+side)
	r.git("checkout", "-q", "main")
	r.events()
	r.git("merge", "-q", "--squash", "side")
	if got := r.events(); len(got) > 0 {
		t.Errorf("a squash that made no commit was noted: %v", commits(got))
	}
	r.git("reset", "-q", "--hard")
	r.git("merge", "-q", "-m", "both", "side")
	got := r.events()
	if len(got) != 1 || got[0].Kind != "post-merge" || cmp.Diff([]string{main, side}, got[0].Parents) != "" {
		t.Errorf("noted %+v", got)
	}
	r.git("cherry-pick", "--allow-empty", "-m", "1", "--keep-redundant-commits", "HEAD")
	if got := r.events(); len(got) != 1 || got[0].Kind != "post-commit" {
		t.Errorf("of a cherry-pick was noted %+v", got)
	}
}

// A linked working tree has the hooks of the main one, and a place of its own.
func TestWorktree(t *testing.T) {
	r := newRepo(t)
	r.commit("a.txt", "zero")
	tree := filepath.Join(filepath.Dir(r.dir), "tree")
	r.git("worktree", "add", "-q", "-b", "side", tree)
	h := r.installWith(tree, false)
	if h.Shared || h.Dir != filepath.Join(r.dir, ".git", "hooks") {
		t.Errorf("hooks in %s, shared %v", h.Dir, h.Shared)
	}
	id := r.commitIn(tree, "b.txt", "one")
	got := r.events()
	if len(got) != 1 || got[0].Commit != id || got[0].Worktree != tree || got[0].Branch != "side" ||
		got[0].Repo != filepath.Join(r.dir, ".git") || got[0].GitDir != filepath.Join(r.dir, ".git", "worktrees", "tree") {
		t.Errorf("noted %+v", got)
	}
}

// A submodule is a repository of its own, with hooks of its own.
func TestSubmodule(t *testing.T) {
	r := newRepo(t)
	r.commit("a.txt", "zero")
	super := filepath.Join(filepath.Dir(r.dir), "super")
	r.gitIn(filepath.Dir(r.dir), "init", "-q", super)
	r.gitIn(super, "submodule", "--quiet", "add", r.dir, "lib")
	r.gitIn(super, "commit", "-q", "-m", "lib")
	lib := filepath.Join(super, "lib")
	h := r.installWith(lib, false)
	if want := filepath.Join(super, ".git", "modules", "lib", "hooks"); h.Dir != want || h.Shared {
		t.Errorf("hooks in %s, want %s", h.Dir, want)
	}
	id := r.commitIn(lib, "b.txt", "one")
	r.commitIn(super, "c.txt", "of the other repository")
	got := r.events()
	if len(got) != 1 || got[0].Commit != id || got[0].Worktree != lib || got[0].GitDir != filepath.Join(super, ".git", "modules", "lib") {
		t.Errorf("noted %+v", got)
	}
}

// What has no file of its own in .git is asked of git.
func TestPacked(t *testing.T) {
	r := newRepo(t)
	id := r.commit("a.txt", "zero")
	r.install()
	r.git("gc", "-q")
	if _, err := os.Stat(filepath.Join(r.dir, ".git/objects", id[:2], id[2:])); err == nil {
		t.Fatal("the commit still has a file of its own")
	}
	run(t, r, "journal", "enqueue")
	run(t, r, "journal", "enqueue", "main~0")
	run(t, r, "journal", "enqueue", id)
	got := r.events()
	if len(got) != 3 {
		t.Fatalf("noted %+v", got)
	}
	for i, e := range got {
		if e.Commit != id || e.Tree != r.git("rev-parse", "HEAD^{tree}") || i == 0 && e.Branch != "main" {
			t.Errorf("noted %+v", e)
		}
	}
}

// Two that commit at once are both noted.
func TestAtOnce(t *testing.T) {
	r := newRepo(t)
	r.commit("a.txt", "zero")
	r.install()
	var both sync.WaitGroup
	want := map[string]bool{}
	var mu sync.Mutex
	for _, name := range []string{"left", "right", "middle"} {
		tree := filepath.Join(filepath.Dir(r.dir), name)
		r.git("worktree", "add", "-q", "-b", name, tree)
		both.Go(func() {
			for _, text := range []string{"1", "2", "3"} {
				id := r.commitIn(tree, "b.txt", name+text)
				mu.Lock()
				want[id] = true
				mu.Unlock()
			}
		})
	}
	both.Wait()
	for _, e := range r.events() {
		delete(want, e.Commit)
	}
	if len(want) > 0 {
		t.Errorf("not noted: %v", want)
	}
}

// A commit that is amended while it is dealt with is dealt with again, at once.
func TestAmendWhileDraining(t *testing.T) {
	r := newRepo(t)
	r.install()
	first := r.commit("a.txt", "one")
	var got []string
	_, err := hook.Drain(t.Context(), hook.DrainOptions{Dir: spool.Folder(r.home)}, func(_ context.Context, e hook.Event) error {
		if got = append(got, e.Kind+" "+e.Commit); len(got) == 1 {
			r.git("commit", "-q", "--amend", "-m", "better")
		}
		return nil
	})
	amended := r.git("rev-parse", "HEAD")
	if diff := cmp.Diff([]string{"post-commit " + first, "post-commit " + amended, "post-rewrite " + amended}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// The name of a folder is any bytes.
func TestFolderThatIsNoText(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("names are text here")
	}
	r := newRepo(t)
	odd := filepath.Join(filepath.Dir(r.dir), "caf\xe9 'x'")
	if err := os.Rename(r.dir, odd); err != nil {
		t.Fatal(err)
	}
	r.dir = odd
	r.install()
	id := r.commit("a.txt", "one")
	if got := r.events(); len(got) != 1 || got[0].Commit != id || got[0].Worktree != odd || got[0].Repo != filepath.Join(odd, ".git") {
		t.Errorf("%+v", got)
	}
}
