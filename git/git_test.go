package git_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
)

// A repo is a real repository that a test builds with git itself.
type repo struct {
	t   *testing.T
	dir string
	day int
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	r := &repo{t: t, dir: t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

// git runs git as ada would, at a time that is a day later with every call.
func (r *repo) git(args ...string) string {
	r.t.Helper()
	r.day++
	date := strconv.Itoa(1767225600+86400*r.day) + " +0100"
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com", "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repo) write(path, text string) {
	r.t.Helper()
	path = filepath.Join(r.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// commit commits everything and returns its id.
func (r *repo) commit(message string) string {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

func (r *repo) open() *git.Repo {
	r.t.Helper()
	opened, err := git.Open(r.t.Context(), r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	return opened
}

func (r *repo) log(a git.Ask) (list []*git.Commit) {
	r.t.Helper()
	for c, err := range r.open().Commits(r.t.Context(), a) {
		if err != nil {
			r.t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

func TestCommits(t *testing.T) {
	r := newRepo(t)
	r.write("a b.txt", "one\ntwo\nthree\n")
	r.write("crlf.txt", "one\r\ntwo\r\n")
	r.write("bin", "a\x00b")
	first := r.commit("first\n\nwith a body:\n@@ -1 +1 @@\n-no\n+hunk")
	r.write("a b.txt", "one\n2\nthree\n--- a/x\n+++ b/x\n")
	r.write("crlf.txt", "one\r\nzwei\r\n")
	r.write("bin", "a\x00c")
	r.commit("second")
	r.git("mv", "a b.txt", "日本\"q\\.txt")
	r.write("tail", "no line end")
	r.commit("third")
	r.commit("nothing")

	list := r.log(git.Ask{})
	if len(list) != 4 {
		t.Fatalf("%d commits, want 4", len(list))
	}
	if got := list[0]; got.ID != first || got.Message != "first\n\nwith a body:\n@@ -1 +1 @@\n-no\n+hunk" || got.Author.Email != "ada@example.com" ||
		got.Author.Time.Format("-0700") != "+0100" || len(got.Parents) != 0 || len(got.Files) != 3 {
		t.Errorf("first commit: %+v", got)
	}
	want := []git.File{
		{Path: "a b.txt", Status: 'M', Added: 3, Removed: 1, Hunks: []git.Hunk{
			{OldStart: 2, NewStart: 2, Removed: []string{"two"}, Added: []string{"2"}},
			{OldStart: 4, NewStart: 4, Added: []string{"--- a/x", "+++ b/x"}},
		}},
		{Path: "bin", Status: 'M', Binary: true},
		{Path: "crlf.txt", Status: 'M', Added: 1, Removed: 1, Hunks: []git.Hunk{{OldStart: 2, NewStart: 2, Removed: []string{"two"}, Added: []string{"zwei"}}}},
	}
	if diff := cmp.Diff(want, list[1].Files); diff != "" {
		t.Errorf("second commit (-want +got):\n%s", diff)
	}
	want = []git.File{
		{Path: "tail", Status: 'A', Added: 1, Hunks: []git.Hunk{{OldStart: 1, NewStart: 1, Added: []string{"no line end"}}}},
		{Path: "日本\"q\\.txt", OldPath: "a b.txt", Status: 'R'},
	}
	if diff := cmp.Diff(want, list[2].Files); diff != "" {
		t.Errorf("third commit (-want +got):\n%s", diff)
	}
	if list[3].Files != nil {
		t.Errorf("an empty commit has files: %+v", list[3].Files)
	}
}

func TestCommitsWithBytesThatAreNoText(t *testing.T) {
	r := newRepo(t)
	text := strings.Repeat("a line of text\n", 1000) // git looks for a NUL in the first 8,000 bytes only
	r.write("late", text)
	r.commit("text")
	r.write("late", text+"with \x00\x01 a NUL\ndiff --git a/x b/x\n")
	r.write("long", strings.Repeat("x", 300_000)+"\nshort\n")
	r.write("latin\xe9.txt", "caf\xe9 au lait\n")
	r.commit("odd")
	got := r.log(git.Ask{})[1].Files
	if len(got) != 3 || got[0].Hunks[0].Added[0] != "with \x00\x01 a NUL" || got[0].Hunks[0].Added[1] != "diff --git a/x b/x" {
		t.Fatalf("files: %+.40v", got)
	}
	if got[1].Path != "latin\xe9.txt" || got[1].Hunks[0].Added[0] != "caf\xe9 au lait" || got[2].Added != 2 || got[2].Hunks[0].Added[1] != "short" {
		t.Errorf("files: %+.40v", got[1:])
	}
}

func TestCommitsTypeChangeAndSubmodule(t *testing.T) {
	sub, r := newRepo(t), newRepo(t)
	sub.write("s", "s\n")
	sub.commit("sub")
	r.write("a", "text\n")
	r.write("z", "last\n")
	r.commit("first")
	r.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", sub.dir, "lib/sub")
	if err := os.Remove(filepath.Join(r.dir, "a")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("z", filepath.Join(r.dir, "a")); err != nil {
		t.Skip(err)
	}
	r.write("z", "changed\n")
	r.commit("second")
	var got []string
	for _, f := range r.log(git.Ask{})[1].Files {
		got = append(got, string(f.Status)+" "+f.Path+" "+strconv.FormatBool(f.Submodule)+" "+strconv.Itoa(f.Added))
	}
	want := []string{"A .gitmodules false 3", "T a false 1", "A lib/sub true 1", "M z false 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	paths, err := r.open().Submodules(t.Context())
	if err != nil || !cmp.Equal(paths, []string{"lib/sub"}) {
		t.Errorf("submodules %q, %v", paths, err)
	}
	inner, err := git.Open(t.Context(), filepath.Join(r.dir, "lib/sub"))
	if err != nil {
		t.Fatal(err)
	}
	if super, err := inner.Superproject(t.Context()); err != nil || super != r.open().Root {
		t.Errorf("superproject %q, %v", super, err)
	}
}

func TestMerge(t *testing.T) {
	r := newRepo(t)
	r.write("f", "a\nb\nc\n")
	r.commit("base")
	r.git("checkout", "-q", "-b", "side")
	r.write("f", "a\nside\nc\n")
	r.write("other", "x\n")
	r.commit("side")
	r.git("checkout", "-q", "main")
	r.write("f", "a\nmain\nc\n")
	r.commit("main")
	merge := exec.Command("git", "-C", r.dir, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "merge", "-q", "side")
	if err := merge.Run(); err == nil {
		t.Fatal("no conflict")
	}
	r.write("f", "a\nboth of them\nc\n")
	id := r.commit("merge")
	c, err := r.open().Commit(t.Context(), "HEAD")
	if err != nil || c.ID != id || !c.Merge() {
		t.Fatalf("%+v, %v", c, err)
	}
	want := []git.File{{Path: "f", Status: 'M', Added: 1, Hunks: []git.Hunk{{NewStart: 2, Added: []string{"both of them"}}}}}
	if diff := cmp.Diff(want, c.Files); diff != "" {
		t.Error(diff)
	}
}

func TestAsk(t *testing.T) {
	r := newRepo(t)
	var ids []string
	for _, name := range []string{"a", "b", "a2", "c"} {
		r.write(name[:1], name)
		ids = append(ids, r.commit(name))
	}
	for _, test := range []struct {
		name string
		ask  git.Ask
		want []string
	}{
		{"all", git.Ask{}, ids},
		{"newest", git.Ask{NewestFirst: true, Limit: 1}, ids[3:]},
		{"range", git.Ask{Revs: []string{ids[0] + ".." + ids[2]}}, ids[1:3]},
		{"paths", git.Ask{Paths: []string{"a"}}, []string{ids[0], ids[2]}},
		{"exact", git.Ask{Revs: []string{ids[2], ids[1]}, Exact: true, NoPatch: true}, []string{ids[2], ids[1]}},
	} {
		var got []string
		for _, c := range r.log(test.ask) {
			got = append(got, c.ID)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
	if list, err := r.open().List(t.Context(), ids[1]+".."); err != nil || !cmp.Equal(list, ids[2:]) {
		t.Errorf("list %v, %v", list, err)
	}
}

func TestBlame(t *testing.T) {
	r := newRepo(t)
	rest := strings.Repeat("more of the same\n", 9)
	r.write("old name", "first line of it\nsecond line of it\n"+rest)
	one := r.commit("one")
	r.git("mv", "old name", "new\tname")
	r.write("new\tname", "\tfirst line of it\nsecond line of it\nthird\n"+rest)
	two := r.commit("two")
	r.write("new\tname", "\tfirst line of it\nsecond line of it\nthird\nnot committed\n"+rest)
	var got []git.BlamedLine
	for line, err := range r.open().Blame(t.Context(), git.BlameAsk{Path: "new\tname", From: 1, To: 4}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, line)
	}
	want := []git.BlamedLine{
		{Line: 1, Text: "\tfirst line of it", Commit: one, OrigPath: "old name", OrigLine: 1},
		{Line: 2, Text: "second line of it", Commit: one, OrigPath: "old name", OrigLine: 2},
		{Line: 3, Text: "third", Commit: two, OrigPath: "new\tname", OrigLine: 3},
		{Line: 4, Text: "not committed", Commit: git.ZeroID, OrigPath: "new\tname", OrigLine: 4},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, a := range []git.BlameAsk{{Path: "none"}, {Path: "new\tname", From: 99, To: 99}} {
		for _, err := range r.open().Blame(t.Context(), a) {
			if !errors.Is(err, git.ErrNotFound) {
				t.Errorf("%+v: %v", a, err)
			}
		}
	}
}

func TestHooksEnvironmentDoesNotRedirect(t *testing.T) {
	r, other := newRepo(t), newRepo(t)
	r.write("f", "f\n")
	id := r.commit("mine")
	t.Setenv("GIT_DIR", filepath.Join(other.dir, ".git"))
	t.Setenv("GIT_INDEX_FILE", filepath.Join(other.dir, "index"))
	if got, err := r.open().Resolve(t.Context(), "HEAD"); err != nil || got != id {
		t.Errorf("%q, %v", got, err)
	}
}

func TestRepo(t *testing.T) {
	r := newRepo(t)
	if _, err := r.open().Resolve(t.Context(), "HEAD"); !errors.Is(err, git.ErrNotFound) {
		t.Errorf("HEAD of an empty repository: %v", err)
	}
	r.write("d/f", "f\n")
	id := r.commit("first")
	r.git("remote", "add", "origin", "git@example.com:ada/app.git")
	tree := filepath.Join(t.TempDir(), "tree")
	r.git("worktree", "add", "-q", tree, "-b", "topic")
	main := r.open()
	roots, remotes, err := main.Identity(t.Context())
	if err != nil || !cmp.Equal(roots, []string{id}) || !cmp.Equal(remotes, []string{"git@example.com:ada/app.git"}) {
		t.Errorf("identity %v %v %v", roots, remotes, err)
	}
	linked, err := git.Open(t.Context(), tree)
	if err != nil {
		t.Fatal(err)
	}
	if linked.CommonDir != main.CommonDir || linked.GitDir == main.GitDir || linked.Root == main.Root {
		t.Errorf("worktree %+v of %+v", linked, main)
	}
	trees, err := linked.Worktrees(t.Context())
	if err != nil || !cmp.Equal(trees, []string{main.Root, linked.Root}) {
		t.Errorf("worktrees %v, %v", trees, err)
	}
	hooks, err := linked.HooksDir(t.Context())
	if err != nil || hooks != filepath.Join(main.CommonDir, "hooks") {
		t.Errorf("hooks %q, %v", hooks, err)
	}
	if below, err := git.Open(t.Context(), filepath.Join(r.dir, "d")); err != nil || below.Root != main.Root {
		t.Errorf("from a folder below: %+v, %v", below, err)
	}
	if _, err := git.Open(t.Context(), t.TempDir()); retold.CodeOf(err) != retold.CodeUsage {
		t.Errorf("no repository: %v", err)
	}
	if text, err := main.File(t.Context(), id, "d/f"); err != nil || string(text) != "f\n" {
		t.Errorf("file %q, %v", text, err)
	}
	if _, err := main.File(t.Context(), id, "none"); !errors.Is(err, git.ErrNotFound) {
		t.Errorf("no file: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := main.Commit(ctx, "HEAD"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestNotesAndPatchID(t *testing.T) {
	r := newRepo(t)
	r.git("config", "user.name", "Ada")
	r.git("config", "user.email", "ada@example.com")
	r.write("f", "f\n")
	r.commit("base")
	r.write("g", "g\n")
	id := r.commit("one")
	r.git("commit", "-q", "--amend", "-m", "amended")
	again := r.git("rev-parse", "HEAD")
	main := r.open()
	a, err := main.PatchID(t.Context(), id)
	b, err2 := main.PatchID(t.Context(), again)
	if err != nil || err2 != nil || a == "" || a != b || id == again {
		t.Errorf("patch ids %q %q, %v %v", a, b, err, err2)
	}
	if _, err := main.Note(t.Context(), "retold", id); !errors.Is(err, git.ErrNotFound) {
		t.Errorf("no note: %v", err)
	}
	for _, text := range []string{"first\n", "second\n"} {
		if err := main.SetNote(t.Context(), "retold", again, text); err != nil {
			t.Fatal(err)
		}
		if got, err := main.Note(t.Context(), "retold", again); err != nil || got != text {
			t.Errorf("note %q, %v", got, err)
		}
	}
	for range 2 {
		if err := main.DropNote(t.Context(), "retold", again); err != nil {
			t.Error(err)
		}
	}
	if email, err := main.UserEmail(t.Context()); err != nil || email != "ada@example.com" {
		t.Errorf("email %q, %v", email, err)
	}
}
