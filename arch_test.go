package retold_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/retold-history/retold"

// allowed says which of our packages a folder may import besides the root and
// internal/. The first entry that the folder's path starts with decides.
var allowed = []struct {
	folder string
	may    []string
}{
	{"source/sourcetest", nil},
	{"source/", nil},
	{"store/", nil},
	{"internal/", nil},
	{"redact", nil},
	{"render", nil},
	{"git", nil},
	{"demo", nil},
	{"bench", []string{"bench", "bench/", "demo/", "export", "git", "journal", "library", "source/", "store/"}},
	{"export", []string{"redact", "render"}},
	{"journal/hook", []string{"journal/hook/", "git"}},
	{"journal/prose", []string{"journal"}},
	{"journal", []string{"git", "redact"}},
	{"backup", []string{"redact"}},
	{"migrate", []string{"redact"}},
	{"library", []string{"source/", "store/", "journal", "backup", "migrate", "export", "render", "redact", "git"}},
	{"ui/cli", []string{"library", "journal", "journal/", "backup", "migrate", "export", "render", "redact", "demo", "ui/"}},
	{"ui/", []string{"library", "journal", "backup", "migrate", "export", "render", "redact"}},
	{"cmd/", []string{"ui/cli"}},
}

// parsed is one Go file of the tree.
type parsed struct {
	folder, name string
	file         *ast.File
	lines        int
}

func parseTree(t *testing.T) (files []parsed) {
	t.Helper()
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && p != ".") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(p) != ".go" {
			return nil
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(set, p, src, parser.ParseComments)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(p))
		files = append(files, parsed{folder: folder, name: filepath.ToSlash(p), file: f, lines: strings.Count(string(src), "\n")})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Fatalf("found only %d files", len(files))
	}
	return files
}

func TestImportsPointInward(t *testing.T) {
	for _, f := range parseTree(t) {
		if strings.HasSuffix(f.name, "_test.go") {
			continue
		}
		for _, spec := range f.file.Imports {
			target, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if why := forbidden(f.folder, target); why != "" {
				t.Errorf("%s imports %s: %s", f.name, target, why)
			}
		}
	}
}

// forbidden says why a folder may not import a package; "" when it may.
func forbidden(folder, target string) string {
	ours := target == module || strings.HasPrefix(target, module+"/")
	if folder == "." {
		if ours || strings.Contains(strings.SplitN(target, "/", 2)[0], ".") {
			return "the root imports only the standard library"
		}
		return ""
	}
	if strings.HasPrefix(folder, "ui/") && (target == "zombiezen.com/go/sqlite" || strings.HasPrefix(target, "github.com/jackc/")) {
		return "front ends know no database"
	}
	if !ours || target == module {
		return ""
	}
	target = strings.TrimPrefix(target, module+"/")
	if target == folder || strings.HasPrefix(target, "internal/") || strings.HasPrefix(target, folder+"/") {
		return ""
	}
	for _, rule := range allowed {
		if folder == strings.TrimSuffix(rule.folder, "/") || strings.HasPrefix(folder+"/", strings.TrimSuffix(rule.folder, "/")+"/") {
			for _, may := range rule.may {
				if target == may || strings.HasSuffix(may, "/") && strings.HasPrefix(target, may) {
					return ""
				}
			}
			return rule.folder + " may not know it"
		}
	}
	return "arch_test.go has no rule for " + folder
}

// TestRulesBite shows the rules forbidding what they are for.
func TestRulesBite(t *testing.T) {
	for _, c := range []struct{ folder, target string }{
		{".", module + "/library"},
		{".", "zombiezen.com/go/sqlite"},
		{"source/cursor", module + "/source/cursorcli"},
		{"source/cursor", module + "/render"},
		{"ui/cli", module + "/source/cursor"},
		{"ui/cli", "zombiezen.com/go/sqlite"},
		{"library", module + "/ui/cli"},
		{"export", module + "/library"},
		{"unheard/of", module + "/library"},
	} {
		if forbidden(c.folder, c.target) == "" {
			t.Errorf("%s may import %s", c.folder, c.target)
		}
	}
}

func TestEveryPackageHasOneComment(t *testing.T) {
	comments := map[string][]string{}
	folders := map[string]bool{}
	for _, f := range parseTree(t) {
		if strings.HasSuffix(f.name, "_test.go") {
			continue
		}
		folders[f.folder] = true
		if f.file.Doc != nil {
			comments[f.folder] = append(comments[f.folder], f.name)
		}
	}
	for folder := range folders {
		if n := len(comments[folder]); n != 1 {
			t.Errorf("%s has %d package comments: %v", folder, n, comments[folder])
		}
	}
}

func TestSmallRooms(t *testing.T) {
	for _, f := range parseTree(t) {
		if f.lines > 500 {
			t.Errorf("%s has %d lines", f.name, f.lines)
		}
		if slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "types", "models", "misc"}, path.Base(f.folder)) {
			t.Errorf("%s: a package is named after what it knows", f.folder)
		}
	}
}

func TestModuleIsWhatItSays(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mod)) {
		if strings.HasPrefix(line, "replace") {
			t.Errorf("go.mod: %s", line)
		}
	}
	// The transpiled engine only works with the libc it was made with.
	for _, pin := range []string{"modernc.org/sqlite v1.60.1", "modernc.org/libc v1.77.1"} {
		if !strings.Contains(string(mod), pin) {
			t.Errorf("go.mod does not pin %s", pin)
		}
	}
}
