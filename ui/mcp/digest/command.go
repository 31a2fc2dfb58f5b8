package digest

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// A Command is something the agent ran in a shell.
type Command struct {
	Finding       // Text is the command line
	ExitCode *int // nil when not recorded
	Failed   bool // it ended badly, as far as anything says
	Unknown  bool // nothing says how it ended
	Output   string
}

// Commands are what was run, in order.
func Commands(messages []retold.Message) (out []Command) {
	for _, m := range live(messages) {
		if m.Tool == nil || m.Tool.Kind != retold.ToolShell {
			continue
		}
		line := first(object(m.Tool.Params), "command", "cmd", "script")
		if line == "" {
			continue
		}
		c := Command{Finding: Finding{m, line}, ExitCode: m.Tool.ExitCode, Failed: m.Failed(), Output: Output(m.Tool.Result)}
		c.Unknown = c.ExitCode == nil && m.Tool.Status != retold.StatusFailed
		out = append(out, c)
	}
	return out
}

// Output is what a command printed, as far as its result holds it.
func Output(result json.RawMessage) string {
	v := object(result)
	if v == nil {
		return jscan.Value(result).Str()
	}
	if s := first(v, "output", "stdout", "result", "contents", "interleavedOutput"); s != "" {
		if more := first(v, "stderr"); more != "" {
			return s + "\n" + more
		}
		return s
	}
	return first(v, "stderr", "error", "message")
}

// LastFailing is the last command that failed and that no later run of the same
// line, or for tests of any test, made good; nil when there is none.
func LastFailing(commands []Command) *Command {
	good := map[string]bool{}
	tested := false
	for i := len(commands) - 1; i >= 0; i-- {
		c := &commands[i]
		line := strings.Join(strings.Fields(c.Text), " ")
		switch {
		case !c.Failed && !c.Unknown:
			good[line] = true
			for part := range strings.SplitSeq(line, " && ") {
				good[part] = true
			}
			tested = tested || IsTest(line)
		case c.Failed && !good[line] && (!tested || !IsTest(line)):
			return c
		}
	}
	return nil
}

// tests are commands that check what was written.
var tests = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[\s;&|(/])(go( -C \S+)? (test|vet|build)|(npm|pnpm|yarn|bun|deno)( -\S+( [^-\s]\S*)?)* (run )?(-\S+ )*(test|lint|build|check|typecheck)\S*|npx (jest|vitest|tsc|playwright|eslint)\S*|jest|vitest|pytest|tox|nox|unittest|rspec|phpunit|ctest|cargo (test|check|build|clippy|nextest)|make (test|check|all|lint|build)\S*|make\s*$|mvn \S*\s*(test|verify)|(\./)?gradlew? \S*(test|check|build)\S*|dotnet (test|build)|swift (test|build)|mix test|bundle exec r(spec|ake)|tsc|mypy|ruff check|golangci-lint run|bazel test|just test)\b`)
})

// IsTest reports whether a command line checks what was written: a test, a build,
// a linter, by the names such programs commonly have.
func IsTest(line string) bool { return tests().MatchString(line) }
