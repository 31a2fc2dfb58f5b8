package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/ui/mcp"
)

// A worked repository is one that a session of a tale wrote a file of.
type worked struct {
	t       *testing.T
	dir     string
	session string
	commits []string
	c       *client
}

func (m *worked) git(args ...string) string {
	m.t.Helper()
	cmd := exec.CommandContext(m.t.Context(), "git", args...)
	cmd.Dir = m.dir
	date := fmt.Sprint(demoDay.Add(time.Duration(len(m.commits)-48)*time.Hour).Unix(), " +0000")
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com", "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (m *worked) commit(message, name, text string) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
	m.git("add", "-A")
	m.git("commit", "-q", "-m", message)
	m.commits = append(m.commits, m.git("rev-parse", "HEAD"))
}

const (
	secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	before = "package tide\n\n// Tide is the sea's.\n"
	wrote  = "func RetryBudget(calls int) int {\n\treturn calls / 10 // a tenth may be tried again\n}\n\nfunc Harbour() string { return \"harbour of \" + name }\n"
)

func workedRepo(t *testing.T, o mcp.Options) *worked {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &worked{t: t, dir: dir, session: "5eaf00d5-aaaa-4bbb-8ccc-0123456789ab"}
	m.git("init", "-q", "-b", "main")
	m.git("config", "user.email", "ada@example.com")
	m.commit("Begin", "tide.go", before)
	params, err := json.Marshal(map[string]string{"path": filepath.Join(dir, "tide.go"), "old_string": "", "new_string": wrote})
	if err != nil {
		t.Fatal(err)
	}
	edit := ran(retold.ToolEdit, "edit_file", string(params), "ok")
	edit.Tool.Files = []string{filepath.Join(dir, "tide.go")}
	edit.Tool.Diff = "--- a/tide.go\n+++ b/tide.go\n@@ -3,1 +3,6 @@\n // Tide is the sea's.\n+" + strings.ReplaceAll(strings.TrimSuffix(wrote, "\n"), "\n", "\n+") + "\n"
	s := &tales{}
	ask := said(retold.RoleUser, "Add a retry budget of a tenth. OBEY-ME My token is "+secret)
	answer := said(retold.RoleAssistant, "I added RetryBudget because a tenth is enough.")
	messages := []retold.Message{ask, edit, answer}
	for i := range messages {
		messages[i].Timestamp, messages[i].TimestampSource = demoDay.Add(-47*time.Hour-30*time.Minute+time.Duration(i)*time.Minute), retold.TimeStored
	}
	s.tell(retold.Session{
		ID: m.session, Title: "A retry budget OBEY-ME", WorkspacePath: dir, WorkspaceName: filepath.Base(dir),
		CreatedAt: messages[0].Timestamp, UpdatedAt: messages[2].Timestamp,
	}, messages...)
	m.commit("Add a retry budget OBEY-ME", "tide.go", before+wrote)
	m.c = connect(t, s.open(t), o, nil, dir)
	return m
}

// What a client that works in a repository asks of it is answered, in both forms
// and within bounds; what was said stands in quotation marks and is cited.
func TestJournalTools(t *testing.T) {
	m := workedRepo(t, mcp.Options{})
	_, output := schemas(t, m.c)
	last := m.commits[1]
	cite := "[5eaf00d5-aaaa#"
	for _, call := range []struct{ tool, args, json, text string }{
		{"why", `{"file": "tide.go", "line": 4}`, `"class":"linked"`, cite + "0], edit " + cite + "1]"},
		{"why", fmt.Sprintf(`{"file": %q, "line": 4}`, filepath.Join(m.dir, "tide.go")), `"promptIndex":0`, "Add a retry budget of a tenth"},
		{"why", `{"file": "tide.go", "line": 1}`, `"class":"none"`, "Line 1, commit " + m.commits[0][:12]},
		{"why", `{"file": "tide.go"}`, `"total":8`, "Lines 4 to 8 · linked · commit " + last[:12] + " " + cite + "0]"},
		{"why", `{"file": "tide.go", "offset": 3}`, `My token is [masked `, "harbour of"},
		{"why", `{"file": "tide.go", "limit": 2, "offset": 3}`, `"hasMore":true`, "More: why with the same parameters and offset=5."},
		{"why", `{"file": "tide.go", "line": 1, "commit": "HEAD~1"}`, `"class":"none"`, "package tide"},
		{"why", `{"commit": "HEAD"}`, `"commit":"` + last, cite + "0] linked, score "},
		{"why", fmt.Sprintf(`{"commit": "main", "repo": %q}`, m.dir), `"kind":"added-lines"`, "added-lines"},
		{"commit_context", `{}`, `"sessionId":"` + m.session, cite + "2] assistant"},
		{"commit_context", `{"commit": "HEAD~1"}`, `"sessions":[]`, "No conversation"},
		{"journal_entry", `{"commit": "HEAD"}`, `"kept":false`, "worked out now"},
		{"journal_search", `{"words": "retry"}`, `"data":[]`, "No entry fits"},
		{"add_reflection", `{"text": "The retry budget was right. OBEY-ME ` + secret + `"}`, `"kind":"reflection"`, "Written down as"},
		{"add_reflection", `{"text": "Run the tests twice.", "kind": "context"}`, `"kind":"context"`, "Run the tests twice."},
	} {
		for _, most := range []string{"", `"max_chars": 2000`} {
			args := call.args
			if most != "" {
				if call.tool == "add_reflection" {
					continue
				}
				args = strings.Replace(strings.TrimSuffix(args, "}")+", "+most+"}", "{, ", "{", 1)
			}
			r := m.c.call(call.tool, args)
			what := call.tool + " " + args
			if r.isError {
				t.Errorf("%s: %s", what, r.text)
				continue
			}
			valid(t, output[call.tool], r, what)
			check(t, what, r.text)
			check(t, "json "+what, string(r.body))
			if most == "" && (!strings.Contains(string(r.body), call.json) || !strings.Contains(r.text, call.text)) {
				t.Errorf("%s:\n%s\n%s", what, r.body, r.text)
			}
			if strings.Contains(r.text+string(r.body), secret) {
				t.Errorf("%s tells a secret", what)
			}
			if n, chars := 2000, max(utf8.RuneCount(r.body), utf8.RuneCountInString(r.text)); most != "" && chars > n {
				t.Errorf("%s: %d characters\n%s\n%s", what, chars, r.body, r.text)
			}
		}
	}
}

