package journal

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/retold-history/retold"
)

// attempted is what a command tries, in parts: its simple commands without flags,
// without those that only look, go somewhere or shape what is printed. Two commands
// with the same parts are the same thing tried again. looks says that it does
// nothing but look: what it prints is not its own.
func attempted(command string) (parts []string, looks bool) {
	for _, run := range readShell(command) {
		words := slices.DeleteFunc(slices.Clone(run.words), func(w string) bool { return strings.HasPrefix(w, "-") && w != "-" })
		for len(words) > 0 && assigns(words[0]) {
			words = words[1:]
		}
		if len(words) > 0 && !aside(words, run.words) {
			parts = append(parts, strings.Join(words, " "))
		}
	}
	if len(parts) == 0 {
		return []string{strings.TrimSpace(command)}, len(readShell(command)) > 0
	}
	return parts, false
}

// assigns reports whether a word sets a variable for the command behind it.
func assigns(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == ""
}

// aside reports whether a simple command is none that can pass or fail in a
// telling way; all are its words with flags.
func aside(words, all []string) bool {
	switch path.Base(words[0]) {
	case "cd", "pushd", "popd", "export", "source", ".", "set", "unset", "echo", "printf", "true", "sleep", "wait", "pwd", "clear",
		"head", "tail", "grep", "rg", "egrep", "ag", "tee", "cat", "less", "more", "ls", "find", "fd", "wc", "nl", "awk", "jq", "sort", "uniq", "cut", "tr", "diff", "which", "type", "stat", "file", "tree":
		return true
	case "sed":
		return !slices.ContainsFunc(all, func(w string) bool { return strings.HasPrefix(w, "-i") })
	case "git":
		return len(words) > 1 && slices.Contains([]string{"log", "show", "diff", "blame", "grep", "status", "branch", "ls-files"}, words[1])
	}
	return false
}

// covers reports whether something that passed is what had failed, or more: the
// same words, or the same program and what it was told to do for everything, as
// "go test ./..." is for "go test ./api".
func covers(pass, part string) bool {
	if pass == part {
		return true
	}
	for _, all := range []string{" ./...", " ."} {
		pass = strings.TrimSuffix(pass, all)
	}
	if !strings.HasPrefix(part, pass+" ") {
		return false
	}
	switch pass {
	case "pytest", "jest", "vitest", "tox", "rspec", "phpunit", "ctest", "tsc", "eslint", "mypy":
		return true
	}
	return strings.Contains(pass, " ")
}

// went reports how a command ended: by its exit code where one is stored, else by
// how the agent saw it end and by what it printed. In a pipe the code is that of
// the last command, which only shapes what the first one prints.
func went(t *retold.ToolCall, command, output string, looks bool) (failed, known bool) {
	if t.Status == retold.StatusCancelled {
		return false, false
	}
	told := !looks && reports(output)
	switch {
	case t.ExitCode == nil:
		failed = t.Status == retold.StatusFailed || told
		return failed, failed || t.Status == retold.StatusCompleted
	case *t.ExitCode == 0:
		return told && (strings.Contains(command, "|") || strings.Contains(command, ";")), true
	}
	return !looks || *t.ExitCode > 1, true // grep ends with 1 when it finds nothing
}

// params are the parameters of a call, however they are spelled.
type params map[string]json.RawMessage

func paramsOf(t *retold.ToolCall) params {
	var p params
	if json.Unmarshal(t.Params, &p) != nil { // none are stored
		return nil
	}
	return p
}

// first is the first of some parameters that is a text and not empty.
func (p params) first(names ...string) string {
	for _, name := range names {
		var s string
		if json.Unmarshal(p[name], &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

// resultText is the text in a result: itself, or those of its members that hold
// what was printed.
func resultText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var p params
	if json.Unmarshal(raw, &p) != nil {
		return ""
	}
	var parts []string
	for _, name := range []string{"error", "errorMessage", "stderr", "output", "stdout", "content", "message"} {
		if s := p.first(name); s != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 { // {"success": {…}}
		for _, inner := range []string{"error", "failure", "rejected", "success", "result"} {
			if s := resultText(p[inner]); len(p[inner]) > 0 && s != "" {
				return s
			}
		}
	}
	return strings.Join(parts, "\n")
}
