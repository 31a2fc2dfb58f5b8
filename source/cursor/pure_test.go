package cursor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/paths"
)

// TestToolKind maps every id and name of formats C.5.
func TestToolKind(t *testing.T) {
	for _, c := range []struct {
		ids  []int64
		kind retold.ToolKind
	}{
		{[]int64{5, 16, 30, 40, 46}, retold.ToolRead},
		{[]int64{7, 11, 12, 29, 38, 47, 50}, retold.ToolEdit},
		{[]int64{15, 55}, retold.ToolShell},
		{[]int64{1, 3, 8, 9, 23, 27, 31, 41, 42}, retold.ToolSearch},
		{[]int64{6, 39}, retold.ToolList},
		{[]int64{18, 26, 57}, retold.ToolWeb},
		{[]int64{19, 44, 45, 49, 60, 63}, retold.ToolMCP},
		{[]int64{24, 32, 33, 48, 62}, retold.ToolTask},
		{[]int64{34, 35}, retold.ToolTodo},
		{[]int64{43}, retold.ToolPlan},
		{[]int64{25, 28, 51, 52, 53, 54, 56, 58, 59, 61, 65, 66}, retold.ToolOther},
		{[]int64{0, 2, 4, 10, 13, 14, 17, 20, 21, 22, 36, 37, 64, 99, -1}, retold.ToolOther},
	} {
		for _, id := range c.ids {
			if got := toolKind(id, ""); got != c.kind {
				t.Errorf("tool %d is %s, want %s", id, got, c.kind)
			}
		}
	}
	for _, c := range []struct {
		names string
		kind  retold.ToolKind
	}{
		{"read_file read_file_v2 fetch_rules read_lints Read", retold.ToolRead},
		{"edit_file search_replace edit_file_v2 write apply_patch MultiEdit edit_notebook delete_file reapply StrReplace", retold.ToolEdit},
		{"run_terminal_cmd run_terminal_command_v2 Shell", retold.ToolShell},
		{"read_semsearch_files ripgrep grep_search file_search codebase_search semantic_search_full search_symbols deep_search go_to_definition grep rg ripgrep_raw_search glob_file_search", retold.ToolSearch},
		{"list_dir list_dir_v2", retold.ToolList},
		{"web_search web_fetch fetch_pull_request", retold.ToolWeb},
		{"mcp_github_create_issue mcp-github-create_issue call_mcp_tool list_mcp_resources fetch_mcp_resource", retold.ToolMCP},
		{"task task_v2 await_task await", retold.ToolTask},
		{"todo_read todo_write", retold.ToolTodo},
		{"create_plan", retold.ToolPlan},
		{"ask_question switch_mode generate_image update_memory create_diagram teleport", retold.ToolOther},
	} {
		for name := range strings.FieldsSeq(c.names) {
			if got := toolKind(0, name); got != c.kind {
				t.Errorf("%s is %s, want %s", name, got, c.kind)
			}
		}
	}
	if got := toolKind(0, "Read File"); got != retold.ToolRead {
		t.Errorf("a human name is %s", got)
	}
	if got := toolKind(40, "mcp_confusing"); got != retold.ToolRead {
		t.Errorf("the number does not decide: %s", got)
	}
	if toolName(38, "") != "edit_file_v2" || toolName(38, "write") != "write" || toolName(98, "") == "" {
		t.Error("names")
	}
}

func TestParseTime(t *testing.T) {
	want := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	for _, s := range []string{
		`"2026-03-01T10:00:00Z"`, `"2026-03-01T10:00:00.000Z"`, `"2026-03-01T11:00:00+01:00"`, `"2026-03-01T10:00:00"`, `"2026-03-01 10:00:00"`,
		`1772359200`, `1772359200000`, `1772359200000.9`, `1.7723592e12`, `1772359200000000`, `1772359200000000000`, `"1772359200000"`, `"1772359200"`,
	} {
		if got := parseTime(jscan.Value(s)); !got.Equal(want) {
			t.Errorf("%s is %v", s, got)
		}
	}
	for _, s := range []string{``, `null`, `""`, `"soon"`, `0`, `-5`, `4745281.3`, `9e30`, `true`, `{}`, `"0001-01-01T00:00:00Z"`, `"NaN"`} {
		if got := parseTime(jscan.Value(s)); !got.IsZero() {
			t.Errorf("%s is %v", s, got)
		}
	}
	if at, from := (&bubble{timing: jscan.Value(`{"clientStartTime":127196698}`)}).moment(time.Time{}); !at.IsZero() || from != "" {
		t.Errorf("a performance clock is %v from %q", at, from)
	}
}

