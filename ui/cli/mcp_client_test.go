package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold/demo"
)

// The tests here run real clients from npm, which .ci/mcp/run installs.

// nodeProgram is a program from npm that is run by node.
type nodeProgram struct {
	node, script string
	home         string // a home folder of its own
}

func fromNPM(t *testing.T, script string) nodeProgram {
	t.Helper()
	dir := os.Getenv("RETOLD_MCP_CLIENTS")
	if dir == "" {
		t.Skip("no clients: .ci/mcp/run installs them and runs this")
	}
	modules := filepath.Join(dir, "node_modules")
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	node := filepath.Join(modules, "node-"+runtime.GOOS+"-"+arch, "bin", "node")
	if _, err := os.Stat(node); err != nil {
		node = "node" // a system for which npm has none of the version that is wanted
	}
	return nodeProgram{node, filepath.Join(modules, filepath.FromSlash(script)), t.TempDir()}
}

// run returns what the program prints and whether it ended well.
func (p nodeProgram) run(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.node, append([]string{p.script}, args...)...)
	cmd.Dir = p.home
	cmd.Env = append(os.Environ(), "HOME="+p.home, "XDG_CONFIG_HOME="+p.home, "NO_COLOR=1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// onDemo points the retold that tests start at the demo history.
func onDemo(t *testing.T) {
	t.Helper()
	home, err := demo.Make(t.Context(), filepath.Join(t.TempDir(), "demo"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("RETOLD_CURSOR_USER", home.CursorUser)
	t.Setenv("RETOLD_CURSOR_HOME", home.CursorHome)
	t.Setenv("RETOLD_HOME", t.TempDir())
}

// overHTTP starts retold mcp over HTTP and returns its address.
func overHTTP(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "retold", "mcp", "--http", "0", "--json") // ended below
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 130 {
			t.Errorf("interrupted, it exited %d", code)
		}
	})
	line, err := bufio.NewReader(errs).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var at struct{ URL string }
	if err := json.Unmarshal(line, &at); err != nil || at.URL == "" {
		t.Fatalf("%s: %v", line, err)
	}
	return at.URL
}

const inspector = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"

// calls are the arguments with which each tool is called. A tool that is not
// here fails the test.
var calls = map[string][]string{
	"list_sessions":   {"limit=3", "workspace=tidepool"},
	"get_session":     {"session=1", "limit=5"},
	"search_sessions": {"query=deadlock"},
	"get_message":     {"session=1", "message=0"},
	"list_workspaces": {},
	"get_stats":       {},
	"export_session":  {"session=1", "format=md"},
	"doctor":          {},

	"create_backup":     {"path=$DIR/mine.retold"}, // what writes is a dry run
	"list_backups":      {"path=$DIR"},
	"validate_backup":   {"path=$DIR/made.retold"},
	"restore_backup":    {"path=$DIR/made.retold", "into_library=true"},
	"migrate_session":   {`sessions=["1"]`, "to=$DIR"},
	"migrate_workspace": {"workspace=tidepool", "to=$DIR"},
	"undo_change":       {},

	"why":            {"repo=$REPO", "file=f.go", "line=1"},
	"commit_context": {"repo=$REPO"},
	"journal_entry":  {"repo=$REPO"},
	"journal_search": {"repo=$REPO", "words=first"},
	"add_reflection": {"repo=$REPO", "text=That was right."},
}

// guarded are the tools that a server on an open port does not offer.
var guarded = []string{"create_backup", "restore_backup", "migrate_session", "migrate_workspace", "undo_change", "add_reflection"}

// prompted are the arguments with which each prompt is asked for.
var prompted = map[string][]string{
	"resume_work":       {"workspace=tidepool"},
	"explain_decision":  {"query=deadlock"},
	"summarise_session": {"session=1"},
}

// TestClientInspector: the inspector's command line calls every tool and asks for
// every prompt and resource of the demo history, over both transports.
func TestClientInspector(t *testing.T) {
	p := fromNPM(t, inspector)
	onDemo(t)
	command, err := exec.LookPath("retold")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), command, "backup", "-o", filepath.Join(dir, "made.retold")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	inspectedRepo(t, filepath.Join(dir, "repo"))
	over := map[string][]string{"http": {"--transport", "http", "--server-url", overHTTP(t)}}
	for _, v := range []string{"RETOLD_HOME", "RETOLD_CURSOR_USER", "RETOLD_CURSOR_HOME"} {
		over["stdio"] = append(over["stdio"], "-e", v+"="+os.Getenv(v))
	}
	for name, how := range over {
		t.Run(name, func(t *testing.T) {
			ask := func(method string, args ...string) map[string]json.RawMessage {
				t.Helper()
				line := slices.Concat([]string{"--cli"}, how, []string{"--method", method}, args)
				if name == "stdio" {
					line = append(line, "--", command, "mcp")
				}
				out, errs, err := p.run(t, line...)
				var answer map[string]json.RawMessage
				if bad := json.Unmarshal([]byte(out), &answer); err != nil || bad != nil {
					t.Fatalf("%v: %v, %v\n%s\n%s", line, err, bad, out, errs)
				}
				return answer
			}
			inspectTools(t, ask, dir, name == "http")
			inspectPrompts(t, ask)
			inspectResources(t, ask)
		})
	}
}

