package mcp_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/demo"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp"
)

// A desk is a client over a made-up history of its own, which may be changed.
type desk struct {
	*client
	dir    string // a folder of the person's
	user   string // Cursor's
	output map[string]*jsonschema.Resolved
}

func newDesk(t *testing.T, o mcp.Options) *desk {
	t.Helper()
	dir := realDir(t)
	home, err := demo.Make(t.Context(), filepath.Join(dir, "demo"))
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{dir: filepath.Join(dir, "mine"), user: home.CursorUser}
	if err := os.Mkdir(d.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l := openDemo(t, func(o *library.Options) {
		o.CursorUser, o.CursorHome, o.Home = []string{home.CursorUser}, []string{home.CursorHome}, filepath.Join(dir, "retold")
		o.Env = paths.Env{GOOS: "linux", Home: filepath.Join(dir, "demo", "home")}
	})
	o.Feed = &mcp.Feed{}
	d.client = connect(t, l, o, nil)
	_, d.output = schemas(t, d.client)
	return d
}

// files are the hashes of all files of the agents.
func (d *desk) files() map[string]string {
	d.t.Helper()
	all := map[string]string{}
	root := filepath.Dir(filepath.Dir(filepath.Dir(d.user)))
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(path, "-shm") || strings.HasSuffix(path, "-wal") {
			return err
		}
		data, err := os.ReadFile(path)
		sum := sha256.Sum256(data)
		all[path] = hex.EncodeToString(sum[:8])
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

// A proposal is what a tool that writes answers.
type proposal struct {
	Written     bool
	Fingerprint string
	Plan        struct {
		Rows, Files, Sessions json.RawMessage
		Steps                 []map[string]string
		Errors                []struct{ Session, Reason string }
	}
	Result *struct {
		SuccessCount, FailedCount int
		UndoID                    *string
	}
}

// ask calls a tool and holds what it answers against its promises.
func (d *desk) ask(tool, args, more string) (proposal, result) {
	d.t.Helper()
	r := d.call(tool, "{"+args+more+"}")
	what := tool + " " + args + more
	valid(d.t.(*testing.T), d.output[tool], r, what)
	if n, m := utf8.RuneCount(r.body), utf8.RuneCountInString(r.text); n > 20_000 || m > 20_000 {
		d.t.Errorf("%s: %d and %d characters", what, n, m)
	}
	if r.isError {
		return proposal{}, r
	}
	return decode[proposal](d.t, r), r
}

// plan is a dry run; what it answers is to go ahead with.
func (d *desk) plan(tool, args string) proposal {
	d.t.Helper()
	p, r := d.ask(tool, args, "")
	if r.isError || p.Written || p.Result != nil || p.Fingerprint == "" || !strings.Contains(r.text, "Dry run") {
		d.t.Fatalf("%s %s: %s", tool, args, r.text)
	}
	return p
}

// carryOut confirms a plan.
func (d *desk) carryOut(tool, args string) (proposal, result) {
	d.t.Helper()
	p := d.plan(tool, args)
	done, r := d.ask(tool, args, fmt.Sprintf(`, "confirm": true, "fingerprint": %q`, p.Fingerprint))
	if r.isError || !done.Written || done.Result == nil {
		d.t.Fatalf("%s %s: %s", tool, args, r.text)
	}
	return done, r
}

func (d *desk) workspaceOf(id string) string {
	d.t.Helper()
	r := d.call("get_session", fmt.Sprintf(`{"session": %q, "limit": 1}`, id))
	return decode[struct{ WorkspacePath string }](d.t, r).WorkspacePath
}

const moved = "ec8c1b1f-9136-4bcc-92c1-91534475a066" // of the IDE, about tidepool

// A move is planned without a byte being written, done when its plan is confirmed
// and no other, listed, and taken back.
func TestMigrateAndUndo(t *testing.T) {
	d := newDesk(t, mcp.Options{})
	before := d.files()
	to := filepath.Join(d.dir, "tide2")
	if err := os.Mkdir(to, 0o700); err != nil {
		t.Fatal(err)
	}
	args := fmt.Sprintf(`"sessions": ["[%s#3]"], "to": %q`, moved[:13], to)
	p := d.plan("migrate_session", args)
	if len(p.Plan.Steps) == 0 || string(p.Plan.Sessions) != `["`+moved+`"]` {
		t.Errorf("plan %+v", p.Plan)
	}
	for more, code := range map[string]string{`, "confirm": true`: "usage", `, "confirm": true, "fingerprint": "0123"`: "changed", fmt.Sprintf(`, "copy": true, "confirm": true, "fingerprint": %q`, p.Fingerprint): "changed"} {
		if _, r := d.ask("migrate_session", args, more); !r.isError || !strings.Contains(string(r.body), `"code":"`+code+`"`) || strings.Contains(r.text, "`") {
			t.Errorf("%s: %s", more, r.text)
		}
	}
	if diff := cmp.Diff(before, d.files()); diff != "" {
		t.Errorf("a dry run wrote something: %s", diff)
	}

	done, r := d.carryOut("migrate_session", args)
	if done.Result.SuccessCount != 1 || done.Result.UndoID == nil || !strings.Contains(r.text, "undo_change id="+*done.Result.UndoID) || d.workspaceOf(moved) != to {
		t.Fatalf("%s; it is about %s", r.text, d.workspaceOf(moved))
	}
	_, r = d.ask("undo_change", "", "")
	list := decode[pageOf[struct{ ID, State string }]](t, r)
	if len(list.Data) != 1 || list.Data[0].ID != *done.Result.UndoID || list.Data[0].State != "done" {
		t.Errorf("the changes are %s", r.body)
	}
	_, r = d.carryOut("undo_change", fmt.Sprintf(`"id": %q`, *done.Result.UndoID))
	if d.workspaceOf(moved) != tidepool {
		t.Errorf("%s; it is about %s", r.text, d.workspaceOf(moved))
	}
	if _, r = d.ask("undo_change", "", ""); !strings.Contains(string(r.body), `"undoes":"`+*done.Result.UndoID) || !strings.Contains(r.text, "takes back "+*done.Result.UndoID) {
		t.Errorf("the changes are %s", r.text)
	}
	if _, r = d.ask("undo_change", "", `"limit": 1`); !strings.Contains(r.text, "More: undo_change with the same parameters and offset=1") {
		t.Errorf("the changes are %s", r.text)
	}
}

const tidepool = "/home/ada/projects/tidepool"

// All conversations about a folder move, sub-agents too, and the original of a
// copy stays.
func TestMigrateWorkspace(t *testing.T) {
	d := newDesk(t, mcp.Options{})
	to := filepath.Join(d.dir, "tide2")
	if err := os.Mkdir(to, 0o700); err != nil {
		t.Fatal(err)
	}
	done, _ := d.carryOut("migrate_workspace", fmt.Sprintf(`"workspace": "tidepool", "to": %q`, to))
	if done.Result.SuccessCount < 8 || d.workspaceOf(moved) != to {
		t.Errorf("%+v", done.Result)
	}
	back := filepath.Join(d.dir, "tide3")
	if err := os.Mkdir(back, 0o700); err != nil {
		t.Fatal(err)
	}
	done, _ = d.carryOut("migrate_session", fmt.Sprintf(`"session": %q, "to": %q, "copy": true`, moved, back))
	if n := decode[pageOf[retold.Session]](t, d.call("list_sessions", fmt.Sprintf(`{"workspace": %q}`, back))).Pagination.Total; done.Result.SuccessCount != 1 || n != 1 || d.workspaceOf(moved) != to {
		t.Errorf("%+v, %d copies", done.Result, n)
	}
}

// runCursor starts a program called cursor whose files are those of the desk.
func (d *desk) runCursor() (quit func()) {
	d.t.Helper()
	self, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	link := filepath.Join(d.dir, "cursor")
	if err := os.Symlink(self, link); err != nil {
		d.t.Fatal(err)
	}
	cmd := exec.CommandContext(d.t.Context(), link, "--user-data-dir="+filepath.Dir(d.user))
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return func() {
		if err := in.Close(); err != nil {
			d.t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			d.t.Error(err)
		}
	}
}

// While Cursor runs a change can be planned and is not made.
func TestChangesWhileCursorRuns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links to programs need rights there")
	}
	d := newDesk(t, mcp.Options{})
	args := fmt.Sprintf(`"workspace": "tidepool", "to": %q`, d.dir)
	quit := d.runCursor()
	p, before := d.plan("migrate_workspace", args), d.files()
	confirm := fmt.Sprintf(`, "confirm": true, "fingerprint": %q`, p.Fingerprint)
	_, r := d.ask("migrate_workspace", args, confirm)
	if !r.isError || !strings.Contains(string(r.body), `"code":"cursor_running"`) || !strings.Contains(r.text, "quit Cursor") {
		t.Error(r.text)
	}
	if diff := cmp.Diff(before, d.files()); diff != "" {
		t.Errorf("something was written: %s", diff)
	}
	quit()
	if done, r := d.ask("migrate_workspace", args, confirm); !done.Written {
		t.Error(r.text)
	}
}

