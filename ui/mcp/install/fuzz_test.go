package install_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/retold-history/retold/ui/mcp/install"
)

// seeds gives a fuzz target the goldens of one format.
func seeds(f *testing.F, pattern string) {
	files, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(files) == 0 {
		f.Fatalf("%d goldens, %v", len(files), err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(odd(part(archive, "before")))
	}
}

// FuzzJSON: what another JSON reader makes of a file is the same before and
// after, but for the entry; and taking it out again leaves all else.
func FuzzJSON(f *testing.F) {
	seeds(f, "json*")
	seeds(f, "broken*")
	c := client(f, "cursor")
	strict := client(f, "claude-desktop")
	f.Fuzz(func(t *testing.T, before []byte) {
		both(t, c, before)
		after, removed, ok := both(t, strict, before)
		if !ok {
			return
		}
		want := map[string]any{}
		if err := json.Unmarshal(bare(before), &want); err != nil && len(bytes.TrimSpace(bare(before))) > 0 {
			t.Fatalf("took what is no JSON: %q: %v", before, err)
		}
		for _, text := range [][]byte{after, removed} {
			got := map[string]any{}
			if err := json.Unmarshal(bare(text), &got); err != nil {
				t.Fatalf("%q became %q: %v", before, text, err)
			}
			if !reflect.DeepEqual(without(want, "mcpServers"), without(got, "mcpServers")) {
				t.Fatalf("%q became %q", before, text)
			}
		}
	})
}

// FuzzTOML: the same for TOML.
func FuzzTOML(f *testing.F) {
	seeds(f, "toml*")
	c := client(f, "codex")
	f.Fuzz(func(t *testing.T, before []byte) {
		after, removed, ok := both(t, c, before)
		if !ok {
			return
		}
		want := map[string]any{}
		if _, err := toml.Decode(string(bare(before)), &want); err != nil {
			t.Fatalf("took what is no TOML: %q: %v", before, err)
		}
		for _, text := range [][]byte{after, removed} {
			got := map[string]any{}
			if _, err := toml.Decode(string(bare(text)), &got); err != nil {
				t.Fatalf("%q became %q: %v", before, text, err)
			}
			if !reflect.DeepEqual(without(want, "mcp_servers"), without(got, "mcp_servers")) {
				t.Fatalf("%q became %q", before, text)
			}
		}
	})
}

// both installs and uninstalls; a file that is not touched is no failure, but
// every refusal is of the documented kind.
func both(t *testing.T, c install.Client, before []byte) (after, removed []byte, ok bool) {
	env, path := place(t, c, before)
	change, err := install.Plan(c, env, "", server, false)
	if err != nil {
		if !errors.Is(err, install.ErrBroken) {
			t.Fatal(err)
		}
		return nil, nil, false
	}
	after = apply(t, change, path)
	idempotent(t, c, env, path)
	undo, err := install.Plan(c, env, "", server, true)
	if err != nil {
		t.Fatalf("%q became %q, and then: %v", before, after, err)
	}
	return after, apply(t, undo, path), true
}

func bare(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) }

// without is a table without the entry, and without the list if that is all that
// was in it.
func without(values map[string]any, list string) map[string]any {
	out := map[string]any{}
	for key, value := range values {
		servers, ok := value.(map[string]any)
		if key != list || !ok {
			out[key] = value
			continue
		}
		others := map[string]any{}
		for name, entry := range servers {
			if name != install.Name {
				others[name] = entry
			}
		}
		if len(others) > 0 {
			out[key] = others
		}
	}
	return out
}
