package retold_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mutable are the package variables that change after the program started, and
// why that is nobody's business. All others are constants in all but name.
var mutable = map[string]string{
	"internal/livedb.holds":   "a process loses its locks on a file when it closes any descriptor of it, so there is one list of open files per process",
	"internal/livedb.holdsMu": "guards holds",
}

// No library of one program knows of another through package variables.
func TestNoGlobalState(t *testing.T) {
	folders := map[string]bool{}
	for _, f := range parseTree(t) {
		if !strings.HasPrefix(f.folder, "bench") && !strings.HasPrefix(f.folder, "cmd") {
			folders[f.folder] = true
		}
	}
	met := map[string]bool{}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		set, files := productFiles(t, folder)
		for name, where := range changed(set, files) {
			name = strings.TrimPrefix(folder+".", "..") + name
			met[name] = true
			if mutable[name] == "" {
				t.Errorf("package variable %s may change: %s", name, where)
			}
		}
	}
	for name := range mutable {
		if !met[name] {
			t.Errorf("%s is listed as mutable and is not", name)
		}
	}
}

// productFiles are the files of a folder that are not tests.
func productFiles(t *testing.T, folder string) (set *token.FileSet, files []*ast.File) {
	t.Helper()
	set = token.NewFileSet()
	all, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return set, files
}

// changed are the package variables that a function assigns to, or to a part
// of, or takes the address of, and those of a kind made to be changed, with a place
// where that shows.
func changed(set *token.FileSet, files []*ast.File) map[string]string {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: noImports{}, Error: func(error) {}}
	pkg, _ := conf.Check("p", set, files, info)
	out := map[string]string{}
	note := func(e ast.Expr, why string) {
		id := root(e)
		if id == nil {
			return
		}
		if v, ok := info.Uses[id].(*types.Var); ok && v.Parent() == pkg.Scope() {
			out[v.Name()] = why + " at " + set.Position(e.Pos()).String()
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					note(left, "assigned")
				}
			case *ast.IncDecStmt:
				note(n.X, "counted")
			case *ast.RangeStmt:
				note(n.Key, "assigned")
				note(n.Value, "assigned")
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					note(n.X, "address taken")
				}
			case *ast.CallExpr:
				if fn, ok := n.Fun.(*ast.Ident); ok && slices.Contains([]string{"delete", "clear", "copy"}, fn.Name) {
					note(n.Args[0], fn.Name+" called")
				}
			case *ast.GenDecl:
				if n.Tok == token.VAR {
					changeable(set, pkg, info, n, out)
				}
			}
			return true
		})
	}
	return out
}

// changeable adds package variables that hold locks, channels and the like. A
// value that is computed when it is first needed (sync.OnceValue) is a constant,
// and a pool of scratch memory (sync.Pool) holds nothing that anybody knows of.
func changeable(set *token.FileSet, pkg *types.Package, info *types.Info, d *ast.GenDecl, out map[string]string) {
	for _, s := range d.Specs {
		spec, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, id := range spec.Names {
			if obj := info.Defs[id]; obj == nil || obj.Parent() != pkg.Scope() {
				continue
			}
			text := ""
			if spec.Type != nil {
				text = types.ExprString(spec.Type)
			} else if i < len(spec.Values) {
				text = types.ExprString(spec.Values[i])
			}
			if strings.HasPrefix(text, "sync.OnceValue") || strings.HasPrefix(text, "sync.Pool{") {
				continue
			}
			for _, kind := range []string{"sync.", "atomic.", "chan ", "make(chan"} {
				if strings.HasPrefix(strings.TrimLeft(text, "*&"), kind) {
					out[id.Name] = "made with " + kind + " at " + set.Position(id.Pos()).String()
				}
			}
		}
	}
}

// root is the variable that an expression is a part of; nil when there is none.
func root(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return root(e.X)
	case *ast.IndexExpr:
		return root(e.X)
	case *ast.SliceExpr:
		return root(e.X)
	case *ast.StarExpr:
		return root(e.X)
	case *ast.ParenExpr:
		return root(e.X)
	}
	return nil
}

func TestNoGlobalStateBites(t *testing.T) {
	const src = `package p
import ("sync"; "strings")
var list = []int{1}
var table = map[string]int{}
var n int
var once sync.Once
var value = sync.OnceValue(func() int { return 1 })
var point struct{ x int }
var shared int
var fine = strings.Repeat("x", 3)
func f() { list[0] = 2; table["a"]++; n = 1; point.x = 3; g(&shared) }
func h() { list := []int{2}; list[0] = 1; n, fine := 1, ""; _, _ = n, fine; _ = list; fine = "y" }
`
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(slices.Sorted(maps.Keys(changed(set, []*ast.File{f}))), " ")
	if want := "list n once point shared table"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}
