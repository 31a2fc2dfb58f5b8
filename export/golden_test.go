package export_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func write(t *testing.T, f export.Format, o export.Options, sessions ...*retold.SessionDetail) string {
	t.Helper()
	var b bytes.Buffer
	w := export.NewWriter(&b, f, o)
	for _, d := range sessions {
		if err := w.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func one(t *testing.T, f export.Format, o export.Options, d *retold.SessionDetail) string {
	t.Helper()
	var b bytes.Buffer
	if err := export.Session(&b, f, d, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	sessions := map[string]*retold.SessionDetail{
		"every": everySession(), "hostile": hostileSession(),
		"empty": {Session: retold.Session{ID: "nothing", Agent: "cursor-cli"}},
	}
	check := func(name, got string) {
		t.Helper()
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for name, d := range sessions {
		for _, f := range export.Formats {
			check(name+"."+string(f), one(t, f, export.Options{}, d))
		}
	}
	full := export.Options{Tools: export.ToolsFull}
	check("every-full.md", one(t, export.Markdown, full, sessions["every"]))
	check("every-full.html", one(t, export.HTML, full, sessions["every"]))
	check("every-full.text", one(t, export.Text, full, sessions["every"]))
	check("every-none.md", one(t, export.Markdown, export.Options{Tools: export.ToolsNone, Roles: []retold.Role{retold.RoleUser, retold.RoleTool}}, sessions["every"]))
	check("two.html", write(t, export.HTML, export.Options{}, sessions["every"], sessions["empty"]))
}