// inspectedRepo makes a repository with one commit.
func inspectedRepo(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "f.go"), []byte("package f\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "f.go"}, {"commit", "-q", "-m", "The first"}} {
		cmd := exec.CommandContext(t.Context(), "git", slices.Concat([]string{"-C", dir, "-c", "user.name=Ada", "-c", "user.email=ada@example.com"}, args)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
}

type asking func(method string, args ...string) map[string]json.RawMessage

func inspectTools(t *testing.T, ask asking, dir string, open bool) {
	t.Helper()
	want := len(calls)
	if open {
		want -= len(guarded)
	}
	names := listed(t, ask("tools/list", "--strict")["tools"], "name") // strict: schemas that other clients understand
	if len(names) != want {
		t.Errorf("the tools are %v; this test calls %d", names, want)
	}
	for _, name := range names {
		args, known := calls[name]
		if !known || open && slices.Contains(guarded, name) {
			t.Errorf("tool %s is not tried", name)
			continue
		}
		flags := []string{"--tool-name", name}
		for _, a := range args {
			flags = append(flags, "--tool-arg", strings.NewReplacer("$DIR", dir, "$REPO", filepath.Join(dir, "repo")).Replace(a))
		}
		answer := ask("tools/call", flags...)
		if string(answer["isError"]) == "true" || len(answer["structuredContent"]) < 3 || len(answer["content"]) < 20 {
			t.Errorf("%s: %.2000s", name, answer)
		}
	}
}

func inspectPrompts(t *testing.T, ask asking) {
	t.Helper()
	names := listed(t, ask("prompts/list")["prompts"], "name")
	if len(names) != len(prompted) {
		t.Errorf("the prompts are %v; this test asks for %d", names, len(prompted))
	}
	for _, name := range names {
		flags := []string{"--prompt-name", name}
		for _, a := range prompted[name] {
			flags = append(flags, "--prompt-args", a)
		}
		if answer := ask("prompts/get", flags...); len(answer["messages"]) < 100 {
			t.Errorf("%s: %.2000s", name, answer)
		}
	}
}

func inspectResources(t *testing.T, ask asking) {
	t.Helper()
	uris := listed(t, ask("resources/list")["resources"], "uri")
	if len(uris) < 2 {
		t.Fatalf("the resources are %v", uris)
	}
	for _, uri := range []string{uris[0], uris[len(uris)-1], "retold://workspaces"} {
		if answer := ask("resources/read", "--uri", uri); len(answer["contents"]) < 50 {
			t.Errorf("%s: %.2000s", uri, answer)
		}
	}
	if templates := listed(t, ask("resources/templates/list")["resourceTemplates"], "uriTemplate"); len(templates) == 0 {
		t.Error("no templates")
	}
}

// listed are the values of one key in a list of objects.
func listed(t *testing.T, list json.RawMessage, key string) (out []string) {
	t.Helper()
	var items []map[string]any
	if err := json.Unmarshal(list, &items); err != nil {
		t.Fatalf("%v: %s", err, list)
	}
	for _, item := range items {
		s, _ := item[key].(string)
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

const conformance = "@modelcontextprotocol/conformance/dist/index.js"

// revisions are the ones of the protocol that are tried: the newest with
// sessions, and the first without.
var revisions = []string{"2025-11-25", "2026-07-28"}

// TestClientConformance: what the official suite asks of every server holds for
// retold, and what it asks of a server with its own tools holds for such tools on
// our transport. The baselines in testdata/conformance say what does not, and
// why; a scenario that begins to fail or to pass breaks the test.
func TestClientConformance(t *testing.T) {
	p := fromNPM(t, conformance)
	onDemo(t)
	for name, url := range map[string]string{"retold": overHTTP(t), "fixtures": serveFixtures(t)} {
		for _, revision := range revisions {
			t.Run(name+" "+revision, func(t *testing.T) {
				baseline, err := filepath.Abs(filepath.Join("testdata", "conformance", name+"-"+revision+".yml"))
				if err != nil {
					t.Fatal(err)
				}
				results := t.TempDir()
				out, errs, err := p.run(t, "server", "--url", url, "--requirements", revision, "--expected-failures", baseline, "--output-dir", results)
				if err != nil || !strings.Contains(out, "tools-list: ") {
					t.Errorf("%v\n%s\n%s\n%s", err, out[max(0, strings.Index(out, "=== SUMMARY")):], errs, failedChecks(t, results))
				}
			})
		}
	}
}

// failedChecks tells what the suite has written about the checks that failed.
func failedChecks(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, file := range files {
		var checks []struct{ ID, Status, ErrorMessage string }
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &checks)
		}
		if err != nil {
			t.Error(err)
		}
		for _, c := range checks {
			if c.Status == "FAILURE" {
				fmt.Fprintf(&b, "%s: %s: %s\n", filepath.Base(filepath.Dir(file)), c.ID, c.ErrorMessage)
			}
		}
	}
	return b.String()
}
