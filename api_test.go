package retold_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/api anew")

// public are the packages whose exported names are promised (doc.go,
// Compatibility), and the files that hold what they are.
var public = map[string]string{
	".":       "testdata/api/retold.txt",
	"library": "testdata/api/library.txt",
	"export":  "testdata/api/export.txt",
	"redact":  "testdata/api/redact.txt",
	"render":  "testdata/api/render.txt",
}

// private are the top folders that promise nothing to programs outside.
var private = []string{"backup", "bench", "cmd", "demo", "git", "internal", "journal", "migrate", "source", "store", "ui"}

// A new package is public or it is not; somebody has to say.
func TestEveryPackageIsPublicOrPrivate(t *testing.T) {
	for _, f := range parseTree(t) {
		top, _, _ := strings.Cut(f.folder, "/")
		if inPublic := public[f.folder] != ""; !inPublic && !slices.Contains(private, top) && f.folder != "redact/redacttest" {
			t.Errorf("%s is neither public nor private (api_test.go)", f.folder)
		}
	}
}

const howToUpdate = `
What programs may use has changed (- before, + now). If that is meant, say so:
    go test -run TestAPI -update .
Additions need no more than that. What is gone or changed since a release, docs/go.md
has to name under "Changes" first, and the next version is a major one (before
v1.0.0: a minor one).`

// TestAPI compares what the public packages export with what testdata/api says.
func TestAPI(t *testing.T) {
	notes := changeNotes(t)
	for folder, golden := range public {
		name := strings.TrimSuffix(filepath.Base(golden), ".txt")
		set, files := productFiles(t, folder)
		now := exported(t, name, set, files)
		text, err := os.ReadFile(golden)
		if err != nil && !*update {
			t.Fatal(err)
		}
		before := strings.Split(strings.TrimSpace(string(text)), "\n")
		gone := without(before, now)
		if !*update {
			if diff := cmp.Diff(before, now); diff != "" {
				t.Errorf("package %s:\n- %s\n+ %s\n%s", name, strings.Join(gone, "\n- "), strings.Join(without(now, before), "\n+ "), howToUpdate)
			}
			continue
		}
		if missing := unexplained(name, gone, notes); len(missing) > 0 {
			t.Errorf("docs/go.md says nothing under Changes about %s", strings.Join(missing, ", "))
			continue
		}
		if err := os.WriteFile(golden, []byte(strings.Join(now, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// changeNotes is the section of docs/go.md about changes.
func changeNotes(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("docs/go.md")
	if err != nil {
		t.Fatal(err)
	}
	_, notes, ok := strings.Cut(string(text), "\n## Changes\n")
	if !ok {
		t.Fatal("docs/go.md has no section Changes")
	}
	notes, _, _ = strings.Cut(notes, "\n## ")
	return notes
}

// unexplained are the names in lines that are gone which the notes do not have.
// What was never released nobody misses.
func unexplained(pkg string, gone []string, notes string) []string {
	missing := map[string]bool{}
	if strings.Contains(notes, "No version was released yet") {
		return nil
	}
	for _, line := range gone {
		if name := pkg + "." + identifier(line); line != "" && !strings.Contains(notes, "`"+name+"`") {
			missing[name] = true
		}
	}
	return slices.Sorted(maps.Keys(missing))
}

// without are the lines of list that are not in drop.
func without(list, drop []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(drop, s) })
}

const apiBefore = `package p
type Open struct { Name string; ID int ` + "`json:\"id\"`" + `; hidden int }
type Doer interface { Do(int) error }
type Kind string
const KindA, KindB Kind = "a", "b"
const Most = 20
var ErrGone error
func New(name string) *Open { return nil }
func (o *Open) Close() error { return nil }
func (o *Open) private() {}
type inner struct{ Field int }
func (inner) Method() {}
type wire struct { Key string ` + "`json:\"key\"`" + ` }
func (o Open) MarshalJSON() ([]byte, error) { return json.Marshal(struct{ A int ` + "`json:\"a\"`" + ` }{}) }
`

// What would break a program, or make it behave otherwise, changes the lines;
// what would not does not.
func TestAPIBites(t *testing.T) {
	before := surfaceOf(t, apiBefore)
	for _, c := range []struct{ old, anew, gone, added string }{
		{"Name string;", "", "Open.Name", ""},
		{"Name string", "Name []byte", "Open.Name", "Open.Name"},
		{`"id"`, `"key"`, "Open.ID", "Open.ID"},
		{"hidden int", "hidden string", "", ""},
		{"hidden int", "hidden int; More bool", "", "Open.More"},
		{"Do(int) error", "Do(string) error", "Doer.Do", "Doer.Do"},
		{"Do(int) error", "Do(int) error; Undo()", "", "Doer.Undo"},
		{`"a", "b"`, `"a", "B"`, "KindB", "KindB"},
		{"Most = 20", "Most = 21", "Most", "Most"},
		{"type Kind string", "type Kind = string", "Kind", "Kind"},
		{"name string) *Open", "called string) *Open", "", ""},
		{"name string) *Open", "name string, n int) *Open", "New", "New"},
		{"name string) *Open", "name ...string) *Open", "New", "New"},
		{"(o *Open) Close() error", "(o *Open) Close()", "Open.Close", "Open.Close"},
		{"(o *Open) Close() error", "(o *Open) close() error", "Open.Close", ""},
		{"(o *Open) private", "(o *Open) Public", "", "Open.Public"},
		{"var ErrGone error", "", "ErrGone", ""},
		{"Field int", "Field string", "", ""},
		{`"key"`, `"keys"`, "wire.key", "wire.keys"},
		{`"a"` + "`", `"a,omitempty"` + "`", "Open.a", "Open.a"},
	} {
		now := surfaceOf(t, strings.Replace(apiBefore, c.old, c.anew, 1))
		if gone := names(without(before, now)); gone != c.gone {
			t.Errorf("%s → %s: gone is %q, want %q", c.old, c.anew, gone, c.gone)
		}
		if added := names(without(now, before)); added != c.added {
			t.Errorf("%s → %s: added is %q, want %q", c.old, c.anew, added, c.added)
		}
	}
	gone := []string{"func (*Open) Close() error", "field Open.ID int"}
	if got := unexplained("p", gone, "- `p.Open.ID` is a string now"); !slices.Equal(got, []string{"p.Open.Close"}) {
		t.Errorf("of two changes, one explained, %v need a note", got)
	}
	if got := unexplained("p", gone, "No version was released yet."); len(got) > 0 {
		t.Errorf("before the first release %v need a note", got)
	}
}

func names(lines []string) string {
	var out []string
	for _, line := range lines {
		out = append(out, identifier(line))
	}
	return strings.Join(out, " ")
}

func surfaceOf(t *testing.T, src string) []string {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	return exported(t, "p", set, []*ast.File{f})
}
