package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/retold-history/retold/journal/hook/spool"
)

// A commit waits for enqueue, which therefore has its turn before the packages
// that make tables when the program starts (see package early). Time varies from
// run to run; which packages were set up before it does not.
func TestEnqueueIsEarly(t *testing.T) {
	home, repo := t.TempDir(), t.TempDir()
	git := exec.CommandContext(t.Context(), "git", "init", "-q", repo)
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	trace := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "retold", args...)
		cmd.Dir, cmd.Env = repo, append(os.Environ(), "RETOLD_HOME="+home, "GODEBUG=inittrace=1")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil || out.Len() > 0 {
			t.Fatalf("retold %v: %v, %q", args, err, out.String())
		}
		return errs.String()
	}
	const tables = "github.com/alecthomas/chroma/v2/lexers"
	id := strings.Repeat("0", 39) + "1" // which is not there, so that nothing comes of it
	for line := range strings.Lines(trace("journal", "enqueue", "--no-drain", "--event", spool.PostCommit, id)) {
		if name, _, _ := strings.Cut(strings.TrimPrefix(line, "init "), " "); strings.HasPrefix(name, "github.com/") && strings.Contains(name, "/chroma/") || name == "regexp" {
			t.Errorf("%s is set up first: an import of journal/hook/spool makes it wait", name)
		}
	}
	if all := trace("--color", "never", "journal", "enqueue", "--no-drain", id); !strings.Contains(all, tables) {
		t.Error("the trace does not show what it is about")
	}
	if log, err := os.ReadFile(spool.Folder(home) + "/" + spool.LogFile); err != nil || strings.Count(string(log), id) < 2 {
		t.Errorf("the log: %s, %v", log, err)
	}
}
