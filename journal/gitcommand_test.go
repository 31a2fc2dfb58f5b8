package journal_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
)

// What is kept of a command tells whether its git commit made a commit.
func TestCommitsOf(t *testing.T) {
	ok, bad := 0, 1
	for _, c := range []struct {
		command, output string
		code            *int
		want            []string
	}{
		{`git commit -m fix`, "[main 1a2b3c4] fix\n 1 file changed", &ok, []string{"fix 1a2b3c4"}},
		{`git commit -m fix`, "[main 1a2b3c4] fix\n 1 file changed", &bad, []string{"fix 1a2b3c4"}},
		{`git commit -m fix`, "", &bad, nil},
		{`git commit -qm fix`, "", &ok, []string{"fix"}},
		{`git add -A && git commit -qm fix && git status`, "nothing to commit, working tree clean", &ok, []string{"fix"}},
		{"set -e\ngit commit -qm fix\nmake", "", &ok, []string{"fix"}},
		{`git commit -qm fix; make`, "", &ok, []string{"fix unsure"}},
		{`git commit -qm fix`, "", nil, []string{"fix unsure"}},
		{`git diff --quiet || git commit -qm fix`, "", &ok, []string{"fix unsure"}},
		{`if true; then git commit -qm fix; fi`, "", &ok, []string{"fix unsure"}},
		{`git commit -am fix | cat`, "nothing to commit, working tree clean", &ok, nil},
		{`git commit -am fix || true`, "On branch main\nno changes added to commit", &ok, nil},
		{`git commit -m fix; echo done`, "pre-commit: lint failed\ndone", &ok, nil},
		{`git commit -m fix; echo done`, "done", &ok, nil},
		{`git commit -m fix | tail -2`, " 2 files changed, 3 insertions(+)", &ok, []string{"fix"}},
		{`go test ./... && git commit -am fix`, "--- FAIL: TestX\nFAIL", nil, nil},
		{`git revert --no-edit HEAD`, "[main 1a2b3c4] Revert \"fix\"", &ok, []string{"Revert \" 1a2b3c4"}},
		{`git revert --abort`, "", &ok, nil},
		{`cat build.log && git commit --amend --help`, "[main 1a2b3c4] fix", &ok, nil},
		{`git merge tide`, "Merge made by the 'ort' strategy.", &ok, []string{"Merge branch 'tide'"}},
		{`git merge tide`, "Updating 1..2\nFast-forward", &ok, nil},
		{`git merge tide`, "CONFLICT (content): Merge conflict in a", nil, nil},
	} {
		params, err := json.Marshal(map[string]string{"command": c.command})
		if err != nil {
			t.Fatal(err)
		}
		result, err := json.Marshal(map[string]string{"output": c.output})
		if err != nil {
			t.Fatal(err)
		}
		call := &retold.ToolCall{Kind: retold.ToolShell, Params: params, Result: result, Status: retold.StatusCompleted, ExitCode: c.code}
		if diff := cmp.Diff(c.want, journal.CommitsOf(&retold.Message{Tool: call})); diff != "" {
			t.Errorf("%s\n%s\n%s", c.command, c.output, diff)
		}
	}
}

// A script goes to folders and comes back, and git can be sent elsewhere.
func TestGitCommitFolders(t *testing.T) {
	for script, want := range map[string]string{
		`pushd lib && git commit -m a && popd && git commit -m b`:        "/w/lib /w",
		`(cd lib && git commit -m a); git commit -m b`:                   "/w/lib /w",
		`(cd lib; ls); (git commit -m a)`:                                "/w",
		`cd lib; cd -; git commit -m a`:                                  "/w",
		`cd lib; cd "$(git rev-parse --show-toplevel)"; git commit -m a`: "/w",
		`cd $(mktemp -d) && git commit -m a`:                             "/w/$(mktemp -d)",
		`GIT_DIR=/tmp/x/.git git commit -m a`:                            "/tmp/x",
		`export GIT_DIR=/tmp/x.git; git commit -m a`:                     "$GIT_DIR",
		`git --git-dir=/tmp/x/.git --work-tree /tmp/y commit -m a`:       "/tmp/y",
		`git -C a -C b commit -m a`:                                      "/w/a/b",
	} {
		if diff := cmp.Diff(want, journal.GitFolders(script, "/w")); diff != "" {
			t.Errorf("%s\n%s", script, diff)
		}
	}
}

// Lines of a notebook's cell are known as its file has them.
func TestNotebookCells(t *testing.T) {
	for params, want := range map[string][]string{
		`{"target_notebook":"/w/a.ipynb","old_string":"","new_string":"a = \"x\"\nb = a < 1\n"}`:   {"diff /w/a.ipynb", `+"a = \"x\"\n",`, `+"b = a < 1"`},
		`{"target_notebook":"/w/a.ipynb","old_string":"","new_string":"  \"a = 1\\n\",\n  \"b\""}`: {"diff /w/a.ipynb", `+  "a = 1\n",`, `+  "b"`},
	} {
		call := &retold.ToolCall{Name: "edit_notebook", Kind: retold.ToolEdit, Params: json.RawMessage(params), Status: retold.StatusCompleted}
		if diff := cmp.Diff(want, journal.EditsOf(call)); diff != "" {
			t.Errorf("%s\n%s", params, diff)
		}
	}
}