// What is no plan, and folders that conversations cannot be about.
func TestChangesThatAreRefused(t *testing.T) {
	d := newDesk(t, mcp.Options{Dir: "/home/ada/work"})
	before := d.files()
	for _, x := range [][3]string{
		{"migrate_session", `"sessions": ["1"], "to": "tide2"`, "/home/ada/work/tide2"},
		{"migrate_session", `"sessions": ["1"], "to": "/home/ada/../x"`, "/home/x"},
		{"migrate_session", `"sessions": ["1"], "to": "/home/ada/x\ny"`, "plainly"},
		{"migrate_session", `"sessions": ["1"], "to": "vscode-remote://x/\u202e"`, "plainly"},
		{"migrate_session", fmt.Sprintf(`"sessions": ["1"], "to": %q`, filepath.Join(d.user, "x")), "belongs to cursor"},
		{"migrate_session", `"sessions": [], "to": "/home/ada/x"`, "list_sessions"},
		{"migrate_session", `"sessions": ["nothing-like-it"], "to": "/home/ada/x"`, "list_sessions"},
		{"migrate_workspace", `"workspace": ["tidepool", "kite"], "to": "/home/ada/x"`, "one workspace, not 2"},
		{"migrate_workspace", `"workspace": "nothing-like-it", "to": "/home/ada/x"`, "list_workspaces"},
		{"migrate_workspace", `"to": "/home/ada/x"`, "needs workspace"},
		{"undo_change", `"confirm": true`, "without id"},
		{"undo_change", `"id": "nothing-like-it"`, "call undo_change without id"},
		{"undo_change", `"id": "../../x"`, "call undo_change without id"},
	} {
		if _, r := d.ask(x[0], x[1], ""); !r.isError || !strings.Contains(r.text, x[2]) || strings.Contains(r.text, "`") {
			t.Errorf("%s %s: %s", x[0], x[1], r.text)
		}
	}
	if diff := cmp.Diff(before, d.files()); diff != "" {
		t.Errorf("something was written: %s", diff)
	}
}

