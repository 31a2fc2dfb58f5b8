package retold_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// exported are the exported names of a package, one line each with all that a
// program can depend on: kind, type, value of a constant, tag of a field; the
// names of parameters are left out. The lines are sorted.
func exported(t *testing.T, name string, set *token.FileSet, files []*ast.File) []string {
	t.Helper()
	p := printer{t: t, info: &types.Info{Defs: map[*ast.Ident]types.Object{}}}
	// Types are printed as they are written; only constants, and variables without a
	// written type, need the checker, which does well enough without imports.
	conf := types.Config{Importer: noImports{}, Error: func(error) {}}
	pkg, _ := conf.Check(name, set, files, p.info)
	p.from = types.RelativeTo(pkg)
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				p.function(d)
				if d.Recv != nil && d.Body != nil {
					p.wire(base(d.Recv.List[0].Type), d.Body)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					p.spec(d.Tok, spec)
				}
			}
		}
	}
	slices.Sort(p.lines)
	return slices.Compact(p.lines)
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }

type printer struct {
	t     *testing.T
	info  *types.Info
	from  types.Qualifier
	lines []string
}

func (p *printer) line(format string, args ...any) {
	p.lines = append(p.lines, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

func (p *printer) function(d *ast.FuncDecl) {
	switch {
	case !d.Name.IsExported():
	case d.Recv == nil:
		p.line("func %s%s", d.Name.Name, p.signature(d.Type))
	case ast.IsExported(base(d.Recv.List[0].Type)):
		p.line("func (%s) %s%s", types.ExprString(d.Recv.List[0].Type), d.Name.Name, p.signature(d.Type))
	}
}

// base is the name of a receiver's or an embedded field's type.
func base(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return base(e.X)
	case *ast.IndexExpr:
		return base(e.X)
	case *ast.IndexListExpr:
		return base(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// signature is parameters and results without their names.
func (p *printer) signature(f *ast.FuncType) string {
	list := func(fields *ast.FieldList) (all []string) {
		if fields == nil {
			return nil
		}
		for _, field := range fields.List {
			for range max(len(field.Names), 1) {
				all = append(all, p.expr(field.Type))
			}
		}
		return all
	}
	in, out := list(f.Params), list(f.Results)
	s := params(f.TypeParams) + "(" + strings.Join(in, ", ") + ")"
	switch len(out) {
	case 0:
		return s
	case 1:
		return s + " " + out[0]
	}
	return s + " (" + strings.Join(out, ", ") + ")"
}

// expr prints a type; functions in it without the names of their parameters.
func (p *printer) expr(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.FuncType:
		return "func" + p.signature(e)
	case *ast.Ellipsis:
		return "..." + p.expr(e.Elt)
	}
	return types.ExprString(e)
}

func params(list *ast.FieldList) string {
	if list == nil {
		return ""
	}
	var all []string
	for _, f := range list.List {
		for _, n := range f.Names {
			all = append(all, n.Name+" "+types.ExprString(f.Type))
		}
	}
	return "[" + strings.Join(all, ", ") + "]"
}

func (p *printer) spec(tok token.Token, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.IsExported() {
				p.value(tok, n, s)
			}
		}
	case *ast.TypeSpec:
		if s.Name.IsExported() {
			p.typ(s)
		} else {
			p.wire(s.Name.Name, s.Type)
		}
	}
}

// wire prints the JSON names in structs that no program sees but as JSON.
func (p *printer) wire(owner string, in ast.Node) {
	ast.Inspect(in, func(n ast.Node) bool {
		s, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		for _, f := range s.Fields.List {
			if f.Tag == nil {
				continue
			}
			if key, ok := reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Lookup("json"); ok {
				name, options, _ := strings.Cut(key, ",")
				p.line("json %s.%s %s %s", owner, name, p.expr(f.Type), options)
			}
		}
		return true
	})
}

func (p *printer) value(tok token.Token, n *ast.Ident, s *ast.ValueSpec) {
	obj := p.info.Defs[n]
	switch {
	case obj == nil:
		p.t.Errorf("%s is declared twice", n.Name)
	case tok == token.CONST:
		c, _ := obj.(*types.Const)
		p.line("const %s %s = %s", n.Name, types.TypeString(c.Type(), p.from), c.Val().ExactString())
	case s.Type != nil:
		p.line("var %s %s", n.Name, p.expr(s.Type))
	case obj.Type() != types.Typ[types.Invalid]:
		p.line("var %s %s", n.Name, types.TypeString(obj.Type(), p.from))
	case len(s.Values) == 1 && strings.HasPrefix(types.ExprString(s.Values[0]), "errors.New("):
		p.line("var %s error", n.Name)
	default:
		p.t.Errorf("%s: write its type, so that everybody knows it", n.Name)
	}
}

func (p *printer) typ(s *ast.TypeSpec) {
	name := s.Name.Name
	head := name + params(s.TypeParams)
	switch kind := s.Type.(type) {
	case *ast.StructType:
		p.line("type %s struct", head)
		for _, f := range kind.Fields.List {
			tag := ""
			if f.Tag != nil {
				tag = f.Tag.Value
			}
			for _, n := range f.Names {
				if n.IsExported() {
					p.line("field %s.%s %s %s", name, n.Name, p.expr(f.Type), tag)
				}
			}
			if len(f.Names) == 0 && ast.IsExported(base(f.Type)) {
				p.line("field %s.%s embedded %s %s", name, base(f.Type), p.expr(f.Type), tag)
			}
		}
	case *ast.InterfaceType:
		p.line("type %s interface", head)
		for _, m := range kind.Methods.List {
			for _, n := range m.Names {
				if f, ok := m.Type.(*ast.FuncType); ok {
					p.line("method %s.%s%s", name, n.Name, p.signature(f))
				}
			}
			if len(m.Names) == 0 {
				p.line("method %s.%s embedded %s", name, base(m.Type), p.expr(m.Type))
			}
		}
	default:
		equals := ""
		if s.Assign.IsValid() {
			equals = "= "
		}
		p.line("type %s %s%s", head, equals, p.expr(s.Type))
	}
}

var nameInLine = regexp.MustCompile(`^(?:func \(\*?(\w+)[^)]*\) (\w+)|\w+ ([\w.]+))`)

// identifier is what a line is about: "Session", "Session.ID", "Library.List".
func identifier(line string) string {
	m := nameInLine.FindStringSubmatch(line)
	switch {
	case m == nil:
		return ""
	case m[1] != "":
		return m[1] + "." + m[2]
	}
	return m[3]
}

// constants are the values of the string constants of a type, by their names.
func constants(files []*ast.File, kind string) map[string]string {
	found := map[string]string{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.ValueSpec)
			if !ok || s.Type == nil || types.ExprString(s.Type) != kind || len(s.Values) != len(s.Names) {
				return true
			}
			for i, name := range s.Names {
				if lit, ok := s.Values[i].(*ast.BasicLit); ok {
					found[name.Name] = strings.Trim(lit.Value, `"`)
				}
			}
			return true
		})
	}
	return found
}
