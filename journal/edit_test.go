package journal_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
)

func split(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

func TestReadDiff(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"context parts changes": {"--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n-a\n+b\n same\n-c\n+d\n last\n", "file x > x\n-a\n+b\n--\n-c\n+d\n"},
		"sql comments are lines": {
			"--- a/q.sql\n+++ b/q.sql\n@@ -1,3 +1,3 @@ position in the file not stored\n select 1\n--- old comment\n+-- new comment\n -- stays\n",
			"file q.sql > q.sql\n--- old comment\n+-- new comment\n",
		},
		"created":             {"--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+n = 0\n", "file  > n.py\n+n = 0\n"},
		"deleted":             {"--- a/n.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-n = 0\n", "file n.py > \n-n = 0\n"},
		"two files":           {"diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -3,0 +4,2 @@\n+c\n+d\n", "file x > x\n-a\n+b\nfile y > y\n+c\n+d\n"},
		"carriage returns":    {"--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", "file x > x\n-a\n+b\n"},
		"no newline at end":   {"--- x\n+++ x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n\\ No newline at end of file\n", "file x > x\n-a\n+a\n"},
		"quoted":              {"--- \"a/caf\\303\\251\"\n+++ \"b/caf\\303\\251\"\n@@ -1 +1 @@\n-a\n+b\n", "file café > café\n-a\n+b\n"},
		"cut short":           {"--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n+b", "file x > x\n-a\n+b\n"},
		"hunk without counts": {"--- a/x\n+++ b/x\n@@ somewhere @@\n-a\n+b\n@@ else @@\n+c\n", "file x > x\n-a\n+b\n--\n+c\n"},
	} {
		if diff := cmp.Diff(split(c.want), journal.ReadDiff(c.in)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	if got := journal.ReadDiff("no diff at all\n@@ -1 +1 @@\n+x\n"); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

func call(name string, kind retold.ToolKind, params string) *retold.ToolCall {
	return &retold.ToolCall{Name: name, Kind: kind, Status: retold.StatusCompleted, Params: json.RawMessage(params)}
}

func TestEditsOf(t *testing.T) {
	for name, c := range map[string]struct {
		call *retold.ToolCall
		want string
	}{
		"replacement": {call("Edit", retold.ToolEdit, `{"file_path":"/a/x.go","old_string":"keep\nold","new_string":"keep\nnew"}`), "diff /a/x.go\n-old\n+new\n"},
		"several":     {call("MultiEdit", retold.ToolEdit, `{"file_path":"/a/x.go","edits":[{"old_string":"a","new_string":"b"},{"old_string":"c\n","new_string":""}]}`), "diff /a/x.go\n-a\n+b\n--\n-c\n"},
		"whole":       {call("write", retold.ToolEdit, `{"file_path":"x.go","contents":"a\nb\n"}`), "whole x.go\n+a\n+b\n"},
		"sketch":      {call("edit_file", retold.ToolEdit, `{"target_file":"x.ts","code_edit":"// ... existing code ...\na();\n// ... rest of the file ...\nb();"}`), "sketch x.ts\n+a();\n--\n+b();\n"},
		"patch": {
			call("apply_patch", retold.ToolEdit, `{"patch":"*** Begin Patch\n*** Update File: a.py\n@@ def f():\n x = 1\n-y = 2\n+y = 3\n*** Add File: b.py\n+n = 0\n*** Delete File: c.py\n*** End Patch"}`),
			"diff a.py\n-y = 2\n+y = 3\ndiff b.py\n+n = 0\ndelete c.py\n",
		},
		"delete":              {call("delete_file", retold.ToolEdit, `{"target_file":"x.go"}`), "delete x.go\n"},
		"thrown away":         {call("Shell", retold.ToolShell, `{"command":"git checkout x.go; git checkout main; git checkout HEAD~1 -- y.go; git restore --staged z.go; git reset --hard HEAD","cwd":"/a"}`), "revert /a/x.go\nreset /a\n"},
		"put aside":           {call("Shell", retold.ToolShell, `{"command":"git stash -u && git -C b stash pop; git stash list; git stash drop","cwd":"/a"}`), "stash /a\npop /a/b\ndrop /a\n"},
		"another server":      {call("files/write_file", retold.ToolMCP, `{"path":"/a/x","content":"hello\n"}`), "whole /a/x\n+hello\n"},
		"here-document":       {call("Shell", retold.ToolShell, `{"command":"cat > x.sh <<'EOF'\necho $1\nEOF\n","cwd":"/a"}`), "whole /a/x.sh\n+echo $1\n"},
		"a list of arguments": {call("shell", retold.ToolShell, `{"command":["bash","-lc","echo hi >> y"],"workdir":"/a"}`), "append /a/y\n+hi\n"},
	} {
		if diff := cmp.Diff(split(c.want), journal.EditsOf(c.call)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		for _, status := range []retold.ToolStatus{retold.StatusFailed, retold.StatusCancelled, retold.StatusPending} {
			if c.call.Status = status; len(journal.EditsOf(c.call)) > 0 {
				t.Errorf("%s: counts though it is %s", name, status)
			}
		}
	}
	withDiff := call("search_replace", retold.ToolEdit, `{"file_path":"/a/x.go","old_string":"p","new_string":"q"}`)
	withDiff.Files, withDiff.Diff = []string{"/a/x.go"}, "--- a/a/x.go\n+++ b/a/x.go\n@@ -1 +1 @@\n-old\n+new\n"
	if diff := cmp.Diff([]string{"diff /a/x.go", "-old", "+new"}, journal.EditsOf(withDiff)); diff != "" {
		t.Error(diff)
	}
}

func TestShellEdits(t *testing.T) {
	for script, want := range map[string]string{
		"cd sub && cat > a.txt <<EOF && cat > b.txt <<'E2'\none\nEOF\ntwo\nE2\n":           "whole /w/sub/a.txt\n+one\nwhole /w/sub/b.txt\n+two\n",
		"cat <<-EOF | tee -a notes\n\tx\n\tEOF\n":                                          "append /w/notes\n+x\n",
		"printf 'a\\nb\\n' > f; echo done":                                                 "whole /w/f\n+a\n+b\n",
		"echo 'it''s' >out 2>err":                                                          "whole /w/out\n+its\n",
		"rm -rf build old.go; git mv a.go pkg/b.go; mv x y/":                               "delete /w/build\ndelete /w/old.go\nmove /w/pkg/b.go < /w/a.go\nmove /w/y/x < /w/x\n",
		"sed -i 's/a/b/' one.go two.go && sed 's/x/y/' three.go":                           "touch /w/one.go\ntouch /w/two.go\n",
		"FOO=1 sudo tee /etc/x <<< hello":                                                  "whole /etc/x\n+hello\n",
		"go build ./... > build.log 2>&1":                                                  "touch /w/build.log\n",
		"git apply <<'P'\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nP\n":                      "diff /w/x\n-a\n+b\n",
		"apply_patch <<'P'\n*** Begin Patch\n*** Update File: x\n-a\n+b\n*** End Patch\nP": "diff /w/x\n-a\n+b\n",
		"ls -la # > not a file":                                                            "",
		"echo \"a > b\"":                                                                   "",
		"python - <<'EOF'\nopen('x','w').write('> y')\nEOF\n":                              "",
	} {
		got := journal.ShellEdits(script, "/w")
		if diff := cmp.Diff(strings.TrimSuffix(want, "\n"), strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s\n%s", script, diff)
		}
	}
}

func TestGitCommits(t *testing.T) {
	for script, want := range map[string]string{
		`git add -A && git commit -m "Fix it"`:                                "/w: Fix it",
		`cd api; git commit -am 'One' -m 'Two'`:                               "/w/api: One\n\nTwo",
		`git -C ../lib commit --message="Say \"hi\""`:                         "/lib: Say \"hi\"",
		"git commit -m \"$(cat <<'EOF'\nSubject (a)\n\nBody's text\nEOF\n)\"": "/w: Subject (a)\n\nBody's text",
		"git commit -F - <<'EOF'\nFrom a document\nEOF":                       "/w: From a document",
		"echo 'Piped' | git commit -F -":                                      "/w: Piped",
		"cat > /tmp/m <<'EOF'\nIn a file\nEOF\ngit commit --file=/tmp/m":      "/w: In a file",
		`git -c user.name=x commit -qm"Glued"`:                                "/w: Glued",
		`git commit --amend --no-edit`:                                        "/w: ",
		`git commit --dry-run -m no`:                                          "",
		`git log --grep commit; echo "git commit -m no"`:                      "",
		"git commit -m $'Two\\nlines'":                                        "/w: Two\nlines",
		"if git diff --quiet; then :; else git commit -m Else; fi":            "/w: Else",
		"git commit -m 'A' && git commit -m 'B'":                              "/w: A\n---\n/w: B",
	} {
		if diff := cmp.Diff(want, strings.Join(journal.GitCommits(script, "/w"), "\n---\n")); diff != "" {
			t.Errorf("%s\n%s", script, diff)
		}
	}
}

func TestSed(t *testing.T) {
	for _, c := range []struct {
		words      []string
		line, want string
	}{
		{[]string{"sed", "-i", "s/five/six/"}, "five fives", "six fives"},
		{[]string{"sed", "-i", "s/five/six/g"}, "five fives", "six sixs"},
		{[]string{"sed", "-i", "", `s|/old/path|/new|`}, "cd /old/path", "cd /new"},
		{[]string{"sed", "-i", `s/\(a\)\(b\)/\2\1&/`}, "ab", "baab"},
		{[]string{"sed", "-E", "-i", `s/v([0-9]+)/w\1/`}, "v12", "w12"},
		{[]string{"sed", "-i", "-e", "s/a/b/", "-e", "s/b/c/"}, "a", "c"},
		{[]string{"sed", "-i", "s/(x)/y/"}, "f(x)", "fy"},
		{[]string{"sed", "-i", "s/cost/$5/"}, "cost", "$5"},
		{[]string{"sed", "-i", "1d"}, "stays", "stays"},
		{[]string{"sed", "-i", "s/[/x/"}, "bad pattern", "bad pattern"},
	} {
		if got := journal.Sed(c.words, c.line); got != c.want {
			t.Errorf("%q of %q: %q, want %q", c.words, c.line, got, c.want)
		}
	}
}
