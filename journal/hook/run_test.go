package hook_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/retold-history/retold/journal/hook/spool"
)

// run runs retold as a hook does, in the repository; it says nothing and does not
// fail.
func run(t *testing.T, r *repo, args ...string) {
	t.Helper()
	p := r.program()
	cmd := exec.CommandContext(t.Context(), p.Path, args...)
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), p.Env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil || out.Len() > 0 {
		t.Errorf("retold %v: %v, %q", args, err, out.String())
	}
}

// Whatever is wrong, a commit does not notice; the log says it.
func TestQuiet(t *testing.T) {
	r := newRepo(t)
	log := func() string { return read(t, spool.Folder(r.home)+"/"+spool.LogFile) }
	run(t, r, "journal", "enqueue") // there is no commit yet
	if !strings.Contains(log(), "ask git what HEAD is") {
		t.Errorf("the log: %s", log())
	}
	run(t, r, "journal", "enqueue", "nonsense")
	if !strings.Contains(log(), "nonsense") {
		t.Errorf("the log: %s", log())
	}
	if q := look(t, spool.Folder(r.home)); !strings.Contains(q.NotNoted, "nonsense") {
		t.Errorf("%+v", q)
	}
	outside := *r
	outside.dir = t.TempDir()
	run(t, &outside, "journal", "enqueue")
	if !strings.Contains(log(), "not in a git repository") {
		t.Errorf("the log: %s", log())
	}
	// A home that cannot be made.
	write(t, r.home+"2", "a file", 0o600)
	r.home += "2"
	r.commit("a.txt", "zero")
	run(t, r, "journal", "enqueue")
}

func TestParseCall(t *testing.T) {
	for text, want := range map[string]spool.Call{
		"":                           {Kind: "post-commit", Rev: "HEAD"},
		"HEAD":                       {Kind: "post-commit", Rev: "HEAD"},
		"--event post-commit HEAD~1": {Kind: "post-commit", Rev: "HEAD~1"},
		"--event=post-rewrite --given=amend HEAD": {Kind: "post-rewrite", Given: "amend", Rev: "HEAD"},
		"x^{/a=b} --no-drain --event post-merge":  {Kind: "post-merge", Rev: "x^{/a=b}", Alone: true},
	} {
		got, ok := spool.ParseCall(strings.Fields(text))
		if !ok || got != want {
			t.Errorf("%q: %+v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"--help", "-h", "HEAD HEAD", "--event", "--event nothing", "--json", "--no-drain=1"} {
		if c, ok := spool.ParseCall(strings.Fields(text)); ok {
			t.Errorf("%q was understood as %+v", text, c)
		}
	}
}

func TestEnvironment(t *testing.T) {
	got := strings.Join(spool.Environment([]string{"HOME=/home/ada", "GIT_DIR=.git", "GIT_CONFIG_GLOBAL=/x", "Git_Index_File=i", "GITHUB_TOKEN=t"}), " ")
	if want := "HOME=/home/ada GIT_CONFIG_GLOBAL=/x GITHUB_TOKEN=t"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"version":1,"event":"post-commit","commit":"475c20bf2a967e860cd2569df9d55e25d4e07e01","gitDir":"/x"}`))
	f.Add([]byte(`{"version":1,"commit":"475c20bf2a967e860cd2569df9d55e25d4e07e01","bytes":{"worktree":"L/8="}}`))
	f.Add([]byte(`{"version":2}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := spool.Parse(data)
		if err != nil {
			return
		}
		dir := t.TempDir()
		name, err := spool.Put(dir, e)
		if err != nil {
			return // a year that JSON has no room for
		}
		again, err := spool.Parse([]byte(read(t, dir+"/"+name)))
		if err != nil || again.Commit != e.Commit || again.Worktree != e.Worktree {
			t.Errorf("%+v became %+v, %v", e, again, err)
		}
	})
}
