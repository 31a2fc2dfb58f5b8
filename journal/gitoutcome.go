package journal

import (
	"strings"

	"github.com/retold-history/retold"
)

// An outcome is what is kept of how a script ended.
type outcome struct {
	code   *int
	failed bool // so says its exit code, or the agent
	wrong  bool // so says what it printed
	did    bool // it printed what git does of a commit it made
	said   bool // it printed anything, and all of it is kept
}

// failures are what git, its hooks and tests print when there is no commit.
var failures = []string{
	"nothing to commit", "no changes added to commit", "nothing added to commit", "aborting", "fatal:", "error:", "please tell me who you are",
	"not possible because you have unmerged", "pre-commit:", "lint failed", "hook failed", "hook exited", "hook declined", "hook script failed",
	"commit-msg:", "command not found", "--- fail", "\nfail", "tests failed", "did not match any file", "conflict (", "already up to date", "fast-forward",
}

func readOutcome(t *retold.ToolCall, command string, texts []string) (o outcome) {
	o.code = t.ExitCode
	o.failed = t.Status == retold.StatusFailed || t.ExitCode != nil && *t.ExitCode != 0
	shows := false // other commands that print the same of other things
	for _, other := range []string{"git diff", "git show", "git log", "git status", "git pull", "git stash", "git apply"} {
		shows = shows || strings.Contains(command, other)
	}
	for _, text := range texts {
		text = strings.ToLower(text[:min(len(text), longestOutput)])
		o.said = o.said || strings.TrimSpace(text) != "" && !strings.Contains(text, "truncated")
		if !shows && (strings.Contains(text, " changed, ") || strings.Contains(text, "merge made by")) {
			o.did = true
		}
		for _, failure := range failures {
			if strings.Contains("\n"+text, failure) && (!shows || !strings.HasSuffix(failure, "commit")) {
				o.wrong = true
			}
		}
	}
	return o
}

// succeeded leaves out the commits that failed, and marks those of which nothing
// says whether they did.
func succeeded(list []gitCommit, o outcome) (out []gitCommit) {
	for _, c := range list {
		proven := o.code != nil && *o.code == 0 && !c.masked
		switch {
		case c.printed != "":
		case o.failed: // a commit can stand before what failed, but then git said so
			continue
		case c.repeats && c.message == "":
			continue
		case o.wrong && (c.repeats || !proven):
			continue
		case proven, o.did:
		case !c.quiet && o.said:
			continue // it would have said so
		default:
			c.unsure = true
		}
		out = append(out, c)
	}
	return out
}
