package cli_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/retold-history/retold/demo"
	"github.com/retold-history/retold/ui/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"retold": func() { os.Exit(cli.Main()) },
		// retold as it behaves when the interrupt comes while it reads.
		"retold-interrupted": func() {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			os.Exit(cli.Run(ctx, os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
		},
	})
}

func TestScripts(t *testing.T) {
	home, err := demo.Make(t.Context(), filepath.Join(t.TempDir(), "demo")) // the scripts only read it
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("RETOLD_HOME", filepath.Join(env.WorkDir, "retold"))
			env.Setenv("DEMO_USER", home.CursorUser)
			env.Setenv("DEMO_HOME", home.CursorHome)
			env.Setenv("TZ", "UTC")
			env.Setenv("PAGER", "")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"usedemo":  useDemo,
			"copydemo": copyDemo,
			"columns":  columns,
			"cell":     cell,
			"journals": journals,

			"homeoftalks": homeOfTalks,
			"linked":      linked,
			"wrote":       wrote,
			"noted":       noted,
			"queued":      queued,
			"emptied":     emptied,
			"killdrains":  killDrains,
			"sidebyside":  sideBySide,
			"holdcursor":  holdCursor,

			"holdlibrary": holdLibrary,
			"servemodel":  serveModel,

			"damagedemo": damageDemo,
			"interrupt":  interrupt,
			"sametree":   sameTree,
		},
	})
}

// exits runs a command and checks its exit status: exits 4 retold show nope.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s exited %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// usedemo points retold at the shared demo home by the environment.
func useDemo(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Setenv("RETOLD_CURSOR_USER", ts.Getenv("DEMO_USER"))
	ts.Setenv("RETOLD_CURSOR_HOME", ts.Getenv("DEMO_HOME"))
}

// copydemo DIR makes a demo home that the script may change.
func copyDemo(ts *testscript.TestScript, _ bool, args []string) {
	home, err := demo.Make(context.Background(), ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Setenv("RETOLD_CURSOR_USER", home.CursorUser)
	ts.Setenv("RETOLD_CURSOR_HOME", home.CursorHome)
}

// interrupt HOME makes the change on record there one whose process was ended.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	found, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "undo", "*", "journal"))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("%d changes", len(found))
	}
	first, _, _ := strings.Cut(ts.ReadFile(found[0]), "\n")
	ts.Check(os.WriteFile(found[0], []byte(first+"\n"), 0o600))
}

// damageDemo DIR changes a byte of the demo home in DIR and puts three of other
// builds beside it: an old one, an old one without its marker, and a new one.
func damageDemo(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	found, err := filepath.Glob(filepath.Join(dir, "retold-demo-*", "config", "Cursor", "User", "globalStorage", "state.vscdb"))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("%d demo homes", len(found))
	}
	f, err := os.OpenFile(found[0], os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteAt([]byte("!"), 5000)
	ts.Check(errors.Join(err, f.Close()))
	uid := strconv.Itoa(os.Getuid())
	ts.Setenv("UID", uid)
	old := time.Now().Add(-25 * time.Hour)
	for i, name := range []string{"00000000", "11111111", "22222222"} {
		other := filepath.Join(dir, "retold-demo-"+uid+"-"+name)
		ts.Check(os.Mkdir(other, 0o700))
		if marker := filepath.Join(other, demo.Marker); i != 1 {
			ts.Check(os.WriteFile(marker, []byte("x"), 0o600))
			if i == 0 {
				ts.Check(os.Chtimes(marker, old, old))
			}
		}
		if i < 2 {
			ts.Check(os.Chtimes(other, old, old))
		}
	}
}

// journals DIR puts a rollback journal beside every store.db below DIR, as a
// program does that is in the middle of a transaction.
func journals(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "store.db" {
			return err
		}
		return os.WriteFile(path+"-journal", []byte("a transaction is under way"), 0o600)
	}))
}

// holdlibrary FILE takes the lock of a library's writer until the script ends.
func holdLibrary(ts *testscript.TestScript, _ bool, args []string) {
	l := flock.New(ts.MkAbs(args[0]) + ".lock")
	got, err := l.TryLock()
	ts.Check(err)
	if !got {
		ts.Fatalf("somebody else writes to %s", args[0])
	}
	ts.Defer(func() { ts.Check(l.Close()) })
}

// columns N checks that every line of stdout has N tab-separated columns.
func columns(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if got := strings.Count(line, "\t") + 1; got != want {
			ts.Fatalf("%d columns, want %d: %q", got, want, line)
		}
	}
}

// cell VARIABLE LINE COLUMN takes a cell of the tab-separated stdout, counted
// from 1, into a variable; a fourth argument is how many bytes of it.
func cell(ts *testscript.TestScript, _ bool, args []string) {
	n := make([]int, len(args))
	for i := 1; i < len(args); i++ {
		var err error
		n[i], err = strconv.Atoi(args[i])
		ts.Check(err)
	}
	text := strings.Split(strings.Split(ts.ReadFile("stdout"), "\n")[n[1]-1], "\t")[n[2]-1]
	if len(args) > 3 {
		text = text[:n[3]]
	}
	ts.Setenv(args[0], text)
}

// sametree DIR1 DIR2 checks that two folders hold the same files.
func sameTree(ts *testscript.TestScript, neg bool, args []string) {
	a, b := tree(ts, ts.MkAbs(args[0])), tree(ts, ts.MkAbs(args[1]))
	if diff := cmp.Diff(a, b); (diff == "") == neg {
		ts.Fatalf("%s and %s: %s", args[0], args[1], diff)
	}
	if len(a) == 0 {
		ts.Fatalf("%s holds no file", args[0])
	}
}

func tree(ts *testscript.TestScript, dir string) map[string]string {
	out := map[string]string{}
	ts.Check(fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		out[path] = string(data)
		return err
	}))
	return out
}

// Every exit code that docs/exit-codes.md names has a script that meets it, and
// no script meets another.
func TestEveryExitCodeHasAScript(t *testing.T) {
	doc, err := os.ReadFile("../../docs/exit-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := found(string(doc), `(?m)^\| (\d+) \|`)
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var met []string
	for _, path := range scripts {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		met = append(met, found(string(text), `(?m)^exits (\d+) `)...)
	}
	for _, code := range documented {
		if !slices.Contains(met, code) {
			t.Errorf("no script meets exit code %s", code)
		}
	}
	for _, code := range met {
		if !slices.Contains(documented, code) {
			t.Errorf("a script meets exit code %s, which is not documented", code)
		}
	}
	if len(documented) != 9 {
		t.Errorf("%d exit codes are documented: %s", len(documented), fmt.Sprint(documented))
	}
}

func found(text, pattern string) []string {
	var out []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}