func TestApplyLines(t *testing.T) {
	lines := []string{"a", "b", "c"}
	for _, c := range []struct {
		changes string
		want    []string
	}{
		{`[]`, lines},
		{`[{"original":{"startLineNumber":2,"endLineNumberExclusive":3},"modified":["B","BB"]}]`, []string{"a", "B", "BB", "c"}},
		{`[{"original":{"startLineNumber":1,"endLineNumberExclusive":1},"modified":["top"]},{"original":{"startLineNumber":4,"endLineNumberExclusive":4},"modified":["end"]}]`, []string{"top", "a", "b", "c", "end"}},
		{`[{"original":{"startLineNumber":1,"endLineNumberExclusive":4},"modified":[]}]`, nil},
		{`[{"original":{"startLineNumber":"2","endLineNumberExclusive":3.0},"modified":["x"]}]`, []string{"a", "x", "c"}},
	} {
		got, ok := applyLines(lines, jscan.Value(c.changes))
		if diff := cmp.Diff(c.want, got); !ok || diff != "" {
			t.Errorf("%s: %v\n%s", c.changes, ok, diff)
		}
	}
	for _, bad := range []string{
		`[{"original":{"startLineNumber":3,"endLineNumberExclusive":5}}]`, `[{"original":{"startLineNumber":0,"endLineNumberExclusive":1}}]`,
		`[{"original":{"startLineNumber":3,"endLineNumberExclusive":2}}]`, `[{}]`, `[{"original":{"startLineNumber":9223372036854775807,"endLineNumberExclusive":9223372036854775807}}]`,
		`[{"original":{"startLineNumber":2,"endLineNumberExclusive":3}},{"original":{"startLineNumber":1,"endLineNumberExclusive":2}}]`,
	} {
		if got, ok := applyLines(lines, jscan.Value(bad)); ok {
			t.Errorf("%s gives %q", bad, got)
		}
	}
}

func TestCommonFolder(t *testing.T) {
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{"/home/ada/shop/a.py", "/home/ada/shop/src/b.py"}, "/home/ada/shop"},
		{[]string{"relative.py", "/home/ada/shop/a.py"}, "/home/ada/shop"},
		{[]string{`C:\Users\lin\site\a.css`, `C:\Users\lin\site\js\b.js`}, `C:\Users\lin\site`},
		{[]string{"vscode-remote://ssh-remote+build/srv/app/a.go", "vscode-remote://ssh-remote+build/srv/app/b.go"}, "vscode-remote://ssh-remote+build/srv/app"},
		{[]string{"/home/ada/a.py", "/home/ada/b.py"}, ""},
		{[]string{`C:\Users\lin\a`, `C:\Users\lin\b`}, ""},
		{[]string{"/srv/app/a.go", "/etc/b"}, ""},
		{[]string{"/opt/thing/a"}, "/opt/thing"},
		{[]string{"a.py"}, ""},
		{nil, ""},
	} {
		if got := commonFolder(c.files); got != c.want {
			t.Errorf("%q: %q, want %q", c.files, got, c.want)
		}
	}
}

