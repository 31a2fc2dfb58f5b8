package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold/redact/redacttest"
	"github.com/retold-history/retold/ui/cli"
)

// told is a token as people and programs write it.
func told(t redacttest.Token) string {
	if t.Named {
		return t.Name + "=" + t.Value
	}
	return t.Value
}

// leakyHome is a User folder of Cursor's in which every kind of token stands in
// every place: one session holds all of them in its messages, and each has one
// more session of its own for titles and previews. It returns the id of the first.
func leakyHome(t *testing.T, dir string, tokens []redacttest.Token) string {
	t.Helper()
	for _, d := range []string{"globalStorage", "workspaceStorage/tide"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	folder := []byte(`{"folder":"file:///home/ada/tide"}`)
	if err := os.WriteFile(filepath.Join(dir, "workspaceStorage/tide/workspace.json"), folder, 0o644); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(filepath.Join(dir, "globalStorage/state.vscdb"), sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	exec := func(sql string, args ...any) {
		t.Helper()
		if err := sqlitex.ExecuteTransient(conn, sql, &sqlitex.ExecOptions{Args: args}); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
	exec("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
	put := func(key string, value any) {
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		exec("INSERT INTO cursorDiskKV (key, value) VALUES (?, ?)", key, string(data))
	}
	clock := 1_772_400_000_000
	session := func(id, title string, bubbles []map[string]any) {
		var heads []map[string]any
		for i, b := range bubbles {
			clock += 1000
			name := fmt.Sprintf("b%d", i)
			b["_v"], b["bubbleId"] = 3, name
			b["createdAt"] = fmt.Sprintf("2026-03-%02dT10:%02d:%02d.000Z", 1+i/3600, i/60%60, i%60)
			heads = append(heads, map[string]any{"bubbleId": name, "type": b["type"]})
			put("bubbleId:"+id+":"+name, b)
		}
		put("composerData:"+id, map[string]any{
			"_v": 14, "composerId": id, "name": title, "createdAt": clock - 5000, "lastUpdatedAt": clock,
			"fullConversationHeadersOnly": heads, "workspaceIdentifier": map[string]string{"id": "tide"},
		})
	}
	const whole = "0aaaaaaa-0000-4000-8000-000000000000"
	var all []map[string]any
	for i, k := range tokens {
		all = append(all, leakyBubbles(told(k))...)
		session(fmt.Sprintf("0bbbbbbb-0000-4000-8000-%012d", i), "Rotate "+told(k), []map[string]any{
			{"type": 1, "text": told(k) + " is the credential of today"}, {"type": 2, "text": "Noted."},
		})
	}
	session(whole, "All of them", all)
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	return whole
}

// leakyBubbles hold one text in what was said, thought, called, answered and
// edited.
func leakyBubbles(text string) []map[string]any {
	tool := func(name string, kind int, params, result any) map[string]any {
		return map[string]any{"type": 2, "toolFormerData": map[string]any{
			"tool": kind, "name": name, "toolCallId": "call_1", "status": "completed",
			"params": encoded(params), "rawArgs": encoded(params), "result": encoded(result),
		}}
	}
	return []map[string]any{
		{"type": 1, "text": "Use this credential: " + text + "\nfrom now on"},
		{"type": 2, "text": "I put `" + text + "` into the file.\n\n```sh\nexport " + text + "\n```\n", "thinking": map[string]string{"text": "They gave me " + text + ", careful."}},
		tool("run_terminal_cmd", 15, map[string]string{"command": "echo '" + text + "' >> .env"}, map[string]any{"output": "A=1\n" + text + "\nB=2\n", "exitCodeV2": 1}),
		tool("edit_file_v2", 38, map[string]string{"relativeWorkspacePath": "/home/ada/tide/.env", "contentsAfterEdit": "A=1\n" + text + "\n"}, map[string]string{"contentsBeforeEdit": "A=1\n"}),
		tool("grep_search", 3, map[string]any{"patternInfo": map[string]string{"pattern": text}}, map[string]any{"internal": map[string]any{"results": []string{".env:2:" + text}}}),
	}
}

func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// surfaces are the commands that print what was said.
func surfaces(whole string, tokens []redacttest.Token) [][]string {
	commands := [][]string{
		{},
		{"list", "--all"},
		{"show", whole, "--tools", "full"},
		{"show", whole, "--tools", "short", "--only", "tool"},
		{"show", whole, "--around", "7"},
		{"show", "0bbb"}, // ambiguous: the error names titles
		{"search", "credential", "-n", "1000"},
		{"search", "rotate", "--sessions", "-n", "500"},
		{"search", "careful", "-n", "200"},
		{"search", "env", "-n", "1000"},
		{"search", "credential", "--facets"},
		{"search", "/[A-Za-z0-9]{20}/", "-n", "1000"},
		{"workspaces"},
		{"stats"},
		{"doctor"},
		{"sync"},
		{"forget", "0bbbbbbb-0000-4000-8000-000000000001", "--yes"},
		{"__complete", "show", ""},
		{"__complete", "show", "0"},
	}
	for i := range 16 {
		commands = append(commands, []string{"search", tokens[i*len(tokens)/16].Value[:6], "-n", "50"})
	}
	for _, f := range []string{"md", "json", "jsonl", "text", "html", "csv"} {
		commands = append(commands, []string{"export", whole, "--format", f, "--tools", "full"}, []string{"export", "--all", "--format", f, "-o", "-"})
	}
	return commands
}

// TestNoSurfaceLeaks runs every command that prints what was said, in every
// format, over a history full of secrets, and finds none of them in any output.
func TestNoSurfaceLeaks(t *testing.T) {
	tokens := redacttest.Tokens(21)
	dir := t.TempDir()
	user := filepath.Join(dir, "User")
	whole := leakyHome(t, user, tokens)
	t.Setenv("RETOLD_HOME", filepath.Join(dir, "retold"))
	t.Setenv("RETOLD_CURSOR_USER", user)
	t.Setenv("RETOLD_CURSOR_HOME", filepath.Join(dir, "none"))
	if err := os.Mkdir(filepath.Join(dir, "none"), 0o755); err != nil {
		t.Fatal(err)
	}
	commands := surfaces(whole, tokens)
	leaks, leaked := 0, redacttest.Watch(tokens)
	check := func(what string, out string) {
		if k, part := leaked(out); part != "" {
			if leaks++; leaks < 20 {
				at := strings.Index(out, part)
				t.Errorf("%s: %s leaks in %q", what, k.Provider, out[max(0, at-60):min(len(out), at+80)])
			}
		}
	}
	printed := 0
	for _, args := range commands {
		for _, more := range [][]string{nil, {"--json"}} {
			var out bytes.Buffer
			args := append(slices.Clip(args), more...)
			cli.Run(t.Context(), args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
			printed += out.Len()
			check(strings.Join(args, " "), out.String())
		}
	}
	if printed < 1<<20 {
		t.Errorf("all commands printed only %d bytes", printed)
	}
	check("watch", watched(t, 300))
	check("watch --json", watched(t, 300, "--json"))
	checkFiles(t, filepath.Join(dir, "files"), tokens, check)
}

// checkFiles exports everything to a folder and checks what is in the files, and
// their names, which are in lower case.
func checkFiles(t *testing.T, files string, tokens []redacttest.Token, check func(what, out string)) {
	t.Helper()
	var out bytes.Buffer
	if status := cli.Run(t.Context(), []string{"export", "--all", "-o", files}, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out}); status != 0 {
		t.Fatalf("export ended with %d: %s", status, out.String())
	}
	lower := slices.Clone(tokens)
	for i := range lower {
		lower[i].Value = strings.ToLower(lower[i].Value)
	}
	named := redacttest.Watch(lower)
	err := filepath.WalkDir(files, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		check("file "+filepath.Base(path), string(data))
		if k, part := named(filepath.Base(path)); part != "" {
			t.Errorf("%s leaks in the name %s", k.Provider, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// watched is what watch prints first, so many lines of it.
func watched(t *testing.T, lines int, more ...string) string {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out := &lineCounter{left: lines, done: stop}
	cli.Run(ctx, append([]string{"watch", "--tail", fmt.Sprint(lines)}, more...), cli.Streams{In: strings.NewReader(""), Out: out, Err: out})
	return out.String()
}

// A lineCounter calls done after so many lines.
type lineCounter struct {
	bytes.Buffer
	left int
	done func()
}

func (c *lineCounter) Write(p []byte) (int, error) {
	if c.left -= bytes.Count(p, []byte("\n")); c.left <= 0 {
		c.done()
	}
	return c.Buffer.Write(p)
}

// An agent that runs retold has no terminal, and sees no secret however it asks.
func TestRevealWantsATerminal(t *testing.T) {
	t.Setenv("RETOLD_HOME", t.TempDir())
	for _, in := range []*os.File{nil, os.Stdin} {
		var out, errs bytes.Buffer
		s := cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}
		if in != nil {
			s.In = in
		}
		if status := cli.Run(t.Context(), []string{"list", "--reveal"}, s); status != 2 {
			t.Errorf("exit status %d, want 2: %s", status, errs.String())
		}
		if !strings.Contains(errs.String(), "terminal") || !strings.Contains(errs.String(), "hint") || out.Len() > 0 {
			t.Errorf("said %q and %q", out.String(), errs.String())
		}
	}
}