// A reflection becomes part of the next entry, and says who wrote it.
func TestReflection(t *testing.T) {
	m := workedRepo(t, mcp.Options{})
	status := m.git("status", "--porcelain", "--ignored")
	if r := m.c.call("add_reflection", `{"text": "A tenth was right."}`); r.isError {
		t.Fatal(r.text)
	}
	if now := m.git("status", "--porcelain", "--ignored"); now != status {
		t.Errorf("the repository is changed: %s", now)
	}
	when := fmt.Sprint(demoDay.Add(time.Hour).Unix(), " +0000")
	t.Setenv("GIT_COMMITTER_DATE", when)
	cmd := exec.CommandContext(t.Context(), "git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-q", "--allow-empty", "-m", "Later")
	cmd.Dir = m.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := m.c.call("journal_entry", `{}`)
	if !strings.Contains(r.text, "A tenth was right.") || !strings.Contains(string(r.body), `"by":"test"`) {
		t.Errorf("%s\n%s", r.text, r.body)
	}
}

// What is asked in a way that cannot be answered says why, and what to ask.
func TestJournalErrors(t *testing.T) {
	m := workedRepo(t, mcp.Options{})
	none, unborn := t.TempDir(), t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", unborn).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	odd := filepath.Join(t.TempDir(), "odd")
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", odd).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), "git", "-C", odd, "config", "core.worktree", filepath.Dir(odd)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, call := range []struct{ tool, args, code, hint string }{
		{"why", `{}`, "usage", "give file"},
		{"why", `{"line": 3, "commit": "HEAD"}`, "usage", "give file as well"},
		{"why", `{"file": "none.go"}`, "line_not_found", "a file that git knows"},
		{"why", `{"file": "tide.go", "line": 99}`, "line_not_found", "tide.go:99"},
		{"why", `{"file": "tide.go", "line": 0}`, "usage", "from 1"},
		{"why", `{"file": "../outside.go", "line": 1}`, "usage", "as repo"},
		{"why", `{"file": "/etc/passwd", "line": 1}`, "usage", "give repo"},
		{"why", fmt.Sprintf(`{"file": "/etc/passwd", "repo": %q}`, m.dir), "usage", "as repo"},
		{"why", `{"commit": "no-such"}`, "commit_not_found", "no commit of this repository is called that"},
		{"why", `{"commit": "--output=/tmp/x"}`, "commit_not_found", "no commit"},
		{"why", `{"file": "tide.go", "line": 1, "commit": "--contents=/etc/passwd"}`, "commit_not_found", "no commit"},
		{"why", fmt.Sprintf(`{"commit": "HEAD", "repo": %q}`, none), "usage", "give repo"},
		{"why", fmt.Sprintf(`{"commit": "HEAD", "repo": %q}`, filepath.Join(none, "gone")), "usage", "absolute path of a folder"},
		{"why", fmt.Sprintf(`{"commit": "HEAD", "repo": %q}`, filepath.Join(m.dir, "tide.go")), "usage", "no folder"},
		{"why", `{"commit": "HEAD", "repo": "relative"}`, "usage", "relative"},
		{"why", fmt.Sprintf(`{"commit": "HEAD", "repo": %q}`, odd), "usage", "core.worktree"},
		{"why", fmt.Sprintf(`{"commit": "HEAD", "repo": %q}`, unborn), "commit_not_found", "no commit"},
		{"why", fmt.Sprintf(`{"file": "x", "line": 1, "repo": %q}`, unborn), "line_not_found", "git"},
		{"commit_context", fmt.Sprintf(`{"repo": %q}`, unborn), "commit_not_found", "no commit"},
		{"journal_entry", fmt.Sprintf(`{"repo": %q}`, unborn), "commit_not_found", "no commit"},
		{"journal_entry", `{"commit": "0123456789012345678901234567890123456789"}`, "commit_not_found", "no commit"},
		{"journal_search", `{}`, "usage", "words"},
		{"journal_search", fmt.Sprintf(`{"words": "x", "repo": %q}`, none), "usage", "give repo"},
		{"add_reflection", `{"text": "  "}`, "usage", "text"},
		{"add_reflection", `{"text": "x", "kind": "other"}`, "usage", "reflection, context"},
	} {
		r := m.c.call(call.tool, call.args)
		if !r.isError || !strings.Contains(string(r.body), `"code":"`+call.code+`"`) || !strings.Contains(r.text, call.hint) {
			t.Errorf("%s %s: %s", call.tool, call.args, r.text)
		}
		if flags := regexp.MustCompile(`--[a-z]+\b`).FindString(strings.ReplaceAll(r.text, "--output", "")); flags != "" && !strings.Contains(call.args, flags) {
			t.Errorf("%s %s names a flag of the command line: %s", call.tool, call.args, r.text)
		}
	}
	if r := m.c.call("journal_search", fmt.Sprintf(`{"words": "x", "repo": %q}`, unborn)); r.isError {
		t.Errorf("an empty repository has an empty journal: %s", r.text)
	}
}

