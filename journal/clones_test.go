package journal_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/journal"
)

// TestRepoAt compares what the folders tell of repositories with what git does.
func TestRepoAt(t *testing.T) {
	build := &stream{}
	build.commit(monday, "Start", map[string]string{"shop.go": "package shop\n"})
	repo, _ := build.build(t)
	other := filepath.Join(t.TempDir(), "other")
	for _, args := range [][]string{
		{"worktree", "add", "-q", other},
		{"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repo.Root, "part"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo.Root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	for _, top := range []string{repo.Root, other, filepath.Join(repo.Root, "part")} {
		want, err := git.Open(t.Context(), top)
		if err != nil {
			t.Fatal(err)
		}
		got, err := journal.RepoAt(top)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", top, diff)
		}
	}
	if r, err := journal.RepoAt(t.TempDir()); err == nil {
		t.Errorf("an empty folder is %+v", r)
	}
}