func TestUnwrapQuery(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "<user_query>\nhi\n</user_query>": "hi", "  <user_query>hi</user_query>\n": "hi",
		"<user_query>\n\n  two  \n\n</user_query>":                       "\n  two  \n",
		"<user_query>open":                                               "<user_query>open",
		"a <user_query>b</user_query>":                                   "a <user_query>b</user_query>",
		"<user_query>a</user_query>b<user_query>c</user_query>":          "<user_query>a</user_query>b<user_query>c</user_query>",
		"<timestamp>now</timestamp>\n<user_query>\ndated\n</user_query>": "dated",
	} {
		if got := unwrapQuery(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// make makes the folders and files of a tree below root; a path ending in / is a
// folder.
func makeTree(t *testing.T, root string, tree ...string) {
	t.Helper()
	for _, p := range tree {
		full := filepath.Join(root, p)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(p, "/") {
			if err := os.MkdirAll(full, 0o755); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(full, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPlaces finds Cursor on each system, as values.
func TestPlaces(t *testing.T) {
	const db = "/User/globalStorage/state.vscdb"
	for _, c := range []struct {
		name, goos string
		tree       []string
		env        map[string]string
		want       []string // used places; others begin with "-"
	}{
		{"mac", "darwin", []string{"home/Library/Application Support/Cursor" + db}, nil, []string{"home/Library/Application Support/Cursor/User"}},
		{"linux", "linux", []string{"home/.config/Cursor" + db}, nil, []string{"home/.config/Cursor/User"}},
		{"linux xdg", "linux", []string{"xdg/Cursor" + db}, map[string]string{"XDG_CONFIG_HOME": "ROOT/xdg"}, []string{"xdg/Cursor/User"}},
		{"windows", "windows", []string{"roaming/Cursor" + db}, map[string]string{"APPDATA": "ROOT/roaming"}, []string{"roaming/Cursor/User"}},
		{"siblings", "linux", []string{"home/.config/Cursor" + db, "home/.config/Cursor Nightly" + db, "home/.config/Cursors/"}, nil, []string{"home/.config/Cursor/User", "home/.config/Cursor Nightly/User"}},
		{"portable", "linux", []string{"p/user-data" + db}, map[string]string{"VSCODE_PORTABLE": "ROOT/p"}, []string{"-home/.config/Cursor/User", "p/user-data/User"}},
		{"wsl", "linux", []string{"mnt/c/Users/lin/AppData/Roaming/Cursor" + db, "mnt/c/Users/Public/"}, map[string]string{"WSL_DISTRO_NAME": "Ubuntu"}, []string{"-home/.config/Cursor/User", "mnt/c/Users/lin/AppData/Roaming/Cursor/User"}},
		{"workspaces only", "linux", []string{"home/.config/Cursor/User/workspaceStorage/aaaa/state.vscdb"}, nil, []string{"home/.config/Cursor/User"}},
		{"nothing", "linux", []string{"home/"}, nil, []string{"-home/.config/Cursor/User"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			makeTree(t, root, c.tree...)
			env := paths.Env{GOOS: c.goos, Home: filepath.Join(root, "home"), Root: root, Getenv: func(k string) string { return strings.ReplaceAll(c.env[k], "ROOT", root) }}
			places, err := New(Options{Env: env}).Places(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range places {
				rel, err := filepath.Rel(root, p.Path)
				if err != nil {
					t.Fatal(err)
				}
				if !p.Used {
					rel = "-" + rel
				}
				if p.Reason == "" || p.Kind != "user" {
					t.Errorf("not explained: %+v", p)
				}
				got = append(got, filepath.ToSlash(rel))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestGivenPlace understands a folder named by hand.
func TestGivenPlace(t *testing.T) {
	root := t.TempDir()
	makeTree(t, root, "ud/User/globalStorage/state.vscdb", "ud/User/workspaceStorage/aaaa/state.vscdb", "app/data/user-data/User/globalStorage/state.vscdb",
		"config/Cursor/User/globalStorage/state.vscdb", "empty/", "b[1]/User/workspaceStorage/x/state.vscdb", "saved/User/globalStorage/state.vscdb.backup")
	for given, want := range map[string]string{
		"ud/User": "ud/User", "ud": "ud/User", "ud/": "ud/User", "ud/User/workspaceStorage": "ud/User", "ud/User/globalStorage": "ud/User", "app": "app/data/user-data/User",
		"config": "config/Cursor/User", "config/Cursor": "config/Cursor/User", "empty": "-empty", "b[1]": "b[1]/User", "saved": "saved/User",
	} {
		places, err := New(Options{User: []string{root + "/" + given}}).Places(t.Context())
		if err != nil || len(places) != 1 {
			t.Fatalf("%s: %v, %v", given, places, err)
		}
		want, unused := strings.CutPrefix(want, "-")
		if got := places[0]; filepath.Clean(got.Path) != filepath.Join(root, want) || got.Used == unused {
			t.Errorf("%s: %+v", given, got)
		}
	}
	for _, missing := range []string{root + "/none", filepath.Join(root, "ud/User/globalStorage/state.vscdb")} {
		if _, err := New(Options{User: []string{missing}}).Places(t.Context()); retold.CodeOf(err) != retold.CodeDatabaseNotFound || !strings.Contains(fmt.Sprint(err), missing) {
			t.Errorf("%s: %v", missing, err)
		}
	}
}

// TestManyBlocks wants the cost of finding an edit's code block to stay that of
// looking it up, however many the record holds.
func TestManyBlocks(t *testing.T) {
	var blocks, files strings.Builder
	const n = 20_000
	for i := range n {
		fmt.Fprintf(&blocks, `,"file:///home/ada/shop/%d.py":{"blk%d":{"diffId":"d%d"}}`, i, i, i)
		fmt.Fprintf(&files, `,"file:///home/ada/shop/%d.py":{"content":"a"}`, i)
	}
	v, err := jscan.Parse([]byte(`{"codeBlockData":{` + blocks.String()[1:] + `},"originalFileStates":{` + files.String()[1:] + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	c := decodeComposer(v)
	record := []byte(`{"newModelDiffWrtV0":[{"original":{"startLineNumber":1,"endLineNumberExclusive":2},"modified":["b"]}]}`)
	m := mapper{composer: &c, index: &blockIndex{}, read: func(string) ([]byte, bool) { return record, true }}
	started := time.Now()
	for i := range n {
		data := toolData{extra: jscan.Value(fmt.Sprintf(`{"codeblockId":"blk%d"}`, i))}
		if d := m.blockDiff("f", &data, &bubble{}); !strings.Contains(d, "+b") {
			t.Fatalf("block %d: %q", i, d)
		}
	}
	if took := time.Since(started); took > 20*time.Second { // quadratic, it takes minutes
		t.Errorf("%v for %d edits", took, n)
	}
}