// A shallow clone is asked like any other, as far as it reaches.
func TestShallow(t *testing.T) {
	m := workedRepo(t, mcp.Options{})
	shallow := filepath.Join(t.TempDir(), "clone")
	if out, err := exec.CommandContext(t.Context(), "git", "clone", "-q", "--depth", "1", "file://"+m.dir, shallow).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, call := range [][2]string{{"why", `"commit": "HEAD"`}, {"why", `"file": "tide.go", "line": 4`}, {"commit_context", `"commit": "HEAD"`}, {"journal_entry", `"commit": "HEAD"`}, {"journal_search", `"words": "x"`}} {
		if r := m.c.call(call[0], fmt.Sprintf(`{%s, "repo": %q}`, call[1], shallow)); r.isError {
			t.Errorf("%v: %s", call, r.text)
		}
	}
}

// Text of a repository's configuration that git's errors repeat is quoted.
func TestHostileConfiguration(t *testing.T) {
	m := workedRepo(t, mcp.Options{})
	for _, key := range []string{"core.bare", "blame.blankBoundary", "core.abbrev", "core.bigFileThreshold"} {
		m.git("config", key, "OBEY-ME")
		for _, call := range [][2]string{{"why", `{"file": "tide.go", "line": 4}`}, {"why", `{"commit": "HEAD"}`}, {"commit_context", `{}`}, {"journal_entry", `{}`}, {"journal_search", `{"words": "x"}`}} {
			check(t, fmt.Sprint(key, call), m.c.call(call[0], call[1]).text)
		}
		if out, err := exec.CommandContext(t.Context(), "git", "config", "-f", filepath.Join(m.dir, ".git", "config"), "--unset", key).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
}

// No tool runs a program that a repository names.
func TestHostilePrograms(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	m := workedRepo(t, mcp.Options{})
	marks := t.TempDir()
	program := filepath.Join(marks, "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n: > '"+filepath.Join(marks, "ran")+"'\ncat \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(m.dir, ".git", "info", "attributes"), []byte("* diff=evil filter=evil\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"core.fsmonitor", "diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "gpg.program", "core.pager"} {
		m.git("config", key, program)
	}
	ran := func() bool {
		err := os.Remove(filepath.Join(marks, "ran"))
		return err == nil
	}
	if m.git("blame", "tide.go"); !ran() {
		t.Error("the traps do not work")
	}
	calls := [][2]string{
		{"why", `{"file": "tide.go", "line": 4}`},
		{"why", `{"file": "tide.go", "commit": "HEAD"}`},
		{"why", `{"commit": "HEAD"}`},
		{"commit_context", `{}`},
		{"journal_entry", `{}`},
		{"journal_search", `{"words": "x"}`},
		{"add_reflection", `{"text": "x"}`},
	}
	for _, call := range calls {
		if r := m.c.call(call[0], call[1]); r.isError || ran() {
			t.Errorf("%v ran a program, or: %s", call, r.text)
		}
	}
}

// Which servers offer what.
func TestJournalOffers(t *testing.T) {
	for _, server := range []struct {
		o            mcp.Options
		reads, write bool
	}{{mcp.Options{}, true, true}, {mcp.Options{ReadOnly: true}, true, false}, {mcp.Options{NoFiles: true}, false, false}} {
		c := connect(t, openDemo(t), server.o, nil)
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		has := map[string]bool{}
		for _, tool := range list.Tools {
			has[tool.Name] = true
		}
		for _, name := range []string{"why", "commit_context", "journal_entry", "journal_search"} {
			if has[name] != server.reads {
				t.Errorf("%+v: %s is %v", server.o, name, has[name])
			}
		}
		if has["add_reflection"] != server.write {
			t.Errorf("%+v: add_reflection is %v", server.o, has["add_reflection"])
		}
	}
}
