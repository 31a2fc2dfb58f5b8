package retold_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Everything that a public package exports says what it is, beginning with its
// name, and what of package library takes a context says which errors it returns.
func TestEverythingPublicIsDocumented(t *testing.T) {
	for folder := range public {
		set, files := productFiles(t, folder)
		for _, f := range files {
			for _, mistake := range undocumented(f, folder == "library") {
				t.Errorf("%s: %s", set.Position(mistake.at), mistake.what)
			}
		}
	}
}

type mistake struct {
	at   token.Pos
	what string
}

func undocumented(f *ast.File, errors bool) (out []mistake) {
	add := func(id *ast.Ident, docs ...*ast.CommentGroup) {
		if id.IsExported() && !slices.ContainsFunc(docs, func(doc *ast.CommentGroup) bool { return begins(doc, id.Name) }) {
			out = append(out, mistake{id.Pos(), id.Name + " has no comment that begins with its name"})
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && !ast.IsExported(base(d.Recv.List[0].Type)) {
				continue
			}
			add(d.Name, d.Doc)
			if errors && d.Name.IsExported() && takesContext(d.Type) && !strings.Contains(strings.ToLower(d.Doc.Text()), "error") {
				out = append(out, mistake{d.Pos(), d.Name.Name + " does not say which errors it returns"})
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s.Name, s.Doc, d.Doc)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						// A group says what all of its names are.
						if d.Lparen.IsValid() && (d.Doc.Text() != "" || s.Doc.Text()+s.Comment.Text() != "") {
							continue
						}
						add(n, s.Doc, d.Doc)
					}
				}
			}
		}
	}
	return out
}

var article = regexp.MustCompile(`^(A|An|The) `)

// begins reports that a comment begins with a name, perhaps behind an article.
func begins(doc *ast.CommentGroup, name string) bool {
	text := article.ReplaceAllString(doc.Text(), "")
	return strings.HasPrefix(text, name+" ") || strings.HasPrefix(text, name+", ") || strings.HasPrefix(text, name+" and ")
}

func takesContext(f *ast.FuncType) bool {
	return len(f.Params.List) > 0 && types.ExprString(f.Params.List[0].Type) == "context.Context"
}

func TestDocumentationTestBites(t *testing.T) {
	const src = `package p
// Does nothing.
func Do() {}
// Undo undoes.
func (t *T) Undo() {}
func (t *hidden) Fine() {}
// T is one.
type T struct{}
// The kinds.
const ( A = 1; B = 2 )
const ( C = 3 )
var D = 4
// Ask asks.
func Ask(ctx context.Context) error { return nil }
// Answer returns the usual errors.
func Answer(ctx context.Context) error { return nil }
`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range undocumented(f, true) {
		name, _, _ := strings.Cut(m.what, " ")
		got = append(got, name)
	}
	if want := []string{"Do", "C", "D", "Ask"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}
