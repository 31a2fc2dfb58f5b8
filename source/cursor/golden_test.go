package cursor_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/source/cursor"
	"github.com/retold-history/retold/source/sourcetest"
)

var update = flag.Bool("update", false, "rewrite want.json of the goldens")

func source(user string) *cursor.Source {
	return cursor.New(cursor.Options{User: []string{user}, Env: paths.Env{GOOS: "linux", Home: "/home/ada"}})
}

// TestGolden reads every shape of testdata/*.txtar from a real home.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 45 {
		t.Fatalf("%d goldens (%v)", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			golden(t, file)
		})
	}
}

func golden(t *testing.T, file string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(bytes.TrimSpace(a.Comment)) < 80 {
		t.Error("a golden begins with prose: which version writes this, and what is odd about it")
	}
	h := newHome(t)
	h.fromArchive(a)
	before := sourcetest.Tree(t, h.dir)
	got, troubles := readAll(t, source(h.dir), h.dir)
	if diff := gocmp.Diff(before, sourcetest.Tree(t, h.dir)); diff != "" {
		t.Errorf("reading changed the folder:\n%s", diff)
	}
	if !troubles {
		sourcetest.Run(t, func() retold.Source { return source(h.dir) }, h.dir)
	}
	if *update {
		a.Files = append(without(a.Files, "want.json"), txtar.File{Name: "want.json", Data: got})
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, f := range a.Files {
		if f.Name == "want.json" {
			if diff := gocmp.Diff(string(f.Data), string(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			return
		}
	}
	t.Error("no want.json; run with -update and read what comes out")
}

func without(files []txtar.File, name string) (out []txtar.File) {
	for _, f := range files {
		if f.Name != name {
			out = append(out, f)
		}
	}
	return out
}

// readAll is the JSON of every session and of what could not be listed, short of
// what says nothing; troubles is true for the latter.
func readAll(t *testing.T, s *cursor.Source, user string) (out []byte, troubles bool) {
	t.Helper()
	places, err := s.Places(t.Context())
	if err != nil || len(places) != 1 {
		t.Fatalf("places %v, %v", places, err)
	}
	var all struct {
		Errors   []string          `json:"errors,omitempty"`
		Sessions []json.RawMessage `json:"sessions"`
	}
	for head, err := range s.Headers(t.Context(), places[0]) {
		if err != nil {
			all.Errors = append(all.Errors, err.Error())
			continue
		}
		all.Sessions = append(all.Sessions, session(t, s, head))
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	raw = bytes.ReplaceAll(raw, []byte(user), []byte("USER"))
	for _, c := range []struct{ code, char string }{{"003c", "<"}, {"003e", ">"}, {"0026", "&"}} {
		raw = bytes.ReplaceAll(raw, []byte(`\u`+c.code), []byte(c.char))
	}
	return append(raw, '\n'), len(all.Errors) > 0
}

// session is one session as the list and the reading of it agree on it.
func session(t *testing.T, s *cursor.Source, head retold.Header) json.RawMessage {
	t.Helper()
	d, err := s.Session(t.Context(), head.Ref)
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.CheckDetail(t, d)
	full := head
	if err := s.Complete(t.Context(), &full); err != nil {
		t.Fatal(err)
	}
	if full.MessageCount != len(d.Messages) || d.MessageCount != len(d.Messages) {
		t.Errorf("%s: Complete counts %d messages, Session %d, there are %d", d.ID, full.MessageCount, d.MessageCount, len(d.Messages))
	}
	for _, f := range []struct{ name, list, read string }{
		{"title", full.Title, d.Title},
		{"workspace", full.WorkspacePath, d.WorkspacePath},
		{"workspace name", full.WorkspaceName, d.WorkspaceName},
		{"model", full.Model, d.Model},
		{"mode", full.Mode, d.Mode},
		{"branch", full.Branch, d.Branch},
		{"parent", full.ParentID, d.ParentID},
		{"time source", string(full.TimeSource), string(d.TimeSource)},
		{"created", full.CreatedAt.String(), d.CreatedAt.String()},
		{"updated", full.UpdatedAt.String(), d.UpdatedAt.String()},
	} {
		if f.list != f.read {
			t.Errorf("%s: %s is %q in the list, %q in the session", d.ID, f.name, f.list, f.read)
		}
	}
	raw, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var out bytes.Buffer
	trim(t, dec, &out, "")
	flags := ""
	if head.Empty {
		flags += `"EMPTY":true,`
	}
	if head.Draft {
		flags += `"DRAFT":true,`
	}
	return json.RawMessage("{" + flags + strings.TrimPrefix(out.String(), "{"))
}

// trim copies a value without the members that say nothing, except inside what a
// tool was given and gave.
func trim(t *testing.T, dec *json.Decoder, out *bytes.Buffer, member string) {
	t.Helper()
	tok, err := dec.Token()
	if err != nil {
		t.Fatal(err)
	}
	d, nested := tok.(json.Delim)
	if !nested {
		out.Write(encode(t, tok))
		return
	}
	out.WriteString(d.String())
	keep := member == "toolParams" || member == "toolResult" || strings.HasPrefix(member, "/")
	for n := 0; dec.More(); {
		name := ""
		if d == '{' {
			key, err := dec.Token()
			if err != nil {
				t.Fatal(err)
			}
			name = key.(string)
		}
		inner := name
		if keep {
			inner = "/" + name
		}
		var v bytes.Buffer
		trim(t, dec, &v, cmp.Or(inner, member))
		if s := v.String(); !keep && d == '{' && (s == "null" || s == `""` && name != "content" || s == "[]" || s == "false" || name == "index" || name == "agent" || name == "problems" || name == "timestampSource" && s == `"stored"`) {
			continue
		}
		if n++; n > 1 {
			out.WriteByte(',')
		}
		if d == '{' {
			out.Write(encode(t, name))
			out.WriteByte(':')
		}
		out.Write(v.Bytes())
	}
	if tok, err = dec.Token(); err != nil {
		t.Fatal(err)
	}
	out.WriteString(tok.(json.Delim).String())
}

func parse(t *testing.T, name string) *txtar.Archive {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestDocumentation wants every golden linked from docs/cursor-format.md, and
// every link of it to lead somewhere.
func TestDocumentation(t *testing.T) {
	const doc = "../../docs/cursor-format.md"
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	links := map[string]bool{}
	for _, m := range regexp.MustCompile(`\]\(([^)#]+)\)`).FindAllSubmatch(text, -1) {
		link := string(m[1])
		links[filepath.Base(link)] = true
		if strings.Contains(link, "://") {
			continue
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(doc), link)); err != nil {
			t.Errorf("link %s: %v", link, err)
		}
	}
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d goldens (%v)", len(files), err)
	}
	for _, file := range files {
		if !links[filepath.Base(file)] {
			t.Errorf("%s is not linked", file)
		}
	}
}