// A plan with more steps than an answer has room for says how many it has.
func TestLongPlans(t *testing.T) {
	d := newDesk(t, mcp.Options{Now: func() time.Time { return demoDay }})
	r := d.call("migrate_workspace", fmt.Sprintf(`{"workspace": "tidepool", "to": %q, "max_chars": 2000}`, d.dir))
	if utf8.RuneCount(r.body) > 2000 || utf8.RuneCountInString(r.text) > 2000 {
		t.Errorf("%d and %d characters:\n%s", utf8.RuneCount(r.body), utf8.RuneCountInString(r.text), r.body)
	}
	if !strings.Contains(r.text, "steps are named") || !strings.Contains(r.text, "fingerprint=") {
		t.Error(r.text)
	}
}

// Every tool of these, asked for little and for much, answers what its schema says
// and within its bounds.
func TestPlansKeepTheirPromises(t *testing.T) {
	d := newDesk(t, mcp.Options{})
	input, _ := schemas(t, d.client)
	backup := filepath.Join(d.dir, "mine.retold")
	d.backUp(backup, "")
	d.carryOut("migrate_workspace", fmt.Sprintf(`"workspace": "kite", "to": %q`, d.dir))
	for _, x := range [][2]string{
		{"create_backup", fmt.Sprintf(`{"path": %q}`, filepath.Join(d.dir, "other.retold"))},
		{"create_backup", fmt.Sprintf(`{"path": %q, "workspace": "tidepool", "agent": "cursor"}`, filepath.Join(d.dir, "other")+"/")},
		{"list_backups", fmt.Sprintf(`{"path": %q}`, d.dir)},
		{"list_backups", fmt.Sprintf(`{"path": %q, "limit": 1000}`, backup)},
		{"validate_backup", fmt.Sprintf(`{"path": %q, "quick": true}`, backup)},
		{"restore_backup", fmt.Sprintf(`{"path": %q, "sessions": [%q], "overwrite": true}`, backup, moved)},
		{"restore_backup", fmt.Sprintf(`{"path": %q, "into_library": true}`, backup)},
		{"restore_backup", fmt.Sprintf(`{"path": %q, "home": %q}`, backup, filepath.Join(d.dir, "look"))},
		{"migrate_session", fmt.Sprintf(`{"sessions": [%q], "to": %q, "copy": true}`, moved, d.dir)},
		{"migrate_workspace", fmt.Sprintf(`{"workspace": %q, "to": %q}`, tidepool, d.dir)},
		{"migrate_workspace", fmt.Sprintf(`{"workspace": %q, "to": "nowhere"}`, tidepool)},
		{"undo_change", `{}`},
	} {
		var given map[string]any
		if err := json.Unmarshal([]byte(x[1]), &given); err != nil {
			t.Fatal(err)
		}
		for _, most := range []int{20_000, 6_000, 2_000} {
			given["max_chars"] = float64(most)
			what := fmt.Sprintf("%s %s max_chars %d", x[0], x[1], most)
			r := d.call(x[0], string(unescaped(t, given)))
			valid(t, d.output[x[0]], r, what)
			if err := input[x[0]].Validate(given); err != nil {
				t.Errorf("%s: its own input schema: %v", what, err)
			}
			if n, m := utf8.RuneCount(r.body), utf8.RuneCountInString(r.text); n > most || m > most {
				t.Errorf("%s: %d and %d characters", what, n, m)
			}
			if r.isError != strings.Contains(x[1], "nowhere") {
				t.Errorf("%s: %s", what, r.text)
			}
		}
	}
}

// A server that may only read offers nothing that writes; one whose clients are
// elsewhere nothing that takes paths.
func TestToolsOfCarefulServers(t *testing.T) {
	for _, x := range []struct {
		options mcp.Options
		want    int
	}{{mcp.Options{}, 20}, {mcp.Options{ReadOnly: true}, 14}, {mcp.Options{NoFiles: true}, 8}, {mcp.Options{NoFiles: true, ReadOnly: true}, 8}} {
		c := connect(t, openDemo(t), x.options, nil)
		list, err := c.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != x.want {
			t.Errorf("%+v: %d tools, %v", x.options, len(list.Tools), err)
		}
		for _, tool := range list.Tools {
			if a := tool.Annotations; x.options.ReadOnly && !a.ReadOnlyHint && tool.Name != "export_session" {
				t.Errorf("%s may write", tool.Name)
			}
		}
		path := filepath.Join(realDir(t), "x.md")
		if r := c.call("export_session", fmt.Sprintf(`{"session": "1", "path": %q}`, path)); r.isError != (x.options.ReadOnly || x.options.NoFiles) {
			t.Errorf("%+v: %s", x.options, r.text)
		}
	}
}
